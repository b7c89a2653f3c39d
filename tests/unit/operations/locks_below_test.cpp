#include "src/operations/locks_below.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_operation.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// All locks below a path, on a scripted port. T = 6 s.
namespace zklock::operations {
namespace {

using namespace std::chrono_literals;
using client::code;
using client::connection_state;
using test_support::abandon;
using test_support::scripted_port;
using names = std::vector<std::string>;

struct asked_locks final : receiver<locks_below_result> {
  void complete(locks_below_result told) noexcept override {
    ++answers;
    result = std::move(told);
  }
  /// "/a: x-lock-1 y-lock-2", one a lock; "/b! (an error)".
  [[nodiscard]] names told() const {
    names all;
    for (const detail::lock_below& one : result.locks) {
      std::string line = one.path + (one.ec ? "! " + one.ec.message() : ":");
      for (const recipes::seen_contender& contender : one.queue) {
        line += " " + contender.name;
      }
      all.push_back(line);
    }
    return all;
  }

  std::weak_ptr<engine::operation> operation;
  int answers = 0;
  locks_below_result result;
};

const std::string first = "x-lock-0000000001";
const std::string second = "y-lock-0000000002";

class locks_below_a_path : public testing::Test {
 protected:
  std::shared_ptr<asked_locks> list(const std::string& top = "/l", instant limit = 2s) {
    auto asked = std::make_shared<asked_locks>();
    const auto begun = std::make_shared<locks_below>(top, port.now + limit, asked);
    asked->operation = begun;
    port.engine.begin(std::static_pointer_cast<engine::operation>(begun), port.now);
    return asked;
  }
  void make(const names& paths) {
    for (const std::string& one : paths) {
      port.others_create(one);
    }
  }
  /// All, but each request for one of these paths with the failure.
  void answer_all_but(const names& paths, code failure) {
    while (!port.requests.empty()) {
      const bool fails = std::find(paths.begin(), paths.end(), port.path_of(0)) != paths.end();
      port.answer(fails ? failure : code::ok);
    }
  }
  /// Up to the first read of `path`; "": up to the sync.
  void answer_up_to(const std::string& path) {
    while (!path.empty() && (port.asked().starts_with("sync") || port.path_of(0) != path)) {
      ASSERT_FALSE(port.requests.empty());
      port.answer();
    }
  }
  /// The oldest request, as a list of these.
  void answer_with_children(names children) {
    client::reply what;
    what.children = std::move(children);
    const auto asked = port.requests.front();
    port.requests.pop_front();
    port.engine.on_reply(asked.generation, asked.id, what, port.now);
  }

  scripted_port port;
};

TEST_F(locks_below_a_path, f51_are_listed_by_path_each_with_its_queue) {
  make({"/l/b", "/l/a", "/l/a/" + second, "/l/a/" + first, "/l/empty", "/l/b/deep", "/l/b/deep/" + first});
  port.connect();
  const auto asked = list();
  EXPECT_EQ(port.asked(), "sync list");
  port.answer_all();
  ASSERT_EQ(asked->answers, 1);
  EXPECT_FALSE(asked->result.why.ec);
  ASSERT_EQ(asked->told(), (names{"/l/a: " + first + " " + second, "/l/b/deep: " + first}));
  EXPECT_TRUE(asked->result.locks[0].queue[0].holds);
  EXPECT_FALSE(asked->result.locks[0].queue[1].holds);
  EXPECT_EQ(port.watches.size(), 0U) << "a look leaves no watch";
}

TEST_F(locks_below_a_path, have_the_path_itself_among_them) {
  make({"/l/" + first});
  port.connect();
  const auto asked = list();
  port.answer_all();
  EXPECT_EQ(asked->told(), names{"/l: " + first});
}

TEST_F(locks_below_a_path, are_none_where_the_path_is_not_there) {
  port.connect();
  const auto asked = list("/nowhere");
  port.answer_all();
  ASSERT_EQ(asked->answers, 1);
  EXPECT_FALSE(asked->result.why.ec);
  EXPECT_EQ(asked->told(), names{});
}

TEST_F(locks_below_a_path, may_be_asked_for_from_the_root_on) {
  port.connect();
  const auto asked = list("");
  EXPECT_EQ(port.path_of(1), "/");
  port.answer();
  answer_with_children({"l", "zookeeper", first});
  EXPECT_EQ(port.asked(), "get list") << "the queue of the root is read first";
  EXPECT_EQ(port.path_of(0), "/" + first);
  EXPECT_EQ(port.path_of(1), "/l");
  make({"/" + first, "/l/" + second});
  port.answer_all();
  EXPECT_EQ(asked->told(), (names{": " + first, "/l: " + second}));
}

TEST_F(locks_below_a_path, say_which_nodes_are_hidden_and_list_all_others) {
  make({"/l/a", "/l/b", "/l/b/" + first, "/l/s", "/l/s/leases", "/l/s/locks", "/l/s/leases/_c_1-lease-0000000001"});
  port.connect();
  const auto asked = list();
  answer_all_but({"/l/a"}, code::no_auth);
  EXPECT_EQ(asked->told(),
            (names{"/l/a! an access list forbids it", "/l/b: " + first, "/l/s: leases/_c_1-lease-0000000001"}));
  EXPECT_EQ(asked->result.locks[0].ec, errc::permission_denied);
  EXPECT_FALSE(asked->result.why.ec);
}

TEST_F(locks_below_a_path, f51_do_not_mind_what_goes_meanwhile) {
  make({"/l/a", "/l/a/" + first, "/l/b", "/l/b/" + second, "/l/c", "/l/c/" + first, "/l/c/" + second});
  port.connect();
  const auto asked = list();
  test_support::answer(port, 2);
  port.others_remove("/l/a/" + first);
  port.others_remove("/l/a");
  test_support::answer(port, 3);
  port.others_remove("/l/b/" + second);
  port.others_remove("/l/c/" + first);
  port.answer_all();
  EXPECT_FALSE(asked->result.why.ec);
  EXPECT_EQ(asked->told(), names{"/l/c: " + second});
}

TEST_F(locks_below_a_path, end_with_an_error_that_names_the_bound_where_there_are_too_many_nodes) {
  port.connect();
  const auto asked = list();
  port.answer();
  answer_with_children(names(250'000, "a"));
  ASSERT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->result.why.ec, errc::too_many_nodes);
  EXPECT_EQ(asked->result.why.detail, "more than 250000 nodes");
  EXPECT_EQ(port.asked(), "nothing");
}

// ---- when the servers do not answer

TEST_F(locks_below_a_path, end_at_the_time_limit_with_the_number_of_nodes_that_were_seen) {
  make({"/l/a", "/l/b", "/l/b/" + first});
  const auto waiting = list("/l", 1s);
  port.advance_to(101s);
  EXPECT_EQ(waiting->result.why.ec, errc::not_connected);
  EXPECT_EQ(waiting->result.why.detail, "after 0 nodes");
  port.connect();
  const auto asked = list("/l", 2s);
  test_support::answer(port, 2);
  port.advance_to(103s - 1ns);
  EXPECT_EQ(asked->answers, 0);
  port.advance_to(103s);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->result.why.ec, errc::not_connected);
  EXPECT_EQ(asked->result.why.detail, "after 3 nodes");
  EXPECT_EQ(asked->told(), names{});
}

TEST_F(locks_below_a_path, remember_how_many_nodes_the_last_try_has_seen) {
  make({"/l/a", "/l/b"});
  port.connect();
  const auto asked = list("/l", 1s);
  test_support::answer(port, 2);
  port.disconnect();
  port.advance_to(101s);
  EXPECT_EQ(asked->result.why.detail, "after 3 nodes");
}

TEST_F(locks_below_a_path, are_listed_anew_after_a_lost_connection_wherever_it_was) {
  for (std::size_t answered = 0; answered <= 8; ++answered) {
    scripted_port fresh_port;
    for (const std::string& one : {std::string("/l/a"), "/l/a/" + first, std::string("/l/b"), "/l/b/" + second}) {
      fresh_port.others_create(one);
    }
    fresh_port.connect();
    auto asked = std::make_shared<asked_locks>();
    const std::shared_ptr<engine::operation> begun = std::make_shared<locks_below>("/l", fresh_port.now + 2s, asked);
    fresh_port.engine.begin(begun, fresh_port.now);
    for (std::size_t one = 0; one < answered && !fresh_port.requests.empty(); ++one) {
      fresh_port.answer();
    }
    if (asked->answers != 0) {
      continue;
    }
    fresh_port.disconnect();
    fresh_port.others_remove("/l/a/" + first);
    fresh_port.connect();
    EXPECT_EQ(fresh_port.asked(), "sync list") << answered;
    fresh_port.answer_all();
    EXPECT_EQ(asked->answers, 1) << answered;
    EXPECT_EQ(asked->told(), names{"/l/b: " + second}) << "what was read before is not mixed in";
  }
}

TEST_F(locks_below_a_path, are_listed_anew_after_a_failure_on_a_live_connection) {
  make({"/l/a", "/l/a/" + first});
  port.connect();
  for (const char* place : {"", "/l", "/l/a", "/l/a/x-lock-0000000001"}) {  // "": the sync
    for (const code failure : {code::throttled, code::session_moved, code::connection_loss}) {
      const auto asked = list();
      answer_up_to(place);
      port.answer(failure);
      port.answer_all();
      EXPECT_EQ(asked->answers, 0) << place;
      port.advance_to(port.now + 100ms);
      port.answer_all();
      EXPECT_EQ(asked->answers, 1) << place;
      EXPECT_EQ(asked->told(), names{"/l/a: " + first}) << place;
    }
  }
}

TEST_F(locks_below_a_path, end_when_a_server_refuses_what_no_other_try_would_bring) {
  make({"/l/a", "/l/a/" + first});
  port.connect();
  for (const char* place : {"", "/l", "/l/a", "/l/a/x-lock-0000000001"}) {  // "": the sync
    const auto asked = list();
    answer_up_to(place);
    port.answer(code::unimplemented);
    EXPECT_EQ(asked->answers, 1) << place;
    EXPECT_EQ(asked->result.why.ec, errc::server_error) << place;
    EXPECT_EQ(asked->result.why.answer, code::unimplemented) << place;
    port.answer_all();
  }
}

// ---- ends

TEST_F(locks_below_a_path, are_no_longer_waited_for_when_the_session_is_closed) {
  make({"/l/a"});
  port.connect();
  const auto asked = list();
  test_support::answer(port, 2);
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->result.why.ec, errc::session_closed);
  port.closed_by_client(port.closing.at(0), true);
  EXPECT_EQ(list()->result.why.ec, errc::session_closed);
  EXPECT_EQ(asked->answers, 1);
}

TEST_F(locks_below_a_path, are_listed_in_the_new_session_after_an_expiry) {
  make({"/l/" + first});
  port.connect();
  const auto asked = list();
  port.answer();
  port.requests.clear();
  port.session_event(connection_state::expired);
  EXPECT_EQ(asked->answers, 0);
  port.connect(0x200);
  port.answer_all();
  EXPECT_EQ(asked->told(), names{"/l: " + first});
}

TEST_F(locks_below_a_path, that_are_abandoned_hear_no_late_answer) {
  make({"/l/a", "/l/b"});
  port.connect();
  const auto asked = list();
  test_support::answer(port, 2);
  abandon(port, asked->operation);
  EXPECT_EQ(asked->result.why.ec, errc::abandoned);
  port.answer_all();
  EXPECT_EQ(asked->answers, 1);
}

TEST_F(locks_below_a_path, of_several_listings_at_once_each_gets_its_own) {
  make({"/l/a", "/l/a/" + first, "/m/" + second});
  port.connect();
  const auto one = list("/l");
  const auto other = list("/m");
  port.answer_all();
  EXPECT_EQ(one->told(), names{"/l/a: " + first});
  EXPECT_EQ(other->told(), names{"/m: " + second});
}

}  // namespace
}  // namespace zklock::operations
