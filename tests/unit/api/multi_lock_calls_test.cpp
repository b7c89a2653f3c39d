// multi_lock: what its header says of parts, ownership, errors and time.
#include <zklock/multi_lock.hpp>

#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class multi_lock_calls : public on_a_fake {
 protected:
  [[nodiscard]] std::size_t nodes() const { return queue("/a").size() + queue("/b").size() + queue("/c").size(); }

  recursive_mutex a_{one_, "/a"};
  shared_mutex b_{one_, "/b"};
  semaphore c_{one_, "/c", 3};
  recursive_mutex other_a_{two_, "/a"};
  shared_mutex other_b_{two_, "/b"};
  semaphore other_c_{two_, "/c", 3};
  contract_violations violations_;
};

// ---- parts

TEST_F(multi_lock_calls, no_parts_one_path_twice_and_two_sides_of_one_are_refused_and_named) {
  EXPECT_EQ(thrown_by([] { return multi_lock(std::vector<lock_view>{}).paths(); }).ec, errc::invalid_parts);
  expect_thrown(errc::invalid_parts, "/a", [this] { return multi_lock{b_.write(), a_, a_}.paths(); });
  expect_thrown(errc::invalid_parts, "/b", [this] { return multi_lock{b_.read(), b_.write()}.paths(); });
  recursive_mutex again(one_, "/a");
  EXPECT_EQ(thrown_by([&] {
              return multi_lock{a_, again}.paths();
            }).ec,
            errc::invalid_parts)
      << "another object, the same lock";
  EXPECT_EQ(thrown_by([this] { return multi_lock{c_.permits(1), c_.permits(2)}.paths(); }).ec, errc::invalid_parts);
}

TEST_F(multi_lock_calls, a_lock_that_a_semaphore_of_curators_waits_for_is_no_part_beside_it) {
  const lock_options curators{.layout = layout::curator};
  semaphore pool(one_, "/pool", 3, curators);
  recursive_mutex beside_the_leases(one_, "/pool/locks", curators);
  expect_thrown(errc::invalid_parts, "/pool/locks", [&] {
    return multi_lock{pool.permits(1), beside_the_leases}.paths();
  });
  recursive_mutex elsewhere(one_, "/pool/other", curators);
  EXPECT_EQ((multi_lock{pool.permits(1), elsewhere}.paths().size()), 2U);
}

TEST_F(multi_lock_calls, parts_of_two_sessions_are_refused_and_named) {
  expect_thrown(errc::wrong_session, "/b", [this] { return multi_lock{a_, other_b_.read()}.paths(); });
}

TEST_F(multi_lock_calls, all_parts_are_held_and_given_back_together) {
  multi_lock all{a_, b_.read(), c_.permits(2)};
  EXPECT_EQ(all.paths(), (std::vector<std::string>{"/a", "/b", "/c"}));
  grant held = mine(all).acquire();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(held.path(), "/a\n/b\n/c");
  EXPECT_EQ(nodes(), 3U);
  EXPECT_TRUE(a_.held() && b_.held() && all.held());
  EXPECT_EQ(a_.token(), held.token());
  EXPECT_EQ(b_.token(), held.token());
  EXPECT_EQ(all.token(), held.token());
  EXPECT_FALSE(other_a_.try_acquire());
  EXPECT_TRUE(other_b_.read().try_acquire());
  EXPECT_TRUE(other_c_.permits(1).try_acquire());
  EXPECT_FALSE(other_c_.permits(2).try_acquire());
  expect_released(held);
  EXPECT_EQ(nodes(), 0U);
  EXPECT_FALSE(a_.held() || b_.held() || all.held());
}

TEST_F(multi_lock_calls, one_part_is_enough) {
  multi_lock alone{a_};
  const grant held = mine(alone).acquire();
  EXPECT_TRUE(a_.held());
}

// ---- what the thread has already

TEST_F(multi_lock_calls, a_part_that_the_thread_holds_would_deadlock_and_is_named) {
  multi_lock all{a_, b_.write(), c_.permits()};
  const grant reading = mine(b_.read()).acquire();
  expect_thrown(errc::would_deadlock, "/b", [&] { return mine(all).acquire(); });
  EXPECT_EQ(nodes(), 1U);
  EXPECT_TRUE(elsewhere([&] {
    std::error_code ec;
    return !mine(all).try_acquire(ec) && !ec;
  })) << "another thread waits";
}

TEST_F(multi_lock_calls, permits_that_the_thread_holds_are_in_nobodys_way) {
  multi_lock all{a_, c_.permits(2)};
  const grant one = c_.permits(1).acquire();
  EXPECT_TRUE(mine(all).try_acquire().held());
}

TEST_F(multi_lock_calls, it_is_not_reentrant_when_a_part_of_it_is) {
  multi_lock all{a_, b_.write()};
  const grant held = mine(all).acquire();
  std::error_code ec;
  EXPECT_FALSE(mine(all).acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  multi_lock overlapping{b_.read(), c_.permits()};
  EXPECT_FALSE(mine(overlapping).acquire(ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_TRUE(held.held());
}

TEST_F(multi_lock_calls, of_parts_that_have_no_owner_waits_for_itself_and_is_not_in_time) {
  semaphore_mutex plain(one_, "/lock");
  multi_lock all{plain, c_.permits(2)};
  const grant held = all.acquire();
  std::error_code ec;
  EXPECT_FALSE(all.try_acquire_for(briefly, ec));
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(multi_lock_calls, a_part_is_reentered_and_given_back_before_it) {
  multi_lock all{a_, b_.write()};
  grant held = mine(all).acquire();
  {
    const std::scoped_lock again(a_);
    const grant reading = mine(b_.read()).acquire();
    EXPECT_EQ(a_.token(), held.token());
    EXPECT_EQ(nodes(), 2U) << "no request";
  }
  EXPECT_TRUE(held.held() && a_.held());
  held.release();
  EXPECT_EQ(nodes(), 0U);
}

TEST_F(multi_lock_calls, a_part_that_was_reentered_stays_when_it_is_given_back) {
  multi_lock all{a_, b_.write(), c_.permits()};
  grant held = mine(all).acquire();
  const fencing_token token = held.token();
  grant again = mine(a_).acquire();
  grant reading = mine(b_.read()).acquire();
  expect_released(held);
  EXPECT_TRUE(again.held() && a_.held() && reading.held() && b_.held());
  EXPECT_FALSE(all.held());
  EXPECT_EQ(a_.token(), token);
  EXPECT_TRUE(queue_is(0, "/c"));
  EXPECT_FALSE(other_a_.try_acquire());
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(other_b_.read().try_acquire()); })) << "a downgrade";
  EXPECT_FALSE(other_b_.try_acquire());
  EXPECT_EQ(thrown_by([&] { return mine(all).try_acquire(); }).ec, errc::would_deadlock);
  expect_released(again);
  expect_released(reading);
  EXPECT_EQ(nodes(), 0U);
  EXPECT_TRUE(mine(all).try_acquire().held());
}

TEST_F(multi_lock_calls, a_part_that_stayed_is_lost_alone) {
  zklock::session watchful(zookeeper_.clients(2), {.timeout = 2s});
  recursive_mutex a(watchful, "/a");
  recursive_mutex b(watchful, "/b");
  multi_lock both{a, b};
  grant held = mine(both).acquire();
  const grant first = mine(a).acquire();
  const grant second = mine(b).acquire();
  held.release();
  ASSERT_TRUE(zookeeper_.remove_node(first.node()));
  EXPECT_TRUE(eventually([&] { return !first.held(); }));
  EXPECT_EQ(first.loss_reason(), loss_reason::node_removed);
  EXPECT_TRUE(second.held());
  EXPECT_FALSE(held);
}

TEST_F(multi_lock_calls, unlock_of_a_part_gives_back_no_count_of_the_whole) {
  multi_lock all{a_, b_.write()};
  all.lock();
  a_.unlock();
  EXPECT_EQ(violations_.take(), 1);
  b_.unlock();
  EXPECT_EQ(violations_.take(), 1);
  EXPECT_TRUE(all.held());
  elsewhere([&] { all.unlock(); });
  EXPECT_EQ(violations_.take(), 1) << "it is the thread's";
  all.unlock();
  EXPECT_EQ(violations_.take(), 0);
  all.unlock();
  EXPECT_EQ(violations_.take(), 1);
}

TEST_F(multi_lock_calls, asks_of_what_the_thread_does_not_hold_are_refused) {
  multi_lock all{a_, b_.write()};
  EXPECT_EQ(thrown_by([&] { return mine(all).token(); }).ec, errc::not_owner);
  EXPECT_EQ(thrown_by([&] { return mine(all).lost(); }).ec, errc::not_owner);
  const grant held = mine(all).acquire();
  EXPECT_FALSE(elsewhere([&] { return mine(all).held(); }));
}

// ---- objects that go

TEST_F(multi_lock_calls, a_part_whose_object_goes_ends_the_wait_and_is_named) {
  std::optional<recursive_mutex> going;
  going.emplace(one_, "/lock");
  multi_lock all{a_, *going};
  const grant other = other_a_.acquire();
  thrown told;
  auto waits = in_a_thread([&] { told = thrown_by([&] { return mine(all).acquire(); }); });
  ASSERT_TRUE(queue_is(1, "/lock"));
  going.reset();
  waits.get();
  EXPECT_EQ(told.ec, errc::abandoned);
  EXPECT_TRUE(queue_is(0, "/lock"));
  expect_thrown(errc::abandoned, "/lock", [&] { return mine(all).acquire(); });
}

TEST_F(multi_lock_calls, a_hold_outlives_its_parts_objects_and_its_own) {
  std::optional<recursive_mutex> part;
  part.emplace(one_, "/lock");
  std::optional<multi_lock> all;
  all.emplace(std::vector<lock_view>{*part, b_.write()});
  grant held = mine(*all).acquire();
  part.reset();
  EXPECT_TRUE(held.held());
  all.reset();
  EXPECT_TRUE(held.held());
  EXPECT_EQ(queue().size(), 1U);
  expect_released(held);
  EXPECT_TRUE(queue().empty());
}

TEST_F(multi_lock_calls, what_was_locked_goes_with_the_multi_lock) {
  {
    multi_lock all{a_, b_.write()};
    all.lock();
    EXPECT_EQ(nodes(), 2U);
  }
  EXPECT_TRUE(eventually([&] { return nodes() == 0; }));
  EXPECT_FALSE(a_.held());
}

// ---- errors and time

TEST_F(multi_lock_calls, f66_the_part_that_fails_is_named_and_nothing_of_the_others_is_left) {
  semaphore none(one_, "/none");
  multi_lock all{a_, none.permits(), b_.write()};
  expect_thrown(errc::no_permit_limit, "/none", [&] { return mine(all).acquire(); });
  EXPECT_TRUE(eventually([&] { return nodes() == 0; }));
}

TEST_F(multi_lock_calls, f66_the_part_on_another_recipes_path_is_named) {
  semaphore pool(two_, "/lock", 1);
  const grant permit = pool.permits().acquire();
  recursive_mutex wrong(one_, "/lock");
  multi_lock all{a_, b_.write(), wrong};
  expect_thrown(errc::wrong_recipe, "/lock", [&] { return mine(all).acquire(); });
  EXPECT_TRUE(eventually([&] { return nodes() == 0 && queue().size() == 1; }));
}

TEST_F(multi_lock_calls, too_many_permits_in_a_part_are_refused_at_once_and_named) {
  multi_lock all{a_, c_.permits(4)};
  expect_thrown(errc::permit_limit_exceeded, "/c", [&] { return mine(all).acquire(); });
}

TEST_F(multi_lock_calls, f63_parts_whose_limit_differs_are_refused_and_named) {
  { const grant stored = other_c_.permits().acquire(); }
  semaphore wrong(one_, "/c", 5);
  multi_lock all{a_, wrong.permits(1)};
  const thrown told = thrown_by([&] { return mine(all).acquire(); });
  EXPECT_EQ(told.ec, errc::permit_limit_mismatch);
  EXPECT_EQ(told.path, "/c");
  EXPECT_NE(told.text.find('5'), std::string::npos) << told.text;
  EXPECT_NE(told.text.find('3'), std::string::npos) << told.text;
}

TEST_F(multi_lock_calls, f64_one_limit_covers_all_parts) {
  const grant first = other_a_.acquire();
  const grant second = other_b_.acquire();
  multi_lock all{a_, b_.read(), c_.permits(3)};
  std::error_code ec;
  EXPECT_FALSE(mine(all).try_acquire(ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(mine(all).try_acquire_for(briefly, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_TRUE(eventually([&] { return nodes() == 2; }));
  EXPECT_TRUE(other_c_.permits(3).try_acquire().held()) << "nothing of it is left";
}

TEST_F(multi_lock_calls, f64_a_part_that_becomes_free_does_not_prolong_the_limit) {
  grant first = other_a_.acquire();
  const grant second = other_b_.acquire();
  multi_lock both{a_, b_.write()};
  const auto limit = boot_clock::now() + 300ms;
  auto waits = in_a_thread([&] {
    std::error_code ec;
    const bool got = static_cast<bool>(mine(both).try_acquire_until(limit, ec));
    return std::pair(got || ec, boot_clock::now());
  });
  ASSERT_TRUE(queue_is(2, "/a") && queue_is(2, "/b"));
  first.release();
  const auto [got, ended] = waits.get();
  EXPECT_FALSE(got);
  EXPECT_GE(ended, limit);
  EXPECT_TRUE(queue_is(0, "/a")) << "the part that was to be had, too";
}

TEST_F(multi_lock_calls, a_stop_request_ends_the_wait_and_leaves_nothing) {
  const grant other = other_b_.acquire();
  multi_lock all{a_, b_.write(), c_.permits(3)};
  std::stop_source stop;
  std::error_code ec;
  auto waits = in_a_thread([&] { return mine(all).acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(2, "/b"));
  stop.request_stop();
  EXPECT_FALSE(waits.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(eventually([&] { return nodes() == 1; }));
}

TEST_F(multi_lock_calls, f65_opposite_orders_of_parts_do_not_deadlock) {
  constexpr int rounds = 20;
  int unprotected = 0;
  const auto work = [&](multi_lock lock) {
    for (int round = 0; round < rounds; ++round) {
      const std::scoped_lock guard(lock);
      ++unprotected;
    }
  };
  auto other = in_a_thread([&] { work(multi_lock{other_c_.permits(2), other_b_.write(), other_a_}); });
  work(multi_lock{a_, b_.write(), c_.permits(2)});
  other.get();
  EXPECT_EQ(unprotected, 2 * rounds);
}

}  // namespace
}  // namespace zklock::test
