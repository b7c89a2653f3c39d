#include <algorithm>
#include <string>

#include "tests/contract/contract_test.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::contract {
namespace {

using test_support::eventually;

class parents : public contract_test {};
ZKLOCK_ON_BOTH_SIDES(parents);

class own_parents : public own_server_test {};
ZKLOCK_ON_BOTH_SIDES(own_parents);

std::string number_in(const std::string& name) { return name.substr(name.rfind('-') + 1); }

std::string number_of_next(peer& p, const std::string& parent) {
  return number_in(p.ask(create(parent + "/n-", create_mode::ephemeral_sequential)).name);
}

TEST_P(parents, number_their_children_with_ten_digits_from_zero) {
  peer p(ensemble());
  EXPECT_EQ(number_of_next(p, at("")), "0000000000");
  EXPECT_EQ(number_of_next(p, at("")), "0000000001");
  EXPECT_EQ(p.ask(create(at("/"), create_mode::persistent_sequential)).name, at("/0000000002")) << "no prefix at all";
}

TEST_P(parents, count_every_successful_create_and_nothing_else) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/plain"))).code, code::ok);
  EXPECT_EQ(number_of_next(p, at("")), "0000000001") << "a plain create counts";
  ASSERT_EQ(p.ask(request::remove{at("/plain")}).code, code::ok);
  EXPECT_EQ(number_of_next(p, at("")), "0000000002") << "a removal does not";
  ASSERT_EQ(p.ask(create(at("/n-0000000002"))).code, code::node_exists);
  ASSERT_EQ(p.ask(create(at("/none/n"))).code, code::no_node);
  EXPECT_EQ(number_of_next(p, at("")), "0000000003") << "a failed create does not";
  ASSERT_EQ(
      p.ask(request::multi{{create(at("/m-"), create_mode::persistent_sequential), request::remove{at("/none")}}}).code,
      code::no_node);
  EXPECT_EQ(number_of_next(p, at("")), "0000000004") << "a multi that was rolled back does not";
  ASSERT_EQ(p.ask(request::set{at(""), "data"}).code, code::ok);
  EXPECT_EQ(number_of_next(p, at("")), "0000000005") << "data does not";
}

TEST_P(parents, tell_the_next_number_in_their_stat) {
  peer p(ensemble());
  for (int i = 0; i < 4; ++i) number_of_next(p, at(""));
  ASSERT_EQ(p.ask(request::remove{at("/n-0000000001")}).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/n-0000000002")}).code, code::ok);
  const client::stat stat = p.ask(request::exists{at("")}).stat;
  EXPECT_EQ(stat.child_count, 2);
  EXPECT_EQ((stat.cversion + stat.child_count) / 2, 4);
}

TEST_P(parents, made_anew_count_from_zero_while_zxids_go_on) {
  peer p(ensemble());
  ASSERT_EQ(p.ask(create(at("/l"))).code, code::ok);
  const client::reply first = p.ask(create(at("/l/n-"), create_mode::ephemeral_sequential));
  ASSERT_EQ(p.ask(request::remove{first.name}).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/l")}).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/l"))).code, code::ok);
  const client::reply second = p.ask(create(at("/l/n-"), create_mode::ephemeral_sequential));
  EXPECT_EQ(second.name, first.name);
  EXPECT_GT(second.stat.czxid, first.stat.czxid);
}

TEST_P(parents, that_are_removed_refuse_a_create_until_they_are_made_again) {
  peer p(ensemble());
  peer other(ensemble(), 1);
  ASSERT_EQ(p.ask(create(at("/c"), create_mode::container)).code, code::ok);
  ASSERT_EQ(other.ask(request::remove{at("/c")}).code, code::ok);
  EXPECT_EQ(p.ask(create(at("/c/n-"), create_mode::ephemeral_sequential)).code, code::no_node);
  ASSERT_EQ(p.ask(create(at("/c"), create_mode::container)).code, code::ok);
  EXPECT_EQ(p.ask(create(at("/c/n-"), create_mode::ephemeral_sequential)).code, code::ok);
}

TEST_P(own_parents, the_counter_sticks_at_its_end) {
  const std::string parent = root_;
  ensemble().set_sequence_counter(parent, 2147483645);
  peer p(ensemble());
  EXPECT_EQ(number_of_next(p, parent), "2147483645");
  EXPECT_EQ(number_of_next(p, parent), "2147483646");
  EXPECT_EQ(number_of_next(p, parent), "2147483647");
  EXPECT_EQ(p.ask(create(at("/n-"), create_mode::ephemeral_sequential)).code, code::node_exists) << "the same prefix";
  EXPECT_EQ(p.ask(create(at("/one-"), create_mode::ephemeral_sequential)).name, at("/one-2147483647"));
  EXPECT_EQ(p.ask(create(at("/two-"), create_mode::ephemeral_sequential)).name, at("/two-2147483647"))
      << "another prefix: the same number, and no error";
}

TEST_P(own_parents, empty_containers_that_had_a_child_are_deleted_and_others_stay) {
  peer p(ensemble());
  for (const char* name : {"/fresh", "/used", "/busy"}) {
    ASSERT_EQ(p.ask(create(at(name), create_mode::container)).code, code::ok);
  }
  ASSERT_EQ(p.ask(create(at("/plain"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/plain/n"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/busy/n"))).code, code::ok);
  ASSERT_EQ(p.ask(create(at("/used/n"), create_mode::ephemeral)).code, code::ok);
  const client::watch_id watch = p.new_watch();
  ASSERT_EQ(p.ask(request::exists{at("/used"), watch}).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/used/n")}).code, code::ok);
  ASSERT_EQ(p.ask(request::remove{at("/plain/n")}).code, code::ok);
  ensemble().reap_containers();
  ASSERT_TRUE(p.wait_for("event " + std::to_string(watch) + " deleted"));
  EXPECT_EQ(p.ask(create(at("/used/n-"), create_mode::ephemeral_sequential)).code, code::no_node);
  for (const char* name : {"/fresh", "/busy", "/plain"}) {
    EXPECT_EQ(p.ask(request::exists{at(name)}).code, code::ok) << name;
  }
}

}  // namespace
}  // namespace zklock::contract
