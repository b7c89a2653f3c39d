import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;

/** What Curator's recipes do with children that are not theirs: docs/guide/coming-from-curator.md has the table. Arguments: SERVERS NAMESPACE. */
public class Neighbours {
  private static final String ID = "0fd3a1b87e5c4429a6d0c2f81b93e7a1";
  private static final String CURATORS = "_c_0fd3a1b8-7e5c-4429-a6d0-c2f81b93e7a1-";
  private static final int LIMIT_MS = 400;

  private interface Recipe {
    boolean acquire(String path) throws Exception;
  }

  private final CuratorFramework client;
  private int paths = 0;
  private boolean right = true;

  private Neighbours(CuratorFramework client) {
    this.client = client;
  }

  private boolean mutex(String path) throws Exception {
    return new InterProcessMutex(client, path).acquire(LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  private boolean write(String path) throws Exception {
    return new InterProcessReadWriteLock(client, path).writeLock().acquire(LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  private boolean read(String path) throws Exception {
    return new InterProcessReadWriteLock(client, path).readLock().acquire(LIMIT_MS, TimeUnit.MILLISECONDS);
  }

  private boolean permit(String path) throws Exception {
    return new InterProcessSemaphoreV2(client, path, 1).acquire(LIMIT_MS, TimeUnit.MILLISECONDS) != null;
  }

  private void expect(boolean granted, String name, Recipe recipe, String child, CreateMode mode) throws Exception {
    String path = "/lock-" + paths++;
    client.create().creatingParentsIfNeeded().withMode(mode).forPath(path + "/" + child, new byte[0]);
    boolean was = recipe.acquire(path);
    System.out.println(name + " beside " + child + ": " + (was ? "granted" : "not in time"));
    right = right && was == granted;
  }

  private void run() throws Exception {
    for (String child : new String[] {ID + "-lock-", CURATORS + "lock-"}) {
      expect(false, "mutex", this::mutex, child, CreateMode.EPHEMERAL_SEQUENTIAL);
      expect(true, "write", this::write, child, CreateMode.EPHEMERAL_SEQUENTIAL);
      expect(true, "permit", this::permit, child, CreateMode.EPHEMERAL_SEQUENTIAL);
    }
    for (String child : new String[] {"write-" + ID + "-", "permit-" + ID + "-1-", CURATORS + "__WRIT__", ID + "__lock__"}) {
      expect(true, "mutex", this::mutex, child, CreateMode.EPHEMERAL_SEQUENTIAL);
    }
    expect(true, "write", this::write, "write-" + ID + "-", CreateMode.EPHEMERAL_SEQUENTIAL);
    expect(true, "read", this::read, "write-" + ID + "-", CreateMode.EPHEMERAL_SEQUENTIAL);
    expect(true, "permit", this::permit, "permit-" + ID + "-1-", CreateMode.EPHEMERAL_SEQUENTIAL);
    expect(true, "mutex", this::mutex, "leases", CreateMode.PERSISTENT);
    // A stray node that sorts before all numbers blocks for ever; one that sorts behind them does no harm, but for a lease.
    for (String stray : new String[] {"0", "-", "x-lock-"}) {
      expect(false, "mutex", this::mutex, stray, CreateMode.PERSISTENT);
    }
    expect(true, "mutex", this::mutex, "zzz", CreateMode.PERSISTENT);
    expect(false, "write", this::write, "0", CreateMode.PERSISTENT);
    expect(true, "write", this::write, "zzz", CreateMode.PERSISTENT);
    expect(false, "permit", this::permit, "leases/zzz", CreateMode.PERSISTENT);
  }

  public static void main(String[] arguments) throws Exception {
    try (CuratorFramework plain = CuratorFrameworkFactory.newClient(arguments[0], 10_000, 5_000, new RetryOneTime(100))) {
      plain.start();
      Neighbours all = new Neighbours(plain.usingNamespace(arguments[1]));
      all.run();
      System.exit(all.right ? 0 : 1);
    }
  }
}
