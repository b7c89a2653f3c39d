// layout::curator: what the foreign layout cannot carry, and how that shows. docs/guide/coming-from-curator.md names these tests.
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

const lock_options as_curator{.layout = layout::curator};

class curator_layout : public on_a_fake {
 protected:
  curator_layout() { paths_.insert(paths_.end(), {"/lock/leases", "/lock/locks"}); }
  /// The lock nodes of a semaphore stay until the servers reap them: they are no contenders.
  void TearDown() override {
    EXPECT_TRUE(eventually([&] {
      static_cast<void>(zookeeper_.reap_containers());
      return zookeeper_.children("/lock").empty();
    })) << ::testing::PrintToString(zookeeper_.children("/lock"));
    on_a_fake::TearDown();
  }

  [[nodiscard]] static std::string name_of(const grant& held) {
    const std::string node = held.node();
    return node.substr(node.rfind('/') + 1);
  }
};

// ---- a semaphore's limit stands nowhere

TEST_F(curator_layout, a_semaphores_limit_is_nowhere_so_peers_that_disagree_are_not_told) {
  semaphore one(one_, "/lock", 1, as_curator);
  semaphore two(two_, "/lock", 2, as_curator);
  const grant first = one.permits().acquire();
  ASSERT_TRUE(queue_is(0, "/lock/locks")) << "the mutex that it has passed";
  EXPECT_TRUE(two.permits().try_acquire().held()) << "by its own limit there is room";
  EXPECT_FALSE(one.permits().try_acquire());
  EXPECT_EQ(one.permit_limit(), 1U);
  EXPECT_EQ(two.permit_limit(), 2U);
}

TEST_F(curator_layout, a_semaphore_that_was_made_without_a_limit_is_refused_before_anything_is_sent) {
  ASSERT_TRUE(one_.wait_connected_for(patience));
  semaphore pool(one_, "/lock", as_curator);
  EXPECT_EQ(requests_of([&] {
              EXPECT_EQ(thrown_by([&] { return pool.permits().try_acquire(); }).ec, errc::no_permit_limit);
              EXPECT_EQ(thrown_by([&] { return pool.permit_limit(); }).ec, errc::no_permit_limit);
            }),
            0U);
}

TEST_F(curator_layout, a_semaphores_limit_cannot_be_set_for_all) {
  semaphore pool(one_, "/lock", 3, as_curator);
  std::error_code ec;
  pool.set_permit_limit(5, ec);
  EXPECT_EQ(ec, errc::not_in_layout);
  EXPECT_EQ(ec, std::errc::operation_not_supported);
  EXPECT_EQ(pool.permit_limit(), 3U);
}

// ---- what stands on the server

TEST_F(curator_layout, n_permits_are_n_nodes_and_all_of_them_guard_a_write) {
  semaphore pool(one_, "/lock", 3, as_curator);
  const grant held = pool.permits(3).acquire();
  std::vector<std::string> leases = queue("/lock/leases");
  ASSERT_EQ(leases.size(), 3U);
  EXPECT_TRUE(eventually([&] { return queue("/lock/locks").empty(); })) << "the mutex beside them has passed";
  ASSERT_TRUE(zookeeper_.remove_node("/lock/leases/" + leases.back()));
  std::error_code ec;
  one_.transaction().guarded_by(held).create("/lock/late").commit(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(zookeeper_.exists("/lock/late"));
}

TEST_F(curator_layout, a_node_says_the_label_or_the_address_and_a_listing_no_more_than_that) {
  recursive_mutex lock(one_, "/lock", {.label = "nightly import", .layout = layout::curator});
  const grant held = lock.acquire();
  EXPECT_TRUE(name_of(held).starts_with("_c_")) << name_of(held);
  const std::vector<participant> found = lock.queue();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().label, "nightly import");
  EXPECT_EQ(found.front().host, "");
  EXPECT_EQ(found.front().pid, std::nullopt);
  EXPECT_EQ(found.front().since, std::nullopt);
}

// ---- cost and order

TEST_F(curator_layout, a_hand_over_among_sides_costs_a_list_and_among_mutexes_none) {
  ASSERT_TRUE(two_.wait_connected_for(patience));
  const auto requests_after_release = [&](lock_view first, lock_view second, std::size_t watches) {
    grant held = first.acquire();
    auto waiting = in_a_thread([&] { return second.acquire(); });
    EXPECT_TRUE(queue_is(2));
    EXPECT_TRUE(eventually([&] { return zookeeper_.watch_count(1) == watches; }));
    EXPECT_TRUE(eventually([&] { return zookeeper_.quiet(); }));
    const std::uint64_t before = zookeeper_.request_count(1);
    held.release();
    const grant got = waiting.get();
    return zookeeper_.request_count(1) - before;
  };
  shared_mutex one(one_, "/lock", as_curator);
  shared_mutex two(two_, "/lock", as_curator);
  EXPECT_EQ(requests_after_release(one.write(), two.write(), 1), 1U) << "the list";
  EXPECT_TRUE(queue_is(0));
  recursive_mutex mine(one_, "/lock", as_curator);
  recursive_mutex other(two_, "/lock", as_curator);
  EXPECT_EQ(requests_after_release(mine, other, 2), 0U) << "the own node is watched at once (F104)";
}

TEST_F(curator_layout, a_semaphores_turn_is_that_of_the_mutex_beside_its_leases) {
  semaphore one(one_, "/lock", 2, as_curator);
  semaphore two(two_, "/lock", 2, as_curator);
  grant first = one.permits().acquire();
  auto both = in_a_thread([&] { return two.permits(2).acquire(); });
  ASSERT_TRUE(queue_is(3, "/lock/leases")) << "it has the mutex, and has asked for its leases";
  EXPECT_FALSE(one.permits().try_acquire()) << "a permit is free, but another contender waits for it";
  first.release();
  EXPECT_TRUE(both.get().held());
}

TEST_F(curator_layout, f58_ours_asks_for_all_leases_at_once_so_two_of_ours_do_not_wait_for_each_other) {
  semaphore one(one_, "/lock", 2, as_curator);
  semaphore two(two_, "/lock", 2, as_curator);
  const auto both_often = [](semaphore& pool) {
    for (int round = 0; round < 20; ++round) {
      std::error_code ec;
      EXPECT_TRUE(pool.permits(2).try_acquire_for(patience, ec)) << ec.message();
    }
  };
  auto other = in_a_thread([&] { both_often(two); });
  both_often(one);
  other.get();
}

TEST_F(curator_layout, f58_one_lease_at_a_time_and_all_at_once_can_deadlock_until_one_client_gives_up) {
  semaphore one(one_, "/lock", 2, as_curator);  // as Java's acquire(2): one, and then one more
  semaphore two(two_, "/lock", 2, as_curator);
  const grant held = one.permits().acquire();
  std::stop_source stop;
  std::error_code ec;
  auto all = in_a_thread([&] { return two.permits(2).acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(3, "/lock/leases"));
  auto more = in_a_thread([&] { return one.permits().acquire(); });
  ASSERT_TRUE(queue_is(2, "/lock/locks"));
  EXPECT_EQ(all.wait_for(briefly), std::future_status::timeout);
  EXPECT_EQ(more.wait_for(briefly), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(all.get());
  EXPECT_TRUE(more.get().held());
}

// ---- a multi-lock

TEST_F(curator_layout, f109_a_multi_lock_takes_its_parts_one_by_one_in_the_order_of_its_list) {
  recursive_mutex a(one_, "/a", as_curator), b(one_, "/b"), c(one_, "/c");
  recursive_mutex other(two_, "/b");
  grant in_its_way = other.acquire();
  multi_lock all{a, b, c};
  auto waiting = in_a_thread([&] { return all.acquire(); });
  ASSERT_TRUE(queue_is(2, "/b"));
  EXPECT_EQ(queue("/a").size(), 1U) << "held already";
  EXPECT_EQ(queue("/c").size(), 0U) << "not asked for yet: one part in Curator's layout, and all are taken in turn";
  in_its_way.release();
  EXPECT_TRUE(waiting.get().held());
}

TEST_F(curator_layout, f65_multi_locks_with_opposite_lists_can_wait_for_each_other_until_one_gives_up) {
  recursive_mutex a1(one_, "/a", as_curator), b1(one_, "/b", as_curator);
  recursive_mutex a2(two_, "/a", as_curator), b2(two_, "/b", as_curator);
  multi_lock forth{a1, b1}, back{b2, a2};
  grant before_both = recursive_mutex(two_, "/a", as_curator).acquire();
  auto first = in_a_thread([&] { return forth.acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  std::stop_source stop;
  std::error_code ec;
  auto second = in_a_thread([&] { return back.acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(3, "/a"));
  before_both.release();
  ASSERT_TRUE(queue_is(2, "/b")) << "each has its first part, and waits for the other's";
  EXPECT_EQ(first.wait_for(briefly), std::future_status::timeout);
  EXPECT_EQ(second.wait_for(briefly), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(second.get());
  EXPECT_TRUE(first.get().held());
}

// The reason for it: Java's takes one after the other.
TEST_F(curator_layout, f109_an_all_at_once_multi_lock_and_a_one_by_one_client_can_wait_in_a_circle) {
  recursive_mutex a(one_, "/a"), b(one_, "/b");
  recursive_mutex other_a(two_, "/a"), other_b(two_, "/b");
  multi_lock at_once{a, b};
  const grant first = other_a.acquire();
  std::stop_source stop;
  std::error_code ec;
  auto all = in_a_thread([&] { return at_once.acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(2, "/a"));
  auto second = in_a_thread([&] { return other_b.acquire(); });
  ASSERT_TRUE(queue_is(2, "/b"));
  EXPECT_EQ(all.wait_for(briefly), std::future_status::timeout);
  EXPECT_EQ(second.wait_for(briefly), std::future_status::timeout);
  stop.request_stop();
  EXPECT_FALSE(all.get());
  EXPECT_TRUE(second.get().held());
}

TEST_F(curator_layout, a_multi_locks_token_is_that_of_its_first_part_and_each_lock_tells_its_own) {
  recursive_mutex a(one_, "/a", as_curator), b(one_, "/b", as_curator);
  multi_lock both{a, b};
  const grant held = mine(both).acquire();
  EXPECT_EQ(held.token(), a.token());
  EXPECT_LT(a.token(), b.token()) << "no common one: they were made one after the other";
}

// ---- guarded writes, downgrade

TEST_F(curator_layout, a_guarded_write_asks_whether_the_node_is_there_whatever_was_set_in_it) {
  shared_mutex sides(one_, "/lock", as_curator);
  grant held = sides.write().acquire();
  one_.transaction().set(held.node(), "__REVOKE__").commit();
  EXPECT_TRUE(held.held());
  one_.transaction().guarded_by(held).create("/a").remove("/a").commit();
}

TEST_F(curator_layout, f52_a_downgraded_writer_has_another_node_at_the_same_place_and_the_same_token) {
  shared_mutex sides(one_, "/lock", as_curator);
  grant held = sides.write().acquire();
  const std::string writer = name_of(held);
  const fencing_token token = held.token();
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return queue().size() == 1 && queue().front() != writer; }));
  const std::string reader = queue().front();
  EXPECT_EQ(reader, name_of(held));
  EXPECT_NE(reader.find("__READ__"), std::string::npos) << reader;
  EXPECT_EQ(reader.substr(reader.size() - 10), writer.substr(writer.size() - 10));
  EXPECT_EQ(held.token(), token);
  one_.transaction().guarded_by(held).create("/a").remove("/a").commit();
}

// As Java does before 5.5.0. Ours cannot tell such a reader from any other that came later.
TEST_F(curator_layout, f52_a_writer_that_queues_as_a_new_reader_and_goes_lets_in_the_waiter_between) {
  shared_mutex writes(one_, "/lock", as_curator), reads(one_, "/lock", as_curator);
  shared_mutex other(two_, "/lock", as_curator);
  grant writing = writes.write().acquire();
  auto between = in_a_thread([&] { return other.write().acquire(); });
  ASSERT_TRUE(queue_is(2));
  auto later = in_a_thread([&] { return reads.read().acquire(); });  // in Java it is granted: its thread writes
  ASSERT_TRUE(queue_is(3));
  writing.release();
  EXPECT_TRUE(between.get().held());
  EXPECT_TRUE(later.get().held());
}

// ---- wrong neighbours

TEST_F(curator_layout, the_sides_of_one_layout_refuse_to_stand_behind_those_of_the_other) {
  shared_mutex native(one_, "/lock");
  shared_mutex curator(two_, "/lock", as_curator);
  std::error_code ec;
  {
    const grant held = native.read().acquire();
    EXPECT_FALSE(curator.read().try_acquire(ec));
    EXPECT_EQ(ec, errc::wrong_recipe);
  }
  ASSERT_TRUE(queue_is(0));
  const grant held = curator.read().acquire();
  EXPECT_FALSE(native.read().try_acquire(ec));
  EXPECT_EQ(ec, errc::wrong_recipe);
}

TEST_F(curator_layout, a_mutex_and_a_semaphore_of_curators_on_one_path_refuse_each_other) {
  recursive_mutex mutex(one_, "/lock");
  semaphore_mutex leases(two_, "/lock", as_curator);
  std::error_code ec;
  {
    const grant held = mutex.acquire();
    EXPECT_FALSE(leases.try_acquire(ec));
    EXPECT_EQ(ec, errc::wrong_recipe);
  }
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(zookeeper_.reap_containers());
    return zookeeper_.children("/lock").empty();
  }));
  const grant held = leases.acquire();
  EXPECT_FALSE(mutex.try_acquire(ec));
  EXPECT_EQ(ec, errc::wrong_recipe);
}

TEST_F(curator_layout, mutexes_of_both_layouts_exclude_each_other) {
  recursive_mutex native(one_, "/lock");
  recursive_mutex curator(two_, "/lock", as_curator);
  {
    const grant held = native.acquire();
    EXPECT_FALSE(curator.try_acquire());
  }
  const grant held = curator.acquire();
  EXPECT_FALSE(native.try_acquire());
}

}  // namespace
}  // namespace zklock::test
