#include "src/operations/contender_requests.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/unit/engine/recorded_session.hpp"

/// Each action of a contender's machine as the request that it is, and each answer as the event that it is. The contender is
/// that of a lock at /app/l, below the root /root.
namespace zklock::operations {
namespace {

namespace event = recipes::event;
namespace request = client::request;
using client::code;
using recipes::action;
using recipes::contender_kind;
using asked = contender_requests::question;
using test_support::diary;

constexpr std::int64_t own_session = 0x100;
const client::acl ours{{31, "ip", "::1"}};

class requests_of_a_contender : public testing::Test {
 protected:
  explicit requests_of_a_contender(const recipes::acquire_spec& wanted = {}) : machine({0xabc, 1}, wanted, false) {}

  /// With a node "…1-lock-0000000007" that stands.
  void create_own_node() {
    static_cast<void>(machine.resume(event::connected{}));
    static_cast<void>(machine.resume(event::created{code::ok, name, {1001}}));
    static_cast<void>(machine.resume(event::listed{code::ok, std::vector{name}}));
  }

  struct sent_request {
    engine::tag as;
    client::any_request what;
  };
  /// What the action sends.
  std::vector<sent_request> sent_for(action what) {
    engine::out wants(session.services, facts, 1);
    requests.ask(what, machine, wants);
    std::vector<sent_request> all;
    for (const client::request_id id : std::exchange(session.servers.sent, {})) {
      all.push_back({session.way.answered(1, id)->as, {}});
    }
    for (std::size_t at = 0; client::any_request & one : session.servers.requests) {
      all.at(at++).what = std::move(one);
    }
    session.servers.requests.clear();
    return all;
  }
  template <class Request>
  Request sent_for(action what, engine::tag as) {
    const auto all = sent_for(what);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(all.at(0).as, as);
    return std::get<Request>(all[0].what);
  }
  void expect_watch(action what, engine::tag as, const std::string& path, bool on_children = false) {
    const auto all = sent_for(what);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].as, as);
    const auto* const list = std::get_if<request::list>(&all[0].what);
    EXPECT_EQ(list != nullptr, on_children);
    EXPECT_EQ(list != nullptr ? list->path : std::get<request::get>(all[0].what).path, path);
    EXPECT_NE(list != nullptr ? list->watch : std::get<request::get>(all[0].what).watch, client::no_watch);
  }
  template <class Event>
  Event heard(engine::tag as, const client::reply_view& answer) {
    engine::out wants(session.services, facts, 1);
    seen.clear();
    const auto what = requests.event_of(as, answer, machine, wants);
    EXPECT_EQ(seen, diary{}) << "nothing is sent or logged";
    return std::get<Event>(what.value());
  }
  static client::reply failure(code with) {
    client::reply answer;
    answer.code = with;
    return answer;
  }

  const std::string name = "0000000000000abc0000000000000001-lock-0000000007";
  const std::string own_path = "/root/app/l/" + name;
  diary seen;
  test_support::recorded_session session{seen};
  const engine::session_facts facts = session.services.facts(std::chrono::seconds(100));
  recipes::contender machine;
  contender_requests requests{std::make_shared<detail::lock_target>(detail::lock_target{"/app/l", "job 7", ours}), "",
                              0};
};

TEST_F(requests_of_a_contender, know_the_paths_of_its_nodes_with_the_root_left_out) {
  EXPECT_EQ(requests.lock_node(), "/app/l");
  EXPECT_EQ(requests.node("x"), "/app/l/x");
  EXPECT_TRUE(requests.is_at_target());
  const contender_requests below(std::make_shared<detail::lock_target>(detail::lock_target{"/app/s", "", ours}),
                                 "/leases", 0);
  EXPECT_EQ(below.lock_node(), "/app/s/leases");
  EXPECT_EQ(below.node("x"), "/app/s/leases/x");
  EXPECT_FALSE(below.is_at_target());
}

TEST_F(requests_of_a_contender, create_an_ephemeral_sequential_node_with_the_users_access_list) {
  const auto sent = sent_for<request::create>(action::create_own, asked::created);
  EXPECT_EQ(sent.path, "/root/app/l/0000000000000abc0000000000000001-lock-");
  EXPECT_EQ(sent.mode, client::create_mode::ephemeral_sequential);
  EXPECT_EQ(sent.acl, ours);
}

TEST_F(requests_of_a_contender, create_a_node_that_says_what_the_target_says_if_it_says_anything) {
  requests = contender_requests(std::make_shared<detail::lock_target>(
                                    detail::lock_target{"/l", "", ours, recipes::layout::curator, {}, "10.0.0.7"}),
                                "", 0);
  EXPECT_EQ(sent_for<request::create>(action::create_own, asked::created).data, "10.0.0.7");
}

TEST_F(requests_of_a_contender, make_the_lock_node_part_by_part_and_tell_of_the_last_answer) {
  const auto all = sent_for(action::make_lock_node);
  ASSERT_EQ(all.size(), 3U);  // /root, /root/app, /root/app/l
  engine::out wants(session.services, facts, 1);
  EXPECT_EQ(requests.event_of(asked::lock_node_made, failure(code::node_exists), machine, wants), std::nullopt);
  EXPECT_EQ(requests.event_of(asked::lock_node_made, failure(code::node_exists), machine, wants), std::nullopt);
  EXPECT_EQ(heard<event::lock_node_made>(asked::lock_node_made, failure(code::no_auth)).code, code::no_auth);
}

TEST_F(requests_of_a_contender, look_at_the_queue_without_a_watch) {
  EXPECT_EQ(sent_for<request::list>(action::list, asked::listed).path, "/root/app/l");
  EXPECT_EQ(sent_for<request::list>(action::list_siblings, asked::siblings_listed).path, "/root/app/l");
  EXPECT_EQ(sent_for<request::get>(action::read_limit, asked::limit_read).path, "/root/app/l");
  EXPECT_EQ(sent_for<request::list>(action::list, asked::listed).watch, client::no_watch);
}

TEST_F(requests_of_a_contender, list_siblings_where_the_user_has_named_the_lock) {
  requests =
      contender_requests(std::make_shared<detail::lock_target>(detail::lock_target{"/app/s", "", ours}), "/leases", 0);
  EXPECT_EQ(sent_for<request::list>(action::list_siblings, asked::siblings_listed).path, "/root/app/s");
  EXPECT_EQ(sent_for<request::list>(action::list, asked::listed).path, "/root/app/s/leases");
}

TEST_F(requests_of_a_contender, watch_and_forget_each_node_under_its_own_name) {
  create_own_node();
  expect_watch(action::watch_own, asked::own, own_path);
  expect_watch(action::watch_limit, asked::limit, "/root/app/l");
  expect_watch(action::watch_children, asked::children, "/root/app/l", true);
  const std::vector<std::pair<action, engine::tag>> all{{action::forget_own, asked::own},
                                                        {action::forget_predecessor, asked::predecessor},
                                                        {action::forget_limit, asked::limit},
                                                        {action::forget_children, asked::children}};
  for (const auto& [what, as] : all) {
    engine::out wants(session.services, facts, 1);
    wants.get_and_watch(as, "/of " + std::to_string(as));
    const std::size_t watches = session.way.watch_count();
    requests.ask(what, machine, wants);
    EXPECT_EQ(session.way.watch_count() + 1, watches) << as;
  }
}

TEST_F(requests_of_a_contender, remove_and_mark_the_own_node_whatever_its_version) {
  create_own_node();
  const auto removed = sent_for<request::remove>(action::remove_own, asked::removed);
  EXPECT_EQ(removed.path, own_path);
  EXPECT_EQ(removed.version, -1);
  const auto marked = sent_for<request::set>(action::mark_own, asked::marked);
  EXPECT_EQ(marked.path, own_path);
  EXPECT_EQ(marked.version, -1);
}

TEST_F(requests_of_a_contender, ask_nothing_for_what_the_caller_is_told) {
  for (const action one : {action::grant, action::refuse, action::start_over, action::lose, action::finish}) {
    EXPECT_TRUE(sent_for(one).empty());
  }
}

TEST_F(requests_of_a_contender, tell_the_created_nodes_name_and_token) {
  client::reply answer;
  answer.name = own_path;
  answer.stat.czxid = 1001;
  const auto told = heard<event::created>(asked::created, answer);
  EXPECT_EQ(told.code, code::ok);
  EXPECT_EQ(told.name, name);
  EXPECT_EQ(told.token.czxid, 1001);
}

TEST_F(requests_of_a_contender, say_whether_a_node_belongs_to_the_own_session) {
  client::reply answer;
  answer.stat.ephemeral_owner = own_session;
  EXPECT_TRUE(heard<event::own_watched>(asked::own, answer).owned);
  EXPECT_TRUE(heard<event::predecessor_watched>(asked::predecessor, answer).same_session);
  answer.stat.ephemeral_owner = own_session + 1;
  EXPECT_FALSE(heard<event::own_watched>(asked::own, answer).owned);
  EXPECT_FALSE(heard<event::predecessor_watched>(asked::predecessor, answer).same_session);
}

TEST_F(requests_of_a_contender, tell_a_list_and_a_limit_with_their_watch_and_without) {
  client::reply answer;
  answer.children = {"a", "b"};
  answer.data = "limit=3\n";
  answer.stat.version = 4;
  for (const asked as : {asked::listed, asked::children}) {
    EXPECT_EQ(heard<event::listed>(as, answer).children.size(), 2U);
  }
  for (const asked as : {asked::limit_read, asked::limit}) {
    EXPECT_EQ(heard<event::limit_read>(as, answer).data, "limit=3\n");
    EXPECT_EQ(heard<event::limit_read>(as, answer).version, 4);
  }
}

TEST_F(requests_of_a_contender, pass_on_what_the_servers_answer) {
  EXPECT_EQ(heard<event::synced>(asked::synced, failure(code::connection_loss)).code, code::connection_loss);
  EXPECT_EQ(heard<event::siblings_listed>(asked::siblings_listed, failure(code::no_node)).code, code::no_node);
  EXPECT_EQ(heard<event::limit_stored>(asked::limit_stored, failure(code::bad_version)).code, code::bad_version);
  EXPECT_EQ(heard<event::marked>(asked::marked, failure(code::connection_loss)).code, code::connection_loss);
  EXPECT_EQ(heard<event::removed>(asked::removed, failure(code::no_auth)).code, code::no_auth);
}

TEST_F(requests_of_a_contender, log_a_mark_that_was_refused) {
  create_own_node();
  engine::out wants(session.services, facts, 1);
  EXPECT_TRUE(requests.event_of(asked::marked, failure(code::no_auth), machine, wants));
  ASSERT_EQ(session.world.lines.size(), 1U);
  const log_line line = session.world.lines[0];
  EXPECT_NE(line.text.find(own_path + " cannot be marked"), std::string::npos);
  EXPECT_EQ(line.contender, own_path);
  EXPECT_TRUE(requests.event_of(asked::marked, failure(code::no_node), machine, wants));
  EXPECT_EQ(session.world.lines.size(), 1U) << "it is gone: that is told otherwise";
}

TEST_F(requests_of_a_contender, log_a_limit_keeper_that_was_refused_and_tell_the_machine_nothing) {
  engine::out wants(session.services, facts, 1);
  EXPECT_EQ(requests.event_of(asked::limit_kept, failure(code::no_auth), machine, wants), std::nullopt);
  EXPECT_EQ(session.world.lines.size(), 1U);
}

TEST_F(requests_of_a_contender, tell_each_watch_by_what_it_was_set_on) {
  using client::node_event;
  const auto is = [](const recipes::contender_event& one, auto kind) {
    return std::holds_alternative<decltype(kind)>(one);
  };
  EXPECT_TRUE(is(contender_requests::event_of(asked::own, node_event::deleted), event::own_gone{}));
  EXPECT_TRUE(is(contender_requests::event_of(asked::own, node_event::changed), event::own_changed{}));
  EXPECT_TRUE(is(contender_requests::event_of(asked::predecessor, node_event::deleted), event::predecessor_gone{}));
  EXPECT_TRUE(is(contender_requests::event_of(asked::predecessor, node_event::changed), event::predecessor_changed{}));
  EXPECT_TRUE(is(contender_requests::event_of(asked::limit, node_event::changed), event::limit_changed{}));
  EXPECT_TRUE(
      is(contender_requests::event_of(asked::children, node_event::children_changed), event::children_changed{}));
}

class requests_of_a_semaphores_contender : public requests_of_a_contender {
 protected:
  requests_of_a_semaphores_contender() : requests_of_a_contender({contender_kind::permit, 1, 3}) {}
};

TEST_F(requests_of_a_semaphores_contender, keep_and_store_the_limit_on_its_first_use) {
  const auto all = sent_for(action::store_limit);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].as, asked::limit_kept);
  EXPECT_EQ(all[1].as, asked::limit_stored);
  EXPECT_EQ(std::get<request::set>(all[1].what).path, "/root/app/l");
  EXPECT_EQ(std::get<request::set>(all[1].what).data, "limit=3\n");
}

class requests_of_curators_writer : public requests_of_a_contender {
 protected:
  requests_of_curators_writer()
      : requests_of_a_contender({contender_kind::write, 1, 0, false, recipes::layout::curator}) {}
};

TEST_F(requests_of_curators_writer, replace_it_with_a_reader_in_one_transaction) {
  const auto sent = sent_for<request::multi>(action::replace_with_reader, asked::replaced);
  ASSERT_EQ(sent.operations.size(), 2U);
  const auto& reader = std::get<request::create>(sent.operations[0]);
  EXPECT_EQ(reader.path, "/root/app/l/" + recipes::curator_reader_of(machine.own()));
  EXPECT_EQ(reader.mode, client::create_mode::ephemeral);
  EXPECT_EQ(std::get<request::remove>(sent.operations[1]).path, "/root/app/l/" + std::string(machine.own()));
}

TEST_F(requests_of_curators_writer, tell_why_the_replacement_was_refused) {
  client::reply answer = failure(code::node_exists);
  answer.parts.resize(2);
  answer.parts[0].code = code::node_exists;
  answer.parts[1].code = code::runtime_inconsistency;
  EXPECT_EQ(heard<event::marked>(asked::replaced, answer).code, code::node_exists);
}

}  // namespace
}  // namespace zklock::operations
