// The recipes in Curator's layout through their public classes: what is the same as in the native one, and what
// cannot be.
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr lock_options in_curators{.layout = layout::curator};

class curator_recipes : public on_a_fake {
 protected:
  session watchful_{zookeeper_.clients(2),
                    {.timeout = 2s}};  ///< its heartbeat comes soon, and the look at its own nodes
  contract_violations violations_;
};

// ---- one mutex for all, whatever the layout

TEST_F(curator_recipes, mutexes_of_both_layouts_exclude_each_other_on_one_path) {
  recursive_mutex ours(one_, "/lock");
  recursive_mutex theirs(two_, "/lock", in_curators);
  {
    const grant held = ours.acquire();
    EXPECT_FALSE(theirs.try_acquire());
  }
  grant held = theirs.acquire();
  EXPECT_FALSE(ours.try_acquire());
  auto next = in_a_thread([&] { return ours.acquire(); });
  ASSERT_TRUE(queue_is(2));
  const fencing_token before = held.token();
  held.release();
  EXPECT_GT(next.get().token(), before);
}

// ---- a semaphore mutex

TEST_F(curator_recipes, a_semaphore_mutex_is_a_semaphore_of_one_and_excludes_its_like) {
  semaphore_mutex mine(one_, "/lock", in_curators);
  semaphore_mutex others(two_, "/lock", in_curators);
  semaphore alike(two_, "/lock", 1, in_curators);
  grant held = mine.acquire();
  EXPECT_TRUE(queue_is(1)) << "its place at the mutex is given back behind the grant";
  EXPECT_EQ(queue(), (std::vector<std::string>{"leases/" + held.node().substr(held.node().rfind('/') + 1)}));
  EXPECT_FALSE(others.try_acquire());
  EXPECT_FALSE(alike.permits().try_acquire());
  EXPECT_FALSE(mine.try_acquire_for(briefly)) << "not its own either";
  EXPECT_TRUE(queue_is(1)) << "none of them has left a node";
  auto next = in_a_thread([&] { return others.acquire(); });
  ASSERT_TRUE(queue_is(3)) << "the mutex and a lease of the waiter";
  const fencing_token before = held.token();
  elsewhere([moved = std::move(held)]() mutable { moved.release(); });
  const grant got = next.get();
  EXPECT_GT(got.token(), before);
  EXPECT_TRUE(queue_is(1));
}

TEST_F(curator_recipes, f13_a_semaphore_mutex_whose_lease_is_taken_away_is_lost_and_given_back_quietly) {
  semaphore_mutex lock(watchful_, "/lock", in_curators);
  grant held = lock.acquire();
  std::atomic<int> told = 0;
  const std::stop_callback counting(held.lost(), [&] { ++told; });
  ASSERT_TRUE(zookeeper_.remove_node(held.node()));
  EXPECT_TRUE(eventually([&] { return told == 1 && !held.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed);
  EXPECT_TRUE(lock.acquire().held()) << "it stands in no contender's way";
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  lock.lock();
  EXPECT_TRUE(lock.held());
  lock.unlock();
  EXPECT_EQ(violations_.take(), 0);
}

// ---- a semaphore

TEST_F(curator_recipes, a_semaphore_without_a_limit_is_refused_and_its_limit_is_stored_nowhere) {
  semaphore none(one_, "/lock", in_curators);
  const thrown told = thrown_by([&] { return none.permits().acquire(); });
  EXPECT_EQ(told.ec, errc::no_permit_limit);
  EXPECT_EQ(told.path, "/lock");
  EXPECT_EQ(thrown_by([&] { return none.permit_limit(); }).ec, errc::no_permit_limit);
  semaphore pool(one_, "/lock", 3, in_curators);
  EXPECT_EQ(pool.permit_limit(), 3U);
  EXPECT_EQ(thrown_by([&] { pool.set_permit_limit(5); }).ec, errc::not_in_layout);
  EXPECT_EQ(pool.permit_limit(), 3U);
  const grant held = pool.permits(2).acquire();
  EXPECT_EQ(thrown_by([&] { return pool.permits(4).acquire(); }).ec, errc::permit_limit_exceeded);
}

/// The exception to f63: no node says the limit, as in Java.
TEST_F(curator_recipes, f63_a_client_with_another_limit_is_not_noticed) {
  semaphore few(one_, "/lock", 1, in_curators);
  semaphore many(two_, "/lock", 2, in_curators);
  const grant first = few.permits().acquire();
  ASSERT_TRUE(queue_is(1)) << "one try waits for no contender at the mutex";
  EXPECT_TRUE(many.permits().try_acquire().held());
}

TEST_F(curator_recipes, f58_n_permits_are_n_leases_all_or_none) {
  semaphore pool(one_, "/lock", 5, in_curators);
  semaphore others(two_, "/lock", 5, in_curators);
  grant three = pool.permits(3).acquire();
  EXPECT_TRUE(queue_is(3));
  EXPECT_FALSE(others.permits(3).try_acquire());
  EXPECT_TRUE(queue_is(3)) << "none of the leases that it could have had is left";
  EXPECT_TRUE(others.permits(2).try_acquire().held());
  std::error_code ec;
  three.release(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(queue_is(0));
}

TEST_F(curator_recipes, f58_two_clients_that_want_all_take_turns) {
  semaphore pool(one_, "/lock", 2, in_curators);
  semaphore others(two_, "/lock", 2, in_curators);
  constexpr int rounds = 10;
  std::atomic<int> inside = 0;
  const auto work = [&](semaphore& mine) {
    for (int round = 0; round < rounds; ++round) {
      const grant both = mine.permits(2).acquire();
      EXPECT_EQ(++inside, 1);
      --inside;
    }
  };
  auto other = in_a_thread([&] { work(others); });
  work(pool);
  other.get();
}

TEST_F(curator_recipes, f59_f60_whichever_holder_leaves_the_first_waiter_gets_in_and_others_stay_behind) {
  for (const bool first_leaves : {true, false}) {
    semaphore pool(one_, "/lock", 2, in_curators);
    semaphore others(two_, "/lock", 2, in_curators);
    std::vector<grant> held;
    held.push_back(pool.permits().acquire());
    held.push_back(pool.permits().acquire());
    auto waits = in_a_thread([&] { return others.permits().acquire(); });
    ASSERT_TRUE(queue_is(4));
    auto behind = in_a_thread([&] { return pool.permits().try_acquire_for(briefly); });
    EXPECT_FALSE(behind.get());
    held[first_leaves ? 0 : 1].release();
    EXPECT_TRUE(waits.get().held());
  }
}

TEST_F(curator_recipes, f62_a_grant_gives_back_its_own_leases_and_no_others) {
  semaphore pool(one_, "/lock", 4, in_curators);
  grant first = pool.permits(1).acquire();
  const grant second = pool.permits(2).acquire();
  elsewhere([moved = std::move(first)]() mutable { moved.release(); });
  ASSERT_TRUE(queue_is(2));
  EXPECT_TRUE(second.held());
  for (const std::string& node : queue()) {
    EXPECT_NE(second.node().find(node), std::string::npos);
  }
}

TEST_F(curator_recipes, unlock_gives_back_what_lock_of_as_many_permits_has_taken) {
  semaphore pool(one_, "/lock", 5, in_curators);
  lock_view two = pool.permits(2);
  two.lock();
  EXPECT_TRUE(queue_is(2));
  pool.permits(1).unlock();
  EXPECT_EQ(violations_.take(), 1) << "nothing of one permit is locked";
  elsewhere([&] { two.unlock(); });
  EXPECT_TRUE(queue_is(0));
  EXPECT_EQ(violations_.take(), 0);
}

TEST_F(curator_recipes, the_permits_of_a_session_that_ends_come_back) {
  semaphore pool(one_, "/lock", 2, in_curators);
  semaphore others(two_, "/lock", 2, in_curators);
  const grant lost = others.permits(2).acquire();
  auto waits = in_a_thread([&] { return pool.permits(2).acquire(); });
  ASSERT_TRUE(queue_is(5));
  zookeeper_.expire_sessions(1);
  EXPECT_TRUE(waits.get().held());
  EXPECT_TRUE(eventually([&] { return !lost.held(); }));
}

TEST_F(curator_recipes, f29_a_waiter_that_stops_leaves_no_node) {
  semaphore pool(one_, "/lock", 2, in_curators);
  semaphore others(two_, "/lock", 2, in_curators);
  const grant held = pool.permits(2).acquire();
  std::stop_source stop;
  std::error_code ec;
  auto waits = in_a_thread([&] { return others.permits(2).acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(5));
  stop.request_stop();
  EXPECT_FALSE(waits.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(queue_is(2));
}

TEST_F(curator_recipes, f96_a_guarded_write_needs_every_lease) {
  ASSERT_TRUE(zookeeper_.create_node("/config"));
  semaphore pool(one_, "/lock", 3, in_curators);
  for (const std::size_t which : {0U, 1U}) {
    const grant two = pool.permits(2).acquire();
    ASSERT_TRUE(queue_is(2));
    EXPECT_NO_THROW(one_.transaction().guarded_by(two).set("/config", "x").commit());
    ASSERT_TRUE(zookeeper_.remove_node("/lock/" + queue().at(which)));
    std::error_code ec;
    one_.transaction().guarded_by(two).set("/config", "y").commit(ec);
    EXPECT_EQ(ec, errc::lost);
    EXPECT_TRUE(eventually([&] { return !two.held(); })) << "and its holder is told";
  }
}

TEST_F(curator_recipes, f96_a_guarded_write_goes_on_behind_a_downgrade_and_a_set_on_the_node_is_no_loss) {
  ASSERT_TRUE(zookeeper_.create_node("/config"));
  shared_mutex lock(one_, "/lock", in_curators);
  grant held = lock.acquire();
  const auto write = [&] {
    std::error_code ec;
    one_.transaction().guarded_by(held).set("/config", "x").commit(ec);
    return ec;
  };
  two_.transaction().set(held.node(), "__REVOKE__").commit();
  EXPECT_FALSE(write());
  held.downgrade();
  EXPECT_FALSE(write()) << "sent behind it";
  two_.transaction().set(held.node(), "__REVOKE__").commit();
  EXPECT_FALSE(write());
  EXPECT_TRUE(held.held());
  ASSERT_TRUE(zookeeper_.remove_node(held.node()));
  EXPECT_EQ(write(), errc::lost);
}

// ---- wrong neighbours

TEST_F(curator_recipes, a_semaphore_beside_native_contenders_is_wrong_and_leaves_nothing_and_the_reverse) {
  semaphore native(one_, "/lock", 2);
  semaphore curators(two_, "/lock", 2, in_curators);
  {
    const grant held = native.permits().acquire();
    EXPECT_EQ(thrown_by([&] { return curators.permits().acquire(); }).ec, errc::wrong_recipe);
    EXPECT_EQ(zookeeper_.children("/lock").size(), 1U) << "not even a lock node in the way of the next contenders";
    EXPECT_TRUE(native.permits().try_acquire().held());
  }
  ASSERT_TRUE(queue_is(0));
  const grant held = curators.permits().acquire();
  EXPECT_EQ(thrown_by([&] { return native.permits().acquire(); }).ec, errc::wrong_recipe);
  EXPECT_EQ(thrown_by([&] { return recursive_mutex(one_, "/lock").acquire(); }).ec, errc::wrong_recipe);
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(queue_is(1));
}

// ---- a multi-lock

TEST_F(curator_recipes, a_multi_lock_holds_all_its_parts_with_a_token_each_and_gives_them_back_together) {
  recursive_mutex a(one_, "/a", in_curators);
  shared_mutex b(one_, "/b", in_curators);
  semaphore c(one_, "/c", 3, in_curators);
  recursive_mutex other_a(two_, "/a", in_curators);
  semaphore other_c(two_, "/c", 3, in_curators);
  multi_lock all{a, b.read(), c.permits(2)};
  grant held = mine(all).acquire();
  EXPECT_EQ(held.path(), "/a\n/b\n/c");
  EXPECT_TRUE(a.held() && b.held() && all.held());
  EXPECT_EQ(a.token(), held.token());
  EXPECT_GT(b.token(), a.token());
  EXPECT_TRUE(queue_is(2, "/c"));
  EXPECT_FALSE(other_a.try_acquire());
  EXPECT_FALSE(other_c.permits(2).try_acquire());
  EXPECT_EQ(thrown_by([&] { return mine(all).try_acquire(); }).ec, errc::would_deadlock);
  std::error_code ec;
  held.release(ec);
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(queue("/a").empty() && queue("/b").empty() && queue("/c").empty());
}

TEST_F(curator_recipes, f109_multi_locks_of_one_order_never_deadlock) {
  constexpr int rounds = 10;
  int unprotected = 0;
  const auto work = [&](session& in) {
    recursive_mutex a(in, "/a", in_curators);
    semaphore_mutex b(in, "/b", in_curators);
    shared_mutex c(in, "/c", in_curators);
    multi_lock all{a, b, c.write()};
    for (int round = 0; round < rounds; ++round) {
      const std::scoped_lock guard(all);
      ++unprotected;
    }
  };
  auto other = in_a_thread([&] { work(two_); });
  work(one_);
  other.get();
  EXPECT_EQ(unprotected, 2 * rounds);
}

TEST_F(curator_recipes, f67_a_multi_lock_is_lost_with_one_lease_of_a_part_and_names_the_part) {
  recursive_mutex a(watchful_, "/a", in_curators);
  semaphore c(watchful_, "/c", 3, in_curators);
  multi_lock all{a, c.permits(2)};
  grant held = all.acquire();
  std::atomic<int> told = 0;
  const std::stop_callback counting(held.lost(), [&] { ++told; });
  ASSERT_TRUE(queue_is(2, "/c"));
  ASSERT_TRUE(zookeeper_.remove_node("/c/" + queue("/c").back()));
  EXPECT_TRUE(eventually([&] { return told == 1 && !held.held(); }));
  EXPECT_EQ(held.lost_part(), "/c");
  EXPECT_TRUE(eventually([&] { return queue("/a").empty() && queue("/c").empty(); })) << "the rest is given back";
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
}

TEST_F(curator_recipes, f64_f66_a_multi_lock_that_is_not_in_time_gives_the_earlier_parts_back) {
  recursive_mutex a(one_, "/a", in_curators);
  shared_mutex b(one_, "/b", in_curators);
  shared_mutex other_b(two_, "/b", in_curators);
  const grant in_the_way = other_b.acquire();
  multi_lock both{a, b.write()};
  std::error_code ec;
  EXPECT_FALSE(both.try_acquire(ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(both.try_acquire_for(briefly, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([&] { return queue("/a").empty() && queue("/b").size() == 1; }));
}

}  // namespace
}  // namespace zklock::test
