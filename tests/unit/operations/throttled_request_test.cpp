#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/scripted_port.hpp"
#include "tests/unit/operations/asked_operation.hpp"

/// How often what a server throttles is sent again. T = 6 s: the first pause is T/500, the longest T/12.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::asked_lock;
using test_support::scripted_port;
namespace request = client::request;

constexpr instant first_pause = 12ms;
constexpr instant longest_pause = 500ms;

/// What is throttled, and when it was asked.
template <class Request>
class throttling {
 public:
  explicit throttling(scripted_port& port) : port_(port) {}

  void answer_until(instant to) {
    while (port_.now < to) {
      answer_all();
      const auto next = port_.engine.next_timer();
      port_.advance_to(next && *next < to ? *next : to);
    }
    answer_all();
  }
  [[nodiscard]] const std::vector<instant>& asked() const { return asked_; }
  [[nodiscard]] std::vector<instant> pauses() const {
    std::vector<instant> between;
    for (std::size_t place = 1; place < asked_.size(); ++place) {
      between.push_back(asked_[place] - asked_[place - 1]);
    }
    return between;
  }

 private:
  void answer_all() {
    while (!port_.requests.empty()) {
      const client::any_request& front = port_.requests.front().what;
      const auto* several = std::get_if<client::request::multi>(&front);
      const bool changes_nothing = several != nullptr && several->operations.size() == 1;  // the write before a search
      const bool refused = std::holds_alternative<Request>(front) && !changes_nothing;
      if (refused) {
        asked_.push_back(port_.now);
      }
      port_.answer(refused ? code::throttled : code::ok);
    }
  }

  scripted_port& port_;
  std::vector<instant> asked_;
};

/// For 10 s.
template <class Request>
void expect_pauses_that_grow_up_to_the_longest(scripted_port& port) {
  throttling<Request> server(port);
  server.answer_until(port.now + 10s);
  const std::vector<instant> pauses = server.pauses();
  ASSERT_GT(pauses.size(), 8U);
  EXPECT_LE(pauses.size(), 30U) << "in 10 s";
  EXPECT_EQ(pauses.front(), first_pause);
  EXPECT_EQ(pauses.back(), longest_pause);
  for (std::size_t place = 1; place < pauses.size(); ++place) {
    EXPECT_GE(pauses[place], pauses[place - 1]) << place;
    EXPECT_LE(pauses[place], longest_pause) << place;
  }
}

template <class Request>
void expect_the_first_pause_again(scripted_port& port) {
  throttling<Request> server(port);
  server.answer_until(port.now + 1s);
  ASSERT_GT(server.pauses().size(), 2U);
  EXPECT_EQ(server.pauses().front(), first_pause);
}

TEST(a_throttled_request, f152_is_sent_again_after_pauses_that_double_up_to_a_twelfth_of_the_timeout) {
  scripted_port port;
  port.connect();
  const auto lock = port.acquire("/l");
  expect_pauses_that_grow_up_to_the_longest<request::create>(port);
  EXPECT_EQ(lock->answers, 0);
}

TEST(a_throttled_request, f152_of_a_multi_lock_is_sent_again_after_such_pauses) {
  scripted_port port;
  port.connect();
  const auto lock = port.acquire_all({{"/l", {}}, {"/m", {}}});
  expect_pauses_that_grow_up_to_the_longest<request::multi>(port);
  EXPECT_EQ(lock->answers, 0);
}

TEST(a_throttled_request, f152_that_removes_a_node_is_sent_again_after_such_pauses) {
  scripted_port port;
  port.connect();
  const auto lock = port.acquire("/l");
  port.answer_all();
  port.release(lock);
  expect_pauses_that_grow_up_to_the_longest<request::remove>(port);
}

TEST(a_throttled_request, f152_of_many_contenders_is_no_storm) {
  scripted_port port;
  port.connect();
  std::vector<std::shared_ptr<asked_lock>> waiting;
  for (int number = 0; number < 100; ++number) {
    waiting.push_back(port.acquire("/l"));
  }
  throttling<request::create> server(port);
  server.answer_until(port.now + 10s);
  EXPECT_LE(server.asked().size(), 3000U) << "3 a second from each";
}

TEST(a_throttled_request, f152_is_sent_again_soon_on_a_new_connection) {
  scripted_port port;
  port.connect();
  const auto lock = port.acquire("/l");
  throttling<request::create>(port).answer_until(port.now + 10s);
  port.disconnect();
  port.connect();
  expect_the_first_pause_again<request::create>(port);
}

TEST(a_throttled_request, f152_is_sent_again_soon_when_all_has_gone_well_meanwhile) {
  scripted_port port;
  port.connect();
  const auto lock = port.acquire("/l");
  throttling<request::create>(port).answer_until(port.now + 10s);
  port.advance_to(port.now + 1s);
  port.answer_all();
  ASSERT_TRUE(lock->hold);
  port.release(lock);
  expect_the_first_pause_again<request::remove>(port);
}

TEST(a_throttled_request, f152_of_a_look_at_the_queue_is_sent_again_after_such_pauses) {
  scripted_port port;
  port.connect();
  const auto asked = test_support::list_participants(port, 60s);
  expect_pauses_that_grow_up_to_the_longest<request::list>(port);
}

TEST(a_throttled_request, f152_for_a_limit_is_sent_again_after_such_pauses) {
  scripted_port port;
  port.connect();
  const auto asked = test_support::ask_limit(port, 5, "/l", 60s);
  expect_pauses_that_grow_up_to_the_longest<request::set>(port);
}

}  // namespace
}  // namespace zklock::detail
