#include "src/cli/received_orders.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

constexpr boot_clock::time_point at(boot_clock::duration time) { return boot_clock::time_point(time); }

TEST(received_orders, the_start_is_taken_once_with_all_that_was_ordered_before_it) {
  received_orders orders;
  EXPECT_FALSE(orders.take_start());
  orders.hear(order::set{"A=1"});
  orders.hear(order::set{"B=2"});
  orders.hear(order::start{at(10s), 3s, true});
  const auto start = orders.take_start();
  ASSERT_TRUE(start);
  EXPECT_TRUE(start->in_foreground);
  EXPECT_FALSE(orders.take_start());
  EXPECT_EQ(orders.environment(), (std::vector<std::string>{"A=1", "B=2"}));
  EXPECT_EQ(orders.valid_until(), at(10s));
  EXPECT_EQ(orders.kill_after(), 3s);
}

TEST(received_orders, the_deadline_is_what_was_said_last) {
  received_orders orders;
  orders.hear(order::start{at(10s), 3s, false});
  orders.hear(order::believe{at(20s)});
  EXPECT_EQ(orders.valid_until(), at(20s));
  orders.hear(order::believe{at(15s)});
  EXPECT_EQ(orders.valid_until(), at(15s));
}

TEST(received_orders, after_the_order_to_end_the_deadline_has_passed) {
  received_orders orders;
  orders.hear(order::start{boot_clock::now() + 1h, 3s, false});
  orders.hear(order::end{});
  EXPECT_LT(orders.valid_until(), boot_clock::now());
}

TEST(received_orders, signals_are_kept_until_the_start_and_each_sigcont_is_counted) {
  received_orders orders;
  orders.hear(order::pass_on{SIGUSR1}, false);
  orders.hear(order::pass_on{SIGCONT}, false);
  orders.hear(order::pass_on{SIGCONT}, true);
  orders.hear(order::pass_on{SIGTERM}, true);
  EXPECT_EQ(orders.early_signals(), (std::vector<int>{SIGUSR1, SIGCONT}));
  EXPECT_EQ(orders.continued(), 2U);
}

TEST(received_orders, what_came_before_a_start_was_for_the_command_before) {
  received_orders orders;
  orders.hear(order::set{"A=1"});
  orders.hear(order::start{at(10s), 3s, true});
  orders.forget_command();
  EXPECT_FALSE(orders.take_start());
  EXPECT_TRUE(orders.environment().empty());
  orders.hear(order::pass_on{SIGTERM}, false);
  orders.hear(order::end{});
  orders.hear(order::start{at(20s), 1s, false});
  EXPECT_TRUE(orders.early_signals().empty());
  EXPECT_EQ(orders.valid_until(), at(20s));
}

TEST(received_orders, of_the_sessions_the_last_is_kept_whatever_becomes_of_commands) {
  received_orders orders;
  EXPECT_EQ(orders.session(), "");
  orders.hear(order::session{"first"});
  orders.hear(order::session{"second"});
  orders.forget_command();
  EXPECT_EQ(orders.session(), "second");
  orders.hear(order::session{});
  EXPECT_EQ(orders.session(), "");
}

}  // namespace
}  // namespace zklock::cli
