// semaphore: the table of its header, and which contender gets how many.
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class semaphore_calls : public on_a_fake {
 protected:
  /// What comes of asking for a permit.
  [[nodiscard]] static std::error_code asking(lock_view permits) {
    std::error_code ec;
    static_cast<void>(permits.try_acquire(ec));
    return ec;
  }

  contract_violations violations_;
};

// ---- one permit

TEST_F(semaphore_calls, its_own_forms_of_acquiring_are_for_one_permit) {
  semaphore pool(one_, "/lock", 3);
  const grant first = pool.acquire();
  std::error_code ec;
  const grant second = pool.try_acquire(ec);
  EXPECT_FALSE(ec) << ec.message();
  const grant third = pool.try_acquire_for(30s);
  EXPECT_TRUE(first.held() && second.held() && third.held());
  EXPECT_FALSE(pool.try_acquire_until(std::chrono::steady_clock::now())) << "three are out";
  const auto participants = pool.queue();
  ASSERT_EQ(participants.size(), 3U);
  for (const participant& one : participants) {
    EXPECT_EQ(one.permits, 1);
  }
}

TEST_F(semaphore_calls, for_an_owner_are_for_one_permit) {
  semaphore pool(one_, "/lock", 1);
  const owner job;
  pool.as(job).lock();
  EXPECT_FALSE(pool.try_acquire());
  pool.as(job).unlock();
  EXPECT_TRUE(pool.try_acquire());
}

// ---- the permit limit

TEST_F(semaphore_calls, without_a_limit_anywhere_asking_is_refused_and_makes_no_lock_node) {
  semaphore pool(one_, "/lock");
  EXPECT_EQ(asking(pool.permits()), errc::no_permit_limit);
  EXPECT_FALSE(zookeeper_.exists("/lock"));
  ASSERT_TRUE(zookeeper_.create_node("/lock"));
  EXPECT_EQ(asking(pool.permits()), errc::no_permit_limit) << "an empty lock node says nothing";
}

TEST_F(semaphore_calls, the_first_limit_is_stored_and_others_go_by_it) {
  semaphore pool(one_, "/lock", 2);
  EXPECT_FALSE(zookeeper_.exists("/lock")) << "not before the first acquire";
  const grant held = pool.permits().acquire();
  semaphore found(two_, "/lock");
  semaphore same(two_, "/lock", 2);
  {
    const grant second = found.permits().acquire();
    EXPECT_TRUE(second.held());
    EXPECT_FALSE(same.permits().try_acquire()) << "two are out";
  }
  EXPECT_EQ(asking(found.permits(3)), errc::permit_limit_exceeded);
}

TEST_F(semaphore_calls, an_empty_lock_node_takes_the_limit) {
  ASSERT_TRUE(zookeeper_.create_node("/lock"));
  semaphore pool(one_, "/lock", 1);
  const grant held = pool.permits().acquire();
  semaphore found(two_, "/lock");
  EXPECT_FALSE(found.permits().try_acquire());
}

TEST_F(semaphore_calls, f63_peers_that_disagree_are_refused_and_both_numbers_are_named) {
  { const grant stored = semaphore(one_, "/lock", 5).permits().acquire(); }
  semaphore wrong(two_, "/lock", 8);
  const thrown told = thrown_by([&] { return wrong.permits().acquire(); });
  EXPECT_EQ(told.ec, errc::permit_limit_mismatch);
  EXPECT_EQ(told.path, "/lock");
  EXPECT_NE(told.text.find('5'), std::string::npos) << told.text;
  EXPECT_NE(told.text.find('8'), std::string::npos) << told.text;
  EXPECT_TRUE(queue_is(0));
}

TEST_F(semaphore_calls, f198_a_lock_node_with_other_data_stays_as_it_is_and_each_call_shows_the_data) {
  const std::string long_one(65, 'a');
  const std::pair<std::string, std::string> shown_as[] = {
      {"10.20.30.40", "\"10.20.30.40\""},    {"8", "\"8\""},
      {"limit=0\n", "\"limit=0\\x0a\""},     {"\xC3\xA4\x1B[2J", "\"\\xc3\\xa4\\x1b[2J\""},
      {std::string("\0x", 2), "\"\\x00x\""}, {long_one, "\"" + long_one.substr(1) + "...\""}};
  int number = 0;
  for (const auto& [data, shown] : shown_as) {
    const std::string path = "/lock-" + std::to_string(number++);
    ASSERT_TRUE(zookeeper_.create_node(path, data));
    semaphore found(one_, path);
    semaphore says(one_, path, 3);
    const auto expect_shown = [&, what = shown](const auto& call) {
      const auto told = thrown_by(call);
      EXPECT_EQ(told.ec, errc::not_a_permit_limit) << told.text;
      for (const std::string& part : {path, what, std::string("limit=N"), std::string("take another path")}) {
        EXPECT_NE(told.text.find(part), std::string::npos) << part << " in: " << told.text;
      }
    };
    expect_shown([&] { static_cast<void>(found.acquire()); });
    expect_shown([&] { static_cast<void>(says.permits(2).try_acquire()); });
    expect_shown([&] { static_cast<void>(found.permit_limit()); });
    expect_shown([&] { says.set_permit_limit(4); });
    expect_shown([&] { static_cast<void>(multi_lock({says.permits(1)}).acquire()); });
    EXPECT_EQ(zookeeper_.data(path), data);
    EXPECT_TRUE(queue_is(0, path));
  }
}

TEST_F(semaphore_calls, f198_at_a_node_with_other_data_each_way_out_that_the_guide_names_works) {
  for (const std::string data : {"", "limit=3"}) {
    const std::string path = data.empty() ? "/a" : "/b";
    ASSERT_TRUE(zookeeper_.create_node(path, "10.20.30.40"));
    semaphore pool(one_, path, 3);
    ASSERT_EQ(asking(pool.permits()), errc::not_a_permit_limit);
    ASSERT_TRUE(zookeeper_.set_data(path, data));
    EXPECT_TRUE(pool.permits(3).acquire());
    EXPECT_EQ(pool.permit_limit(), 3);
  }
  ASSERT_TRUE(zookeeper_.create_node("/lock", "10.20.30.40"));
  semaphore below(one_, "/lock/pool", 3);
  EXPECT_TRUE(below.permits(3).acquire());
  EXPECT_TRUE(queue_is(0, "/lock/pool") && zookeeper_.remove_node("/lock/pool"));
  semaphore as_java(one_, "/lock", 3, {.layout = layout::curator});
  EXPECT_TRUE(as_java.acquire()) << "no node says its limit";
  EXPECT_EQ(zookeeper_.data("/lock"), "10.20.30.40");
}

TEST_F(semaphore_calls, numbers_out_of_bounds_are_refused_before_anything_is_sent) {
  ASSERT_TRUE(one_.wait_connected_for(patience));
  ASSERT_TRUE(two_.wait_connected_for(patience));
  EXPECT_EQ(requests_of([&] {
              EXPECT_EQ(thrown_by([&] { return semaphore(one_, "/lock", 0).path(); }).ec, errc::invalid_option);
              EXPECT_EQ(thrown_by([&] { return semaphore(one_, "/lock", 1'000'001).path(); }).ec, errc::invalid_option);
              semaphore most(one_, "/lock", 1'000'000);
              EXPECT_EQ(thrown_by([&] { return most.permits(0); }).ec, errc::invalid_option);
              EXPECT_EQ(thrown_by([&] { return most.permits(1'000'001); }).ec, errc::invalid_option);
              semaphore few(one_, "/lock", 4);
              const thrown told = thrown_by([&] { return few.permits(5).acquire(); });
              EXPECT_EQ(told.ec, errc::permit_limit_exceeded);
              EXPECT_NE(told.text.find('5'), std::string::npos) << told.text;
              EXPECT_NE(told.text.find('4'), std::string::npos) << told.text;
            }),
            0U);
}

// ---- permits

TEST_F(semaphore_calls, f58_n_permits_are_one_node_all_or_none) {
  semaphore pool(one_, "/lock", 5);
  const grant three = pool.permits(3).acquire();
  EXPECT_EQ(queue().size(), 1U);
  semaphore others(two_, "/lock");
  EXPECT_FALSE(others.permits(3).try_acquire());
  EXPECT_TRUE(others.permits(2).try_acquire().held());
  EXPECT_TRUE(queue_is(1));
}

TEST_F(semaphore_calls, f60_a_contender_that_wants_many_is_not_overtaken_by_one_that_wants_few) {
  semaphore pool(one_, "/lock", 3);
  grant two = pool.permits(2).acquire();
  semaphore others(two_, "/lock");
  auto many = in_a_thread([&] { return others.permits(3).acquire(); });
  ASSERT_TRUE(queue_is(2));
  EXPECT_FALSE(pool.permits(1).try_acquire()) << "a permit is free, but another contender waits for it";
  auto few = in_a_thread([&] { return pool.permits(1).acquire(); });
  ASSERT_TRUE(eventually([&] { return queue().size() == 3; }));
  two.release();
  grant all = many.get();
  EXPECT_TRUE(all.held());
  EXPECT_EQ(few.wait_for(briefly), std::future_status::timeout);
  all.release();
  EXPECT_TRUE(few.get().held());
}

TEST_F(semaphore_calls, f59_whichever_holder_leaves_the_first_waiter_gets_its_permit) {
  for (const bool first_leaves : {true, false}) {
    semaphore pool(one_, "/lock", 2);
    semaphore others(two_, "/lock", 2);
    std::vector<grant> held;
    held.push_back(pool.permits().acquire());
    held.push_back(pool.permits().acquire());
    auto waits = in_a_thread([&] { return others.permits().acquire(); });
    ASSERT_TRUE(queue_is(3));
    held[first_leaves ? 0 : 1].release();
    EXPECT_TRUE(waits.get().held());
  }
}

TEST_F(semaphore_calls, one_release_may_let_several_in) {
  semaphore pool(one_, "/lock", 3);
  semaphore others(two_, "/lock", 3);
  grant all = pool.permits(3).acquire();
  std::vector<std::future<grant>> waiting;
  for (int one = 0; one < 3; ++one) {
    waiting.push_back(in_a_thread([&] { return others.permits().acquire(); }));
  }
  ASSERT_TRUE(queue_is(4));
  all.release();
  for (auto& one : waiting) {
    ASSERT_EQ(one.wait_for(patience), std::future_status::ready);
  }
  EXPECT_EQ(queue().size(), 3U) << "all three at once";
}

TEST_F(semaphore_calls, a_waiter_that_gives_up_lets_in_one_behind_it_that_fits) {
  semaphore pool(one_, "/lock", 3);
  semaphore others(two_, "/lock", 3);
  const grant two = pool.permits(2).acquire();
  std::stop_source stop;
  std::error_code ec;
  auto many = in_a_thread([&] { return others.permits(3).acquire(stop.get_token(), ec); });
  ASSERT_TRUE(queue_is(2));
  auto few = in_a_thread([&] { return pool.permits().acquire(); });
  ASSERT_TRUE(queue_is(3));
  stop.request_stop();
  EXPECT_FALSE(many.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(few.get().held());
}

TEST_F(semaphore_calls, the_permits_of_a_session_that_ends_come_back) {
  semaphore pool(one_, "/lock", 2);
  semaphore others(two_, "/lock", 2);
  const grant lost = others.permits(2).acquire();
  auto waits = in_a_thread([&] { return pool.permits(2).acquire(); });
  ASSERT_TRUE(queue_is(2));
  zookeeper_.expire_sessions(1);
  EXPECT_TRUE(waits.get().held());
  EXPECT_TRUE(eventually([&] { return !lost.held(); }));
}

// ---- ownership

TEST_F(semaphore_calls, a_thread_that_holds_takes_more_as_any_other_thread) {
  semaphore pool(one_, "/lock", 2);
  const grant first = pool.permits().acquire();
  const grant second = pool.permits().acquire();
  EXPECT_NE(first.node(), second.node());
  EXPECT_FALSE(pool.permits().try_acquire());
  EXPECT_TRUE(queue_is(2));
}

TEST_F(semaphore_calls, f62_a_grant_gives_back_its_own_permits_and_no_others) {
  semaphore pool(one_, "/lock", 4);
  grant first = pool.permits(1).acquire();
  const grant second = pool.permits(2).acquire();
  const std::string kept = second.node();
  elsewhere([moved = std::move(first)]() mutable { moved.release(); });
  ASSERT_TRUE(queue_is(1));
  EXPECT_EQ("/lock/" + queue().front(), kept);
  EXPECT_TRUE(second.held());
}

TEST_F(semaphore_calls, unlock_gives_back_what_lock_of_as_many_permits_has_taken) {
  semaphore pool(one_, "/lock", 5);
  lock_view two = pool.permits(2);
  lock_view three = pool.permits(3);
  two.lock();
  pool.permits(1).unlock();
  EXPECT_EQ(violations_.take(), 1) << "nothing of one permit is locked";
  three.lock();
  EXPECT_EQ(queue().size(), 2U);
  elsewhere([&] { two.unlock(); });
  EXPECT_TRUE(queue_is(1));
  two.unlock();
  EXPECT_EQ(violations_.take(), 1);
  pool.permits(3).unlock();
  EXPECT_TRUE(queue_is(0));
  EXPECT_EQ(violations_.take(), 0);
}

TEST_F(semaphore_calls, a_semaphore_that_goes_ends_the_wait_and_leaves_what_grants_have) {
  std::optional<semaphore> going;
  going.emplace(one_, "/lock", 1);
  grant held = going->permits().acquire();
  lock_view view = going->permits();
  std::error_code ec;
  auto waits = in_a_thread([&] { return view.acquire(ec); });
  ASSERT_TRUE(queue_is(2));
  going.reset();
  EXPECT_FALSE(waits.get());
  EXPECT_EQ(ec, errc::abandoned);
  EXPECT_TRUE(held.held());
  EXPECT_EQ(asking(view), errc::abandoned);
}

}  // namespace
}  // namespace zklock::test
