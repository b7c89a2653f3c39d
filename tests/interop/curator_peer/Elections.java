import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;

/** Curator's two leader recipes, as locks: to acquire is to lead. */
class Elections {
  static final String ID = "java";

  private Elections() {
  }

  /** What a client that does not stand is told: the leader's id; empty: nobody. */
  static String leader(CuratorFramework client, String kind, String path) throws Exception {
    Participant leads = kind.equals("latch") ? new LeaderLatch(client, path).getLeader()
                                             : new Selected(client, path).made().getLeader();
    return leads.isLeader() ? leads.getId() : "";
  }

  /** A LeaderSelector, from its start to its close. */
  static class Selected implements Locks.Lock {
    private final CuratorFramework client;
    private final String path;
    private LeaderSelector selector;
    private CountDownLatch leads;

    Selected(CuratorFramework client, String path) {
      this.client = client;
      this.path = path;
    }

    private LeaderSelector made() {
      CountDownLatch begun = new CountDownLatch(1);
      leads = begun;
      LeaderSelector one = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
        @Override
        public void takeLeadership(CuratorFramework unused) throws Exception {
          begun.countDown();
          new CountDownLatch(1).await();  // until it is interrupted
        }
      });
      one.setId(ID);
      one.autoRequeue();
      return one;
    }

    @Override
    public boolean acquire(long limitMs) throws Exception {
      LeaderSelector one = made();
      one.start();
      if (!leads.await(limitMs, TimeUnit.MILLISECONDS)) {
        one.close();
        return false;
      }
      selector = one;
      return true;
    }
    @Override
    public void release() {
      selector.close();
    }
    @Override
    public Collection<String> participants() throws Exception {
      return ids(selector.getParticipants());
    }
  }

  /** A LeaderLatch, likewise. */
  static class Latched implements Locks.Lock {
    private final CuratorFramework client;
    private final String path;
    private LeaderLatch latch;

    Latched(CuratorFramework client, String path) {
      this.client = client;
      this.path = path;
    }

    @Override
    public boolean acquire(long limitMs) throws Exception {
      LeaderLatch one = new LeaderLatch(client, path, ID);
      one.start();
      if (!one.await(limitMs, TimeUnit.MILLISECONDS)) {
        one.close();
        return false;
      }
      latch = one;
      return true;
    }
    @Override
    public void release() throws Exception {
      latch.close();
    }
    @Override
    public Collection<String> participants() throws Exception {
      return ids(latch.getParticipants());
    }
  }

  private static Collection<String> ids(Collection<Participant> all) {
    List<String> ids = new ArrayList<>();
    for (Participant one : all) {
      ids.add(one.getId());
    }
    return ids;
  }
}
