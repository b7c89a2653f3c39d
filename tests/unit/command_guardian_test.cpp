// The guardian of zklock run, and what it and zklock say to each other.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/cli/guardian.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/guardian_protocol.hpp"
#include "src/cli/inherited_signals.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

TEST(a_message_socket, brings_what_was_said_by_an_end_that_is_gone_and_has_not_listened) {
  auto [ours, its] = message_socket::pair();
  ASSERT_TRUE(ours.send("unread"));
  ASSERT_TRUE(its.send("first"));
  ASSERT_TRUE(its.send("second"));
  its.close();
  EXPECT_EQ(ours.receive(), "first");
  EXPECT_EQ(ours.receive(), "second");
  EXPECT_TRUE(ours.connected());
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_FALSE(ours.connected());
}

TEST(a_message_socket, is_connected_while_nothing_is_said) {
  auto [ours, its] = message_socket::pair();
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_TRUE(ours.connected());
  its.close();
  EXPECT_EQ(ours.receive(), std::nullopt);
  EXPECT_FALSE(ours.connected());
}

/// A guardian within the test's process. It reads its orders only when all have been given: as one that was stopped.
class a_guardian_that_hears_late : public testing::Test {
 protected:
  a_guardian_that_hears_late() {
    auto [ours, its] = message_socket::pair();
    zklock_ = std::move(ours);
    guardians_ = std::move(its);
  }
  ~a_guardian_that_hears_late() override { inherited_.restore(); }

  template <class Order>
  void order(const Order& one) {
    ASSERT_TRUE(zklock_.send(protocol::to_bytes(any_order(one))));
  }
  /// Returns when the guardian has nothing left to guard.
  std::vector<any_report> reports_on(const std::vector<std::string>& command) {
    guardian(std::move(guardians_), command, inherited_).run();
    std::vector<any_report> all;
    while (const auto bytes = zklock_.receive()) {
      all.push_back(protocol::from_bytes<any_report>(*bytes).value());
    }
    return all;
  }
  static boot_clock::time_point in(boot_clock::duration time) { return boot_clock::now() + time; }

  const inherited_signals inherited_;
  message_socket zklock_;
  message_socket guardians_;
};

TEST_F(a_guardian_that_hears_late, starts_the_command_when_there_is_still_time) {
  order(order::start{in(-1s), 1s, false});
  order(order::believe{in(1h)});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::holds_alternative<report::started>(told.front()));
  ASSERT_TRUE(std::holds_alternative<report::ended>(told.back()));
  EXPECT_EQ(std::get<report::ended>(told.back()).how.number, 3);
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_after_the_deadline) {
  order(order::start{in(-1ms), 1s, false});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<report::too_late>(told.front()));
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_when_the_lock_is_lost) {
  order(order::start{in(1h), 1s, false});
  order(order::end{});
  const auto told = reports_on({"sh", "-c", "exit 3"});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<report::too_late>(told.front()));
}

TEST_F(a_guardian_that_hears_late, does_not_start_the_command_when_zklock_is_gone) {
  order(order::start{in(1h), 1s, false});
  zklock_.close();
  const std::string sign = testing::TempDir() + "zklock-guardian-" + std::to_string(getpid());
  guardian(std::move(guardians_), std::vector<std::string>{"touch", sign}, inherited_).run();
  EXPECT_NE(unlink(sign.c_str()), 0) << "the command has run";
}

TEST_F(a_guardian_that_hears_late, passes_on_the_signals_that_came_between_the_order_and_the_start) {
  order(order::start{in(1h), 1s, false});
  order(order::pass_on{SIGUSR1});
  const auto told = reports_on({"sleep", "60"});
  ASSERT_TRUE(!told.empty() && std::holds_alternative<report::ended>(told.back()));
  const auto how = std::get<report::ended>(told.back()).how;
  EXPECT_TRUE(how.by_signal);
  EXPECT_EQ(how.number, SIGUSR1);
}

/// One that is waited for: ten seconds at the most.
std::optional<any_report> next_report(guardian_process& guardian) {
  pollfd ready{guardian.descriptor(), POLLIN, 0};
  while (poll(&ready, 1, 10'000) > 0) {
    if (auto told = guardian.hear()) return told;
  }
  return std::nullopt;
}

TEST(a_guardian_process, tells_of_a_stop_unless_the_command_was_made_to_go_on_since) {
  const inherited_signals inherited;
  const std::vector<std::string> command{"sh", "-c", "kill -STOP $$; kill -STOP $$; exit 3"};
  guardian_process guardian(command, inherited, {});
  ASSERT_TRUE(guardian.tell(order::start{boot_clock::now() + 1h, 1s, false}));
  const auto started = next_report(guardian);
  ASSERT_TRUE(started && std::holds_alternative<report::started>(*started));
  const auto first = next_report(guardian);
  ASSERT_TRUE(first && std::holds_alternative<report::stopped>(*first));
  EXPECT_EQ(std::get<report::stopped>(*first).signal_number, SIGSTOP);
  ASSERT_TRUE(guardian.tell(order::pass_on{SIGCONT}));
  pollfd told{guardian.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&told, 1, 10'000), 1) << "the second stop is told, and not heard yet";
  ASSERT_TRUE(guardian.tell(order::pass_on{SIGCONT}));
  const auto ended = next_report(guardian);
  ASSERT_TRUE(ended && std::holds_alternative<report::ended>(*ended));
  EXPECT_EQ(std::get<report::ended>(*ended).how.number, 3);
  inherited.restore();
}

}  // namespace
}  // namespace zklock::cli
