// How many permits there are, on a real server: which client says so, which one is refused, and what a change does to
// the waiters.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;
using client::create_mode;
using test_support::error_from;

class a_limit : public on_a_server {
 protected:
  static constexpr lock_options patient{.label = {}, .acl = {}, .try_time_limit = patience};

  /// The first waiter has watched the lock node. It has forgotten that; the server does so when the node, which stays,
  /// is touched.
  void TearDown() override {
    const auto all_have_gone = [this] { return contenders().empty(); };  // grants were given back just now
    if (server_.look(full("/lock"))) {
      EXPECT_TRUE(eventually(all_have_gone));
      server_.remove(full("/lock"));
    }
    on_a_server::TearDown();
  }

  /// A lock node at /lock with this data.
  void put(const std::string& data) {
    if (server_.look(full("/lock"))) {
      ASSERT_EQ(server_.ask(request::set{full("/lock"), data, -1}).code, client::code::ok);
    } else {
      (void)server_.create(full("/lock"));
      ASSERT_EQ(server_.ask(request::set{full("/lock"), data, -1}).code, client::code::ok);
    }
  }
  [[nodiscard]] std::string data() { return server_.ask(request::get{full("/lock")}).data; }
  /// The grants that a thread of its own gets, one after the other, each of so many permits of a semaphore of its own.
  [[nodiscard]] std::future<grant> waiting_for(semaphore& pool, std::uint32_t permits) {
    const std::size_t before = contenders().size();
    auto waiting = in_a_thread([&pool, permits] {
      std::error_code ec;
      grant got = pool.permits(permits).try_acquire_for(patience, ec);
      EXPECT_FALSE(ec) << ec.message();
      return got;
    });
    EXPECT_TRUE(queue_grows_to(before + 1));
    return waiting;
  }
  [[nodiscard]] static std::error_code refusal_of(semaphore& pool, std::uint32_t permits = 1) {
    std::error_code ec;
    const grant none = pool.permits(permits).try_acquire_for(0s, ec);
    EXPECT_FALSE(none);
    return ec;
  }
};

TEST_F(a_limit, f63_of_a_latecomer_that_disagrees_is_refused_naming_both) {
  semaphore first(open(), "/lock", 8, patient);
  semaphore late(open(), "/lock", 5, patient);
  const grant held = first.permits(3).acquire();
  const auto [ec, text] = error_from([&] { static_cast<void>(late.permits(1).acquire()); });
  EXPECT_EQ(ec, errc::permit_limit_mismatch);
  EXPECT_NE(text.find("5 here, 8 on the server"), std::string::npos) << text;
  EXPECT_TRUE(queue_grows_to(1)) << "the refused one is removed behind the caller's back";
  EXPECT_EQ(data(), "limit=8\n");
}

TEST_F(a_limit, f63_that_is_raised_wakes_the_waiters_that_now_fit_and_no_others) {
  semaphore pool(open(), "/lock", 2, patient);
  semaphore other(open(), "/lock", patient);
  const grant held = pool.permits(2).acquire();
  auto two = waiting_for(other, 2);
  auto one = waiting_for(other, 1);
  auto last = waiting_for(other, 2);
  pool.set_permit_limit(5);
  const grant second = two.get();
  const grant third = one.get();
  EXPECT_TRUE(second && third);
  EXPECT_FALSE(ready(last, 200ms)) << "5 of 5 are held";
  EXPECT_EQ(contenders().size(), 4U);
  pool.set_permit_limit(7);
  EXPECT_TRUE(last.get());
}

TEST_F(a_limit, f63_f106_that_is_lowered_keeps_holders_and_admits_no_waiter_until_there_is_room) {
  semaphore pool(open(), "/lock", 3, patient);
  semaphore other(open(), "/lock", patient);
  grant a = pool.permits(1).acquire();
  grant b = pool.permits(1).acquire();
  grant c = pool.permits(1).acquire();
  pool.set_permit_limit(2);
  EXPECT_EQ(data(), "limit=2\nwas=3\n");
  EXPECT_TRUE(a.held() && b.held() && c.held());
  auto waiting = waiting_for(other, 1);
  a.release();
  EXPECT_FALSE(ready(waiting, 200ms)) << "2 of 2 are held";
  b.release();
  EXPECT_TRUE(waiting.get()) << "though its predecessor is still there";
  EXPECT_TRUE(c.held());
}

TEST_F(a_limit, that_is_lowered_below_what_a_waiter_wants_ends_its_wait_when_it_is_first) {
  semaphore pool(open(), "/lock", 4, patient);
  semaphore other(open(), "/lock", patient);
  grant held = pool.permits(2).acquire();
  auto waiting = in_a_thread([&] {
    std::error_code ec;
    const grant none = other.permits(3).try_acquire_for(patience, ec);
    return ec;
  });
  ASSERT_TRUE(queue_grows_to(2));
  pool.set_permit_limit(2);
  EXPECT_EQ(waiting.get(), errc::permit_limit_exceeded);
}

TEST_F(a_limit, that_is_set_is_what_everybody_sees_and_what_the_object_says_from_then_on) {
  semaphore pool(open(), "/lock", 8, patient);
  semaphore peer(open(), "/lock", 8, patient);
  semaphore guest(open(), "/lock", patient);
  { const grant stored = pool.permits(1).acquire(); }
  pool.set_permit_limit(3);
  for (semaphore* one : {&pool, &peer, &guest}) {
    EXPECT_EQ(one->permit_limit(), 3U);
  }
  EXPECT_TRUE(pool.permits(3).try_acquire());
  EXPECT_TRUE(guest.permits(3).try_acquire_for(patience)) << "once the removal has reached the servers";
  EXPECT_EQ(refusal_of(peer), errc::permit_limit_mismatch);
  EXPECT_EQ(refusal_of(pool, 4), errc::permit_limit_exceeded);
  peer.set_permit_limit(3);
  grant of_peer = peer.permits(3).try_acquire_for(patience);
  ASSERT_TRUE(of_peer);
  of_peer.release();  // waits for the removal, which one try below would not wait for
  guest.set_permit_limit(6);
  EXPECT_EQ(refusal_of(pool), errc::permit_limit_mismatch);
  pool.set_permit_limit(4);
  EXPECT_TRUE(guest.permits(4).try_acquire())
      << "an object that says no limit goes by what it finds, also after its set";
}

TEST_F(a_limit, that_is_set_makes_the_lock_node_that_is_not_there_and_makes_it_stay) {
  semaphore pool(open(), "/deep/in/lock", patient);
  std::error_code ec;
  EXPECT_EQ(pool.permit_limit(ec), 0U);
  EXPECT_EQ(ec, errc::no_permit_limit);
  EXPECT_FALSE(server_.look(root_)) << "a question makes nothing";
  pool.set_permit_limit(4);
  EXPECT_EQ(pool.permit_limit(), 4U);
  EXPECT_TRUE(pool.permits(4).try_acquire());
  EXPECT_EQ(server_.look(full("/deep/in/lock"))->ephemeral_owner, 0) << "no container";
}

TEST_F(a_limit, that_two_objects_set_at_once_is_one_of_theirs_and_none_is_lost) {
  semaphore one(open(), "/lock", 8, patient);
  semaphore other(open(), "/lock", 8, patient);
  constexpr std::uint32_t rounds = 100;
  const auto set_many = [](semaphore& pool, std::uint32_t first) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      pool.set_permit_limit(first + round);
    }
  };
  auto sets = in_a_thread([&] { set_many(other, 1'001); });
  set_many(one, 2'001);
  sets.get();
  const std::int64_t last = one.permit_limit();
  EXPECT_TRUE(last == 1'000 + rounds || last == 2'000 + rounds) << last;
  EXPECT_LE(server_.look(full("/lock"))->version, static_cast<std::int32_t>(2 * rounds));
  semaphore guest(open(), "/lock", patient);
  EXPECT_TRUE(guest.permits(last).try_acquire());
}

TEST_F(a_limit, that_two_threads_set_through_one_object_at_once_is_what_the_object_says) {
  semaphore pool(open(), "/lock", 8, patient);
  for (std::uint32_t round = 0; round < 30; ++round) {
    auto set = in_a_thread([&] { pool.set_permit_limit(100 + round); });
    pool.set_permit_limit(200 + round);
    set.get();
    std::error_code ec;
    EXPECT_TRUE(pool.permits(1).try_acquire(ec)) << ec.message() << ", " << data();
  }
}

TEST_F(a_limit, that_is_set_on_a_mutex_in_use_is_refused_and_nothing_is_changed) {
  recursive_mutex mutex(open(), "/lock");
  semaphore pool(open(), "/lock", 8, patient);
  const grant held = mutex.acquire();
  const auto [ec, text] = error_from([&] { pool.set_permit_limit(5); });
  EXPECT_EQ(ec, errc::wrong_recipe) << text;
  EXPECT_NE(text.find("set the permit limit of /lock"), std::string::npos) << text;
  EXPECT_EQ(data(), "");
  EXPECT_EQ(server_.look(full("/lock"))->version, 0);
  std::error_code none;
  EXPECT_EQ(pool.permit_limit(none), 0U);
  EXPECT_EQ(none, errc::no_permit_limit);
}

TEST_F(a_limit, f198_that_is_set_where_the_data_is_none_is_refused_and_nothing_is_changed) {
  for (const std::string garbage : {"garbage", "limit=0\n", "limit=1000001\n", "limit=-3\n", "8"}) {
    put(garbage);
    semaphore pool(open(), "/lock", 8, patient);
    std::error_code ec;
    pool.set_permit_limit(5, ec);
    EXPECT_EQ(ec, errc::not_a_permit_limit) << garbage;
    EXPECT_EQ(pool.permit_limit(ec), 0U);
    EXPECT_EQ(ec, errc::not_a_permit_limit);
    EXPECT_EQ(refusal_of(pool), errc::not_a_permit_limit);
    EXPECT_EQ(data(), garbage);
  }
}

TEST_F(a_limit, that_is_out_of_range_is_refused_before_anything_is_sent) {
  semaphore pool(open(), "/lock", 8, patient);
  for (const std::uint32_t limit : {0U, 1'000'001U, UINT32_MAX}) {
    std::error_code ec;
    pool.set_permit_limit(limit, ec);
    EXPECT_EQ(ec, errc::invalid_option);
    const auto [thrown, text] = error_from([&] { pool.set_permit_limit(limit); });
    EXPECT_EQ(thrown, errc::invalid_option);
    EXPECT_NE(text.find("limit = " + std::to_string(limit)), std::string::npos) << text;
  }
  EXPECT_FALSE(server_.look(root_));
  pool.set_permit_limit(1'000'000);
  EXPECT_EQ(pool.permit_limit(), 1'000'000U);
  EXPECT_TRUE(pool.permits(1'000'000).try_acquire());
}

/// Both find no limit; the second store has an old version, and its acquire reads what the first has stored.
TEST_F(a_limit, f63_that_two_store_at_once_on_first_use_is_one_of_theirs_the_other_is_refused) {
  for (int round = 0; round < 10; ++round) {
    const std::string path = "/pool" + std::to_string(round);
    semaphore one(open(), path, 8, patient);
    semaphore other(open(), path, 5, patient);
    std::error_code theirs;
    auto stores = in_a_thread([&] { return other.permits(1).try_acquire_for(patience, theirs); });
    std::error_code mine;
    const grant got = one.permits(1).try_acquire_for(patience, mine);
    const grant them = stores.get();
    ASSERT_NE(static_cast<bool>(got), static_cast<bool>(them));
    EXPECT_EQ(got ? theirs : mine, errc::permit_limit_mismatch);
    EXPECT_EQ(one.permit_limit(), got ? 8U : 5U);
  }
}

TEST_F(a_limit, f01_that_is_set_holds_though_the_connection_is_cut_at_each_step) {
  std::uint32_t limit = 10;
  for (const std::int32_t step : {opcode::sync, opcode::get, opcode::get_children2, opcode::set}) {
    for (const verdict cut : {verdict::cut_before, verdict::cut_after}) {
      proxy& way = new_proxy();
      semaphore pool(open_through(way), "/lock", 8, patient);
      std::atomic<int> cuts = 0;
      const hooks cutting(
          way, [&](const request_frame& asked) { return asked.opcode == step && cuts++ == 0 ? cut : verdict::pass; });
      put("limit=9\n");
      pool.set_permit_limit(++limit);
      EXPECT_GE(cuts, 1);
      EXPECT_EQ(data(), "limit=" + std::to_string(limit) + "\n");
      EXPECT_EQ(pool.permit_limit(), limit);
    }
  }
}

TEST_F(a_limit, that_is_set_where_a_node_above_cannot_be_made_is_refused_with_the_cause_in_time) {
  (void)server_.create(full("/closed"), create_mode::persistent, {{1, "world", "anyone"}});  // for reading alone
  (void)server_.create(full("/passing"), create_mode::ephemeral);
  session& one = open();
  for (const auto& [path, why] :
       {std::pair("/closed/pool", errc::permission_denied), std::pair("/closed/a/b/pool", errc::permission_denied),
        std::pair("/passing/pool", errc::lock_node_unusable),
        std::pair("/passing/a/b/pool", errc::lock_node_unusable)}) {
    semaphore pool(one, path, 8, patient);
    std::error_code ec;
    pool.set_permit_limit(5, ec);
    EXPECT_EQ(ec, why) << path << ": " << ec.message();
  }
  EXPECT_TRUE(server_.remove(full("/passing")));
}

TEST_F(a_limit, f27_that_no_server_is_there_for_is_not_set_within_its_time) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  ASSERT_TRUE(one.wait_connected_for(patience));
  way.set_mode(proxy_mode::hold);
  semaphore pool(one, "/lock", 8, {.label = {}, .acl = {}, .try_time_limit = 200ms});
  std::error_code ec;
  pool.set_permit_limit(5, ec);
  EXPECT_EQ(ec, errc::not_connected);
  EXPECT_EQ(pool.permit_limit(ec), 0U);
  EXPECT_EQ(ec, errc::not_connected);
  way.set_mode(proxy_mode::pass);
}

TEST_F(a_limit, f01_whose_answer_does_not_come_is_of_unknown_outcome_and_can_be_set_again) {
  put("limit=8\n");
  proxy& way = new_proxy();
  session& one = open_through(way);
  ASSERT_TRUE(one.wait_connected_for(patience));
  semaphore pool(one, "/lock", 8, {.label = {}, .acl = {}, .try_time_limit = 1s});
  {
    std::atomic<bool> sent = false;
    const hooks cutting(way, [&](const request_frame& asked) {
      if (asked.opcode == opcode::set) {
        sent = true;
        return verdict::cut_after;
      }
      return sent && asked.opcode == opcode::sync ? verdict::cut_before : verdict::pass;
    });
    std::error_code ec;
    pool.set_permit_limit(5, ec);
    EXPECT_EQ(ec, errc::outcome_unknown);
    EXPECT_TRUE(may_have_applied(ec));
  }
  semaphore again(one, "/lock", 8, patient);
  again.set_permit_limit(5);
  EXPECT_TRUE(data().starts_with("limit=5\n")) << data();
}

}  // namespace
}  // namespace zklock::test
