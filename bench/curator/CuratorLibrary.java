import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.data.Stat;

/**
 * Curator's recipes in the workloads' words. Each contender has a lock object of its own: an event wakes every thread
 * that waits on the same object, and each lists again.
 */
final class CuratorLibrary {
  private static final int SESSION_TIMEOUT_MS = 30_000;
  private static final int CONNECTION_TIMEOUT_MS = 10_000;

  /** Used by one thread at a time. */
  interface Contender {
    void acquire() throws Exception;

    void release() throws Exception;
  }

  private final String servers;
  private CuratorFramework counting;

  CuratorLibrary(String servers) {
    this.servers = servers;
  }

  private CuratorFramework open() throws Exception {
    CuratorFramework client = CuratorFrameworkFactory.newClient(servers, SESSION_TIMEOUT_MS, CONNECTION_TIMEOUT_MS,
        new RetryOneTime(100));
    client.start();
    if (!client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException("not connected");
    }
    return client;
  }

  Session connect() throws Exception {
    return new Session(open());
  }

  int contenders(String path) throws Exception {
    if (counting == null) {
      counting = open();
    }
    Stat stat = counting.checkExists().forPath(path);
    return stat == null ? 0 : stat.getNumChildren();
  }

  static final class Session {
    private final CuratorFramework client;

    Session(CuratorFramework client) {
      this.client = client;
    }

    Contender contend(String recipe, String path) throws Peer.Unsupported {
      switch (recipe) {
        case "mutex":
        case "reentrant":
          return of(new InterProcessMutex(client, path));
        case "read":
          return of(new InterProcessReadWriteLock(client, path).readLock());
        case "write":
          return of(new InterProcessReadWriteLock(client, path).writeLock());
        case "multi":
          return of(new InterProcessMultiLock(client, List.of(path + "/a", path + "/b", path + "/c")));
        case "semaphore":
          return of(new InterProcessSemaphoreV2(client, path, 3));
        default:
          throw new Peer.Unsupported(recipe);
      }
    }

    private static Contender of(InterProcessLock lock) {
      return new Contender() {
        @Override
        public void acquire() throws Exception {
          lock.acquire();
        }

        @Override
        public void release() throws Exception {
          lock.release();
        }
      };
    }

    private static Contender of(InterProcessSemaphoreV2 semaphore) {
      return new Contender() {
        private Lease lease;

        @Override
        public void acquire() throws Exception {
          lease = semaphore.acquire();
        }

        @Override
        public void release() {
          semaphore.returnLease(lease);
        }
      };
    }

    void close() {
      client.close();
    }
  }
}
