import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.retry.RetryOneTime;

/** A process that holds a lock of Curator's; the words are those of interop_test.cpp. Arguments: servers, kind of lock. */
public class CuratorPeer {
  private static final int SESSION_TIMEOUT_MS = 10_000;
  private static final int CONNECTION_TIMEOUT_MS = 5_000;
  private static final int RETRY_MS = 100;

  private final CuratorFramework client;
  private final String kind;
  private InterProcessLock lock;

  private CuratorPeer(CuratorFramework client, String kind) {
    this.client = client;
    this.kind = kind;
  }

  public static void main(String[] arguments) throws Exception {
    try (CuratorFramework client = CuratorFrameworkFactory.newClient(
             arguments[0], SESSION_TIMEOUT_MS, CONNECTION_TIMEOUT_MS, new RetryOneTime(RETRY_MS))) {
      client.start();
      CuratorPeer peer = new CuratorPeer(client, arguments[1]);
      BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        System.out.println(peer.answer(order.split(" ")));
        System.out.flush();
      }
    }
  }

  private String answer(String[] order) {
    try {
      if (order[0].equals("acquire")) {
        lock = kind.equals("mutex") ? new InterProcessMutex(client, order[1])
                                    : new InterProcessSemaphoreMutex(client, order[1]);
        return lock.acquire(Long.parseLong(order[2]), TimeUnit.MILLISECONDS) ? "held" : "not in time";
      }
      lock.release();
      return "released";
    } catch (Exception failure) {
      return "failed: " + failure;
    }
  }
}
