#include "tests/contract/contract_test.hpp"

#include "tests/support/eventually.hpp"

namespace zklock::contract {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class expiry : public contract_test {};
ZKLOCK_ON_BOTH_SIDES(expiry);

class own_expiry : public own_server_test {};
ZKLOCK_ON_BOTH_SIDES(own_expiry);

TEST_P(expiry, is_learned_on_reconnect_only) {
  peer p(ensemble());
  peer other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ensemble().refuse(0);
  ASSERT_TRUE(p.wait_for("connecting"));
  ensemble().expire_session(0);
  ASSERT_EQ(other.ask(request::sync{at("")}).code, code::ok);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::connection_loss) << "asked after the session's end";
  EXPECT_EQ(p.count("expired"), 0U);
  ensemble().restore(0);
  EXPECT_TRUE(p.wait_for("expired"));
}

TEST_P(expiry, comes_by_itself_when_a_client_is_cut_off_for_longer_than_the_timeout) {
  peer p(ensemble(), 0, {.timeout = 1000ms});
  peer other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ensemble().refuse(0);
  EXPECT_TRUE(eventually([&] { return other.ask(request::exists{at("/n")}).code == code::no_node; }));
  EXPECT_EQ(p.count("expired"), 0U);
  ensemble().restore(0);
  EXPECT_TRUE(p.wait_for("expired"));
}

TEST_P(expiry, is_final) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().expire_session(0);
  ASSERT_TRUE(p.wait_for("expired"));
  EXPECT_EQ(p.told(), (lines{"connected", "connecting", "expired"}));
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::invalid_state);
  EXPECT_EQ(p.close(), false) << "no connection is left that could confirm it";
  EXPECT_EQ(p.told(), (lines{"connected", "connecting", "expired", "reply 1 ZINVALIDSTATE", "left"}));
}

TEST_P(expiry, removes_the_ephemerals_of_that_session_alone) {
  peer p(ensemble());
  peer other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/gone"), create_mode::ephemeral)).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/kept"))).code, code::ok);
  ASSERT_EQ(other.ask(create(at("/others"), create_mode::ephemeral)).code, code::ok);
  const client::watch_id watch = other.new_watch();
  ASSERT_EQ(other.ask(request::get{at("/gone"), watch}).code, code::ok);
  ensemble().expire_session(0);
  EXPECT_TRUE(other.wait_for("event " + std::to_string(watch) + " deleted"));
  EXPECT_EQ(other.ask(request::exists{at("/gone")}).code, code::no_node);
  EXPECT_EQ(other.ask(request::exists{at("/kept")}).code, code::ok);
  EXPECT_EQ(other.ask(request::exists{at("/others")}).code, code::ok);
}

TEST_P(expiry, a_session_survives_a_cut_with_its_ephemerals) {
  peer p(ensemble());
  const client::reply made = p.ask(create(at("/n"), create_mode::ephemeral));
  const std::int64_t session = p.session().session_id;
  ensemble().cut(0);
  ASSERT_TRUE(p.wait_connected(2));
  EXPECT_EQ(p.session().session_id, session);
  EXPECT_EQ(p.ask(request::exists{at("/n")}).stat.czxid, made.stat.czxid);
}

TEST_P(expiry, a_session_is_ended_by_who_has_its_key) {
  peer p(ensemble()), other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  const client::session_key key{p.session().session_id, p.session().password};
  EXPECT_NE(key.password, other.session().password);
  ensemble().hold(0);  // it would come back with the session
  {
    peer ends(ensemble(), 2, {.timeout = 10'000ms, .resumed = key});
    ASSERT_TRUE(ends.wait_connected());
    EXPECT_EQ(ends.session().session_id, key.id);
    EXPECT_EQ(ends.session().password, key.password);
    EXPECT_EQ(ends.ask(request::exists{at("/n")}).code, code::ok);
    EXPECT_EQ(ends.close(), true);
  }
  EXPECT_EQ(other.ask(request::sync{at("")}).code, code::ok);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node);
  peer late(ensemble(), 3, {.timeout = 10'000ms, .resumed = key});
  EXPECT_TRUE(late.wait_for("expired")) << "it is over";
}

TEST_P(expiry, a_session_is_not_ended_by_who_has_another_password) {
  peer p(ensemble()), other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ASSERT_TRUE(other.wait_connected());
  peer wrong(ensemble(), 2, {.timeout = 10'000ms, .resumed = {p.session().session_id, other.session().password}});
  EXPECT_TRUE(wrong.wait_for("expired"));
  // A real server has cut the session's connection before it looked at the password.
  EXPECT_TRUE(eventually([&] { return p.ask(request::exists{at("/n")}).code == code::ok; }));
  EXPECT_EQ(p.count("expired"), 0U);
}

TEST_P(expiry, the_password_stays_while_the_session_does) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  const std::string password = p.session().password;
  EXPECT_FALSE(password.empty());
  ensemble().cut(0);
  ASSERT_TRUE(p.wait_connected(2));
  EXPECT_EQ(p.session().password, password);
}

TEST_P(expiry, the_timeout_told_is_the_one_that_the_server_has_granted) {
  peer usual(ensemble(), 0, {.timeout = 7000ms});
  peer greedy(ensemble(), 1, {.timeout = 100ms});
  peer modest(ensemble(), 2, {.timeout = 600'000ms});
  ASSERT_TRUE(usual.wait_connected());
  ASSERT_TRUE(greedy.wait_connected());
  ASSERT_TRUE(modest.wait_connected());
  EXPECT_EQ(usual.session().timeout, 7000ms);
  EXPECT_EQ(greedy.session().timeout, 500ms);
  EXPECT_EQ(modest.session().timeout, 60'000ms);
}

TEST_P(expiry, a_confirmed_close_ends_the_session_at_once) {
  peer other(ensemble(), 1);
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  EXPECT_EQ(p.close(), true);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node);
}

TEST_P(expiry, a_close_behind_requests_has_them_executed_first) {
  peer other(ensemble(), 1);
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  p.send(create(at("/n")));
  EXPECT_EQ(p.close(), true);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::ok);
}

TEST_P(expiry, f78_a_close_without_a_connection_leaves_the_ephemerals_until_the_session_expires) {
  peer other(ensemble(), 1);
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ensemble().refuse(0);
  ASSERT_EQ(p.ask(request::sync{at("")}).code, code::connection_loss);
  ASSERT_EQ(p.ask(request::sync{at("")}).code, code::connection_loss);  // by an attempt's failure, not by the loss
  EXPECT_EQ(p.close(), false);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::ok);
  ensemble().expire_session(0);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node);
}

TEST_P(own_expiry, a_restart_of_the_server_keeps_sessions_ephemerals_and_watches) {
  peer p(ensemble());
  peer other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ASSERT_TRUE(other.wait_connected());
  ASSERT_EQ(other.ask(request::get{at("/n"), other.new_watch()}).code, code::ok);
  const std::int64_t session = p.session().session_id;
  const std::size_t before = other.told_count();
  ensemble().restart();
  ASSERT_TRUE(p.wait_connected(2));
  ASSERT_TRUE(other.wait_connected(before));
  EXPECT_EQ(p.session().session_id, session);
  EXPECT_EQ(p.ask(request::remove{at("/n")}).code, code::ok);
  EXPECT_TRUE(other.wait_for("event 1 deleted"));
}

TEST_P(own_expiry, a_frozen_server_that_goes_on_in_time_costs_nothing) {
  peer p(ensemble(), 0, {.timeout = 20'000ms});
  ASSERT_TRUE(p.wait_connected());
  ensemble().freeze();
  const auto waiting = p.send(create(at("/n")));
  ensemble().thaw();
  EXPECT_EQ(p.answer(waiting).code, code::ok);
  EXPECT_EQ(p.told(), (lines{"connected", "reply 1 ZOK"}));
}

/// Nothing in ZooKeeper decides which of the two it is: what the client has sent meanwhile renews the session, if the server
/// reads it before it looks for sessions that have expired.
TEST_P(own_expiry, a_frozen_server_is_given_up_and_the_session_has_expired_or_lives_when_it_goes_on) {
  peer p(ensemble(), 0, {.timeout = 1500ms});
  const client::reply made = p.ask(create(at("/n"), create_mode::ephemeral));
  ASSERT_EQ(made.code, code::ok);
  const std::int64_t session = p.session().session_id;
  ensemble().freeze();
  EXPECT_EQ(p.ask(request::sync{"/"}).code, code::operation_timeout);
  EXPECT_EQ(p.ask(request::sync{"/"}).code, code::operation_timeout);
  EXPECT_EQ(p.ask(request::sync{"/"}).code, code::operation_timeout);  // at twice the session's timeout
  EXPECT_EQ(p.count("expired"), 0U);
  ensemble().thaw();
  client::reply seen;
  ASSERT_TRUE(eventually([&] {
    seen = p.ask(request::exists{at("/n")});
    return seen.code == code::ok || p.count("expired") == 1;
  }));
  if (seen.code == code::ok) {
    EXPECT_EQ(p.session().session_id, session);
    EXPECT_EQ(seen.stat.czxid, made.stat.czxid);
  } else {
    peer other(ensemble(), 1);
    EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::no_node);
  }
}

TEST_P(own_expiry, a_session_whose_client_stays_away_expires_when_a_frozen_server_goes_on) {
  peer p(ensemble(), 0, {.timeout = 1500ms});
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  ensemble().freeze();
  EXPECT_EQ(p.ask(request::sync{"/"}).code, code::operation_timeout);
  ensemble().refuse(0);  // what is queued may renew it once, nothing does after that
  ensemble().thaw();
  peer other(ensemble(), 1);
  EXPECT_TRUE(eventually([&] { return other.ask(request::exists{at("/n")}).code == code::no_node; }));
  EXPECT_EQ(p.count("expired"), 0U);
  ensemble().restore(0);
  EXPECT_TRUE(p.wait_for("expired"));
}

}  // namespace
}  // namespace zklock::contract
