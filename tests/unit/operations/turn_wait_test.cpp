#include "src/operations/turn_wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <zklock/error.hpp>

#include "tests/unit/engine/on_a_table.hpp"

/// A call that waits for its owner's earlier call: at 100 s.
namespace zklock::operations::of_turn_wait {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

struct told final : receiver<turn_wait_result> {
  void complete(turn_wait_result result) noexcept override {
    ++times;
    what = std::move(result);
  }
  int times = 0;
  turn_wait_result what;
};

class a_turn_wait : public testing::Test {
 protected:
  std::shared_ptr<turn_wait> make(std::optional<engine::instant> until, std::unique_ptr<late_line> late = nullptr) {
    return std::make_shared<turn_wait>(until, std::move(late), heard);
  }
  void begin(const std::shared_ptr<turn_wait>& one) { table.begin(one, {}, now); }
  void go_on(const std::shared_ptr<turn_wait>& one) {
    table.call(one->number(), now, [&one](engine::operation&, engine::out& wants) { one->go_on(wants); });
  }
  void pass(std::chrono::milliseconds time) {
    now += time;
    table.fire_timers(now);
  }

  engine::instant now = 100s;
  diary seen;
  test_support::recorded_session session{seen};
  engine::operation_table table{session.services};
  std::shared_ptr<told> heard = std::make_shared<told>();
};

TEST_F(a_turn_wait, ends_when_it_is_woken_and_asks_nothing) {
  session.connect();
  const auto one = make(std::nullopt);
  begin(one);
  EXPECT_FALSE(table.due());
  go_on(one);
  EXPECT_EQ(heard->times, 0) << "not woken";
  one->wake();
  go_on(one);
  go_on(one);
  EXPECT_EQ(heard->times, 1);
  EXPECT_TRUE(heard->what.came);
  EXPECT_EQ(one->number(), 0U) << "it has finished";
  EXPECT_TRUE(session.servers.sent.empty());
}

TEST_F(a_turn_wait, that_was_woken_before_ends_at_its_begin) {
  const auto one = make(200s);
  one->wake();
  begin(one);
  EXPECT_TRUE(heard->what.came);
  EXPECT_FALSE(table.due());
}

TEST_F(a_turn_wait, ends_in_time_without_an_error_if_there_is_a_connection) {
  for (const bool connected : {true, false}) {
    connected ? session.connect() : session.disconnect();
    heard->what = {};
    const auto one = make(now + 1s);
    begin(one);
    EXPECT_EQ(table.due(), now + 1s);
    pass(1s);
    EXPECT_FALSE(heard->what.came);
    EXPECT_EQ(heard->what.why.ec, connected ? std::error_code() : make_error_code(errc::not_connected));
  }
  EXPECT_EQ(heard->times, 2);
}

TEST_F(a_turn_wait, is_told_why_it_was_stopped) {
  const auto one = make(std::nullopt);
  begin(one);
  table.stop(one, {make_error_code(errc::abandoned)}, now);
  EXPECT_EQ(heard->what.why.ec, errc::abandoned);
  one->wake();
  go_on(one);
  const auto early = make(std::nullopt);
  table.stop(early, {make_error_code(errc::abandoned)}, now);
  begin(early);
  EXPECT_EQ(heard->times, 2);
}

TEST_F(a_turn_wait, says_once_that_its_thread_may_wait_for_itself) {
  int asked = 0;
  auto line = late_line_of([&asked] {
    ++asked;
    return log_line{log_level::warning, "late"};
  });
  line->due_at = now + 500ms;
  const auto one = make(now + 2s, std::move(line));
  begin(one);
  pass(500ms);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(heard->times, 0);
  pass(1500ms);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(heard->times, 1);
}

}  // namespace
}  // namespace zklock::operations::of_turn_wait
