#include "src/operations/repeated.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/engine/on_a_table.hpp"

/// T = 6 s: the pauses are from 12 ms (T/500) to 500 ms (T/12).
namespace zklock::operations {
namespace {

using namespace std::chrono_literals;
using test_support::diary;

/// Asks one thing, and ends when that is answered. Any failure is one to try again after.
class question final : public repeated {
 public:
  question(instant until, diary& to) : repeated(until), diary_(to) {}

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override {
    diary_.push_back("reply " + std::to_string(as));
    if (answer.code == client::code::ok) {
      wants.finish();
    } else {
      ask_later(wants);
    }
  }
  void stop(const detail::failure& why, engine::out& wants) override {
    ended_with = why.ec;
    wants.finish();
  }

  std::error_code ended_with;

 private:
  void ask(engine::out& wants) override { wants.request(++tries_, client::request::sync{"/"}); }
  void forget_try() noexcept override { diary_.emplace_back("try over"); }

  diary& diary_;
  engine::tag tries_ = 0;
};

class repeated_operation : public testing::Test {
 protected:
  void begin(instant until, bool connected = true) {
    connected ? session.connect() : session.disconnect();
    asked = std::make_shared<question>(until, seen);
    table.begin(asked, {}, now);
  }
  void connect() {
    session.connect();
    table.call_each(now, [](engine::operation& it, engine::out& wants) { it.connected(wants); });
  }
  void disconnect() {
    session.disconnect();
    table.call_each(now, [](engine::operation& it, engine::out& wants) { it.disconnected(wants); });
  }
  /// The answer to the oldest request. Whether it was heard.
  bool answer(client::code with = client::code::ok) {
    client::reply what;
    what.code = with;
    return test_support::answer_oldest(session, table, what, now);
  }
  /// Up to the next call of the timer.
  void go_on() {
    ASSERT_TRUE(table.due());
    now = *table.due();
    table.fire_timers(now);
  }
  [[nodiscard]] bool ended() const { return !table.due().has_value(); }  // until then it has a limit

  instant now = 100s;
  diary seen;
  test_support::recorded_session session{seen};
  engine::operation_table table{session.services};
  std::shared_ptr<question> asked;
};

TEST_F(repeated_operation, asks_at_once_when_there_is_a_connection) {
  begin(110s);
  EXPECT_EQ(seen, diary{"sync"});
  EXPECT_EQ(table.due(), 110s);
  EXPECT_TRUE(answer());
  EXPECT_TRUE(ended());
}

TEST_F(repeated_operation, waits_for_a_connection_with_its_first_try) {
  begin(110s, false);
  EXPECT_EQ(session.servers.sent.size(), 0U);
  connect();
  EXPECT_EQ(session.servers.sent.size(), 1U);
  EXPECT_TRUE(answer());
  EXPECT_TRUE(ended());
}

TEST_F(repeated_operation, begins_again_on_each_connection) {
  begin(110s);
  for (int times = 0; times < 3; ++times) {
    seen.clear();
    disconnect();
    EXPECT_EQ(seen, diary{"try over"}) << "and nothing is sent";
    EXPECT_EQ(table.due(), 110s) << "not before there is a connection";
    seen.clear();
    connect();
    EXPECT_EQ(seen.back(), "sync");
  }
}

TEST_F(repeated_operation, begins_again_in_the_next_session) {
  begin(110s);
  session.disconnect();
  table.call_each(now, [](engine::operation& it, engine::out& wants) { it.connection_closed(wants); });
  const engine::session_end end{loss_reason::session_expired, true};
  table.call_each(now, [&end](engine::operation& it, engine::out& wants) { it.session_over(end, wants); });
  EXPECT_EQ(session.servers.sent.size(), 1U);
  connect();
  EXPECT_EQ(session.servers.sent.size(), 2U);
}

TEST_F(repeated_operation, does_not_hear_the_stale_answer_of_an_earlier_try) {
  begin(110s);
  disconnect();
  connect();
  seen.clear();
  EXPECT_FALSE(answer()) << "of the first try";
  EXPECT_EQ(seen, diary{});
  EXPECT_TRUE(answer());
  EXPECT_EQ(seen.front(), "reply 2");
}

TEST_F(repeated_operation, does_not_hear_the_stale_answer_of_a_try_that_has_failed) {
  class twofold final : public repeated {
   public:
    twofold(instant until, diary& to) : repeated(until), diary_(to) {}
    void reply(engine::tag as, const client::reply_view&, engine::out& wants) override {
      diary_.push_back("reply " + std::to_string(as));
      ask_later(wants);
    }
    void stop(const detail::failure&, engine::out& wants) override { wants.finish(); }

   private:
    void ask(engine::out& wants) override {
      wants.request(1, client::request::sync{"/"});
      wants.request(2, client::request::sync{"/"});
    }
    void forget_try() noexcept override {}
    diary& diary_;
  };
  table.begin(std::make_shared<twofold>(110s, seen), {}, now);
  seen.clear();
  EXPECT_TRUE(answer(client::code::throttled));
  EXPECT_FALSE(answer(client::code::throttled));
  EXPECT_EQ(seen, diary{"reply 1"});
}

TEST_F(repeated_operation, makes_pauses_after_failures_that_double_up_to_a_longest_one) {
  begin(200s);
  std::vector<instant> pauses;
  for (int times = 0; times < 9; ++times) {
    EXPECT_TRUE(answer(client::code::throttled));
    EXPECT_EQ(session.servers.sent.size(), 0U) << "not at once";
    pauses.push_back(*table.due() - now);
    go_on();
    EXPECT_EQ(session.servers.sent.size(), 1U);
  }
  EXPECT_EQ(pauses, (std::vector<instant>{12ms, 12ms, 24ms, 48ms, 96ms, 192ms, 384ms, 500ms, 500ms}));
}

TEST_F(repeated_operation, begins_with_the_shortest_pause_again_on_another_connection) {
  begin(200s);
  for (int times = 0; times < 6; ++times) {
    answer(client::code::throttled);
    go_on();
  }
  disconnect();
  connect();
  session.servers.sent.erase(session.servers.sent.begin());  // of the try before
  answer(client::code::throttled);
  EXPECT_EQ(table.due(), now + 12ms);
}

TEST_F(repeated_operation, does_not_ask_after_a_pause_in_which_the_connection_has_gone) {
  begin(110s);
  answer(client::code::throttled);
  disconnect();
  EXPECT_EQ(table.due(), 110s);
  connect();
  EXPECT_EQ(table.due(), 110s) << "on the new connection it has asked already";
  EXPECT_EQ(session.servers.sent.size(), 1U);
}

TEST_F(repeated_operation, ends_at_its_time_limit_with_not_connected) {
  for (const bool connected : {false, true}) {
    now = 100s;
    begin(102s, connected);
    table.fire_timers(102s - 1ns);
    EXPECT_FALSE(ended());
    now = 102s;
    table.fire_timers(now);
    EXPECT_TRUE(ended());
    EXPECT_EQ(asked->ended_with, errc::not_connected);
  }
}

TEST_F(repeated_operation, ends_at_its_time_limit_though_it_begins_again_and_again) {
  begin(102s);
  while (!ended()) {
    ASSERT_LT(now, 110s);
    if (!session.servers.sent.empty()) {
      answer(client::code::throttled);
    }
    go_on();
  }
  EXPECT_EQ(now, 102s);
  EXPECT_EQ(asked->ended_with, errc::not_connected);
}

TEST_F(repeated_operation, whose_time_limit_has_passed_ends_at_the_next_timer) {
  begin(99s);
  table.fire_timers(now);
  EXPECT_TRUE(ended());
  EXPECT_EQ(asked->ended_with, errc::not_connected);
}

}  // namespace
}  // namespace zklock::operations
