import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;

/** The Java half of beside_java.cpp. Arguments: SERVERS NAMESPACE ROUNDS PROCESSES. */
public class BesideCpp {
  private static final int SESSION_TIMEOUT_MS = 10_000;
  private static final int CONNECTION_TIMEOUT_MS = 5_000;
  private static final int RETRY_MS = 100;

  private final CuratorFramework client;
  private final InterProcessMutex orders;
  private final InterProcessSemaphoreMutex nightly;
  private final InterProcessReadWriteLock config;
  private final InterProcessSemaphoreV2 pool;
  private volatile boolean mayHold = true;

//! [java locks]
  BesideCpp(CuratorFramework client) {
    this.client = client;
    orders = new InterProcessMutex(client, "/locks/orders");
    nightly = new InterProcessSemaphoreMutex(client, "/locks/nightly");
    config = new InterProcessReadWriteLock(client, "/locks/config");
    pool = new InterProcessSemaphoreV2(client, "/locks/pool", 2);
  }
//! [java locks]

//! [java mutex]
  boolean takeOrder() throws Exception {
    if (!orders.acquire(30, TimeUnit.SECONDS)) {
      return false;
    }
    try {
      increment("/orders");
      return mayHold;  // what a listener has heard up to now
    } finally {
      orders.release();
    }
  }
//! [java mutex]

//! [java semaphore mutex]
  void runNightly() throws Exception {
    nightly.acquire();
    Thread worker = new Thread(() -> {
      try {
        increment("/nightly");
        nightly.release();
      } catch (Exception failure) {
        throw new IllegalStateException(failure);
      }
    });
    worker.start();
    worker.join();
  }
//! [java semaphore mutex]

//! [java read/write]
  void changeConfig() throws Exception {
    InterProcessLock write = config.writeLock();
    write.acquire();
    try {
      increment("/config");
    } finally {
      write.release();  // no downgrade here: before 5.5.0 it lets a queued writer in
    }
  }
//! [java read/write]

//! [java permits]
  void usePool() throws Exception {
    Collection<Lease> leases = pool.acquire(1);
    try {
      increment("/pool");
    } finally {
      pool.returnAll(leases);
    }
  }
//! [java permits]

//! [java multi]
  void closeTheDay() throws Exception {
    InterProcessMultiLock all = new InterProcessMultiLock(Arrays.asList(orders, nightly));
    all.acquire();
    try {
      increment("/orders");
      increment("/nightly");
    } finally {
      all.release();
    }
  }
//! [java multi]

//! [java questions]
  boolean ask() throws Exception {
    boolean before = orders.isAcquiredInThisProcess();
    orders.acquire();
    try {
      Collection<String> queue = orders.getParticipantNodes();
      return !before && orders.isOwnedByCurrentThread() && !queue.isEmpty();
    } finally {
      orders.release();
    }
  }
//! [java questions]

//! [java listener]
  void listen() {
    client.getConnectionStateListenable().addListener((unused, state) -> {
      if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) {
        mayHold = false;  // and whatever works under a lock has to stop
      }
    });
  }
//! [java listener]

  private int read(String name) throws Exception {
    return Integer.parseInt(new String(client.getData().forPath("/counters" + name)));
  }

  private void increment(String name) throws Exception {
    client.setData().forPath("/counters" + name, Integer.toString(read(name) + 1).getBytes());
  }

  private void makeCounters() throws Exception {
    for (String name : new String[] {"/orders", "/nightly", "/config", "/pool", "/finished"}) {
      try {
        client.create().creatingParentsIfNeeded().forPath("/counters" + name, "0".getBytes());
      } catch (KeeperException.NodeExistsException made) {
        continue;  // by the other half
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    try (CuratorFramework plain = CuratorFrameworkFactory.newClient(
             arguments[0], SESSION_TIMEOUT_MS, CONNECTION_TIMEOUT_MS, new RetryOneTime(RETRY_MS))) {
      plain.start();
      BesideCpp service = new BesideCpp(plain.usingNamespace(arguments[1]));
      service.listen();
      service.makeCounters();
      boolean right = true;
      for (int round = 0; round < Integer.parseInt(arguments[2]); ++round) {
        right = service.takeOrder() && service.ask() && right;
        service.changeConfig();
        service.runNightly();
        service.usePool();
        service.closeTheDay();
      }
      service.orders.acquire();
      service.increment("/finished");
      service.orders.release();
      while (service.read("/finished") < Integer.parseInt(arguments[3])) {
        Thread.sleep(10);
      }
      System.exit(right ? 0 : 1);
    }
  }
}
