#include <algorithm>

#include "tests/contract/contract_test.hpp"

namespace zklock::contract {
namespace {

using watch_kind = client::connection::watch_kind;

/// p watches, other acts. sync_both(): what other has done has been told to p by the time it returns.
class watches : public contract_test {
 protected:
  void SetUp() override {
    contract_test::SetUp();
    p = std::make_unique<peer>(ensemble(), 0);
    other = std::make_unique<peer>(ensemble(), 1);
    ASSERT_TRUE(p->wait_connected());
    ASSERT_TRUE(other->wait_connected());
  }
  void TearDown() override {
    p.reset();
    other.reset();
    contract_test::TearDown();
  }
  void act(client::any_request what) {
    ASSERT_EQ(other->ask(std::move(what)).code, code::ok);
    ASSERT_EQ(p->ask(request::sync{at("")}).code, code::ok);
  }
  /// The events told so far.
  lines events() const {
    lines out;
    for (const std::string& line : p->told()) {
      if (line.starts_with("event ")) out.push_back(line);
    }
    return out;
  }

  std::unique_ptr<peer> p;
  std::unique_ptr<peer> other;
};
ZKLOCK_ON_BOTH_SIDES(watches);

TEST_P(watches, are_told_once) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  act(request::set{at("/n"), "1"});
  act(request::set{at("/n"), "2"});
  act(request::remove{at("/n")});
  EXPECT_EQ(events(), lines{"event 1 changed"});
}

TEST_P(watches, a_failed_get_or_list_leaves_none) {
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::no_node);
  ASSERT_EQ(p->ask(request::list{at("/n"), 2}).code, code::no_node);
  act(create(at("/n")));
  act(create(at("/n/child")));
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{});
}

TEST_P(watches, an_exists_on_a_missing_node_waits_for_its_creation) {
  ASSERT_EQ(p->ask(request::exists{at("/n"), 1}).code, code::no_node);
  act(create(at("/n")));
  EXPECT_EQ(events(), lines{"event 1 created"});
}

TEST_P(watches, an_exists_on_a_node_tells_of_its_changes) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::exists{at("/n"), 1}).code, code::ok);
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{"event 1 changed"});
}

TEST_P(watches, data_exists_and_child_watches_are_all_told_of_a_deletion) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  ASSERT_EQ(p->ask(request::exists{at("/n"), 2}).code, code::ok);
  ASSERT_EQ(p->ask(request::list{at("/n"), 3}).code, code::ok);
  act(request::remove{at("/n")});
  lines told = events();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (lines{"event 1 deleted", "event 2 deleted", "event 3 deleted"}));
}

TEST_P(watches, each_of_several_on_a_node_is_told) {
  act(create(at("/n")));
  for (client::watch_id id = 1; id <= 3; ++id) ASSERT_EQ(p->ask(request::get{at("/n"), id}).code, code::ok);
  act(request::set{at("/n"), "1"});
  lines told = events();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (lines{"event 1 changed", "event 2 changed", "event 3 changed"}));
}

TEST_P(watches, f79_the_same_watch_registered_again_is_told_once) {
  act(create(at("/n")));
  for (int i = 0; i < 3; ++i) ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{"event 1 changed"});
}

TEST_P(watches, on_children_tell_of_creations_and_removals_but_not_of_data) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::list{at("/n"), 1}).code, code::ok);
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{});
  act(create(at("/n/child")));
  EXPECT_EQ(events(), lines{"event 1 children changed"});
  ASSERT_EQ(p->ask(request::list{at("/n"), 2}).code, code::ok);
  act(request::set{at("/n/child"), "1"});
  act(request::remove{at("/n/child")});
  EXPECT_EQ(events(), (lines{"event 1 children changed", "event 2 children changed"}));
}

TEST_P(watches, on_data_are_not_told_of_children) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  act(create(at("/n/child")));
  EXPECT_EQ(events(), lines{});
}

TEST_P(watches, tell_of_what_the_same_client_does_before_its_own_reply) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  const std::size_t before = p->told_count();
  const auto removed = p->send(request::remove{at("/n")});
  ASSERT_EQ(p->answer(removed).code, code::ok);
  EXPECT_EQ(p->told(before), (lines{"event 1 deleted", "reply " + std::to_string(removed) + " ZOK"}));
}

TEST_P(watches, tell_of_the_first_part_of_a_multi_that_touches_their_node) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  act(request::multi{{request::set{at("/n"), "last words"}, request::remove{at("/n")}}});
  EXPECT_EQ(events(), lines{"event 1 changed"});
  EXPECT_EQ(p->ask(request::exists{at("/n")}).code, code::no_node);
}

TEST_P(watches, are_not_told_of_a_multi_that_fails) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  ASSERT_EQ(other->ask(request::multi{{request::set{at("/n"), "1"}, request::remove{at("/none")}}}).code,
            code::no_node);
  ASSERT_EQ(p->ask(request::sync{at("")}).code, code::ok);
  EXPECT_EQ(events(), lines{});
}

TEST_P(watches, f79_get_no_session_events_and_are_set_again_after_a_reconnect) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  ASSERT_EQ(p->ask(request::list{at("/n"), 2}).code, code::ok);
  ASSERT_EQ(p->ask(request::exists{at("/later"), 3}).code, code::no_node);
  const std::size_t before = p->told_count();
  ensemble().cut(0);
  ASSERT_TRUE(p->wait_connected(before));
  ASSERT_EQ(p->ask(request::sync{at("")}).code, code::ok);
  EXPECT_EQ(events(), lines{});
  act(request::set{at("/n"), "1"});
  act(create(at("/n/child")));
  act(create(at("/later")));
  EXPECT_EQ(events(), (lines{"event 1 changed", "event 2 children changed", "event 3 created"}));
}

TEST_P(watches, that_fired_are_not_set_again) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  act(request::set{at("/n"), "1"});
  const std::size_t before = p->told_count();
  ensemble().cut(0);
  ASSERT_TRUE(p->wait_connected(before));
  act(request::set{at("/n"), "2"});
  EXPECT_EQ(events(), lines{"event 1 changed"});
}

TEST_P(watches, of_a_node_replaced_during_an_outage_tell_of_a_change) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  drop_into_silence(*p, 0);
  ASSERT_EQ(other->ask(request::remove{at("/n")}).code, code::ok);
  ASSERT_EQ(other->ask(create(at("/n"))).code, code::ok);
  ensemble().restore(0);
  EXPECT_TRUE(p->wait_for("event 1 changed"));
}

TEST_P(watches, that_are_forgotten_are_not_told_and_leave_the_others_alone) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  ASSERT_EQ(p->ask(request::get{at("/n"), 2}).code, code::ok);
  ASSERT_EQ(p->ask(request::list{at("/n"), 3}).code, code::ok);
  ASSERT_EQ(p->ask(request::exists{at("/later"), 4}).code, code::no_node);
  p->forget(at("/n"), 1, watch_kind::data);
  p->forget(at("/n"), 3, watch_kind::children);
  p->forget(at("/later"), 4, watch_kind::exists);
  act(create(at("/n/child")));
  act(create(at("/later")));
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{"event 2 changed"});
}

TEST_P(watches, f80_that_are_forgotten_before_the_answer_comes_are_not_told) {
  act(create(at("/n")));
  const auto asked = p->send(request::get{at("/n"), 1});
  p->forget(at("/n"), 1, watch_kind::data);
  ASSERT_EQ(p->answer(asked).code, code::ok);
  ASSERT_EQ(p->ask(request::sync{at("")}).code, code::ok);
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{});
}

TEST_P(watches, that_are_forgotten_are_not_set_again) {
  act(create(at("/n")));
  ASSERT_EQ(p->ask(request::get{at("/n"), 1}).code, code::ok);
  p->forget(at("/n"), 1, watch_kind::data);
  const std::size_t before = p->told_count();
  ensemble().cut(0);
  ASSERT_TRUE(p->wait_connected(before));
  act(request::set{at("/n"), "1"});
  EXPECT_EQ(events(), lines{});
}

}  // namespace
}  // namespace zklock::contract
