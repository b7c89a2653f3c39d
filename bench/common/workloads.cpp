#include "bench/common/workloads.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "bench/common/crew.hpp"
#include "bench/common/interval.hpp"

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point begun) { return std::chrono::duration<double>(clock::now() - begun).count(); }

using sessions = std::vector<std::unique_ptr<client_session>>;

sessions connect(lock_library& library, long count) {
  sessions all;
  for (long number = 0; number < count; ++number) {
    all.push_back(library.connect());
  }
  return all;
}

/// One operation in `every` is a write, the others are reads.
class reader_and_writer : public contender {
 public:
  reader_and_writer(client_session& session, const std::string& path, int number, int every)
      : reader_(session.contend("read", path)), writer_(session.contend("write", path)), turn_(number), every_(every) {}
  void acquire() override {
    now_ = ++turn_ % every_ == 0 ? writer_.get() : reader_.get();
    now_->acquire();
  }
  void release() override { now_->release(); }

 private:
  const std::unique_ptr<contender> reader_, writer_;
  contender* now_ = nullptr;
  int turn_;
  const int every_;
};

std::unique_ptr<contender> contend(client_session& session, const command& what, const std::string& path, int number) {
  const std::string recipe = what.text("recipe", "mutex");
  if (recipe == "readers_writers") {
    return std::make_unique<reader_and_writer>(session, path, number, static_cast<int>(what.number("every", 10)));
  }
  return session.contend(recipe, path);
}

}  // namespace

void cycle(lock_library& library, const command& what) {
  const long operations = what.number("n", 1000);
  const long session_count = what.number("sessions", 1);
  const long threads = session_count * what.number("threads", 1);
  const long locks = what.number("locks", 1);
  const bool confirmed = what.number("confirmed", 0) != 0;
  const bool latency = what.number("latency", 0) != 0;

  const sessions all = connect(library, session_count);
  std::vector<std::unique_ptr<contender>> contenders;
  for (int number = 0; number < threads; ++number) {
    client_session& session = *all[static_cast<std::size_t>(number % session_count)];
    const std::string path = what.text("path", "/bench") + "/" + std::to_string(number % locks);
    contenders.push_back(contend(session, what, path, number));
    contenders.back()->acquire();  // makes the lock node
    contenders.back()->release_confirmed();
  }

  interval measured;
  std::atomic<long> left = operations;
  crew workers(static_cast<int>(threads), [&](int number) {
    contender& mine = *contenders[static_cast<std::size_t>(number)];
    std::vector<double> latencies;
    while (left.fetch_sub(1, std::memory_order_relaxed) > 0) {
      const auto begun = clock::now();
      mine.acquire();
      confirmed ? mine.release_confirmed() : mine.release();
      if (latency) {
        latencies.push_back(since(begun));
      }
    }
    measured.add_latencies(latencies);
  });
  measured.begin();
  workers.start();
  workers.wait_done();
  measured.end(operations);
}

void reentry(lock_library& library, const command& what) {
  const long operations = what.number("n", 1000);
  const auto session = library.connect();
  const auto mine = session->contend("reentrant", what.text("path", "/bench"));
  mine->acquire();
  interval measured;
  measured.begin();
  for (long number = 0; number < operations; ++number) {
    mine->acquire();
    mine->release();
  }
  measured.end(operations);
  mine->release();
}

void hand_over(lock_library& library, const command& what) {
  const long operations = what.number("n", 100);
  const std::chrono::microseconds pause(what.number("pause_us", 3000));
  const sessions all = connect(library, 2);
  std::vector<std::unique_ptr<contender>> contenders;
  for (const auto& session : all) {
    contenders.push_back(session->contend("mutex", what.text("path", "/bench")));
    contenders.back()->acquire();
    contenders.back()->release_confirmed();
  }

  interval measured;
  std::atomic<int> called = 0, granted = 0;  // how many acquisitions
  std::atomic<clock::rep> released = 0;
  crew workers(2, [&](int number) {
    contender& mine = *contenders[static_cast<std::size_t>(number)];
    std::vector<double> latencies;
    for (int turn = number; turn < operations; turn += 2) {
      while (granted != turn) {
        std::this_thread::sleep_for(pause / 10);
      }
      ++called;
      mine.acquire();
      if (turn > 0) {
        latencies.push_back(since(clock::time_point(clock::duration(released.load()))));
      }
      ++granted;
      while (called == turn + 1 && turn + 1 < operations) {
        std::this_thread::sleep_for(pause / 10);
      }
      std::this_thread::sleep_for(pause);  // by now the other one waits on the servers
      released = clock::now().time_since_epoch().count();
      mine.release();
    }
    measured.add_latencies(latencies);
  });
  measured.begin();
  workers.start();
  workers.wait_done();
  measured.end(operations);
}

void queue(lock_library& library, const command& what) {
  const int waiters = static_cast<int>(what.number("n", 100));
  const long session_count = what.number("sessions", 1);
  const std::string path = what.text("path", "/bench");

  const sessions all = connect(library, session_count);
  const auto holder = all[0]->contend("mutex", path);
  std::vector<std::unique_ptr<contender>> contenders;
  for (int number = 0; number < waiters; ++number) {
    contenders.push_back(all[static_cast<std::size_t>(number % session_count)]->contend("mutex", path));
  }
  holder->acquire();
  if (library.contenders(path) != 1) {
    throw unsupported("the servers do not tell how many contenders there are");
  }

  interval measured;
  crew workers(waiters, [&](int number) {
    contender& mine = *contenders[static_cast<std::size_t>(number)];
    mine.acquire();
    mine.release();
  });
  measured.begin();
  workers.start();
  while (library.contenders(path) != waiters + 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const double joined = measured.seconds_so_far();
  measured.note("join_seconds", joined);
  holder->release();
  workers.wait_done();
  measured.note("drain_seconds", measured.seconds_so_far() - joined);
  measured.end(waiters);
}

}  // namespace bench
