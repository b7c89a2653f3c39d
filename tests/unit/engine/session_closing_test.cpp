#include "src/engine/session_closing.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include <zklock/error.hpp>

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;

TEST(session_closing, is_begun_once_and_under_way_until_it_is_answered) {
  session_closing closing;
  EXPECT_FALSE(closing.is_begun() || closing.is_under_way());
  EXPECT_EQ(closing.limit(), std::nullopt);
  EXPECT_TRUE(closing.begin(10s));
  EXPECT_FALSE(closing.begin(20s));
  EXPECT_EQ(closing.limit(), 10s);
  EXPECT_TRUE(closing.is_begun() && closing.is_under_way());
  EXPECT_FALSE(closing.answer(5s));
  EXPECT_TRUE(closing.is_begun());
  EXPECT_FALSE(closing.is_under_way());
}

TEST(session_closing, says_when_nodes_may_stand_behind_its_handle) {
  session_closing closing;
  closing.begin(10s);
  closing.note_nodes_left(true);
  EXPECT_EQ(closing.answer(10s), errc::release_unconfirmed);
  session_closing confirmed;
  confirmed.begin(10s);
  confirmed.note_nodes_left(true);
  confirmed.note_nodes_left(false);
  EXPECT_FALSE(confirmed.answer(10s)) << "the latest word counts";
}

TEST(session_closing, says_when_nodes_of_an_earlier_session_may_stand_still) {
  for (const auto& [now, stand] : {std::pair(instant(29s), true), {30s, false}}) {
    session_closing closing;
    closing.note_nodes_until(30s);
    closing.note_nodes_until(20s);
    closing.begin(10s);
    EXPECT_EQ(closing.answer(now) == errc::release_unconfirmed, stand) << now.count();
  }
}

}  // namespace
}  // namespace zklock::engine
