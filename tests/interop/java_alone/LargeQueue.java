import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/** How long a queue Curator's mutex can stand: a list of children of more than 1 MB costs it its connection. Arguments: SERVERS NAMESPACE. */
public class LargeQueue {
  private static final int BATCH = 500;

  private static CuratorFramework connect(String[] arguments) {
    CuratorFramework plain = CuratorFrameworkFactory.newClient(arguments[0], 10_000, 5_000, new RetryOneTime(100));
    plain.start();
    return plain;
  }

  private static void fill(CuratorFramework client, String path, int count) throws Exception {
    client.create().creatingParentsIfNeeded().forPath(path, new byte[0]);
    for (int made = 0; made < count; made += BATCH) {
      List<CuratorOp> together = new ArrayList<>();
      for (int i = made; i < Math.min(count, made + BATCH); ++i) {
        together.add(client.transactionOp().create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
            .forPath(path + "/_c_" + UUID.randomUUID() + "-lock-", new byte[0]));
      }
      client.transaction().forOperations(together);
    }
  }

  /** "granted", "not in time" or the exception's name, of a mutex behind so many. */
  private static String behind(String[] arguments, int count) throws Exception {
    String path = "/queue-of-" + count;
    try (CuratorFramework crowd = connect(arguments); CuratorFramework one = connect(arguments)) {
      fill(crowd.usingNamespace(arguments[1]), path, count);
      String came;
      try {
        InterProcessMutex mutex = new InterProcessMutex(one.usingNamespace(arguments[1]), path);
        came = mutex.acquire(500, TimeUnit.MILLISECONDS) ? "granted" : "not in time";
      } catch (KeeperException failure) {
        came = failure.getClass().getSimpleName();
      }
      System.out.println("behind " + count + ": " + came);
      return came;
    }
  }

  public static void main(String[] arguments) throws Exception {
    boolean right = behind(arguments, 17_700).equals("not in time");
    right = behind(arguments, 17_800).equals("ConnectionLossException") && right;
    System.exit(right ? 0 : 1);
  }
}
