#include "tests/asio/half_cancelled.hpp"

#include <gtest/gtest.h>

#include <zklock/asio.hpp>
#include <zklock/zklock.hpp>

#include <algorithm>
#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/support/threads_of_this_process.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
/// What costs a failing test alone.
const auto patience = calls_in_flight() > 1'000 ? 300s : 30s;

template <class Condition>
[[nodiscard]] bool eventually(Condition holds) {
  return test_support::eventually(std::move(holds), patience);
}

using test_support::threads_of_this_process;
using test_support::threads_since;

enum class end_by { itself, signal, stop };
enum class kind { mutex, mutex_owned, read, read_owned, write, write_owned, permits, permit_owned, multi, multi_owned };
constexpr std::size_t kinds = 10;
constexpr std::size_t owners_of_a_kind = 5;

/// An event loop with a thread.
class loop {
 public:
  loop() : work_(net::make_work_guard(io_)), runs_([this] { io_.run(); }) {}
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  ~loop() {
    io_.stop();
    runs_.join();
  }
  [[nodiscard]] net::any_io_executor executor() { return io_.get_executor(); }

 private:
  net::io_context io_{1};
  net::executor_work_guard<net::io_context::executor_type> work_;
  std::thread runs_;
};

/// What there is to acquire, for one session.
struct all_locks {
  explicit all_locks(session& of) : mutex(of, "/lock"), sides(of, "/a"), pool(of, "/b", 3) {}
  [[nodiscard]] lock_view view(kind of, std::size_t lot) {
    const owner& job = owners.at(static_cast<std::size_t>(of) * owners_of_a_kind + lot % owners_of_a_kind);
    switch (of) {
      case kind::mutex: return mutex;
      case kind::mutex_owned: return mutex.as(job);
      case kind::read: return sides.read();
      case kind::read_owned: return sides.read().as(job);
      case kind::write: return sides.write();
      case kind::write_owned: return sides.write().as(job);
      case kind::permits: return pool.permits(2);
      case kind::permit_owned: return pool.permits(1).as(job);
      case kind::multi: return several;
      case kind::multi_owned: break;
    }
    return several.as(owner());  // an owner that has a part would be refused
  }

  recursive_mutex mutex;
  shared_mutex sides;
  semaphore pool;
  multi_lock several{mutex, pool.permits(1)};
  std::array<owner, kinds * owners_of_a_kind> owners{};
};

struct call {
  call(kind what, end_by how, bool goes, net::any_io_executor in)
      : of(what), ends(how), context_goes(goes), where(std::move(in)) {}

  kind of;
  end_by ends;
  bool context_goes;
  net::any_io_executor where;
  net::cancellation_signal signal{};  // its executor's
  std::stop_source stop{};
  net_error_code error{};  // the completion's
  std::atomic<int> completions = 0, granted = 0, aborted = 0, abandoned = 0;
};

class crowd {
 public:
  crowd(session& ours, std::size_t many) : locks_(ours) {
    for (std::size_t i = 0; i < many; ++i) {
      const auto of = static_cast<kind>(lot_() % kinds);
      const auto ends = i % 2 == 0 ? end_by::itself : lot_() % 2 == 0 ? end_by::signal : end_by::stop;
      const std::size_t context = lot_() % 5;
      const net::any_io_executor where = context == 0   ? goes_->executor()
                                         : context == 1 ? stays_.executor()
                                                        : net::any_io_executor(net::make_strand(pool_.get_executor()));
      calls_.emplace_back(of, ends, context == 0, where);
    }
  }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() {
    goes_.reset();
    pool_.stop();  // else a failing test would wait for ever
    pool_.join();
  }

  /// Returns when each call has been started.
  void start() {
    std::atomic<std::size_t> started = 0;
    for (call& one : calls_) {
      net::post(one.where, [this, &one, &started, kept = alive_] {
        async_acquire(
            locks_.view(one.of, started), {.stop = one.stop.get_token()},
            net::bind_cancellation_slot(
                one.signal.slot(), net::bind_executor(one.where, [this, &one, kept](net_error_code ec, grant taken) {
                  told(one, ec, std::move(taken));
                })));
        ++started;
      });
    }
    EXPECT_TRUE(eventually([&] { return started == calls_.size(); }));
  }
  /// Half of them, each other one at a random moment: `between(share)` is called with the share that is done.
  template <class Between>
  void cancel(Between&& between) {
    std::vector<call*> order;
    for (call& one : calls_) {
      if (one.ends != end_by::itself) order.push_back(&one);
    }
    std::shuffle(order.begin(), order.end(), lot_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      between(static_cast<double>(i) / static_cast<double>(order.size()));
      call& one = *order[i];
      if (one.ends == end_by::stop) {
        one.stop.request_stop();
      } else if (goes_ || !one.context_goes) {
        net::post(one.where, [&one] { one.signal.emit(net::cancellation_type::terminal); });
      }
    }
  }
  void destroy_a_context() {
    goes_.reset();
    std::size_t never_told = 0;
    for (call& one : calls_) {
      if (one.context_goes) {
        one.where = {};
        never_told += one.completions == 0 ? 1 : 0;
      }
    }
    EXPECT_GT(never_told, 0U);
  }

  [[nodiscard]] std::size_t completions() const {
    return std::accumulate(calls_.begin(), calls_.end(), std::size_t{0}, [](std::size_t sum, const call& one) {
      return sum + static_cast<std::size_t>(one.completions);
    });
  }
  [[nodiscard]] std::size_t that_ask(kind of) const {
    return static_cast<std::size_t>(
        std::count_if(calls_.begin(), calls_.end(), [of](const call& one) { return one.of == of; }));
  }
  void expect_each_told_once() {
    EXPECT_TRUE(eventually([&] {
      return releases_ == 0 && std::all_of(calls_.begin(), calls_.end(),
                                           [](const call& one) { return one.context_goes || one.completions > 0; });
    }));
    int granted = 0, aborted = 0, abandoned = 0;
    for (const call& one : calls_) {
      const int told = one.completions;
      EXPECT_TRUE(told == 1 || (told == 0 && one.context_goes)) << told << " completions";
      EXPECT_EQ(one.granted + (one.ends == end_by::signal ? one.aborted.load() : 0) +
                    (one.ends == end_by::stop ? one.abandoned.load() : 0),
                told)
          << "kind " << static_cast<int>(one.of) << ": an error that nobody has asked for: " << one.error.message();
      granted += one.granted;
      aborted += one.aborted;
      abandoned += one.abandoned;
    }
    EXPECT_GT(granted, 0);
    EXPECT_GT(aborted, 0);
    EXPECT_GT(abandoned, 0);
    EXPECT_EQ(unconfirmed_, 0);
    EXPECT_TRUE(eventually([&] { return alive_.use_count() == 1; })) << "each handler is destroyed";
  }

 private:
  void told(call& one, net_error_code ec, grant taken) {
    if (ec) {
      one.error = ec;
      ++(ec == net_error_code(net::error::operation_aborted)              ? one.aborted
         : ec == net_error_code(make_error_code(zklock::errc::abandoned)) ? one.abandoned
                                                                          : others_);
    } else if (taken.held()) {
      ++one.granted;
      if (!one.context_goes && lot_of_handlers_++ % 2 == 0) {  // the others go with the object
        ++releases_;
        async_release(std::move(taken), net::bind_executor(one.where, [this](net_error_code why) {
                        unconfirmed_ += why ? 1 : 0;
                        --releases_;
                      }));
      }
    }
    ++one.completions;  // last: it publishes the rest
  }

  std::mt19937 lot_{7};
  all_locks locks_;
  net::thread_pool pool_{3};
  std::unique_ptr<loop> goes_ = std::make_unique<loop>();
  std::deque<call> calls_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< each handler has a share
  std::atomic<int> releases_ = 0, unconfirmed_ = 0, others_ = 0;
  std::atomic<unsigned> lot_of_handlers_ = 0;
  loop stays_;  // the last: its thread ends before what its handlers work on
};

}  // namespace

void expect_one_completion_each(session& ours, session& others,
                                const std::function<std::size_t(const std::string& path)>& contenders) {
  all_locks there(others);
  std::vector<grant> held;
  held.push_back(there.several.acquire());
  held.push_back(there.pool.permits(2).acquire());
  held.push_back(there.sides.write().acquire());
  crowd all(ours, calls_in_flight());
  const std::set<std::string> threads = threads_of_this_process();
  all.start();
  EXPECT_TRUE(eventually([&] {
    return contenders("/lock") > all.that_ask(kind::mutex) && contenders("/b") > all.that_ask(kind::permits) &&
           contenders("/a") > all.that_ask(kind::read) + all.that_ask(kind::write);
  })) << "all of no owner wait in their queues";
  EXPECT_EQ(all.completions(), 0U);
  EXPECT_EQ(threads_since(threads), 0U) << "no thread for one that waits";
  bool destroyed = false;
  all.cancel([&](double share) {
    if (share >= 0.25) held.clear();
    if (share >= 0.5 && !std::exchange(destroyed, true)) all.destroy_a_context();
  });
  all.expect_each_told_once();
  EXPECT_EQ(threads_since(threads), 0U);
  for (const char* path : {"/lock", "/a", "/b"}) {
    EXPECT_TRUE(eventually([&] { return contenders(path) == 0; })) << path << ": " << contenders(path);
  }
}

}  // namespace zklock::test
