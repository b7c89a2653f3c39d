// Owners of one session that would wait for each other for ever (F217).
#include <zklock/async.hpp>

#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// A call of an owner that is told of its answer.
struct asked {
  std::promise<std::error_code> answer{};
  std::future<std::error_code> answered = answer.get_future();
  std::optional<error> failed{};
  std::stop_source stop{};
  grant taken{};
};

class owner_circles : public on_a_fake {
 protected:
  /// Waits, for as long as it takes. What is told goes with the test.
  asked& ask(const lock_view& lock, acquire_options options = {}) {
    asked& one = *asked_.emplace_back(std::make_unique<asked>());
    options.stop = one.stop.get_token();
    options.failed = &one.failed;
    start_acquire(lock, options, [&one](std::error_code ec, grant taken) noexcept {
      one.taken = std::move(taken);
      one.answer.set_value(ec);
    });
    return one;
  }
  static void expect_refused(asked& one, const std::string& path, const std::string& text) {
    ASSERT_EQ(one.answered.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(one.answered.get(), errc::would_deadlock);
    ASSERT_TRUE(one.failed);
    EXPECT_EQ(one.failed->path(), path);
    EXPECT_NE(std::string(one.failed->what()).find(text), std::string::npos) << one.failed->what();
  }
  /// Nothing that is under way ends the wait: a call of another lock object, begun behind it, has been answered.
  void expect_waits(const asked& one) {
    for (int i = 0; i < 3; ++i) {
      recursive_mutex(one_, "/c").acquire().release();
    }
    EXPECT_EQ(one.answered.wait_for(0s), std::future_status::timeout);
  }
  static void expect_granted(asked& one) {
    ASSERT_EQ(one.answered.wait_for(patience), std::future_status::ready);
    EXPECT_FALSE(one.answered.get());
    EXPECT_TRUE(one.taken.held());
    one.taken = {};
  }
  void TearDown() override {
    for (const auto& one : asked_) {
      one->stop.request_stop();
      if (one->answered.valid()) {
        one->answered.wait();
      }
      one->taken = {};
    }
    on_a_fake::TearDown();
  }
  [[nodiscard]] static std::string said(const owner& of) { return "owner " + std::to_string(of.number()); }

  recursive_mutex a_{one_, "/a"};
  recursive_mutex b_{one_, "/b"};
  const owner first_, second_, third_;
  std::vector<std::unique_ptr<asked>> asked_;
};

TEST_F(owner_circles, f217_two_threads_that_cross_are_told_and_the_other_one_goes_on) {
  a_.lock();
  std::promise<void> has_b;
  auto other = in_a_thread([&] {
    b_.lock();
    has_b.set_value();
    a_.lock();  // waits for this thread
    a_.unlock();
    b_.unlock();
  });
  has_b.get_future().wait();
  ASSERT_TRUE(queue_is(2, "/a"));
  const thrown told = thrown_by([&] {
    b_.lock();
    return 0;
  });
  EXPECT_EQ(told.ec, errc::would_deadlock);
  EXPECT_EQ(told.path, "/b");
  const std::string me = said(owner::this_thread());
  EXPECT_NE(told.text.find(me + " waits for /b, which owner "), std::string::npos) << told.text;
  EXPECT_NE(told.text.find("waits for /a, which " + me + " has"), std::string::npos) << told.text;
  EXPECT_TRUE(queue_is(1, "/b")) << "the refused call leaves nothing";
  a_.unlock();
  other.get();
}

TEST_F(owner_circles, f217_three_owners_in_a_ring_are_named_in_their_order) {
  recursive_mutex c(one_, "/lock");
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire(), has_c = c.as(third_).acquire();
  asked& one = ask(b_.as(first_));
  asked& two = ask(c.as(second_));
  expect_waits(one);
  expect_waits(two);
  asked& three = ask(a_.as(third_));
  expect_refused(three, "/a",
                 said(third_) + " waits for /a, which " + said(first_) + " has; " + said(first_) +
                     " waits for /b, which " + said(second_) + " has; " + said(second_) + " waits for /lock, which " +
                     said(third_) + " has");
  has_c = {};
  expect_granted(two);
  has_b = {};
  expect_granted(one);
}

TEST_F(owner_circles, f217_one_owner_with_two_objects_of_one_lock_waits_for_itself) {
  recursive_mutex again(one_, "/a");
  grant has = a_.as(first_).acquire();
  expect_refused(ask(again.as(first_)), "/a", said(first_) + " waits for /a, which " + said(first_) + " has");
  EXPECT_TRUE(has.held());
}

TEST_F(owner_circles, f217_a_chain_without_an_end_is_none) {
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire();
  asked& one = ask(b_.as(first_));
  asked& two = ask(b_.as(third_));
  asked& three = ask(a_.as(third_));
  expect_waits(one);
  expect_waits(two);
  expect_waits(three);
  has_b = {};
  expect_granted(one);
  expect_granted(two);
  has_a = {};
  expect_granted(three);
}

TEST_F(owner_circles, f217_what_ends_by_itself_closes_none) {
  recursive_mutex bounded(one_, "/lock", {.max_hold = 1h});
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire(), has = bounded.as(third_).acquire();
  asked& with_limit = ask(b_.as(first_), {.within = 1h});
  asked& of_limit = ask(a_.as(second_));  // the other one ends by its limit
  expect_waits(with_limit);
  expect_waits(of_limit);
  with_limit.stop.request_stop();
  of_limit.stop.request_stop();
  with_limit.answered.wait();
  of_limit.answered.wait();
  asked& on_bounded = ask(bounded.as(first_));
  asked& by_bounded = ask(a_.as(third_));
  expect_waits(on_bounded);
  expect_waits(by_bounded);
  EXPECT_FALSE(b_.as(first_).try_acquire_for(0s));
}

TEST_F(owner_circles, f217_what_has_no_owner_closes_none) {
  grant has_a = a_.acquire(), has_b = b_.as(second_).acquire();
  asked& one = ask(b_);
  asked& two = ask(a_.as(second_));
  expect_waits(one);
  expect_waits(two);
}

TEST_F(owner_circles, f217_an_owner_with_another_call_may_get_on) {
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire();
  recursive_mutex other(two_, "/lock"), same(one_, "/lock");
  grant has = other.acquire();
  asked& gets_on = ask(same.as(first_));
  ASSERT_TRUE(queue_is(2));
  asked& one = ask(b_.as(first_));
  asked& two = ask(a_.as(second_));
  expect_waits(one);
  expect_waits(two);
  has_a = {};
  expect_granted(two);
  has = {};
  expect_granted(gets_on);
}

TEST_F(owner_circles, f217_go_through_readers_and_the_writers_that_they_wait_behind) {
  shared_mutex sides(one_, "/lock");
  grant reads = sides.read().as(first_).acquire(), has_a = a_.as(second_).acquire();
  asked& reads_too = ask(sides.read().as(third_));
  expect_granted(reads_too);
  asked& writes = ask(sides.write().as(third_));
  ASSERT_TRUE(queue_is(2));
  asked& behind = ask(sides.read().as(second_));  // waits for the writer, who waits for the first
  ASSERT_TRUE(queue_is(3));
  expect_refused(ask(a_.as(first_)), "/a", said(third_) + " waits for /lock, which " + said(first_) + " has");
  reads = {};
  expect_granted(writes);
  expect_granted(behind);
}

TEST_F(owner_circles, f217_readers_of_one_lock_do_not_bar_each_other) {
  shared_mutex one(one_, "/lock"), two(one_, "/c");
  grant first = one.read().as(first_).acquire(), second = two.read().as(second_).acquire();
  expect_granted(ask(two.read().as(first_)));
  expect_granted(ask(one.read().as(second_)));
}

TEST_F(owner_circles, f217_go_through_parts_of_multi_locks) {
  multi_lock both({a_, b_});
  recursive_mutex c(one_, "/lock");
  grant has_b = b_.as(second_).acquire(), has_c = c.as(first_).acquire();
  asked& wants_both = ask(both.as(first_));
  ASSERT_TRUE(queue_is(2, "/b"));
  expect_waits(wants_both);
  expect_refused(ask(a_.as(second_)), "/a", said(first_) + " waits for /b, which " + said(second_) + " has");
  expect_refused(ask(c.as(second_)), "/lock", said(first_) + " waits for /b, which " + said(second_) + " has");
  has_b = {};
  expect_granted(wants_both);
  grant all = both.as(first_).acquire();
  asked& wants_c = ask(a_.as(third_));
  ASSERT_TRUE(queue_is(2, "/a"));
  grant has_other = recursive_mutex(one_, "/c").as(third_).acquire();
  expect_refused(ask(recursive_mutex(one_, "/c").as(first_)), "/c", said(third_) + " waits for /a, which ");
  all = {};
  expect_granted(wants_c);
}

TEST_F(owner_circles, f217_go_through_the_turns_of_local_hand_over) {
  const lock_options in_turns{.hand_over = local_handover{.max_turns = 100, .max_time = 1h}};
  recursive_mutex turns(one_, "/lock", in_turns);
  grant has_turn = turns.as(first_).acquire(), has_b = b_.as(second_).acquire();
  asked& for_turn = ask(turns.as(second_));
  expect_waits(for_turn);
  expect_refused(ask(b_.as(first_)), "/b", said(second_) + " waits for /lock, which " + said(first_) + " has");
  has_turn = {};
  expect_granted(for_turn);
  has_turn = turns.as(first_).acquire();
  asked& for_b = ask(b_.as(first_));
  expect_waits(for_b);
  expect_refused(ask(turns.as(second_)), "/lock", said(first_) + " waits for /b, which " + said(second_) + " has");
  has_b = {};
  expect_granted(for_b);
}

TEST_F(owner_circles, f217_of_contenders_that_take_turns_are_seen_where_another_object_holds) {
  const lock_options in_turns{.hand_over = local_handover{.max_turns = 100, .max_time = 1h}};
  recursive_mutex turns(one_, "/a", in_turns);
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire();
  asked& one = ask(b_.as(first_));
  expect_waits(one);
  asked& bystander = ask(turns.as(third_));
  expect_refused(ask(turns.as(second_)), "/a", said(first_) + " waits for /b, which " + said(second_) + " has");
  expect_waits(bystander);
  has_a = {};
  expect_granted(bystander);
  has_b = {};
  expect_granted(one);
}

/// A holder that comes to wait once more looks at each of them once.
TEST_F(owner_circles, f217_behind_a_crowd_of_owners_are_found_and_keep_nobody_waiting) {
  constexpr std::size_t crowd = 2'000;
  const std::vector<owner> owners(crowd);
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire();
  std::atomic<std::size_t> answered = 0;
  std::stop_source enough;
  for (const owner& one : owners) {
    start_acquire(a_.as(one), {.stop = enough.get_token()}, [&](std::error_code, grant) noexcept { ++answered; });
  }
  ASSERT_TRUE(queue_is(crowd + 1, "/a"));
  asked& waits = ask(b_.as(first_));
  expect_waits(waits);
  expect_refused(ask(a_.as(second_)), "/a", said(first_) + " waits for /b, which " + said(second_) + " has");
  enough.request_stop();
  EXPECT_TRUE(eventually([&] { return answered == crowd; }));
  has_b = {};
  expect_granted(waits);
}

TEST_F(owner_circles, f217_lost_holds_close_none) {
  grant has_a = a_.as(first_).acquire(), has_b = b_.as(second_).acquire();
  asked& one = ask(b_.as(first_));
  expect_waits(one);
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(eventually([&] { return !has_a.held() && !has_b.held(); }));
  expect_granted(one);
  expect_granted(ask(a_.as(third_)));
  has_a = {};
  has_b = {};
  expect_granted(ask(a_.as(second_)));
}

}  // namespace
}  // namespace zklock::test
