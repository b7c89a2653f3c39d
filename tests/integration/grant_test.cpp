// What a grant is to its lock, its thread and its session, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

using handing_over = on_a_server;

TEST_F(handing_over, f44_a_grant_may_be_released_by_another_thread) {
  recursive_mutex lock(open(), "/lock");
  recursive_mutex other(open(), "/lock");
  grant held = lock.acquire();
  in_a_thread([moved = std::move(held)]() mutable { moved.release(); }).get();
  EXPECT_FALSE(lock.held());
  EXPECT_TRUE(other.try_acquire().held());
}

TEST_F(handing_over, a_lock_that_is_not_held_has_no_token_and_no_notice) {
  recursive_mutex lock(open(), "/lock");
  EXPECT_FALSE(lock.held());
  try {
    static_cast<void>(lock.token());
    FAIL() << "a token without a hold";
  } catch (const error& told) {
    EXPECT_EQ(told.code(), errc::not_owner);
    EXPECT_NE(std::string(told.what()).find("/lock"), std::string::npos);
  }
  EXPECT_THROW(static_cast<void>(lock.lost()), error);
}

TEST_F(handing_over, a_grant_outlives_its_lock) {
  session& one = open();
  recursive_mutex other(open(), "/lock");
  std::optional<recursive_mutex> lock(std::in_place, one, "/lock");
  grant held = lock->acquire();
  lock.reset();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(held.path(), "/lock");
  EXPECT_FALSE(other.try_acquire());
  held.release();
  EXPECT_TRUE(other.try_acquire().held());
}

TEST_F(handing_over, destroying_a_lock_gives_back_what_lock_has_taken) {
  session& one = open();
  recursive_mutex other(open(), "/lock");
  {
    recursive_mutex lock(one, "/lock");
    lock.lock();
    lock.lock();
  }
  EXPECT_TRUE(acquire_patiently(other).held());
}

TEST_F(handing_over, a_grant_outlives_its_session_and_is_lost_with_it) {
  recursive_mutex other(open(), "/lock");
  grant held;
  fencing_token token;
  std::stop_token lost;
  {
    session one("127.0.0.1:" + std::to_string(port_) + root_);
    recursive_mutex lock(one, "/lock");
    held = lock.acquire();
    token = held.token();
    lost = held.lost();
    EXPECT_FALSE(lost.stop_requested());
  }
  EXPECT_TRUE(held);
  EXPECT_FALSE(held.held());
  EXPECT_EQ(held.loss_reason(), loss_reason::session_closed);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(held.token(), token);
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(held);
  EXPECT_TRUE(other.try_acquire().held()) << "the node went with the session";
}

TEST_F(handing_over, move_assignment_releases_the_old_grant_first) {
  session& one = open();
  recursive_mutex a(one, "/a");
  recursive_mutex b(one, "/b");
  recursive_mutex other(open(), "/a");
  grant held = a.acquire();
  held = b.acquire();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(held.path(), "/b");
  EXPECT_TRUE(acquire_patiently(other).held());
}

TEST_F(handing_over, a_release_does_not_fire_the_notice_of_loss) {
  recursive_mutex lock(open(), "/lock");
  grant held = lock.acquire();
  const std::stop_token lost = held.lost();
  held.release();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_EQ(held.loss_reason(), loss_reason::none);
}

}  // namespace
}  // namespace zklock::test
