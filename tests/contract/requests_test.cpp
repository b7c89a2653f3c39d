#include "tests/contract/contract_test.hpp"

namespace zklock::contract {
namespace {

class requests : public contract_test {};
ZKLOCK_ON_BOTH_SIDES(requests);

TEST_P(requests, a_create_answers_with_the_name_and_the_stat_of_the_node) {
  peer p(ensemble());
  const client::reply plain = p.ask(create(at("/n"), create_mode::ephemeral, "text"));
  EXPECT_EQ(plain.name, at("/n"));
  EXPECT_EQ(plain.stat.ephemeral_owner, p.session().session_id);
  EXPECT_GT(plain.stat.czxid, 0);
  EXPECT_EQ(plain.stat.mzxid, plain.stat.czxid);
  EXPECT_EQ(plain.stat.version, 0);
  const client::stat found = p.ask(request::exists{at("/n")}).stat;
  EXPECT_EQ(found.czxid, plain.stat.czxid);
  EXPECT_EQ(found.ephemeral_owner, plain.stat.ephemeral_owner);
  const client::reply next = p.ask(create(at("/m")));
  EXPECT_GT(next.stat.czxid, plain.stat.czxid);
  EXPECT_EQ(next.stat.ephemeral_owner, 0);
}

TEST_P(requests, f81_a_created_name_is_whole_however_long_it_is) {
  peer p(ensemble());
  const std::string prefix = at("/" + std::string(5000, 'x') + "-");
  const client::reply made = p.ask(create(prefix, create_mode::ephemeral_sequential));
  EXPECT_EQ(made.name, prefix + "0000000000");
}

TEST_P(requests, data_may_have_any_bytes_and_nearly_a_megabyte) {
  peer p(ensemble());
  const std::string bytes("\0\x01\xff\0 text", 9);
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::persistent, bytes)).code, code::ok);
  EXPECT_EQ(p.ask(request::get{at("/n")}).data, bytes);
  const std::string large(999'000, 'x');
  ASSERT_EQ(p.ask(request::set{at("/n"), large}).code, code::ok);
  EXPECT_EQ(p.ask(request::get{at("/n")}).data, large);
  ASSERT_EQ(p.ask(request::set{at("/n"), ""}).code, code::ok);
  EXPECT_EQ(p.ask(request::get{at("/n")}).data, "");
}

/// So a list tells whether what was read of the node before still stands: a semaphore's limit.
TEST_P(requests, a_list_says_when_the_nodes_own_data_were_last_written) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"), create_mode::persistent, "1")).code, code::ok);
  const auto written = [&] { return p.ask(request::list{at("/n")}).stat.mzxid; };
  const std::int64_t first = p.ask(request::get{at("/n")}).stat.mzxid;
  EXPECT_EQ(written(), first);
  ASSERT_EQ(p.ask(create(at("/n/child"))).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/n/child")}).code, code::ok);
  EXPECT_EQ(written(), first) << "a child is no data";
  ASSERT_EQ(p.ask(request::set{at("/n"), "1"}).code, code::ok);
  EXPECT_GT(written(), first) << "also where they are the same as before";
  EXPECT_EQ(written(), p.ask(request::get{at("/n")}).stat.mzxid);
}

TEST_P(requests, a_container_is_made_like_any_node_and_has_no_owner) {
  peer p(ensemble());
  const client::reply made = p.ask(create(at("/c"), create_mode::container));
  EXPECT_EQ(made.code, code::ok);
  EXPECT_EQ(made.stat.ephemeral_owner, 0);
  EXPECT_EQ(p.ask(request::get{at("/c")}).stat.ephemeral_owner, 0);
  EXPECT_EQ(p.ask(create(at("/c/n-"), create_mode::ephemeral_sequential)).name, at("/c/n-0000000000"));
}

TEST_P(requests, a_multi_does_all_in_one_transaction) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"))).code, code::ok);
  const client::reply done = p.ask(request::multi{
      {create(at("/a")), create(at("/s-"), create_mode::ephemeral_sequential), create(at("/e"), create_mode::ephemeral),
       request::set{at("/n"), "new", 0}, request::check{at("/n"), 1}, request::remove{at("/a")}}});
  ASSERT_EQ(done.code, code::ok);
  ASSERT_EQ(done.parts.size(), 6U);
  for (const client::part_result& part : done.parts) EXPECT_EQ(part.code, code::ok);
  EXPECT_EQ(done.parts[0].name, at("/a"));
  EXPECT_EQ(done.parts[1].name, at("/s-0000000002"));
  EXPECT_EQ(done.parts[2].name, at("/e"));
  EXPECT_EQ(done.parts[3].stat.version, 1);
  const client::stat sequential = p.ask(request::exists{at("/s-0000000002")}).stat;
  const client::stat plain = p.ask(request::exists{at("/e")}).stat;
  EXPECT_EQ(sequential.czxid, plain.czxid) << "one transaction, one zxid";
  EXPECT_EQ(p.ask(request::get{at("/n")}).stat.mzxid, plain.czxid);
  EXPECT_EQ(sequential.ephemeral_owner, p.session().session_id);
  EXPECT_EQ(p.ask(request::exists{at("/a")}).code, code::no_node);
}

TEST_P(requests, a_check_of_any_version_guards_a_write_by_a_nodes_existence) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/n"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/lock"), create_mode::ephemeral)).code, code::ok);
  EXPECT_EQ(p.ask(request::multi{{request::check{at("/lock")}, request::set{at("/n"), "1"}}}).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/lock")}).code, code::ok);
  const client::reply refused = p.ask(request::multi{{request::check{at("/lock")}, request::set{at("/n"), "2"}}});
  EXPECT_EQ(refused.code, code::no_node);
  EXPECT_EQ(refused.parts.front().code, code::no_node);
  EXPECT_EQ(p.ask(request::get{at("/n")}).data, "1");
}

TEST_P(requests, an_access_list_for_the_creator_keeps_others_from_reading_but_not_from_removing) {
  peer owner(ensemble(), 0, {.timeout = peer::default_timeout, .auth_scheme = "digest", .auth_credentials = "bob:pw"});
  peer other(ensemble(), 1);
  ASSERT_EQ(owner.ask(request::create{at("/n"), "", create_mode::persistent, {{31, "auth", ""}}}).code, code::ok);
  EXPECT_EQ(other.ask(request::get{at("/n")}).code, code::no_auth);
  EXPECT_EQ(other.ask(request::remove{at("/n")}).code, code::ok) << "removal is a matter of the parent's list";
}

TEST_P(requests, an_access_list_is_shown_to_who_may_read_and_whole_to_who_may_administrate) {
  peer owner(ensemble(), 0, {.timeout = peer::default_timeout, .auth_scheme = "digest", .auth_credentials = "bob:pw"});
  peer other(ensemble(), 1);
  const auto made = [&](const char* path, client::acl access) {
    return owner.ask(request::create{at(path), "", create_mode::persistent, std::move(access)}).code;
  };
  ASSERT_EQ(made("/open", {{}}), code::ok);
  ASSERT_EQ(made("/bobs", {{31, "auth", ""}}), code::ok);
  ASSERT_EQ(made("/shown", {{31, "auth", ""}, {1, "world", "anyone"}}), code::ok);
  ASSERT_EQ(made("/administrated", {{16, "world", "anyone"}}), code::ok);

  const client::reply open = other.ask(request::get_acl{at("/open")});
  EXPECT_EQ(open.code, code::ok);
  EXPECT_EQ(open.acl, std::vector<client::acl_entry>{{}});
  EXPECT_EQ(open.stat.czxid, owner.ask(request::exists{at("/open")}).stat.czxid);

  const client::reply bobs = owner.ask(request::get_acl{at("/bobs")});
  ASSERT_EQ(bobs.acl.size(), 1U);
  EXPECT_EQ(bobs.acl[0].permissions, 31);
  EXPECT_EQ(bobs.acl[0].scheme, "digest");
  EXPECT_EQ(bobs.acl[0].id.substr(0, 4), "bob:");
  EXPECT_NE(bobs.acl[0].id, "bob:x");
  const client::reply refused = other.ask(request::get_acl{at("/bobs")});
  EXPECT_EQ(refused.code, code::no_auth);
  EXPECT_TRUE(refused.acl.empty());

  EXPECT_EQ(other.ask(request::get_acl{at("/shown")}).acl,
            (std::vector<client::acl_entry>{{31, "digest", "bob:x"}, {1, "world", "anyone"}}));
  EXPECT_EQ(owner.ask(request::get_acl{at("/shown")}).acl.front().id, bobs.acl[0].id);
  EXPECT_EQ(other.ask(request::get_acl{at("/administrated")}).code, code::ok);
  EXPECT_EQ(other.ask(request::get_acl{at("/none")}).code, code::no_node);
}

TEST_P(requests, clients_with_the_same_credentials_may_do_the_same) {
  const client::parameters bob{.timeout = peer::default_timeout, .auth_scheme = "digest", .auth_credentials = "bob:pw"};
  client::parameters eve = bob;
  eve.auth_credentials = "bob:guess";
  peer owner(ensemble(), 0, bob);
  peer friendly(ensemble(), 1, bob);
  peer hostile(ensemble(), 2, eve);
  ASSERT_EQ(owner.ask(request::create{at("/n"), "", create_mode::persistent, {{31, "auth", ""}}}).code, code::ok);
  EXPECT_EQ(friendly.ask(request::get{at("/n")}).code, code::ok);
  EXPECT_EQ(hostile.ask(request::get{at("/n")}).code, code::no_auth);
  EXPECT_EQ(owner.ask(request::remove{at("/n")}).code, code::ok);
}

TEST_P(requests, a_list_of_permissions_gives_each_what_it_says) {
  peer p(ensemble());
  constexpr std::int32_t read = 1;
  constexpr std::int32_t read_and_create = 1 | 4;
  ASSERT_EQ(p.ask(request::create{at("/r"), "", create_mode::persistent, {{read, "world", "anyone"}}}).code, code::ok);
  ASSERT_EQ(p.ask(request::create{at("/rc"), "", create_mode::persistent, {{read_and_create, "world", "anyone"}}}).code,
            code::ok);
  EXPECT_EQ(p.ask(create(at("/r/n"))).code, code::no_auth);
  EXPECT_EQ(p.ask(request::set{at("/r"), ""}).code, code::no_auth);
  EXPECT_EQ(p.ask(request::get{at("/r")}).code, code::ok);
  EXPECT_EQ(p.ask(create(at("/rc/n"), create_mode::ephemeral)).code, code::ok);
  EXPECT_EQ(p.ask(request::remove{at("/rc/n")}).code, code::no_auth);
}

}  // namespace
}  // namespace zklock::contract
