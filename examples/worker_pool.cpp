// A bounded pool of workers: however many there are, in however many processes, no more work at once than there are
// permits.
//
//     worker_pool SERVERS       e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

constexpr std::uint32_t limit = 3;

struct job {
  std::uint32_t weight = 1;  // as many permits
  bool in_company = false;   // stays until there are others
};

// How much is in use at once: what the pool has to bound. It is counted here, apart from the pool.
class meter {
 public:
  // A job in company stays until the limit has been reached once: so many at once there have to be. At most a minute.
  void enter(const job& one) {
    std::unique_lock lock(mutex_);
    in_use_ += one.weight;
    peak_ = std::max(peak_, in_use_);
    changed_.notify_all();
    lonely_ |= one.in_company && !changed_.wait_for(lock, 1min, [this] { return peak_ >= limit; });
  }
  void leave(const job& one) {
    const std::scoped_lock lock(mutex_);
    in_use_ -= one.weight;
  }
  // Whether a worker has waited in vain.
  bool lonely() {
    const std::scoped_lock lock(mutex_);
    return lonely_;
  }
  std::uint32_t peak() {
    const std::scoped_lock lock(mutex_);
    return peak_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t in_use_ = 0, peak_ = 0;
  bool lonely_ = false;
};

// The jobs of one process, handed out to its workers.
class job_list {
 public:
  explicit job_list(std::vector<job> jobs) : jobs_(std::move(jobs)) {}
  std::optional<job> take() {
    const std::size_t place = next_++;
    return place < jobs_.size() ? std::optional(jobs_[place]) : std::nullopt;
  }

 private:
  const std::vector<job> jobs_;
  std::atomic<std::size_t> next_ = 0;
};

//! [worker]
// Does one job after the other. A heavy job takes several permits: the call waits until it gets all of them at once.
int work(zklock::semaphore& pool, job_list& jobs, meter& machine) {
  int done = 0;
  while (const std::optional<job> next = jobs.take()) {
    const zklock::grant room = pool.permits(next->weight).acquire();
    machine.enter(*next);
    std::this_thread::sleep_for(2ms);  // in place of work
    machine.leave(*next);
    ++done;
  }  // the permits are released here, also when a job throws
  return done;
}
//! [worker]

// One process of two: a session, a pool object and a list of its own, and more workers than there are permits. Each
// worker begins with a light job: a heavy one that does not fit yet would keep the light ones behind it from meeting.
int run_process(const char* servers, meter& machine) {
  zklock::session session(servers);
  zklock::semaphore pool(session, "/locks/pool", limit);
  constexpr job meeting{1, true};
  job_list jobs({meeting, meeting, meeting, meeting, {2}, {3}, {1}, {2}, {2}, {1}});
  std::vector<std::future<int>> workers;
  for (int i = 0; i < 4; ++i) {
    workers.push_back(std::async(std::launch::async, [&] { return work(pool, jobs, machine); }));
  }
  int done = 0;
  for (auto& worker : workers) done += worker.get();
  return done;
}

//! [refused]
// Two mistakes that the semaphore refuses.
bool mistakes_are_refused(zklock::session& session) {
  std::error_code ec;
  zklock::semaphore same(session, "/locks/pool");  // uses the limit that the servers store
  static_cast<void>(same.permits(limit + 1).try_acquire(ec));
  const bool too_many = ec == zklock::errc::permit_limit_exceeded;

  zklock::semaphore misconfigured(session, "/locks/pool", limit + 1);
  try {
    static_cast<void>(misconfigured.permits(1).try_acquire());
    return false;
  } catch (const zklock::error& refused) {
    std::cout << refused.what() << '\n';  // names both limits
    return too_many && refused.code() == zklock::errc::permit_limit_mismatch;
  }
}
//! [refused]

//! [resize]
// Takes effect for all clients at once: holders keep their permits, the new limit is for waiters.
void resize(zklock::session& session, std::uint32_t permits) {
  zklock::semaphore pool(session, "/locks/pool");  // without a limit of its own
  std::cout << "from " << pool.permit_limit() << " permits to " << permits << '\n';
  pool.set_permit_limit(permits);
}
//! [resize]

bool a_larger_pool_has_room_for_more(zklock::session& session) {
  resize(session, limit + 1);
  zklock::semaphore pool(session, "/locks/pool");
  const bool room = static_cast<bool>(pool.permits(limit + 1).try_acquire());
  resize(session, limit);
  return room;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: worker_pool SERVERS\n";
    return 64;
  }
  try {
    meter machine;
    auto other = std::async(std::launch::async, [&] { return run_process(arguments[1], machine); });
    const int done = run_process(arguments[1], machine) + other.get();
    std::cout << done << " jobs done by 8 workers in 2 processes; at the most " << machine.peak() << " of " << limit
              << " permits in use\n";
    zklock::session session(arguments[1]);
    const bool refused = mistakes_are_refused(session), room = a_larger_pool_has_room_for_more(session);
    return refused && room && done == 20 && machine.peak() == limit && !machine.lonely() ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
