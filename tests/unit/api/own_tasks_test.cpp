// What an event loop's thread does on the strand when it calls: its own task, and none of others. They are told by the requests
// that they send: the client notes the thread of each.
#include <zklock/async.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "src/api/connector_access.hpp"
#include "src/port/client.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// Notes who sends what for the locks of others, and does something once within a request of one thread.
class desk {
 public:
  void within_the_next_request_of(std::thread::id thread, std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    watched_ = thread;
    what_ = std::move(what);
  }
  /// Whether that was done; else it is not to be done any more.
  [[nodiscard]] bool was_within() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(what_, nullptr);
  }
  void sent(const std::string& path) {
    std::function<void()> now;
    {
      const std::lock_guard lock(mutex_);
      if (path.starts_with("/other")) {
        senders_.push_back(std::this_thread::get_id());
      } else if (what_ && std::this_thread::get_id() == watched_) {
        now = std::exchange(what_, nullptr);
      }
    }
    if (now) {
      now();
    }
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return senders_.size();
  }
  [[nodiscard]] std::size_t count_of(std::thread::id thread) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(senders_.begin(), senders_.end(), thread));
  }

 private:
  mutable std::mutex mutex_;
  std::thread::id watched_;
  std::function<void()> what_;
  std::vector<std::thread::id> senders_;
};

std::string path_of(const client::any_request& what) {
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (requires { one.path; }) {
          return one.path;
        } else {
          return {};
        }
      },
      what);
}

class noting_connection final : public client::connection {
 public:
  noting_connection(std::unique_ptr<client::connection> real, desk& at) : real_(std::move(real)), at_(at) {}
  void submit(client::request_id id, client::any_request&& what) override {
    at_.sent(path_of(what));
    real_->submit(id, std::move(what));
  }
  void forget(std::string_view path, client::watch_id id, watch_kind kind) override { real_->forget(path, id, kind); }
  void close() override { real_->close(); }

 private:
  const std::unique_ptr<client::connection> real_;
  desk& at_;
};

class noting_servers final : public client::factory {
 public:
  noting_servers(std::shared_ptr<client::factory> real, desk& at) : real_(std::move(real)), at_(at) {}
  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override {
    return std::make_unique<noting_connection>(real_->open(with, to), at_);
  }
  [[nodiscard]] bool adopted() const noexcept override { return false; }
  [[nodiscard]] std::size_t server_count() const noexcept override { return real_->server_count(); }
  [[nodiscard]] std::string describe() const override { return real_->describe(); }

 private:
  const std::shared_ptr<client::factory> real_;
  desk& at_;
};

class own_tasks : public on_a_fake {
 protected:
  static constexpr std::size_t others = 50;

  own_tasks() {
    for (std::size_t i = 0; i < others; ++i) {
      paths_.push_back("/other" + std::to_string(i));
      locks_of_others_.push_back(std::make_unique<recursive_mutex>(noted_, paths_.back()));
    }
  }
  /// How many tasks of others this thread runs in `call(prepare())`, while which 50 of them are queued on the strand. Again
  /// if another thread has had the strand, so that the call has only queued its own task.
  template <class Prepare, class Call>
  [[nodiscard]] std::size_t tasks_of_others_in(Prepare&& prepare, Call&& call) {
    const std::thread::id here = std::this_thread::get_id();
    const std::size_t sent_here = desk_.count_of(here), sent = desk_.count();
    std::atomic<std::size_t> told = 0;
    EXPECT_TRUE(eventually([&] {
      auto with = prepare();
      desk_.within_the_next_request_of(here, [&] {
        elsewhere([&] {
          for (const auto& lock : locks_of_others_) {
            start_acquire(*lock, {}, [&told](std::error_code ec, const grant&) { told += ec ? 0 : 1; });
          }
        });
        EXPECT_EQ(desk_.count(), sent) << "this thread has the strand: theirs are queued";
      });
      call(with);
      return desk_.was_within();
    }));
    const std::size_t of_others = desk_.count_of(here) - sent_here;
    EXPECT_TRUE(eventually([&] { return told == others; }));
    EXPECT_GE(desk_.count() - sent, others) << "each has sent a request";
    return of_others;
  }
  [[nodiscard]] auto taken() {
    return [this] { return lock_.acquire(); };
  }

  desk desk_;
  session noted_{detail::connector_access::make(
                     std::make_shared<noting_servers>(detail::connector_access::servers(zookeeper_.clients(2)), desk_)),
                 {.timeout = 60s}};
  std::vector<std::unique_ptr<recursive_mutex>> locks_of_others_;
  recursive_mutex lock_{noted_, "/lock"};
};

TEST_F(own_tasks, a_call_that_waits_runs_those_of_others_and_is_counted_so) {
  EXPECT_GT(tasks_of_others_in(taken(), [](grant& held) { expect_released(held); }), 0U);
}

TEST_F(own_tasks, a_start_of_an_acquisition_runs_none_of_others) {
  std::atomic<int> started = 0, granted = 0;
  EXPECT_EQ(tasks_of_others_in([&started] { return ++started; },
                               [&](int) {
                                 start_acquire(lock_, {}, [&granted](std::error_code, const grant& got) {
                                   granted += got.held() ? 1 : 0;
                                 });
                               }),
            0U);
  EXPECT_TRUE(eventually([&] { return granted == started; }));
}

TEST_F(own_tasks, a_start_of_a_release_runs_none_of_others) {
  std::atomic<int> started = 0, released = 0;
  EXPECT_EQ(tasks_of_others_in(taken(),
                               [&](grant& held) {
                                 ++started;
                                 start_release(std::move(held),
                                               [&released](std::error_code ec) { released += ec ? 0 : 1; });
                               }),
            0U);
  EXPECT_TRUE(eventually([&] { return released == started; }));
}

TEST_F(own_tasks, a_grant_that_is_dropped_runs_none_of_others) {
  EXPECT_EQ(tasks_of_others_in(taken(), [](grant& held) { held = {}; }), 0U);
}

TEST_F(own_tasks, a_grant_of_a_multi_lock_that_is_dropped_runs_none_of_others) {
  recursive_mutex second(noted_, "/a");
  multi_lock both{lock_, second};
  EXPECT_EQ(tasks_of_others_in([&] { return both.acquire(); }, [](grant& held) { held = {}; }), 0U);
}

TEST_F(own_tasks, a_stop_runs_none_of_others) {
  recursive_mutex there(one_, "/lock");
  const grant held = there.acquire();
  std::atomic<int> started = 0, abandoned = 0;
  EXPECT_EQ(tasks_of_others_in(
                [&] {
                  std::stop_source stop;
                  ++started;
                  start_acquire(lock_, {.stop = stop.get_token()}, [&abandoned](std::error_code ec, const grant&) {
                    abandoned += ec == errc::abandoned ? 1 : 0;
                  });
                  EXPECT_TRUE(queue_is(2));
                  EXPECT_TRUE(eventually([&] { return zookeeper_.quiet(); })) << "its own node is known";
                  return stop;
                },
                [&](std::stop_source& stop) { stop.request_stop(); }),
            0U);
  EXPECT_TRUE(eventually([&] { return abandoned == started; }));
  EXPECT_TRUE(queue_is(1));
}

}  // namespace
}  // namespace zklock::test
