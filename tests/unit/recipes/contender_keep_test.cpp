// A mutex's contender that may be kept: it watches for others while it holds, if none was there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/recipes/contender_words.hpp"

namespace zklock::recipes::words {
namespace {

using actions = std::vector<action>;

class contender_that_watches : public ::testing::Test {
 protected:
  contender_that_watches() { machine_.watch_for_others(); }

  actions tell(const contender_event& what) {
    const action_list out = machine_.resume(what);
    return {out.begin(), out.end()};
  }
  actions listed(const std::vector<std::string>& children, code with = code::ok) {
    return tell(event::listed{with, children, last_change_, 80, nullptr, 70});
  }
  void hold_alone() {
    (void)tell(event::connected{});
    (void)tell(event::created{code::ok, own_name, created_token});
    EXPECT_EQ(listed({std::string(own_name)}), actions{action::grant});
  }

  contender machine_{own_id, {}, false};
  std::int64_t last_change_ = created_token.czxid;  ///< of the lock node's children, as a list shows it
};

TEST_F(contender_that_watches, lists_with_a_watch) {
  EXPECT_EQ(tell(event::connected{}), (actions{action::create_own, action::watch_children}));
}

TEST_F(contender_that_watches, tells_of_others_once_while_it_holds) {
  hold_alone();
  EXPECT_TRUE(machine_.keeps());
  EXPECT_TRUE(machine_.passed_alone());
  EXPECT_EQ(tell(event::children_changed{}), actions{action::tell_of_others});
  EXPECT_FALSE(machine_.keeps());
  EXPECT_EQ(tell(event::children_changed{}), actions{});
  EXPECT_EQ(tell(event::release{}), actions{action::remove_own}) << "its watch has fired";
}

/// Its process was told of that one by nothing, and it would take a node that stands still for held.
TEST_F(contender_that_watches, f231_keeps_nothing_where_another_one_has_come_and_gone_before_its_watch) {
  last_change_ = created_token.czxid + 2;
  (void)tell(event::connected{});
  (void)tell(event::created{code::ok, own_name, created_token});
  EXPECT_EQ(listed({std::string(own_name)}), (actions{action::forget_children, action::grant}));
  EXPECT_FALSE(machine_.keeps());
}

TEST_F(contender_that_watches, drops_its_watch_with_the_release) {
  hold_alone();
  EXPECT_EQ(tell(event::release{}), (actions{action::forget_children, action::remove_own}));
}

TEST_F(contender_that_watches, drops_its_watch_beside_others) {
  (void)tell(event::connected{});
  (void)tell(event::created{code::ok, own_name, created_token});
  const std::vector<std::string> with_one_behind{std::string(own_name),
                                                 std::string(own_name).substr(0, own_name.size() - 1) + "9"};
  last_change_ += 1;
  EXPECT_EQ(listed(with_one_behind), (actions{action::forget_children, action::grant}));
  EXPECT_FALSE(machine_.keeps());
}

TEST_F(contender_that_watches, relies_on_no_watch_of_a_connection_that_was_lost) {
  hold_alone();
  EXPECT_EQ(tell(event::disconnected{}), actions{});
  EXPECT_FALSE(machine_.keeps());
}

TEST_F(contender_that_watches, lists_without_one_behind_a_lost_connection) {
  (void)tell(event::connected{});
  (void)tell(event::disconnected{});
  (void)tell(event::created{code::connection_loss, {}, {}});
  (void)listed({}, code::connection_loss);
  EXPECT_EQ(tell(event::connected{}), (actions{action::sync, action::share_list})) << "whether its node is there";
}

}  // namespace
}  // namespace zklock::recipes::words
