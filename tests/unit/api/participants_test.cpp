#include <zklock/participants.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

#include "tests/unit/api/on_a_fake.hpp"

/// participants() and locks_below(), as a program sees them.
namespace zklock::test {
namespace {

using namespace std::string_view_literals;
using names = std::vector<std::string>;

class a_listing : public on_a_fake {
 protected:
  static names paths_of(const std::vector<listed_lock>& locks) {
    names paths;
    for (const listed_lock& one : locks) {
      paths.push_back(one.path);
    }
    return paths;
  }
};

TEST_F(a_listing, f51_of_one_path_has_the_participants_there_of_whatever_recipe) {
  recursive_mutex lock(one_, "/lock");
  const grant held = lock.acquire();
  EXPECT_EQ(participants(two_, "/lock"), lock.queue());
  EXPECT_EQ(participants(two_, "/lock")[0].node, held.node());
  semaphore pool(one_, "/a", 3);
  const grant permits = pool.permits(2).acquire();
  const std::vector<participant> queue = participants(two_, "/a");
  ASSERT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue[0].kind, participant_kind::permits);
  EXPECT_EQ(queue[0].permits, 2U);
  EXPECT_TRUE(participants(two_, "/absent").empty());
  EXPECT_FALSE(zookeeper_.exists("/absent")) << "nothing is made";
}

TEST_F(a_listing, of_all_locks_below_a_path_is_sorted_by_path_with_each_ones_participants) {
  paths_ = {"/a/config", "/a/b/orders", "/a/pool", "/c/slots"};
  shared_mutex config(one_, "/a/config");
  recursive_mutex orders(one_, "/a/b/orders");
  semaphore pool(one_, "/a/pool", 3);
  semaphore slots(two_, "/c/slots", 2, {.label = {}, .acl = {}, .layout = layout::curator});
  const grant reading = config.read().acquire();
  const grant held = orders.acquire();
  const grant permit = pool.permits(1).acquire();
  const grant slot = slots.permits(1).acquire();

  const std::vector<listed_lock> all = locks_below(two_, "/");
  ASSERT_EQ(paths_of(all), (names{"/a/b/orders", "/a/config", "/a/pool", "/c/slots"}));
  EXPECT_EQ(all[0].participants, orders.queue());
  EXPECT_EQ(all[1].participants, config.queue());
  EXPECT_EQ(all[2].participants, pool.queue());
  EXPECT_EQ(all[2].permit_limit, 3U);
  EXPECT_EQ(all[3].participants, participants(one_, "/c/slots"));
  EXPECT_EQ(all[3].participants[0].layout, layout::curator);
  EXPECT_EQ(all[3].permit_limit, std::nullopt);
  for (const listed_lock& one : all) {
    EXPECT_FALSE(one.error);
  }
  EXPECT_EQ(paths_of(locks_below(one_, "/a")), (names{"/a/b/orders", "/a/config", "/a/pool"}));
  EXPECT_EQ(paths_of(locks_below(one_, "/a/b/orders")), names{"/a/b/orders"}) << "the path itself";
  EXPECT_EQ(paths_of(locks_below(one_, "/nowhere")), names{});
}

TEST_F(a_listing, leaves_out_a_lock_that_has_no_contender_any_more) {
  recursive_mutex orders(one_, "/a");
  { const grant held = orders.acquire(); }
  ASSERT_TRUE(queue_is(0, "/a"));
  EXPECT_TRUE(locks_below(two_, "/").empty());
}

TEST_F(a_listing, has_participants_whose_lock_node_is_the_root_itself) {
  ASSERT_TRUE(zookeeper_.create_node("/x-lock-0000000001"));
  const std::vector<listed_lock> all = locks_below(one_, "/");
  ASSERT_EQ(paths_of(all), names{"/"});
  EXPECT_EQ(all[0].participants[0].node, "/x-lock-0000000001");
  ASSERT_TRUE(zookeeper_.remove_node("/x-lock-0000000001"));
}

TEST_F(a_listing, says_which_nodes_are_hidden_and_has_all_others) {
  paths_ = {"/a/secret", "/b/open"};
  session owner(zookeeper_.clients(2), {.acl = acl_creator(), .auth = "owner:secret"});
  recursive_mutex secret(owner, "/a/secret");
  recursive_mutex open(one_, "/b/open");
  const grant hidden = secret.acquire();
  const grant shown = open.acquire();
  const std::vector<listed_lock> all = locks_below(two_, "/");
  ASSERT_EQ(paths_of(all), (names{"/a", "/b/open"}));
  EXPECT_EQ(all[0].error, errc::permission_denied);
  EXPECT_TRUE(all[0].participants.empty());
  EXPECT_FALSE(all[1].error);
  EXPECT_EQ(paths_of(locks_below(owner, "/")), (names{"/a/secret", "/b/open"}));
  EXPECT_EQ(thrown_by([&] { return participants(two_, "/a/secret"); }).ec, errc::permission_denied);
}

TEST_F(a_listing, refuses_bad_paths_and_time_limits_before_anything_is_sent) {
  for (const std::string_view path : {""sv, "lock"sv, "/lock/"sv, "//"sv, "/a//b"sv, "/a/../b"sv, "/a\0b"sv}) {
    const std::uint64_t sent = requests_of([&] {
      const thrown of_one = thrown_by([&] { return participants(one_, path); });
      EXPECT_EQ(of_one.ec, errc::invalid_path) << path;
      EXPECT_TRUE(of_one.text.starts_with("list the participants of \"")) << of_one.text;
      const thrown of_all = thrown_by([&] { return locks_below(one_, path); });
      EXPECT_EQ(of_all.ec, errc::invalid_path) << path;
      EXPECT_TRUE(of_all.text.starts_with("list the locks below \"")) << of_all.text;
      std::error_code ec;
      EXPECT_TRUE(locks_below(one_, path, ec).empty());
      EXPECT_EQ(ec, errc::invalid_path) << path;
      EXPECT_TRUE(participants(one_, path, ec).empty());
      EXPECT_EQ(ec, errc::invalid_path) << path;
    });
    EXPECT_EQ(sent, 0U) << path;
  }
  EXPECT_EQ(thrown_by([&] { return participants(one_, "/"); }).ec, errc::invalid_path) << "no lock can stand there";
  EXPECT_EQ(thrown_by([&] { return participants(one_, "/a", -1ms); }).ec, errc::invalid_option);
  EXPECT_EQ(thrown_by([&] { return locks_below(one_, "/a", -1ms); }).ec, errc::invalid_option);
}

TEST_F(a_listing, ends_at_its_time_limit_and_says_how_many_nodes_were_seen) {
  ASSERT_TRUE(one_.wait_connected_for(patience));
  zookeeper_.refuse(0);
  const thrown of_one = thrown_by([&] { return participants(one_, "/a", 50ms); });
  EXPECT_EQ(of_one.ec, errc::not_connected);
  EXPECT_EQ(of_one.text, "list the participants of /a: no server answered in time");
  const thrown of_all = thrown_by([&] { return locks_below(one_, "/a", 50ms); });
  EXPECT_EQ(of_all.ec, errc::not_connected);
  EXPECT_EQ(of_all.text, "list the locks below /a (after 0 nodes): no server answered in time");
  std::error_code ec;
  EXPECT_TRUE(locks_below(one_, "/a", 50ms, ec).empty());
  EXPECT_EQ(ec, errc::not_connected);
  zookeeper_.restore(0);
  EXPECT_TRUE(locks_below(one_, "/a", patience, ec).empty());
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(a_listing, survives_a_connection_that_is_lost_on_the_way) {
  recursive_mutex orders(two_, "/a");
  const grant held = orders.acquire();
  for (int round = 0; round < 10; ++round) {
    zookeeper_.lose_next_reply(0);
    EXPECT_EQ(paths_of(locks_below(one_, "/", patience)), names{"/a"});
  }
}

TEST_F(a_listing, ends_with_its_session) {
  ASSERT_TRUE(one_.wait_connected_for(patience));
  zookeeper_.hold_replies(0);
  const std::uint64_t before = zookeeper_.request_count();
  auto asked = in_a_thread([&] { return thrown_by([&] { return locks_below(one_, "/", patience); }).ec; });
  EXPECT_TRUE(eventually([&] { return zookeeper_.request_count() > before + 1; }));
  std::error_code ignored;
  one_.close(ignored);
  EXPECT_EQ(asked.get(), errc::session_closed);
  EXPECT_EQ(thrown_by([&] { return participants(one_, "/a"); }).ec, errc::session_closed);
  zookeeper_.restore(0);
}

}  // namespace
}  // namespace zklock::test
