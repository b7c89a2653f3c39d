// The real client against a real server: what the contract suite cannot ask of both implementations alike.
#include <gtest/gtest.h>

#include <zklock/error.hpp>
#include <zklock/log.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/c_client_fixture.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::client {
namespace {

using namespace std::chrono_literals;
using test::c_client;
using test::linked;
using test::recorder;
using test_support::eventually;
using test_support::proxy;
using test_support::proxy_mode;

TEST_F(c_client, tells_the_session_and_the_timeout_that_the_server_has_granted) {
  linked one(connect, {.timeout = 10ms});
  const auto event = one.told.wait_state(connection_state::connected);
  ASSERT_TRUE(event);
  EXPECT_NE(event->session_id, 0);
  EXPECT_GT(event->timeout, 10ms) << "the server's shortest";
}

TEST_F(c_client, does_what_it_is_asked_for_in_order) {
  const auto created = own.ask(request::create{root + "/n-", "one", create_mode::ephemeral_sequential});
  const auto listed = own.ask(request::list{root});
  const reply node = own.told.reply_to(created);
  ASSERT_EQ(node.code, code::ok);
  EXPECT_EQ(node.name, root + "/n-0000000000");
  EXPECT_NE(node.stat.czxid, 0);
  EXPECT_EQ(node.stat.ephemeral_owner, own.told.wait_state(connection_state::connected)->session_id);
  EXPECT_EQ(own.told.reply_to(listed).children, std::vector<std::string>{"n-0000000000"});

  EXPECT_EQ(own.answer(request::set{node.name, "two", 0}).stat.version, 1);
  const reply read = own.answer(request::get{node.name});
  EXPECT_EQ(read.data, "two");
  EXPECT_EQ(read.stat.czxid, node.stat.czxid);
  EXPECT_EQ(own.answer(request::exists{root}).stat.child_count, 1);
  EXPECT_EQ(own.answer(request::remove{node.name, 0}).code, code::bad_version);
  EXPECT_EQ(own.answer(request::sync{root}).code, code::ok);
  EXPECT_EQ(own.answer(request::remove{node.name}).code, code::ok);
  EXPECT_EQ(own.answer(request::get{node.name}).code, code::no_node);
}

TEST_F(c_client, creates_containers_outside_a_multi) {
  const reply made = own.answer(request::create{root + "/container", "", create_mode::container});
  EXPECT_EQ(made.code, code::ok);
  EXPECT_EQ(made.stat.ephemeral_owner, 0) << "what the client shows, though the server keeps a mark there";
  EXPECT_NE(made.stat.czxid, 0);
}

TEST_F(c_client, each_kind_of_watch_is_told_once) {
  const std::string node = root + "/watched";
  const auto missing = own.ask(request::exists{node, 101});
  EXPECT_EQ(own.told.reply_to(missing).code, code::no_node);
  (void)own.answer(request::list{root, 102});
  (void)own.answer(request::create{node});
  EXPECT_EQ(own.told.wait_node_event(101), node_event::created);
  EXPECT_EQ(own.told.wait_node_event(102), node_event::children_changed);

  (void)own.answer(request::get{node, 103});
  (void)own.answer(request::set{node, "data"});
  EXPECT_EQ(own.told.wait_node_event(103), node_event::changed);
  (void)own.answer(request::get{node, 104});
  (void)own.answer(request::remove{node});
  EXPECT_EQ(own.told.wait_node_event(104), node_event::deleted);
  EXPECT_EQ(own.told.size(), 1U + 1U + 7U + 4U) << "connected, the root's reply, seven replies, four events";
}

TEST_F(c_client, a_failed_get_leaves_no_watch) {
  EXPECT_EQ(own.answer(request::get{root + "/none", 101}).code, code::no_node);
  const std::size_t before = own.told.size();
  (void)own.answer(request::create{root + "/none"});
  (void)own.answer(request::remove{root + "/none"});
  EXPECT_EQ(own.told.size(), before + 2);
}

TEST_F(c_client, f80_a_watch_that_was_forgotten_is_not_told_even_if_its_request_was_under_way) {
  const std::string node = root + "/forgotten";
  (void)own.answer(request::create{node});
  (void)own.answer(request::get{node, 101});
  own.to->forget(node, 101, connection::watch_kind::data);
  const auto under_way = own.ask(request::list{root, 102});
  own.to->forget(root, 102, connection::watch_kind::children);
  EXPECT_EQ(own.told.reply_to(under_way).code, code::ok);
  own.to->forget(node, 999, connection::watch_kind::exists);  // unknown
  const std::size_t before = own.told.size();
  (void)own.answer(request::remove{node});
  (void)own.answer(request::sync{root});
  EXPECT_EQ(own.told.size(), before + 2) << "two replies, no event";
}

TEST_F(c_client, f82_a_multi_is_all_or_nothing_and_says_which_part_was_at_fault) {
  const reply done = own.answer(request::multi{{request::create{root + "/a", "x"},
                                                request::create{root + "/s-", "", create_mode::persistent_sequential},
                                                request::set{root + "/a", "y"}, request::check{root, -1}}});
  ASSERT_EQ(done.code, code::ok);
  ASSERT_EQ(done.parts.size(), 4U);
  EXPECT_EQ(done.parts[0].name, root + "/a");
  EXPECT_EQ(done.parts[1].name, root + "/s-0000000001");
  EXPECT_EQ(done.parts[2].stat.version, 1);

  const reply refused = own.answer(
      request::multi{{request::set{root + "/a", "z"}, request::remove{root + "/none"}, request::check{root, -1}}});
  EXPECT_EQ(refused.code, code::no_node);
  ASSERT_EQ(refused.parts.size(), 3U);
  EXPECT_EQ(refused.parts[0].code, code::ok) << "rolled back";
  EXPECT_EQ(refused.parts[1].code, code::no_node);
  EXPECT_EQ(refused.parts[2].code, code::runtime_inconsistency);
  EXPECT_EQ(own.answer(request::get{root + "/a"}).data, "y");
}

TEST_F(c_client, f82_f107_refuses_what_must_not_be_sent) {
  const auto refused = [this](any_request what) { return own.answer(std::move(what)).code == code::bad_arguments; };
  EXPECT_TRUE(refused(request::multi{{request::create{root + "/c", "", create_mode::container}}}));
  EXPECT_TRUE(refused(request::multi{{request::set{root}, request::remove{"no path"}}}));
  EXPECT_TRUE(refused(request::multi{}));
  EXPECT_TRUE(refused(request::create{root + "/", ""}));
  EXPECT_TRUE(refused(request::get{root + std::string("/a\0b", 4)}));
  EXPECT_EQ(own.answer(request::set{root, std::string(1'000'001, 'x')}).code, code::too_large);
  EXPECT_EQ(own.answer(request::set{root, std::string(990'000, 'x')}).code, code::ok);
}

TEST_F(c_client, a_loss_is_told_before_its_failed_replies_and_a_reconnect_before_missed_events) {
  proxy between(port);
  linked one(between.address());
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  const std::string node = root + "/missed";
  (void)own.answer(request::create{node});
  ASSERT_EQ(one.answer(request::get{node, 101}).code, code::ok);
  const std::size_t before = one.told.size();

  between.set_mode(proxy_mode::hold);
  const auto lost = one.ask(request::set{root, "lost"});
  between.set_mode(proxy_mode::cut);
  EXPECT_EQ(one.told.reply_to(lost).code, code::connection_loss);
  (void)own.answer(request::remove{node});
  between.set_mode(proxy_mode::pass);
  EXPECT_EQ(one.told.wait_node_event(101), node_event::deleted);

  const auto told = one.told.told();
  ASSERT_EQ(told.size(), before + 4) << "connecting, the reply, connected, the event; nothing twice";
  EXPECT_EQ(std::get<session_event>(told[before]).state, connection_state::connecting);
  EXPECT_EQ(std::get<recorder::reply_told>(told[before + 1]).id, lost);
  EXPECT_EQ(std::get<session_event>(told[before + 2]).state, connection_state::connected);
  EXPECT_EQ(std::get<recorder::node_told>(told[before + 3]).id, 101U);
}

TEST_F(c_client, f84_of_two_servers_either_may_go) {
  proxy first(port);
  proxy second(port);
  linked one(first.address() + "," + second.address());
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  for (proxy* gone : {&first, &second, &first, &second}) {
    gone->set_mode(proxy_mode::cut);
    EXPECT_TRUE(eventually([&] { return one.answer(request::get{root}).code == code::ok; }));
    EXPECT_EQ(gone->open(), 0U);
    gone->set_mode(proxy_mode::pass);
  }
}

TEST_F(c_client, f75_an_expired_handle_says_so_and_answers_no_more) {
  proxy between(port);
  linked one(between.address());
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  expire(between);
  EXPECT_TRUE(one.told.wait_state(connection_state::expired));
  EXPECT_EQ(one.answer(request::get{root}).code, code::invalid_state);
  EXPECT_EQ(one.close(), false);
}

// zoo_amulti frees its paths twice then. Below a chroot each path is a copy, so that a second free always shows.
TEST_F(c_client, f180_a_multi_is_not_sent_to_a_session_that_is_over_or_between_connections) {
  const request::multi several{{request::check{"/a", -1}, request::remove{"/b"}, request::remove{"/c"}}};
  proxy between(port);
  linked one(between.address() + root);
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  ASSERT_EQ(one.answer(several).code, code::no_node);

  std::size_t before = one.told.size();
  between.set_mode(proxy_mode::hold);
  between.reset_clients();
  ASSERT_TRUE(one.told.wait_state(connection_state::connecting, before));
  before = one.told.size();
  request_id asked = 0;
  EXPECT_TRUE(eventually([&] {
    asked = one.ask(several);
    return one.told.size() > before;
  })) << "answered by no server";
  EXPECT_EQ(one.told.reply_to(asked).code, code::system_error);

  expire(between);
  EXPECT_TRUE(one.told.wait_state(connection_state::expired));
  EXPECT_EQ(one.answer(several).code, code::invalid_state);
}

TEST_F(c_client, close_ends_the_session_and_says_so) {
  linked one(connect);
  const std::string node = one.answer(request::create{root + "/e", "", create_mode::ephemeral}).name;
  ASSERT_EQ(one.close(), true);
  EXPECT_EQ(own.answer(request::get{node}).code, code::no_node);
}

TEST_F(c_client, f78_close_without_a_connection_is_not_confirmed) {
  proxy between(port);
  linked one(between.address());
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  const std::size_t before = one.told.size();
  between.set_mode(proxy_mode::cut);
  ASSERT_TRUE(one.told.wait_state(connection_state::connecting, before));
  (void)one.ask(request::get{root, 101});  // may be answered before the close, or never
  EXPECT_EQ(one.close(), false);
}

TEST_F(c_client, f77_close_with_a_silent_server_returns_at_once_and_is_not_confirmed) {
  proxy between(port);
  linked one(between.address());
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  between.set_mode(proxy_mode::hold);
  (void)one.ask(request::get{root, 101});
  one.closed = true;
  one.to->close();
  EXPECT_FALSE(std::holds_alternative<recorder::closed_told>(one.told.told().back())) << "that takes 1.5 s";
  EXPECT_EQ(one.told.wait_closed(), false);
}

TEST_F(c_client, f76_closing_under_load_tells_nothing_afterwards_and_leaks_nothing) {
  for (int round = 0; round < 200; ++round) {
    linked one(connect);
    ASSERT_TRUE(one.told.wait_state(connection_state::connected));
    for (watch_id watch = 1; watch <= 20; ++watch) {
      (void)one.ask(request::get{root, watch});
      (void)one.ask(request::multi{{request::check{root}, request::set{root, "x"}}});
    }
    ASSERT_TRUE(one.close());
    ASSERT_TRUE(std::holds_alternative<recorder::closed_told>(one.told.told().back()));
  }
}

TEST_F(c_client, may_be_used_by_several_threads_while_it_is_closed) {
  for (int round = 0; round < 10; ++round) {
    linked one(connect);
    std::atomic<bool> stop = false;
    std::vector<std::jthread> threads;
    for (watch_id watch = 1; watch <= 3; ++watch) {
      threads.emplace_back([&, watch] {
        while (!stop) {
          (void)one.ask(request::get{root, watch});
          (void)one.ask(request::get{"bad path", watch});
          one.to->forget(root, watch, connection::watch_kind::data);
        }
      });
    }
    ASSERT_TRUE(one.told.wait_state(connection_state::connected));
    ASSERT_TRUE(one.close());
    stop = true;
    threads.clear();
    EXPECT_TRUE(std::holds_alternative<recorder::closed_told>(one.told.told().back()));
  }
}

TEST_F(c_client, a_host_without_an_address_is_an_error_that_names_the_list) {
  recorder told;
  const auto from = c_client_factory(server_list::parse("no.such.host.invalid:2181"));
  try {
    (void)from->open({}, told);
    FAIL() << "opened";
  } catch (const error& failure) {
    EXPECT_EQ(failure.code(), errc::unresolvable_host);
    EXPECT_NE(std::string(failure.what()).find("no.such.host.invalid:2181"), std::string::npos);
  }
  EXPECT_EQ(told.size(), 0U);
}

TEST_F(c_client, a_host_without_an_address_among_others_does_no_harm) {
  linked one("no.such.host.invalid:2181," + connect);
  EXPECT_TRUE(one.told.wait_state(connection_state::connected));
}

TEST_F(c_client, credentials_are_there_before_the_first_request) {
  linked one(connect, {.auth_scheme = "digest", .auth_credentials = "bob:secret"});
  const acl creator{{31, "auth", ""}};
  const reply made = one.answer(request::create{root + "/mine", "", create_mode::ephemeral, creator});
  EXPECT_EQ(made.code, code::ok);
  EXPECT_EQ(own.answer(request::get{root + "/mine"}).code, code::no_auth);
  EXPECT_EQ(one.answer(request::get{root + "/mine"}).code, code::ok);
}

/// The lines that a program gets, while there is one.
class kept_log {
 public:
  kept_log() {
    set_log_sink([this](const log_line& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    });
  }
  ~kept_log() { set_log_sink({}); }
  kept_log(const kept_log&) = delete;
  kept_log& operator=(const kept_log&) = delete;

  [[nodiscard]] std::vector<std::string> texts(bool above_debug) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const log_line& line : lines_) {
      if ((line.level > log_level::debug) == above_debug) found.push_back(line.text);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<log_line> lines_;  ///< guarded by mutex_
};

TEST_F(c_client, an_outage_is_one_warning_for_each_server_and_the_clients_own_lines_are_debug) {
  const kept_log log;
  const auto servers = c_client_factory(server_list::parse("127.0.0.1:1,127.0.0.1:2"));
  linked nowhere(servers);
  EXPECT_TRUE(eventually([&] { return log.texts(false).size() >= 5; })) << "it tries again and again";
  std::vector<std::string> warnings = log.texts(true);
  std::ranges::sort(warnings);
  EXPECT_EQ(warnings, (std::vector<std::string>{"no connection to 127.0.0.1:1: Connection refused",
                                                "no connection to 127.0.0.1:2: Connection refused"}));
  for (const std::string& line : log.texts(false)) {
    EXPECT_TRUE(line.starts_with("c client: ")) << line;
  }
}

TEST_F(c_client, an_outage_behind_another_one_is_a_warning_of_its_own) {
  const kept_log log;
  proxy way(port);
  const auto servers = c_client_factory(server_list::parse(way.address()));
  linked one(servers);
  for (std::size_t outage = 1; outage <= 2; ++outage) {
    ASSERT_TRUE(eventually([&] { return servers->last_failure().empty() && way.open() == 1; }));
    ASSERT_TRUE(eventually([&] { return one.answer(request::get{"/"}).code == code::ok; }));
    way.set_mode(proxy_mode::cut);
    EXPECT_TRUE(eventually([&, before = way.accepted()] { return way.accepted() >= before + 3; }));
    const std::vector<std::string> warnings = log.texts(true);
    EXPECT_EQ(warnings.size(), outage) << ::testing::PrintToString(warnings);
    EXPECT_TRUE(warnings.back().starts_with("no connection to " + way.address() + ": ")) << warnings.back();
    way.set_mode(proxy_mode::pass);
  }
}

TEST_F(c_client, f75_of_refused_credentials_the_client_logs_no_line_of_its_own) {
  const kept_log log;
  linked one(connect, {.auth_scheme = "nonsense", .auth_credentials = "x"});
  EXPECT_TRUE(one.told.wait_state(connection_state::auth_failed));
  for (const std::string& line : log.texts(true)) {
    EXPECT_FALSE(line.starts_with("c client: ")) << line;
  }
}

TEST_F(c_client, f75_refused_credentials_end_the_handle) {
  linked one(connect, {.auth_scheme = "nonsense", .auth_credentials = "x"});
  EXPECT_TRUE(one.told.wait_state(connection_state::auth_failed));
  EXPECT_EQ(one.answer(request::get{root}).code, code::invalid_state);
}

}  // namespace
}  // namespace zklock::client
