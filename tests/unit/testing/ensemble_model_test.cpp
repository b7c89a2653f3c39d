#include "src/testing/ensemble_model.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/unit/testing/model_diary.hpp"

namespace zklock::testing {
namespace {

namespace request = client::request;
using client::create_mode;

TEST(ensemble_model, does_nothing_by_itself) {
  ensemble e;
  program p(e);
  p.ask(1, request::create{"/a", "", create_mode::persistent, {client::acl_entry{}}});
  EXPECT_TRUE(p.told.lines.empty());
  ASSERT_EQ(e.steps().size(), 1U);
  EXPECT_EQ(e.describe(e.steps().front()), "c0 -> s0: connect");
  e.perform(e.steps().front());
  EXPECT_TRUE(p.told.lines.empty());
  e.perform(e.steps().front());
  EXPECT_EQ(p.told.take(), lines{"connected"});
  EXPECT_EQ(e.describe(e.steps().front()), "c0 -> s0: create /a");
  e.perform(e.steps().front());
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_TRUE(e.exists("/a"));
  e.perform(e.steps().front());
  EXPECT_EQ(p.told.take(), lines{"reply 1 ZOK"});
  EXPECT_TRUE(e.steps().empty());
}

TEST(ensemble_model, equal_schedules_give_equal_worlds) {
  const auto run = [] {
    ensemble e({.servers = 3});
    program a(e, 0, 0);
    program b(e, 1, 1);
    for (client::request_id i = 1; i < 5; ++i) {
      a.ask(i, request::create{"/a-", "", create_mode::ephemeral_sequential, {client::acl_entry{}}});
      b.ask(i, request::list{"/", i});
    }
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < 60 && !e.steps().empty(); ++i) {
      const std::vector<step> next = e.steps();
      const step& chosen = next[i * 7 % next.size()];
      seen.push_back(hash_value(chosen));
      e.perform(chosen);
    }
    return std::pair(seen, a.told.lines.size() + b.told.lines.size());
  };
  EXPECT_EQ(run(), run());
}

TEST(ensemble_model, steps_are_distinct_and_hash_by_value) {
  ensemble e({.servers = 3});
  program a(e, 0, 0);
  program b(e, 1, 1);
  ASSERT_TRUE(e.settle());
  a.ask(1, request::sync{"/"});
  b.ask(1, request::list{"/"});
  const std::vector<step> next = e.steps();
  EXPECT_EQ(std::unordered_set<step>(next.begin(), next.end()).size(), next.size());
}

TEST(ensemble_model, steps_that_are_said_to_commute_do) {
  // two requests of different clients, performed in both orders; then all else in one order
  const auto told_after = [](std::size_t first, const std::vector<client::any_request>& asked, bool& commuting) {
    ensemble e;
    EXPECT_TRUE(e.administrator().create_node("/x"));
    EXPECT_TRUE(e.administrator().create_node("/x/y"));
    EXPECT_TRUE(e.administrator().create_node("/z"));
    program a(e, 0);
    program b(e, 1);
    EXPECT_TRUE(e.settle());
    a.ask(1, client::any_request(asked[0]));
    b.ask(1, client::any_request(asked[1]));
    const std::vector<step> next = e.steps();
    EXPECT_EQ(next.size(), 2U);
    commuting = commute(next[0], next[1]);
    e.perform(next[first]);
    e.perform(next[1 - first]);
    EXPECT_TRUE(e.settle());
    lines out = a.told.lines;
    out.insert(out.end(), b.told.lines.begin(), b.told.lines.end());
    for (const client::reply& r : {a.told.last, b.told.last}) {
      out.push_back(r.name + std::to_string(r.stat.czxid) + "," + std::to_string(r.stat.mzxid));
      for (const std::string& child : r.children) out.push_back(child);
    }
    return out;
  };
  const std::vector<client::any_request> some = {
      request::create{"/x/n", "", create_mode::persistent, {client::acl_entry{}}},
      request::create{"/x/s-", "", create_mode::ephemeral_sequential, {client::acl_entry{}}},
      request::remove{"/x/y"},
      request::set{"/z", "new"},
      request::list{"/x", 7},
      request::get{"/x/y", 8},
      request::exists{"/z", 9},
      request::get_acl{"/z"},
      request::list{"/"},
      request::sync{"/"},
      request::multi{{request::check{"/x"}, request::set{"/z", "m"}}}};
  int commuting_pairs = 0;
  for (const client::any_request& one : some) {
    for (const client::any_request& other : some) {
      bool commuting = false;
      const lines ab = told_after(0, {one, other}, commuting);
      const lines ba = told_after(1, {one, other}, commuting);
      if (commuting) {
        ++commuting_pairs;
        EXPECT_EQ(ab, ba);
      }
    }
  }
  EXPECT_GT(commuting_pairs, 40);
}

TEST(ensemble_model, connections_outlive_it_and_tell_nothing) {
  auto e = std::make_unique<ensemble>();
  program p(*e);
  ASSERT_TRUE(e->settle());
  p.told.take();
  const auto factory = e->clients(1);
  e.reset();
  p.ask(1, request::sync{"/"});
  p.connection->close();
  diary late;
  const auto nowhere = factory->open({}, late);
  nowhere->submit(1, request::sync{"/"});
  EXPECT_TRUE(p.told.lines.empty());
  EXPECT_TRUE(late.lines.empty());
}

TEST(ensemble_model, counts_watches_messages_and_requests_by_client) {
  ensemble e;
  program p(e, 3);
  ASSERT_TRUE(e.settle());
  p.ask(1, request::list{"/", 5});
  p.ask(2, request::get{"/none", 6});
  EXPECT_EQ(e.view().queued(3), 2U);
  ASSERT_TRUE(e.settle());
  EXPECT_EQ(e.view().queued(3), 0U);
  EXPECT_EQ(e.view().watches(3).in_client, 1U);
  EXPECT_EQ(e.view().watches(3).on_servers, 1U);
  EXPECT_EQ(e.view().requests(3).total(), 2U);
  EXPECT_EQ(e.view().requests(0).total(), 0U);
  p.connection->forget("/", 5, client::connection::watch_kind::children);
  EXPECT_EQ(e.view().watches(3).in_client, 0U);
  EXPECT_EQ(e.view().watches(3).on_servers, 1U) << "the server keeps its side until it fires";
  ASSERT_TRUE(e.administrator().create_node("/fires"));
  EXPECT_EQ(e.view().watches(3).on_servers, 0U);
}

TEST(ensemble_model, a_container_that_never_had_a_child_is_not_reaped) {
  ensemble e;
  ASSERT_TRUE(e.administrator().create_node("/fresh", "", true));
  ASSERT_TRUE(e.administrator().create_node("/used", "", true));
  ASSERT_TRUE(e.administrator().create_node("/used/child"));
  EXPECT_EQ(e.administrator().reap_containers(), 0);
  ASSERT_TRUE(e.administrator().remove_node("/used/child"));
  EXPECT_EQ(e.administrator().reap_containers(), 1);
  EXPECT_TRUE(e.exists("/fresh"));
  EXPECT_FALSE(e.exists("/used"));
}

}  // namespace
}  // namespace zklock::testing
