#include "src/locks/lock_limit.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <zklock/error.hpp>
#include <zklock/testing/fake_ensemble.hpp>

namespace zklock::detail {
namespace {

using namespace std::chrono_literals;

class a_lock_limit : public ::testing::Test {
 protected:
  a_lock_limit() { session_->start(); }
  ~a_lock_limit() override { calls_.abandon(*session_); }

  static std::shared_ptr<const lock_target> target(recipes::layout layout = recipes::layout::native) {
    auto made = std::make_shared<lock_target>();
    made->path = "/pool";
    made->acl = {client::acl_entry{}};
    made->layout = layout;
    return made;
  }
  static instant soon() { return boot_now() + 30s; }

  zklock::testing::fake_ensemble zookeeper_;
  const std::shared_ptr<session_impl> session_ =
      std::make_shared<session_impl>(zookeeper_.clients(), "", session_options{});
  waiting_calls calls_;
  std::error_code ec_;
};

TEST_F(a_lock_limit, what_is_set_is_what_all_are_told) {
  lock_limit mine(session_, target(), calls_, 3);
  lock_limit other(session_, target(), calls_, 0);
  mine.set(5, soon(), nullptr);
  EXPECT_EQ(mine.said(), 5U);
  EXPECT_EQ(mine.ask(soon(), nullptr), 5U);
  EXPECT_EQ(other.ask(soon(), nullptr), 5U);
  EXPECT_EQ(other.said(), 0U) << "an object that says nothing goes on so";
}

TEST_F(a_lock_limit, a_number_that_is_none_is_refused_before_anything_is_sent) {
  lock_limit limit(session_, target(), calls_, 3);
  limit.set(0, soon(), &ec_);
  EXPECT_EQ(ec_, errc::invalid_option);
  EXPECT_THROW(limit.set(-1, soon(), nullptr), error);
  EXPECT_EQ(limit.said(), 3U);
  EXPECT_EQ(zookeeper_.node_count(), 0U);
}

TEST_F(a_lock_limit, a_failure_names_the_lock_when_it_is_thrown) {
  lock_limit limit(session_, target(), calls_, 0);
  EXPECT_EQ(limit.ask(soon(), &ec_), 0U);
  EXPECT_EQ(ec_, errc::no_limit);
  try {
    static_cast<void>(limit.ask(soon(), nullptr));
    FAIL() << "no node says it";
  } catch (const error& thrown) {
    EXPECT_EQ(thrown.code(), errc::no_limit);
    EXPECT_NE(std::string(thrown.what()).find("/pool"), std::string::npos) << thrown.what();
  }
}

TEST_F(a_lock_limit, no_node_says_it_in_curators_layout) {
  lock_limit limit(session_, target(recipes::layout::curator), calls_, 4);
  EXPECT_EQ(limit.ask(soon(), nullptr), 4U);
  limit.set(5, soon(), &ec_);
  EXPECT_EQ(ec_, errc::not_in_layout);
  EXPECT_EQ(limit.said(), 4U);
  lock_limit nothing(session_, target(recipes::layout::curator), calls_, 0);
  EXPECT_EQ(nothing.ask(soon(), &ec_), 0U);
  EXPECT_EQ(ec_, errc::no_limit);
}

TEST_F(a_lock_limit, nothing_is_asked_once_the_lock_object_has_gone) {
  lock_limit limit(session_, target(), calls_, 3);
  calls_.abandon(*session_);
  EXPECT_EQ(limit.ask(soon(), &ec_), 0U);
  EXPECT_EQ(ec_, errc::abandoned);
}

}  // namespace
}  // namespace zklock::detail
