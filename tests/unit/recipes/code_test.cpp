#include <gtest/gtest.h>

#include <set>

#include "tests/unit/recipes/all_codes.hpp"

namespace zklock::recipes {
namespace {

struct row {
  code value;
  std::int32_t number;
  std::string_view name;
  outcome meaning;
  bool answered;  ///< by a server
};

// The one table of return codes: F05.
constexpr row table[] = {
    {code::ok, 0, "ZOK", outcome::done, true},
    {code::connection_loss, -4, "ZCONNECTIONLOSS", outcome::unknown, false},
    {code::operation_timeout, -7, "ZOPERATIONTIMEOUT", outcome::unknown, false},
    // what the servers say when they cannot tell what they have done, and the C client when it has lost count of the answers
    {code::marshalling_error, -5, "ZMARSHALLINGERROR", outcome::unknown, false},
    {code::runtime_inconsistency, -2, "ZRUNTIMEINCONSISTENCY", outcome::unknown, false},
    // of clients in Java, or said by none
    {code::data_inconsistency, -3, "ZDATAINCONSISTENCY", outcome::unknown, false},
    {code::request_timeout, -122, "ZREQUESTTIMEOUT", outcome::unknown, false},
    {code::system_error, -1, "ZSYSTEMERROR", outcome::retry, false},
    {code::session_moved, -118, "ZSESSIONMOVED", outcome::retry, false},
    {code::not_read_only, -119, "ZNOTREADONLY", outcome::retry, false},
    {code::throttled, -127, "ZTHROTTLEDOP", outcome::retry, false},
    {code::session_expired, -112, "ZSESSIONEXPIRED", outcome::session_over, false},
    {code::invalid_state, -9, "ZINVALIDSTATE", outcome::session_over, false},
    {code::closing, -116, "ZCLOSING", outcome::session_over, false},
    {code::auth_failed, -115, "ZAUTHFAILED", outcome::session_over, false},
    {code::no_node, -101, "ZNONODE", outcome::not_done, true},
    {code::no_auth, -102, "ZNOAUTH", outcome::not_done, true},
    {code::bad_version, -103, "ZBADVERSION", outcome::not_done, true},
    {code::no_children_for_ephemerals, -108, "ZNOCHILDRENFOREPHEMERALS", outcome::not_done, true},
    {code::node_exists, -110, "ZNODEEXISTS", outcome::not_done, true},
    {code::not_empty, -111, "ZNOTEMPTY", outcome::not_done, true},
    {code::invalid_acl, -114, "ZINVALIDACL", outcome::not_done, true},
    {code::no_watcher, -121, "ZNOWATCHER", outcome::not_done, true},
    {code::api_error, -100, "ZAPIERROR", outcome::not_done, true},
    {code::ephemeral_on_local_session, -120, "ZEPHEMERALONLOCALSESSION", outcome::not_done, true},
    {code::reconfig_disabled, -123, "ZRECONFIGDISABLED", outcome::not_done, true},
    {code::authentication_required, -124, "ZSESSIONCLOSEDREQUIRESASLAUTH", outcome::not_done, true},
    {code::quota_exceeded, -125, "ZQUOTAEXCEEDED", outcome::not_done, true},
    // refused by the client, or by the server that we talk to, without asking the leader
    {code::unimplemented, -6, "ZUNIMPLEMENTED", outcome::not_done, false},
    {code::invalid_callback, -113, "ZINVALIDCALLBACK", outcome::not_done, false},
    {code::bad_arguments, -8, "ZBADARGUMENTS", outcome::not_done, false},
    {code::unknown_session, -12, "ZUNKNOWNSESSION", outcome::not_done, false},
    {code::new_config_no_quorum, -13, "ZNEWCONFIGNOQUORUM", outcome::not_done, false},
    {code::reconfig_in_progress, -14, "ZRECONFIGINPROGRESS", outcome::not_done, false},
    {code::ssl_connection_error, -15, "ZSSLCONNECTIONERROR", outcome::not_done, false},
    {code::nothing, -117, "ZNOTHING", outcome::not_done, false},
    {code::too_large, 1, "not sent", outcome::not_done, false},
};

TEST(code, f05_f153_one_table_says_for_every_code_whether_it_was_done) {
  for (const row& one : table) {
    EXPECT_EQ(static_cast<std::int32_t>(one.value), one.number) << one.name;
    EXPECT_EQ(classify(one.value), one.meaning) << one.name;
    EXPECT_EQ(name(one.value), one.name);
  }
}

TEST(code, some_answers_are_a_servers_and_some_may_be_the_clients_own) {
  for (const row& one : table) {
    EXPECT_EQ(answered_by_server(one.value), one.answered) << one.name;
  }
}

TEST(code, f154_only_what_no_follower_says_by_itself_proves_that_the_leader_was_asked) {
  const std::set<code> proofs{code::ok,          code::no_node,  code::bad_version, code::no_children_for_ephemerals,
                              code::node_exists, code::not_empty};
  for (const row& one : table) {
    EXPECT_EQ(answered_by_leader(one.value), proofs.contains(one.value)) << one.name;
  }
  EXPECT_FALSE(answered_by_leader(code{-1000}));
}

TEST(code, every_code_with_a_name_is_in_the_table) {
  std::set<code> in_table;
  for (const row& one : table) {
    EXPECT_TRUE(in_table.insert(one.value).second) << one.name << " stands there twice";
  }
  for (std::int32_t number = -200; number <= 100; ++number) {
    const code value{number};
    EXPECT_EQ(in_table.contains(value), name(value) != "ZUNKNOWN") << number;
  }
  EXPECT_EQ(in_table, std::set<code>(all_codes.begin(), all_codes.end()));
}

TEST(code, a_number_without_a_name_is_not_done) {
  for (const std::int32_t number : {-10, -99, -126, -130, -1000, 2, 42}) {
    EXPECT_EQ(classify(code{number}), outcome::not_done) << number;
    EXPECT_EQ(name(code{number}), "ZUNKNOWN") << number;
    EXPECT_EQ(described(code{number}), "code " + std::to_string(number));
  }
}

TEST(code, what_may_have_happened_was_not_answered) {
  for (const code value : all_codes) {
    const outcome meaning = classify(value);
    if (meaning == outcome::unknown || meaning == outcome::session_over || meaning == outcome::retry) {
      EXPECT_FALSE(answered_by_server(value)) << name(value);
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
