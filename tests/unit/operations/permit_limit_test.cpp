#include <gtest/gtest.h>

#include <string>

#include <zklock/error.hpp>

#include "tests/unit/operations/asked_operation.hpp"
#include "tests/unit/operations/on_a_port.hpp"

/// A semaphore's limit, asked for and changed: what is sent, and how it ends. T = 6 s.
namespace zklock::detail {
namespace {

using namespace std::chrono_literals;
namespace request = client::request;
using client::code;
using client::connection_state;
using test_support::abandon;
using test_support::asked_limit;
using test_support::scripted_port;

std::shared_ptr<asked_limit> ask(scripted_port& port, std::optional<std::uint32_t> to, const std::string& path = "/l",
                                 instant limit = 2s) {
  return test_support::ask_limit(port, to, path, limit);
}

void answer_with(scripted_port& port, client::reply what) {
  const auto asked = port.requests.front();
  port.requests.pop_front();
  port.engine.on_reply(asked.generation, asked.id, what, port.now);
}

/// The lock node's data, or what comes of setting it.
client::reply node(const std::string& data, std::int32_t version = 3, std::int64_t mzxid = 70) {
  client::reply what;
  what.data = data;
  what.stat.version = version;
  what.stat.mzxid = mzxid;
  return what;
}

/// Answers sync, get and list.
void look(scripted_port& port, const std::string& data, std::int32_t version = 3) {
  EXPECT_EQ(port.asked(), "sync get list");
  port.answer();
  answer_with(port, node(data, version));
  port.answer();
}

/// A change whose lock node has this data, which has got as far as what comes of that.
std::shared_ptr<asked_limit> changing(scripted_port& port, std::uint32_t to, const std::string& stored,
                                      std::int32_t version = 3) {
  port.connect();
  auto asked = ask(port, to);
  look(port, stored, version);
  return asked;
}

/// A change whose lock node is not there, which has got as far as the creates.
std::shared_ptr<asked_limit> making(scripted_port& port, const std::string& path) {
  port.connect();
  auto asked = ask(port, 5, path);
  test_support::answer(port, 3);
  return asked;
}

void expect_done(const asked_limit& asked) {
  EXPECT_EQ(asked.answers, 1);
  EXPECT_FALSE(asked.answer.ec) << asked.answer.ec.message();
}

TEST(limit, is_changed_by_a_set_with_the_version_read) {
  scripted_port port;
  const auto asked = changing(port, 5, "limit=8\n", 41);
  ASSERT_EQ(port.asked(), "set");
  EXPECT_EQ(port.path_of(0), "/l");
  EXPECT_EQ(port.request<request::set>(0).data, recipes::limit_data({5, 8}));
  EXPECT_EQ(port.request<request::set>(0).version, 41);
  EXPECT_EQ(asked->answers, 0);
  answer_with(port, node("", 42, 99));
  expect_done(*asked);
  EXPECT_EQ(asked->answer.limit, 5U);
  EXPECT_EQ(asked->answer.as_of, 99);
  EXPECT_TRUE(port.watches.empty());
}

TEST(limit, f148_of_a_lock_node_that_says_nothing_is_stored_behind_a_child_that_stays) {
  scripted_port port;
  const auto asked = changing(port, 5, "", 0);
  ASSERT_EQ(port.asked(), "create set");
  EXPECT_EQ(port.path_of(0), "/l/limit-keeper");
  EXPECT_EQ(port.request<client::request::create>(0).mode, client::create_mode::persistent);
  EXPECT_EQ(port.request<client::request::create>(0).acl, (client::acl{{31, "ip", "::1"}}));
  port.answer();
  EXPECT_EQ(asked->answers, 0);
  answer_with(port, node(""));
  expect_done(*asked);
}

TEST(limit, f106_that_is_the_same_forgets_a_higher_one_when_no_contender_is_there) {
  scripted_port port;
  const auto asked = changing(port, 8, "limit=8\nwas=10\n", 41);
  ASSERT_EQ(port.asked(), "set");
  EXPECT_EQ(port.request<request::set>(0).data, "limit=8\n");
  EXPECT_EQ(port.request<request::set>(0).version, 41);
  answer_with(port, node(""));
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->answer.limit, 8U);
}

TEST(limit, is_asked_for_without_a_list) {
  scripted_port port;
  port.connect();
  const auto asked = ask(port, {});
  EXPECT_EQ(port.asked(), "sync get");
  port.answer();
  answer_with(port, node("limit=8\n"));
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->answer.limit, 8U);
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(limit, is_given_to_a_lock_node_that_is_made_to_stay_below_containers) {
  scripted_port port;
  const auto asked = making(port, "/a/b/c");
  ASSERT_EQ(port.asked(), "create create create");
  EXPECT_EQ(port.request<request::create>(0).path, "/a");
  EXPECT_EQ(port.request<request::create>(1).mode, client::create_mode::container);
  EXPECT_EQ(port.request<request::create>(1).data, "");
  const auto& whole = port.request<request::create>(2);
  EXPECT_EQ(whole.path, "/a/b/c");
  EXPECT_EQ(whole.mode, client::create_mode::persistent);
  EXPECT_EQ(whole.data, "limit=5\n");
  EXPECT_EQ(whole.acl, (client::acl{{31, "ip", "::1"}}));
  port.answer_all();
  expect_done(*asked);
  EXPECT_TRUE(port.nodes.contains("/a/b/c"));
}

TEST(limit, is_made_below_plain_nodes_on_a_server_without_containers) {
  scripted_port port;
  const auto asked = making(port, "/a/b");
  ASSERT_EQ(port.asked(), "create create");
  port.answer(code::unimplemented);
  port.answer();
  port.advance_to(port.now + 100ms);
  test_support::answer(port, 3);
  ASSERT_EQ(port.asked(), "create create");
  EXPECT_EQ(port.request<request::create>(0).mode, client::create_mode::persistent);
  port.answer_all();
  expect_done(*asked);
}

TEST(limit, is_refused_when_not_even_the_chroot_is_there) {
  scripted_port port;
  port.connect();
  const auto asked = ask(port, 5, "/a/b");
  port.refuses["/a"] = code::no_node;
  port.answer_all();
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->answer.ec, errc::node_missing);
}

TEST(limit, ends_at_once_with_what_forbids_the_making_of_a_node_above_it) {
  for (const auto& [forbidden, says] : {std::pair(code::no_auth, errc::permission_denied),
                                        std::pair(code::no_children_for_ephemerals, errc::lock_node_unusable)}) {
    for (const std::string place : {"/a", "/a/b", "/a/b/c", "/a/b/c/d"}) {
      scripted_port port;
      const auto asked = making(port, "/a/b/c/d");
      port.refuses[place] = forbidden;
      port.answer_all();
      ASSERT_EQ(asked->answers, 1) << place;
      EXPECT_EQ(asked->answer.ec, says) << place;
      EXPECT_EQ(asked->answer.answer, forbidden) << place;
    }
  }
}

TEST(limit, is_set_below_nodes_that_are_there_and_may_not_be_made) {
  scripted_port port;
  const auto asked = making(port, "/l/b/c");
  port.refuses["/l"] = code::no_auth;
  port.answer_all();
  expect_done(*asked);
  EXPECT_TRUE(port.nodes.contains("/l/b/c"));
}

TEST(limit, asks_again_after_a_pause_of_a_server_that_never_lets_it_through) {
  for (const code never : {code::no_node, code::node_exists, code::bad_version, code::throttled}) {
    scripted_port port;
    port.nodes.insert("/a");
    const auto asked = making(port, "/a/b");
    port.refuses["/a/b"] = never;
    int rounds = 0;
    for (; asked->answers == 0; ++rounds) {
      ASSERT_LT(rounds, 1000);
      ASSERT_EQ(port.asked(), "create create") << rounds;
      port.answer();
      port.answer();
      ASSERT_EQ(port.asked(), "nothing") << "at once, after round " << rounds;
      while (port.asked() == "nothing" && asked->answers == 0) {
        port.advance_to(*port.engine.next_timer());
      }
      for (int i = 0; i < 3 && asked->answers == 0; ++i) {
        port.answer();
      }
    }
    EXPECT_GT(rounds, 5);
    EXPECT_EQ(asked->answer.ec, errc::not_connected);
  }
}

TEST(limit, f01_is_of_unknown_outcome_when_the_last_create_is_whatever_came_of_those_above) {
  scripted_port port;
  const auto asked = making(port, "/a/b");
  port.answer(code::throttled);
  port.answer(code::connection_loss);
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(asked->answer.ec, errc::outcome_unknown);
}

TEST(limit, f01_begins_again_after_a_lost_connection_wherever_it_was) {
  for (int answered = 0; answered <= 3; ++answered) {
    scripted_port port;
    port.connect();
    const auto asked = ask(port, 5);
    for (int i = 0; i < answered; ++i) {
      answer_with(port, node("limit=8\n"));
    }
    port.disconnect();
    EXPECT_EQ(asked->answers, 0);
    EXPECT_EQ(port.asked(), "nothing");
    port.connect();
    look(port, "limit=8\n", 6);
    ASSERT_EQ(port.asked(), "set");
    answer_with(port, node(""));
    expect_done(*asked);
  }
}

TEST(limit, begins_again_after_a_failure_on_a_live_connection) {
  for (const code failure : {code::throttled, code::session_moved, code::connection_loss, code::operation_timeout}) {
    scripted_port port;
    const auto asked = changing(port, 5, "limit=8\n");
    port.answer(failure);
    EXPECT_EQ(port.asked(), "nothing");
    port.advance_to(port.now + 100ms);
    look(port, "limit=5\n");
    expect_done(*asked);
  }
}

TEST(limit, begins_again_in_the_new_session_after_an_expiry) {
  scripted_port port;
  port.connect();
  const auto asked = ask(port, {});
  port.requests.clear();
  port.session_event(connection_state::expired);
  EXPECT_EQ(asked->answers, 0);
  port.connect(0x200);
  ASSERT_EQ(port.asked(), "sync get");
  port.answer();
  answer_with(port, node("limit=8\n"));
  EXPECT_EQ(asked->answer.limit, 8U);
}

TEST(limit, waits_for_a_connection_as_long_as_its_limit_of_time) {
  scripted_port port;
  const auto asked = ask(port, 5);
  port.advance_to(102s - 1ns);
  EXPECT_EQ(asked->answers, 0);
  port.advance_to(102s);
  EXPECT_EQ(asked->answers, 1);
  EXPECT_EQ(asked->answer.ec, errc::not_connected);
  port.connect();
  EXPECT_EQ(port.asked(), "nothing");
}

TEST(limit, f01_whose_change_is_unanswered_when_it_ends_is_of_unknown_outcome) {
  const auto end = [](auto how) {
    scripted_port port;
    const auto asked = changing(port, 5, "limit=8\n");
    how(port, asked);
    EXPECT_EQ(asked->answers, 1);
    return asked->answer.ec;
  };
  EXPECT_EQ(end([](scripted_port& port, const auto&) { port.advance_to(102s); }), errc::outcome_unknown);
  EXPECT_EQ(end([](scripted_port& port, const auto& asked) { abandon(port, asked->operation); }),
            errc::outcome_unknown);
  EXPECT_EQ(end([](scripted_port& port, const auto&) { port.engine.close(port.now + 1s, port.now); }),
            errc::outcome_unknown);
  EXPECT_EQ(end([](scripted_port& port, const auto&) {
              port.answer(code::throttled);
              port.engine.close(port.now + 1s, port.now);
            }),
            errc::session_closed);
}

TEST(limit, ends_with_its_session_and_is_refused_afterwards) {
  scripted_port port;
  port.connect();
  const auto asked = ask(port, {});
  port.engine.close(port.now + 1s, port.now);
  EXPECT_EQ(asked->answer.ec, errc::session_closed);
  EXPECT_EQ(ask(port, {})->answer.ec, errc::session_closed);
  scripted_port adopted(scripted_port::default_config(), true);
  adopted.connect();
  const auto other = ask(adopted, 5);
  adopted.session_event(connection_state::expired);
  EXPECT_EQ(other->answer.ec, errc::session_expired);
  EXPECT_EQ(ask(adopted, 5)->answer.ec, errc::session_expired);
  scripted_port locked_out;
  const auto third = ask(locked_out, 5);
  locked_out.session_event(connection_state::auth_failed);
  EXPECT_EQ(third->answer.ec, errc::authentication_failed);
}

TEST(limit, that_is_abandoned_hears_no_late_answer) {
  scripted_port port;
  port.connect();
  const auto asked = ask(port, 5);
  abandon(port, asked->operation);
  EXPECT_EQ(asked->answer.ec, errc::abandoned);
  port.answer_all();
  abandon(port, asked->operation);
  EXPECT_EQ(asked->answers, 1);
}

TEST(limit, says_what_a_server_forbids) {
  scripted_port port;
  const auto asked = changing(port, 5, "limit=8\n");
  port.answer(code::no_auth);
  EXPECT_EQ(asked->answer.ec, errc::permission_denied);
  EXPECT_EQ(asked->answer.answer, code::no_auth);
}

}  // namespace
}  // namespace zklock::detail
