import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The same work as bench/common/workloads.cpp. */
final class Workloads {
  private final CuratorLibrary library;

  Workloads(CuratorLibrary library) {
    this.library = library;
  }

  private List<CuratorLibrary.Session> connect(int count) throws Exception {
    List<CuratorLibrary.Session> all = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      all.add(library.connect());
    }
    return all;
  }

  private static void close(List<CuratorLibrary.Session> all) {
    all.forEach(CuratorLibrary.Session::close);
  }

  /** One operation in {@code every} is a write, the others are reads. */
  private static CuratorLibrary.Contender readerAndWriter(CuratorLibrary.Session session, String path, int number,
      int every) throws Peer.Unsupported {
    CuratorLibrary.Contender reader = session.contend("read", path);
    CuratorLibrary.Contender writer = session.contend("write", path);
    return new CuratorLibrary.Contender() {
      private CuratorLibrary.Contender now;
      private int turn = number;

      @Override
      public void acquire() throws Exception {
        now = ++turn % every == 0 ? writer : reader;
        now.acquire();
      }

      @Override
      public void release() throws Exception {
        now.release();
      }
    };
  }

  private static CuratorLibrary.Contender contend(CuratorLibrary.Session session, Peer.Command what, String path,
      int number) throws Peer.Unsupported {
    String recipe = what.text("recipe", "mutex");
    return recipe.equals("readers_writers") ? readerAndWriter(session, path, number, what.number("every", 10))
        : session.contend(recipe, path);
  }

  void cycle(Peer.Command what) throws Exception {
    int operations = what.number("n", 1000);
    int sessions = what.number("sessions", 1);
    int threads = sessions * what.number("threads", 1);
    int locks = what.number("locks", 1);
    boolean latency = what.number("latency", 0) != 0;

    List<CuratorLibrary.Session> all = connect(sessions);
    List<CuratorLibrary.Contender> contenders = new ArrayList<>();
    for (int number = 0; number < threads; number++) {
      String path = what.text("path", "/bench") + "/" + number % locks;
      CuratorLibrary.Contender contender = contend(all.get(number % sessions), what, path, number);
      contender.acquire(); // makes the lock node
      contender.release();
      contenders.add(contender);
    }

    Interval measured = new Interval();
    AtomicLong left = new AtomicLong(operations);
    Crew workers = new Crew(threads, number -> {
      CuratorLibrary.Contender mine = contenders.get(number);
      double[] latencies = new double[latency ? operations : 0];
      int done = 0;
      while (left.getAndDecrement() > 0) {
        long begun = System.nanoTime();
        mine.acquire();
        mine.release();
        if (latency) {
          latencies[done++] = 1e-9 * (System.nanoTime() - begun);
        }
      }
      measured.addLatencies(java.util.Arrays.copyOf(latencies, done));
    });
    measured.begin();
    workers.start();
    workers.awaitDone();
    measured.end(operations);
    workers.join();
    close(all);
  }

  void reentry(Peer.Command what) throws Exception {
    int operations = what.number("n", 1000);
    List<CuratorLibrary.Session> all = connect(1);
    CuratorLibrary.Contender mine = all.get(0).contend("reentrant", what.text("path", "/bench"));
    mine.acquire();
    Interval measured = new Interval();
    measured.begin();
    for (int number = 0; number < operations; number++) {
      mine.acquire();
      mine.release();
    }
    measured.end(operations);
    mine.release();
    close(all);
  }

  private static void sleepMicroseconds(long microseconds) throws InterruptedException {
    Thread.sleep(microseconds / 1000, (int) (microseconds % 1000) * 1000);
  }

  void handOver(Peer.Command what) throws Exception {
    int operations = what.number("n", 100);
    long pause = what.number("pause_us", 3000);
    List<CuratorLibrary.Session> all = connect(2);
    List<CuratorLibrary.Contender> contenders = new ArrayList<>();
    for (CuratorLibrary.Session session : all) {
      CuratorLibrary.Contender contender = session.contend("mutex", what.text("path", "/bench"));
      contender.acquire();
      contender.release();
      contenders.add(contender);
    }

    Interval measured = new Interval();
    AtomicInteger called = new AtomicInteger(); // how many acquisitions
    AtomicInteger granted = new AtomicInteger();
    AtomicLong released = new AtomicLong();
    Crew workers = new Crew(2, number -> {
      CuratorLibrary.Contender mine = contenders.get(number);
      double[] latencies = new double[operations];
      int done = 0;
      for (int turn = number; turn < operations; turn += 2) {
        while (granted.get() != turn) {
          sleepMicroseconds(pause / 10);
        }
        called.incrementAndGet();
        mine.acquire();
        if (turn > 0) {
          latencies[done++] = 1e-9 * (System.nanoTime() - released.get());
        }
        granted.incrementAndGet();
        while (called.get() == turn + 1 && turn + 1 < operations) {
          sleepMicroseconds(pause / 10);
        }
        sleepMicroseconds(pause); // by now the other one waits on the servers
        released.set(System.nanoTime());
        mine.release();
      }
      measured.addLatencies(java.util.Arrays.copyOf(latencies, done));
    });
    measured.begin();
    workers.start();
    workers.awaitDone();
    measured.end(operations);
    workers.join();
    close(all);
  }

  void queue(Peer.Command what) throws Exception {
    int waiters = what.number("n", 100);
    int sessions = what.number("sessions", 1);
    String path = what.text("path", "/bench");

    List<CuratorLibrary.Session> all = connect(sessions);
    CuratorLibrary.Contender holder = all.get(0).contend("mutex", path);
    List<CuratorLibrary.Contender> contenders = new ArrayList<>();
    for (int number = 0; number < waiters; number++) {
      contenders.add(all.get(number % sessions).contend("mutex", path));
    }
    holder.acquire();

    Interval measured = new Interval();
    Crew workers = new Crew(waiters, number -> {
      contenders.get(number).acquire();
      contenders.get(number).release();
    });
    if (library.contenders(path) != 1) {
      throw new IllegalStateException("the holder is not alone");
    }
    measured.begin();
    workers.start();
    while (library.contenders(path) != waiters + 1) {
      Thread.sleep(5);
    }
    double joined = measured.secondsSoFar();
    measured.note("join_seconds", joined);
    holder.release();
    workers.awaitDone();
    measured.note("drain_seconds", measured.secondsSoFar() - joined);
    measured.end(waiters);
    workers.join();
    close(all);
  }
}
