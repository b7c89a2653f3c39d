// Observers of a session that are ended: in their own call, on another thread, before or behind the session.
#include <gtest/gtest.h>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>

#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class ended_observer : public ::testing::Test {
 protected:
  /// Holds the notification thread in the observer's first call, until let_go(); two more changes are queued behind it.
  void observe_and_hold(bool ends_itself) {
    observer_ = session_->observe([this, ends_itself](const session_change&) {
      ++told_;
      inside_ = true;
      go_.get_future().wait();
      if (ends_itself) {
        observer_ = {};
      }
      returned_ = true;
    });
    zookeeper_.refuse();
    ASSERT_TRUE(eventually([&] { return inside_.load(); }));
    zookeeper_.restore();
    ASSERT_TRUE(session_->wait_connected_for(30s));
    zookeeper_.refuse();
    ASSERT_TRUE(eventually([&] { return session_->state() == session_state::suspended; }));
  }
  void let_go() { go_.set_value(); }

  testing::fake_ensemble zookeeper_;
  std::promise<void> go_;
  std::atomic<bool> inside_ = false;
  std::atomic<bool> returned_ = false;
  std::atomic<int> told_ = 0;
  session_observer observer_;
  std::unique_ptr<session> session_ = connected();

 private:
  std::unique_ptr<session> connected() {
    auto made = std::make_unique<session>(zookeeper_.clients());
    EXPECT_TRUE(made->wait_connected_for(30s));
    return made;
  }
};

TEST_F(ended_observer, hears_of_no_change_that_was_queued) {
  observe_and_hold(true);
  let_go();
  session_->close();  // when every notice has been told
  EXPECT_EQ(told_, 1);
}

TEST_F(ended_observer, has_returned_when_it_is_ended_on_another_thread) {
  observe_and_hold(false);
  auto ended = std::async(std::launch::async, [this] {
    observer_ = {};
    return returned_.load();
  });
  EXPECT_EQ(ended.wait_for(20ms), std::future_status::timeout);
  let_go();
  EXPECT_TRUE(ended.get());
}

TEST_F(ended_observer, is_one_of_several_that_all_hear_what_comes_after_them) {
  observe_and_hold(true);
  std::atomic<int> second = 0, third = 0;
  std::atomic<session_state> last = session_state::connecting;
  const session_observer throws = session_->observe([&](const session_change&) {
    ++second;
    throw std::runtime_error("thrown by an observer");
  });
  const session_observer hears = session_->observe([&](const session_change& change) {
    ++third;
    last = change.state;
  });
  let_go();
  session_->close();
  EXPECT_EQ(told_, 1);
  EXPECT_GE(second, 1) << "though it throws";
  EXPECT_GE(third, 1);
  EXPECT_EQ(last, session_state::closed);
}

TEST_F(ended_observer, lets_its_function_go_and_may_outlive_the_session) {
  const auto owned = std::make_shared<int>();
  observer_ = session_->observe([owned](const session_change&) {});
  EXPECT_EQ(owned.use_count(), 2);
  session_.reset();
  EXPECT_EQ(owned.use_count(), 2);
  observer_ = {};
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace zklock::test
