import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** Curator's recipes by the kinds of peer.hpp: one object for each kind and path, since they are reentrant by object. */
class Locks {
  /** What a kind can do. */
  interface Lock {
    boolean acquire(long limitMs) throws Exception;
    void release() throws Exception;
    Collection<String> participants() throws Exception;
  }

  private final CuratorFramework client;
  private final Map<String, Lock> known = new HashMap<>();
  private final Map<String, InterProcessReadWriteLock> readWrite = new HashMap<>();
  private volatile boolean asked = false;

  Locks(CuratorFramework client) {
    this.client = client;
  }

  Lock of(String kind, String paths) {
    return known.computeIfAbsent(kind + " " + paths, unused -> make(kind.split(":"), paths));
  }

  /** As Curator's documentation has it: the read lock is taken, then the write lock is given back. */
  void downgrade(String path) throws Exception {
    both(path).readLock().acquire();
    both(path).writeLock().release();
  }

  /** Whether a holder of a revocable mutex here has been asked to give it back. */
  boolean wasAsked() {
    return asked;
  }

  private InterProcessReadWriteLock both(String path) {
    return readWrite.computeIfAbsent(path, made -> new InterProcessReadWriteLock(client, made));
  }

  private Lock make(String[] kind, String paths) {
    switch (kind[0]) {
      case "mutex":
        return wrap(new InterProcessMutex(client, paths));
      case "revocable-mutex":
        InterProcessMutex revocable = new InterProcessMutex(client, paths);
        revocable.makeRevocable(unused -> asked = true);
        return wrap(revocable);
      case "semaphore-mutex":
        return wrap(new InterProcessSemaphoreMutex(client, paths));
      case "write":
        return wrap(both(paths).writeLock());
      case "read":
        return wrap(both(paths).readLock());
      case "permits":
        return new Permits(new InterProcessSemaphoreV2(client, paths, Integer.parseInt(kind[2])),
            Integer.parseInt(kind[1]));
      case "selector":
        return new Elections.Selected(client, paths);
      case "latch":
        return new Elections.Latched(client, paths);
      case "multi":
        return wrap(new InterProcessMultiLock(client, Arrays.asList(paths.split(","))));
      case "multi-semaphore-mutex":
        List<InterProcessLock> parts = new ArrayList<>();
        for (String path : paths.split(",")) {
          parts.add(new InterProcessSemaphoreMutex(client, path));
        }
        return wrap(new InterProcessMultiLock(parts));
      default:
        throw new IllegalArgumentException("no such kind: " + kind[0]);
    }
  }

  private static Lock wrap(InterProcessLock one) {
    return new Lock() {
      @Override
      public boolean acquire(long limitMs) throws Exception {
        return one.acquire(limitMs, TimeUnit.MILLISECONDS);
      }
      @Override
      public void release() throws Exception {
        one.release();
      }
      @Override
      public Collection<String> participants() throws Exception {
        return ((InterProcessMutex) one).getParticipantNodes();
      }
    };
  }

  /** So many at a time. */
  private static class Permits implements Lock {
    private final InterProcessSemaphoreV2 from;
    private final int count;
    private final Deque<Collection<Lease>> held = new ArrayDeque<>();

    Permits(InterProcessSemaphoreV2 from, int count) {
      this.from = from;
      this.count = count;
    }

    @Override
    public boolean acquire(long limitMs) throws Exception {
      Collection<Lease> leases = from.acquire(count, limitMs, TimeUnit.MILLISECONDS);
      if (leases == null) {
        return false;
      }
      held.push(leases);
      return true;
    }
    @Override
    public void release() {
      from.returnAll(held.pop());
    }
    @Override
    public Collection<String> participants() throws Exception {
      return from.getParticipantNodes();
    }
  }
}
