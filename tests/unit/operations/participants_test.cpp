#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_operation.hpp"

/// Listing participants: when it begins again, and how it ends, whatever is asked for. T = 6 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
using client::code;
using client::connection_state;
using test_support::abandon;
using test_support::asked_queue;
using test_support::scripted_port;
using names = std::vector<std::string>;

struct sought {
  std::string name;
  recipes::sought_contenders of;
  std::string begins;                  ///< the first requests
  std::vector<std::size_t> refusable;  ///< the places of the lists among them
  names lock_nodes;                    ///< below /l
  names queue;                         ///< below /l, in its order
};

std::ostream& operator<<(std::ostream& to, const sought& one) { return to << one.name; }

std::vector<sought> all_sought() {
  const names leases{"leases/a-lease-0000000001", "leases/b-lease-0000000002", "locks/c-lock-0000000007",
                     "locks/d-lock-0000000008"};
  const names below{"leases", "locks"};
  return {{"native",
           {recipes::contender_kind::mutex},
           "sync list",
           {1},
           {},
           {"a-lock-0000000001", "b-lock-0000000002", "c-lock-0000000003"}},
          {"curator",
           {recipes::contender_kind::lease, recipes::layout::curator, 2},
           "sync list list",
           {1, 2},
           below,
           leases},
          {"any", {}, "sync get list", {2}, below, leases}};
}

names names_in(const asked_queue& asked) {
  names all;
  for (const recipes::seen_contender& one : asked.queue) {
    all.push_back(one.name);
  }
  return all;
}

class participants_query : public ::testing::TestWithParam<sought> {
 protected:
  const sought& in = GetParam();

  std::shared_ptr<asked_queue> query_participants(scripted_port& port, instant limit = 2s) const {
    return test_support::list_participants(port, limit, in.of);
  }
  void put_queue(scripted_port& port) const {
    for (const names& some : {in.lock_nodes, in.queue}) {
      for (const std::string& one : some) {
        port.others_create("/l/" + one);
      }
    }
  }
  /// Of that queue, with the first requests under way.
  std::shared_ptr<asked_queue> begin(scripted_port& port) const {
    put_queue(port);
    port.connect();
    auto asked = query_participants(port);
    EXPECT_EQ(port.asked(), in.begins);
    return asked;
  }
  /// The same, with the sync answered, and what comes next.
  std::shared_ptr<asked_queue> begin_reading(scripted_port& port) const {
    auto asked = begin(port);
    port.answer();
    port.answer();
    return asked;
  }
};

INSTANTIATE_TEST_SUITE_P(of, participants_query, ::testing::ValuesIn(all_sought()),
                         [](const auto& sought) { return sought.param.name; });

TEST_P(participants_query, of_a_lock_node_that_is_not_there_or_was_never_used_is_empty) {
  for (const bool there : {false, true}) {
    scripted_port port;
    if (!there) {
      port.nodes.clear();
    }
    port.connect();
    auto asked = query_participants(port);
    port.answer_all();
    EXPECT_EQ(asked->answers, 1);
    EXPECT_FALSE(asked->error);
    EXPECT_TRUE(asked->queue.empty());
    EXPECT_EQ(port.watches.size(), 0U) << "a look leaves no watch";
  }
}

TEST_P(participants_query, whose_lists_are_refused_says_why) {
  for (const std::size_t refused : in.refusable) {
    scripted_port port;
    auto asked = begin(port);
    for (std::size_t before = 0; before < refused; ++before) {
      port.answer();
    }
    port.answer(code::no_auth);
    port.answer_all();
    EXPECT_EQ(asked->answers, 1) << refused;
    EXPECT_EQ(asked->error, errc::permission_denied) << refused;
    EXPECT_EQ(asked->answer, code::no_auth);
    EXPECT_EQ(port.asked(), "nothing");
  }
}

// ---- when the servers do not answer

TEST_P(participants_query, waits_for_a_connection_as_long_as_its_limit_and_is_answered_at_it) {
  scripted_port port;
  auto asked = query_participants(port, 2s);
  port.advance_to(102s - 1ns);
  EXPECT_EQ(asked->answers, 0);
  port.advance_to(102s);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->error, errc::not_connected);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
}

TEST_P(participants_query, begins_again_after_a_lost_connection_wherever_it_was) {
  int answered = 0;
  for (;; ++answered) {
    scripted_port port;
    auto asked = begin(port);
    for (int i = 0; i < answered; ++i) {
      port.answer();
    }
    if (asked->answers != 0) {
      break;  // it was through
    }
    port.disconnect();
    EXPECT_EQ(port.asked(), "nothing") << answered;
    EXPECT_EQ(asked->answers, 0) << answered;
    port.others_remove("/l/" + in.queue.front());
    port.connect();
    EXPECT_EQ(port.asked(), in.begins) << answered;
    port.answer_all();
    EXPECT_EQ(asked->answers, 1) << answered;
    EXPECT_EQ(names_in(*asked), names(in.queue.begin() + 1, in.queue.end())) << "what was read before is not mixed in";
  }
  EXPECT_GE(answered, 5);
}

TEST_P(participants_query, begins_again_in_the_new_session_after_an_expiry) {
  scripted_port port;
  auto asked = begin_reading(port);
  port.requests.clear();
  port.session_event(connection_state::expired);
  EXPECT_EQ(asked->answers, 0);
  port.connect(0x200);
  EXPECT_EQ(port.asked(), in.begins);
  port.answer_all();
  EXPECT_EQ(names_in(*asked), in.queue);
}

TEST_P(participants_query, begins_again_after_a_failure_on_a_live_connection) {
  for (const code failure : {code::throttled, code::session_moved, code::connection_loss, code::operation_timeout}) {
    for (std::size_t place = 0; place < 3; ++place) {
      scripted_port port;
      auto asked = begin(port);
      for (std::size_t i = 0; i < place; ++i) {
        port.answer();
      }
      port.answer(failure);
      port.answer_all();
      EXPECT_EQ(asked->answers, 0);
      port.advance_to(port.now + 100ms);
      EXPECT_EQ(port.asked(), in.begins);
      port.answer_all();
      EXPECT_EQ(names_in(*asked), in.queue);
    }
  }
}

TEST_P(participants_query, is_answered_at_its_limit_though_it_begins_again_and_again) {
  scripted_port port;
  port.connect();
  auto asked = query_participants(port, 1s);
  while (asked->answers == 0 && port.now < 110s) {
    while (!port.requests.empty()) {
      port.answer(code::throttled);
    }
    port.advance_to(*port.engine.next_timer());
  }
  EXPECT_EQ(port.now, 101s);
  EXPECT_EQ(asked->error, errc::not_connected);
}

// ---- ends

TEST_P(participants_query, ends_when_the_session_is_closed_and_is_refused_afterwards) {
  scripted_port port;
  auto asked = begin_reading(port);
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->error, errc::session_closed);
  port.closed_by_client(port.closing.at(0), true);
  EXPECT_EQ(query_participants(port)->error, errc::session_closed);
  EXPECT_EQ(asked->answers, 1);
}

TEST_P(participants_query, ends_when_the_credentials_are_refused) {
  scripted_port port;
  auto asked = query_participants(port);
  port.session_event(connection_state::auth_failed);
  EXPECT_EQ(asked->error, errc::authentication_failed);
  EXPECT_EQ(query_participants(port)->error, errc::authentication_failed);
}

TEST_P(participants_query, ends_with_the_session_of_an_adopted_handle) {
  scripted_port port(scripted_port::default_config(), true);
  auto asked = begin_reading(port);
  port.session_event(connection_state::expired);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->error, errc::session_expired);
  EXPECT_EQ(query_participants(port)->error, errc::session_expired);
}

TEST_P(participants_query, that_is_abandoned_ends_at_once_and_hears_no_late_answer) {
  scripted_port port;
  auto asked = begin_reading(port);
  abandon(port, asked->operation);
  EXPECT_EQ(asked->error, errc::abandoned);
  abandon(port, asked->operation);
  port.answer_all();
  EXPECT_EQ(asked->answers, 1);
}

TEST_P(participants_query, of_several_at_once_each_gets_its_own_answer) {
  scripted_port port;
  auto one = begin(port);
  auto other = query_participants(port);
  EXPECT_EQ(port.asked(), in.begins + " " + in.begins);
  port.answer_all();
  EXPECT_EQ(one->answers, 1);
  EXPECT_EQ(other->answers, 1);
  EXPECT_EQ(names_in(*one), in.queue);
  EXPECT_EQ(names_in(*other), in.queue);
}

}  // namespace
}  // namespace zklock::detail
