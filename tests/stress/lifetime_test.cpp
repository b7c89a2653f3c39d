// Objects that go while a call of theirs is under way, on this thread or another.
#include <gtest/gtest.h>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "src/api/hold_notice.hpp"
#include "src/api/lock_call.hpp"
#include "src/api/lock_state.hpp"
#include "src/api/mutex_terms.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/hold_of.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class lifetimes : public ::testing::Test {
 protected:
  [[nodiscard]] bool queue_becomes(std::size_t size) {
    return eventually([&] { return zookeeper_.children("/lock").size() == size; });
  }

  testing::fake_ensemble zookeeper_;
};

// ---- a lock object that goes while it is waited for

class destroyed_lock : public lifetimes {
 protected:
  /// Destroys a mutex while `wait` waits for it on another thread, and returns what that threw.
  std::pair<std::error_code, std::string> destroy_during(const std::function<void(recursive_mutex&)>& wait) {
    session here(zookeeper_.clients());
    recursive_mutex holder(here, "/lock");
    const grant held = holder.acquire();
    auto lock = std::make_unique<recursive_mutex>(here, "/lock");
    recursive_mutex& waited_for = *lock;
    auto waiting = std::async(std::launch::async, [&]() -> std::pair<std::error_code, std::string> {
      try {
        wait(waited_for);
      } catch (const error& told) {
        return {told.code(), told.what()};
      }
      return {};
    });
    EXPECT_TRUE(queue_becomes(2));
    lock.reset();
    auto told = waiting.get();
    EXPECT_TRUE(queue_becomes(1)) << "only the holder's";
    EXPECT_TRUE(held.held());
    return told;
  }

  void expect_abandoned(std::string_view operation, const std::function<void(recursive_mutex&)>& wait) {
    const auto [ec, text] = destroy_during(wait);
    EXPECT_EQ(ec, errc::abandoned) << ec.message();
    EXPECT_NE(text.find(std::string(operation) + " /lock"), std::string::npos) << text;
  }
};

TEST_F(destroyed_lock, ends_a_throwing_acquire) {
  expect_abandoned("acquire", [](recursive_mutex& lock) { static_cast<void>(lock.acquire()); });
}

TEST_F(destroyed_lock, ends_a_throwing_acquire_with_a_limit) {
  expect_abandoned("acquire", [](recursive_mutex& lock) { static_cast<void>(lock.try_acquire_for(1h)); });
  expect_abandoned("acquire", [](recursive_mutex& lock) {
    static_cast<void>(lock.try_acquire_until(std::chrono::steady_clock::now() + 1h));
  });
}

TEST_F(destroyed_lock, ends_a_lock_as_the_standard_names_it) {
  expect_abandoned("lock", [](recursive_mutex& lock) { lock.lock(); });
  expect_abandoned("lock", [](recursive_mutex& lock) { static_cast<void>(lock.try_lock_for(1h)); });
}

TEST_F(destroyed_lock, ends_an_acquire_with_an_error_code) {
  std::error_code ec;
  const auto [thrown, text] = destroy_during([&](recursive_mutex& lock) { EXPECT_FALSE(lock.acquire(ec)); });
  EXPECT_FALSE(thrown) << text;
  EXPECT_EQ(ec, errc::abandoned);
}

TEST_F(destroyed_lock, ends_all_that_wait_for_it) {
  session here(zookeeper_.clients());
  recursive_mutex holder(here, "/lock");
  const grant held = holder.acquire();
  auto lock = std::make_unique<recursive_mutex>(here, "/lock");
  std::atomic<int> abandoned = 0;
  std::vector<std::jthread> waiting;
  for (int one = 0; one < 8; ++one) {
    waiting.emplace_back([&waited_for = *lock, &abandoned] {
      try {
        static_cast<void>(waited_for.acquire());
      } catch (const error& told) {
        abandoned += told.code() == errc::abandoned ? 1 : 0;
      }
    });
  }
  EXPECT_TRUE(queue_becomes(9));
  lock.reset();
  waiting.clear();
  EXPECT_EQ(abandoned, 8);
  EXPECT_TRUE(queue_becomes(1));
}

// ---- a lock object that goes in the instant of its grant

TEST_F(destroyed_lock, in_the_instant_of_the_grant_makes_lock_say_abandoned_and_gives_the_grant_back) {
  session here(zookeeper_.clients());
  const auto state = std::make_shared<detail::lock_state>(
      detail::session_access::impl(here), std::make_shared<detail::mutex_terms>(), "/lock", lock_options{});
  const detail::owner_number thread = detail::this_thread_number();
  detail::blocking_call call(*state, {thread, thread}, {}, true, {});
  ASSERT_FALSE(call.begin({}));
  auto granted = call.wait();
  ASSERT_TRUE(granted.hold);
  state->abandon();  // as the destructor does, between the grant and its being kept for unlock()
  const detail::acquired told = call.end(std::move(granted));
  EXPECT_FALSE(told.taken) << "no thread could unlock it";
  EXPECT_EQ(told.why.ec, errc::abandoned);
  EXPECT_TRUE(queue_becomes(0));
}

TEST_F(destroyed_lock, gives_back_what_lock_had_kept_for_unlock) {
  session here(zookeeper_.clients());
  const auto state = std::make_shared<detail::lock_state>(
      detail::session_access::impl(here), std::make_shared<detail::mutex_terms>(), "/lock", lock_options{});
  EXPECT_TRUE(state->lock_within({}, {}));
  EXPECT_TRUE(queue_becomes(1));
  state->abandon();
  EXPECT_TRUE(queue_becomes(0));
}

TEST_F(destroyed_lock, refuses_a_later_caller_and_makes_no_node) {
  session here(zookeeper_.clients());
  const auto state = std::make_shared<detail::lock_state>(
      detail::session_access::impl(here), std::make_shared<detail::mutex_terms>(), "/lock", lock_options{});
  state->abandon();
  const std::uint64_t before = zookeeper_.request_count();
  std::error_code ec;
  EXPECT_FALSE(state->acquire({}, {}, &ec, {}));
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_EQ(zookeeper_.request_count(), before);
}

TEST_F(destroyed_lock, racing_with_its_grant_leaves_no_node_and_no_other_outcome) {
  session here(zookeeper_.clients());
  recursive_mutex holder(here, "/lock");
  for (int round = 0; round < 60; ++round) {
    grant held = holder.acquire();
    auto lock = std::make_unique<recursive_mutex>(here, "/lock");
    std::error_code ec;
    std::thread locking([&waited_for = *lock, &ec] {
      try {
        waited_for.lock();
      } catch (const error& told) {
        ec = told.code();
      }
    });
    EXPECT_TRUE(queue_becomes(2));
    std::thread releasing([&] { held.release(); });
    for (int later = 0; later < round; ++later) {  // each round at another instant of the hand-over
      std::this_thread::yield();
    }
    lock.reset();
    locking.join();
    releasing.join();
    EXPECT_TRUE(!ec || ec == errc::abandoned) << ec.message();
    EXPECT_TRUE(queue_becomes(0)) << "in round " << round;
  }
}

// ---- a grant that goes in its own notice of loss

/// A grant whose loss the session does not know of, and so does not tell: only a question to the grant does.
class grant_in_its_own_notice : public lifetimes {
 protected:
  grant_in_its_own_notice() {
    EXPECT_TRUE(deadline_->extend(detail::boot_now() + 1h));
    owners_->enter({.by = {.thread = detail::this_thread_number()}}, hold_);
    EXPECT_TRUE(grant_->held());
  }
  void pass_the_deadline() { deadline_->end(loss_reason::deadline_passed); }

  session session_{zookeeper_.clients()};
  std::shared_ptr<detail::session_deadline> deadline_ = std::make_shared<detail::session_deadline>();
  std::shared_ptr<detail::hold> hold_ =
      detail::make_noticed_hold(test_support::hold_of(deadline_, {42}, 7, "/lock", "/lock/x-lock-0000000001"));
  std::shared_ptr<detail::lock_owners> owners_ = std::make_shared<detail::lock_owners>();
  std::optional<grant> grant_ =
      detail::grant_access::make(detail::session_access::impl(session_), owners_, hold_, detail::side::whole);
};

TEST_F(grant_in_its_own_notice, may_be_released) {
  std::error_code ec;
  int told = 0;
  const std::stop_callback notice(grant_->lost(), [&] {
    ++told;
    grant_->release(ec);
  });
  pass_the_deadline();
  EXPECT_TRUE(grant_->lost().stop_requested());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(*grant_);
}

TEST_F(grant_in_its_own_notice, may_be_destroyed) {
  hold_.reset();
  const std::stop_callback notice(grant_->lost(), [&] { grant_.reset(); });
  pass_the_deadline();
  grant& asked = *grant_;
  const std::stop_token lost = asked.lost();
  EXPECT_FALSE(grant_);
  EXPECT_TRUE(lost.stop_requested());
}

TEST_F(grant_in_its_own_notice, may_be_replaced) {
  const std::stop_callback notice(grant_->lost(), [&] { *grant_ = grant(); });
  pass_the_deadline();
  EXPECT_TRUE(grant_->lost().stop_requested());
  EXPECT_FALSE(*grant_);
}

TEST_F(lifetimes, a_mutex_and_its_grant_may_be_destroyed_in_the_notice_of_loss) {
  session here(zookeeper_.clients());
  auto lock = std::make_unique<recursive_mutex>(here, "/lock");
  auto held = std::make_unique<grant>(lock->acquire());
  std::atomic<bool> told = false;
  const std::stop_callback notice(held->lost(), [&] {
    held.reset();
    lock.reset();
    told = true;
  });
  zookeeper_.expire_sessions();
  EXPECT_TRUE(eventually([&] { return told.load(); }));
}

// ---- a release that no server confirms

TEST_F(lifetimes, a_release_that_is_unconfirmed_when_the_deadline_passes_does_not_say_done) {
  session here(zookeeper_.clients(), {.timeout = 1s});
  recursive_mutex one(here, "/lock");
  recursive_mutex other(here, "/other");
  const grant others = other.acquire();
  for (int round = 0; round < 2; ++round) {
    grant held = one.acquire();
    zookeeper_.refuse();
    std::error_code ec;
    held.release(ec);
    EXPECT_TRUE(ec == errc::release_unconfirmed || ec == errc::lost) << ec.message();
    zookeeper_.restore();
  }
}

TEST_F(lifetimes, a_close_right_after_a_loss_without_a_server_does_not_say_done) {
  session here(zookeeper_.clients(), {.timeout = 1s});
  recursive_mutex lock(here, "/lock");
  const grant held = lock.acquire();
  zookeeper_.refuse();
  EXPECT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  std::error_code ec;
  here.close(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed) << ec.message();
}

}  // namespace
}  // namespace zklock::test
