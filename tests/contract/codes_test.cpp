#include "tests/contract/contract_test.hpp"

#include "tests/support/eventually.hpp"

namespace zklock::contract {
namespace {

using namespace std::chrono_literals;
using test_support::eventually;

class codes : public contract_test {};
ZKLOCK_ON_BOTH_SIDES(codes);

constexpr auto silence_timeout = 3000ms;  // silence is noticed after 2 s

TEST_P(codes, ok_answers_each_kind_of_request) {
  peer p(ensemble());
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::ok);
  EXPECT_EQ(p.ask(request::set{at("/n"), "text"}).stat.version, 1);
  const client::reply got = p.ask(request::get{at("/n")});
  EXPECT_EQ(got.code, code::ok);
  EXPECT_EQ(got.data, "text");
  EXPECT_EQ(got.stat.version, 1);
  EXPECT_GT(got.stat.mzxid, got.stat.czxid);
  const client::reply there = p.ask(request::exists{at("/n")});
  EXPECT_EQ(there.stat.mzxid, got.stat.mzxid);
  const client::reply listed = p.ask(request::list{at("")});
  EXPECT_EQ(listed.children, std::vector<std::string>{"n"});
  EXPECT_EQ(listed.stat.child_count, 1);
  EXPECT_EQ(listed.stat.pzxid, got.stat.czxid);
  EXPECT_EQ(p.ask(request::sync{at("/n")}).code, code::ok);
  EXPECT_EQ(p.ask(request::multi{{request::check{at("/n"), 1}}}).code, code::ok);
  EXPECT_EQ(p.ask(request::remove{at("/n")}).code, code::ok);
}

TEST_P(codes, connection_loss_may_mean_that_nothing_was_done) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  const std::int64_t session = p.session().session_id;
  ensemble().lose_next_request(0);
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::connection_loss);
  ASSERT_TRUE(p.wait_connected(1));
  EXPECT_EQ(p.session().session_id, session);
  EXPECT_EQ(p.ask(request::exists{at("/n")}).code, code::no_node);
}

TEST_P(codes, f05_connection_loss_may_mean_that_it_was_done) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().lose_next_reply(0);
  EXPECT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::connection_loss);
  ASSERT_TRUE(p.wait_connected(1));
  EXPECT_EQ(p.ask(request::exists{at("/n")}).stat.ephemeral_owner, p.session().session_id);
}

TEST_P(codes, connection_loss_answers_what_is_asked_while_connections_are_refused) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().refuse(0);
  ASSERT_TRUE(p.wait_for("connecting"));
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::connection_loss);
  ensemble().restore(0);
  ASSERT_TRUE(p.wait_connected(1));
  EXPECT_EQ(p.ask(request::exists{at("/n")}).code, code::no_node);
}

TEST_P(codes, f85_a_request_made_while_disconnected_is_sent_when_the_next_attempt_succeeds) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  drop_into_silence(p, 0);
  const auto kept = p.send(create(at("/n")));
  ensemble().restore(0);
  EXPECT_EQ(p.answer(kept).code, code::ok);
}

TEST_P(codes, operation_timeout_answers_what_a_silent_server_was_asked) {
  peer p(ensemble(), 0, {.timeout = silence_timeout});
  ASSERT_TRUE(p.wait_connected());
  const std::int64_t session = p.session().session_id;
  ensemble().hold(0);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::operation_timeout);
  EXPECT_EQ(p.told(1), (lines{"connecting", "reply 1 ZOPERATIONTIMEOUT"}));
  ensemble().restore(0);
  ASSERT_TRUE(p.wait_connected(1));
  EXPECT_EQ(p.session().session_id, session);
}

TEST_P(codes, f05_operation_timeout_may_mean_that_it_was_done) {
  peer p(ensemble(), 0, {.timeout = silence_timeout});
  peer other(ensemble(), 1);
  ASSERT_TRUE(p.wait_connected());
  ensemble().hold_replies(0);
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::operation_timeout);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::ok);
  ensemble().restore(0);
}

TEST_P(codes, operation_timeout_answers_each_further_attempt_at_a_silent_server) {
  peer p(ensemble(), 0, {.timeout = silence_timeout});
  ASSERT_TRUE(p.wait_connected());
  ensemble().hold_replies(0);  // each attempt reaches the server, so that the session lives on
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::operation_timeout);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::operation_timeout);
  EXPECT_EQ(p.told(1), (lines{"connecting", "reply 1 ZOPERATIONTIMEOUT", "reply 2 ZOPERATIONTIMEOUT"}));
  ensemble().restore(0);
  EXPECT_TRUE(p.wait_connected(1));
}

TEST_P(codes, f75_invalid_state_answers_everything_after_the_session_has_expired) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().expire_session(0);
  ASSERT_TRUE(p.wait_for("expired"));
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::invalid_state);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::invalid_state);
}

TEST_P(codes, after_close_nothing_but_on_closed_is_told) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  ensemble().hold_replies(0);
  for (int i = 0; i < 20; ++i) p.send(create(at("/n-"), create_mode::ephemeral_sequential));
  EXPECT_EQ(p.close(), false) << "no answer comes through";
  EXPECT_EQ(p.told(), (lines{"connected", "left"}));
  ensemble().restore(0);
}

TEST_P(codes, a_session_taken_over_through_another_connection_loses_its_own_and_lives_on) {
  peer p(ensemble());
  const client::reply made = p.ask(create(at("/n"), create_mode::ephemeral));
  ASSERT_EQ(made.code, code::ok);
  const std::int64_t session = p.session().session_id;
  const std::size_t before = p.told_count();
  ensemble().take_over_session(0);
  ASSERT_TRUE(p.wait_for("connecting", before));
  ASSERT_TRUE(p.wait_connected(before));
  EXPECT_EQ(p.session().session_id, session);
  EXPECT_EQ(p.ask(request::exists{at("/n")}).stat.czxid, made.stat.czxid);
  EXPECT_EQ(p.count("expired"), 0U);
}

TEST_P(codes, no_node_answers_what_needs_a_node_that_is_not_there) {
  peer p(ensemble());
  EXPECT_EQ(p.ask(create(at("/none/n"))).code, code::no_node);
  EXPECT_EQ(p.ask(create(at("/none/n-"), create_mode::ephemeral_sequential)).code, code::no_node);
  EXPECT_EQ(p.ask(request::remove{at("/none")}).code, code::no_node);
  EXPECT_EQ(p.ask(request::set{at("/none"), ""}).code, code::no_node);
  EXPECT_EQ(p.ask(request::get{at("/none")}).code, code::no_node);
  EXPECT_EQ(p.ask(request::list{at("/none")}).code, code::no_node);
  EXPECT_EQ(p.ask(request::exists{at("/none")}).code, code::no_node);
  EXPECT_EQ(p.ask(request::sync{at("/none")}).code, code::ok) << "a sync needs no node";
}

TEST_P(codes, node_exists_answers_a_create_whose_name_is_taken) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  EXPECT_EQ(p.ask(create(at("/n"))).code, code::node_exists);
  EXPECT_EQ(p.ask(request::get{at("/n")}).stat.ephemeral_owner, p.session().session_id);
}

TEST_P(codes, not_empty_answers_the_removal_of_a_node_with_children) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/n/child"))).code, code::ok);
  EXPECT_EQ(p.ask(request::remove{at("/n")}).code, code::not_empty);
}

TEST_P(codes, bad_version_answers_a_condition_that_does_not_hold) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/n/child"))).code, code::ok);
  EXPECT_EQ(p.ask(request::set{at("/n"), "x", 1}).code, code::bad_version);
  EXPECT_EQ(p.ask(request::remove{at("/n"), 1}).code, code::bad_version) << "looked at before the children";
  EXPECT_EQ(p.ask(request::set{at("/n"), "x", 0}).code, code::ok);
  EXPECT_EQ(p.ask(request::multi{{request::check{at("/n"), 0}}}).code, code::bad_version);
}

TEST_P(codes, bad_version_answers_the_repeat_of_a_write_whose_reply_was_lost) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"))).code, code::ok);
  ensemble().lose_next_reply(0);
  EXPECT_EQ(p.ask(request::set{at("/n"), "x", 0}).code, code::connection_loss);
  ASSERT_TRUE(p.wait_connected(2));
  EXPECT_EQ(p.ask(request::set{at("/n"), "x", 0}).code, code::bad_version);
}

TEST_P(codes, no_children_for_ephemerals_answers_a_create_below_one) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::ephemeral)).code, code::ok);
  EXPECT_EQ(p.ask(create(at("/n/child"))).code, code::no_children_for_ephemerals);
  EXPECT_EQ(p.ask(create(at("/n/child-"), create_mode::ephemeral_sequential)).code, code::no_children_for_ephemerals);
}

TEST_P(codes, no_auth_answers_what_the_access_list_forbids) {
  peer owner(ensemble(), 0, {.timeout = peer::default_timeout, .auth_scheme = "digest", .auth_credentials = "bob:pw"});
  peer other(ensemble(), 1);
  ASSERT_EQ(owner.ask(request::create{at("/n"), "secret", create_mode::persistent, {{31, "auth", ""}}}).code, code::ok);
  EXPECT_EQ(owner.ask(request::get{at("/n")}).data, "secret");
  const client::watch_id watch = other.new_watch();
  EXPECT_EQ(other.ask(request::get{at("/n"), watch}).code, code::no_auth);
  EXPECT_EQ(other.ask(request::list{at("/n")}).code, code::no_auth);
  EXPECT_EQ(other.ask(request::set{at("/n"), ""}).code, code::no_auth);
  EXPECT_EQ(other.ask(create(at("/n/child"))).code, code::no_auth);
  EXPECT_EQ(other.ask(request::multi{{request::check{at("/n")}}}).code, code::no_auth);
  EXPECT_EQ(other.ask(request::exists{at("/n")}).code, code::ok) << "needs no permission";
}

TEST_P(codes, credentials_are_given_again_after_a_reconnect) {
  peer owner(ensemble(), 0, {.timeout = peer::default_timeout, .auth_scheme = "digest", .auth_credentials = "bob:pw"});
  ASSERT_EQ(owner.ask(request::create{at("/n"), "secret", create_mode::persistent, {{31, "auth", ""}}}).code, code::ok);
  ensemble().cut(0);
  ASSERT_TRUE(owner.wait_connected(2));
  EXPECT_EQ(owner.ask(request::get{at("/n")}).data, "secret");
}

TEST_P(codes, invalid_acl_answers_an_access_list_for_a_creator_without_credentials) {
  peer p(ensemble());
  EXPECT_EQ(p.ask(request::create{at("/n"), "", create_mode::persistent, {{31, "auth", ""}}}).code, code::invalid_acl);
  EXPECT_EQ(p.ask(request::create{at("/n"), "", create_mode::persistent, {{31, "nonsense", "x"}}}).code,
            code::invalid_acl);
}

TEST_P(codes, f75_credentials_of_an_unknown_scheme_end_the_handle) {
  ensemble().hold(0);
  peer p(ensemble(), 0, {.timeout = peer::default_timeout, .auth_scheme = "nonsense", .auth_credentials = "x"});
  const auto kept = p.send(request::sync{at("")});  // before there is a connection
  ensemble().restore(0);
  ASSERT_TRUE(p.wait_for("auth failed"));
  // The server hangs up behind its refusal: a client that sees that first tells a loss, and the refusal on the next connection.
  const code told = p.answer(kept).code;
  EXPECT_TRUE(told == code::auth_failed || told == code::connection_loss) << recipes::name(told);
  if (told == code::auth_failed) {
    EXPECT_LT(p.index_of("auth failed"), p.index_of("reply 1 ZAUTHFAILED"));
  }
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::invalid_state);
  EXPECT_EQ(p.close(), false);
}

TEST_P(codes, f82_runtime_inconsistency_marks_the_parts_behind_the_one_that_failed) {
  peer p(ensemble());
  const client::reply failed = p.ask(request::multi{
      {create(at("/n")), request::remove{at("/none")}, create(at("/m")), request::set{at("/none"), ""}}});
  EXPECT_EQ(failed.code, code::no_node);
  ASSERT_EQ(failed.parts.size(), 4U);
  EXPECT_EQ(failed.parts[0].code, code::ok);
  EXPECT_EQ(failed.parts[1].code, code::no_node);
  EXPECT_EQ(failed.parts[2].code, code::runtime_inconsistency);
  EXPECT_EQ(failed.parts[3].code, code::runtime_inconsistency);
  EXPECT_TRUE(p.ask(request::list{at("")}).children.empty()) << "all or nothing";
}

TEST_P(codes, f193_a_bad_path_and_a_request_too_large_have_codes_of_their_own) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  const std::string long_text(1'048'575, 'x');
  for (const char* path : {"", "n", "/n/", "//n", "/n//m", "/.", "/n/../m"}) {
    EXPECT_EQ(p.ask(create(path)).code, code::bad_arguments) << path;
    EXPECT_EQ(p.ask(request::get{path}).code, code::bad_arguments) << path;
    EXPECT_EQ(p.ask(request::multi{{request::check{at("")}, request::remove{path}}}).code, code::bad_arguments) << path;
  }
  EXPECT_EQ(p.ask(create(at("/n"), create_mode::persistent, long_text)).code, code::too_large);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::ok);
  EXPECT_EQ(p.count("connecting"), 0U);
}

TEST_P(codes, f82_what_the_c_client_cannot_do_in_a_multi_is_refused_before_it_is_sent) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  EXPECT_EQ(p.ask(request::multi{{create(at("/n"), create_mode::container)}}).code, code::bad_arguments);
  EXPECT_EQ(p.ask(request::multi{{create(at("/m")), create(at("/n"), create_mode::container)}}).code,
            code::bad_arguments);
  EXPECT_TRUE(p.ask(request::list{at("")}).children.empty());
}

TEST_P(codes, forgetting_a_watch_that_is_not_there_is_no_matter) {
  peer p(ensemble());
  ASSERT_TRUE(p.wait_connected());
  const client::watch_id watch = p.new_watch();
  p.forget(at(""), watch, client::connection::watch_kind::data);
  p.forget(at("/none"), watch, client::connection::watch_kind::exists);
  ASSERT_EQ(p.ask(request::list{at(""), watch}).code, code::ok);
  p.forget(at(""), watch, client::connection::watch_kind::children);
  p.forget(at(""), watch, client::connection::watch_kind::children);
  EXPECT_EQ(p.ask(request::sync{at("")}).code, code::ok);
}

}  // namespace
}  // namespace zklock::contract
