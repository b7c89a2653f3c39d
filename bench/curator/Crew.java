import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that all begin when they are told to. Their creation and end are not measured. */
final class Crew {
  private static final long STACK_SIZE = 256 * 1024;

  /** What each thread does once. */
  interface Work {
    void run(int number) throws Exception;
  }

  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch done;
  private final List<Thread> threads = new ArrayList<>();
  private volatile Exception failure;

  Crew(int count, Work work) {
    done = new CountDownLatch(count);
    for (int index = 0; index < count; index++) {
      int number = index;
      Thread thread = new Thread(null, () -> run(work, number), "worker-" + number, STACK_SIZE);
      threads.add(thread);
      thread.start();
    }
  }

  private void run(Work work, int number) {
    try {
      gate.await();
      work.run(number);
    } catch (Exception failed) {
      failure = failed;
    }
    done.countDown();
  }

  void start() {
    gate.countDown();
  }

  void awaitDone() throws Exception {
    done.await();
    if (failure != null) {
      throw failure;
    }
  }

  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
