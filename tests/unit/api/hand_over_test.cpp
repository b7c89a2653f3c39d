// Local hand-over: what calls of the public classes get with lock_options::hand_over.
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "src/api/view_access.hpp"
#include "src/operations/hand_over.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr lock_options turns_of_an_hour{.hand_over = local_handover{.max_turns = 100, .max_time = 1h}};

/// Asks something on the session's strand.
class asked_there final : public engine::operation {
 public:
  explicit asked_there(std::function<std::size_t()> what) : what_(std::move(what)) {}
  void begin(engine::out& wants) override {
    answer.set_value(what_());
    wants.finish();
  }
  void stop(const detail::failure&, engine::out& wants) override {
    answer.set_value(0);
    wants.finish();
  }
  std::promise<std::size_t> answer;

 private:
  const std::function<std::size_t()> what_;
};

/// So many calls wait for a turn of that lock object.
template <class Lock>
[[nodiscard]] bool wait_there(Lock& lock, std::size_t many) {
  const auto state = detail::view_access::lock(lock.as(owner()));
  return eventually([&] {
    const auto asked = std::make_shared<asked_there>([&] { return state->wanted({}).turns->waiting(); });
    state->its_session()->begin(asked);
    return asked->answer.get_future().get() == many;
  });
}

class hand_over_of_a_mutex : public on_a_fake {
 protected:
  recursive_mutex lock_{one_, "/lock", turns_of_an_hour};
};

TEST_F(hand_over_of_a_mutex, six_acquisitions_take_one_node_and_three_requests) {
  lock_.acquire().release();  // the lock node is made
  std::vector<fencing_token> tokens;
  const std::uint64_t requests = requests_of([&] {
    grant first = lock_.acquire();
    tokens.push_back(first.token());
    std::vector<std::future<fencing_token>> others;
    for (std::size_t waiting = 1; waiting <= 5; ++waiting) {
      others.push_back(in_a_thread([&] { return lock_.acquire().token(); }));
      ASSERT_TRUE(wait_there(lock_, waiting));
    }
    EXPECT_EQ(queue().size(), 1U);
    expect_released(first);
    for (auto& one : others) {
      tokens.push_back(one.get());
    }
    ASSERT_TRUE(queue_is(0));
  });
  EXPECT_EQ(requests, 3U) << "create, list, remove";
  for (std::uint32_t turn = 0; turn < tokens.size(); ++turn) {
    EXPECT_EQ(tokens[turn], (fencing_token{tokens.front().czxid, turn})) << "first come, first served";
  }
  EXPECT_LT(tokens[1].number(), tokens[2].number());
}

TEST_F(hand_over_of_a_mutex, queue_shows_one_contender) {
  grant first = lock_.acquire();
  auto other = in_a_thread([&] { return lock_.acquire().token(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  EXPECT_EQ(lock_.queue().size(), 1U);
  first.release();
  other.get();
}

TEST_F(hand_over_of_a_mutex, the_node_does_not_name_an_owner) {
  const grant held = mine(lock_).acquire();
  EXPECT_EQ(zookeeper_.data(held.node())->find("owner="), std::string::npos);
  recursive_mutex other(one_, "/a");
  const grant plain = mine(other).acquire();
  EXPECT_NE(zookeeper_.data(plain.node())->find("owner="), std::string::npos);
}

TEST_F(hand_over_of_a_mutex, each_turn_has_a_grant_of_its_own) {
  grant first = lock_.acquire();
  auto other = in_a_thread([&] { return lock_.acquire(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  auto draft = one_.transaction().guarded_by(first).create("/written", "by the first");
  expect_released(first);
  grant second = other.get();
  std::error_code ec;
  draft.commit(ec);
  EXPECT_EQ(ec, errc::not_owner) << "its turn is over, though its node stands";
  one_.transaction().guarded_by(second).create("/written", "by the second").commit(ec);
  EXPECT_FALSE(ec) << ec.message();
}

TEST_F(hand_over_of_a_mutex, one_try_fails_while_a_local_acquisition_holds_or_waits) {
  grant first = lock_.acquire();
  const std::uint64_t requests = requests_of([&] {
    std::error_code ec;
    EXPECT_FALSE(lock_.try_acquire(ec));
    EXPECT_FALSE(ec) << ec.message();
    EXPECT_FALSE(lock_.try_lock());
  });
  EXPECT_EQ(requests, 0U);
  first.release();
  recursive_mutex theirs(two_, "/lock");
  grant held = theirs.acquire();
  auto waiting = in_a_thread([&] { return lock_.acquire(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  EXPECT_FALSE(lock_.try_acquire());
  held.release();
  waiting.get().release();
}

TEST_F(hand_over_of_a_mutex, one_try_alone_asks_the_servers) {
  recursive_mutex theirs(two_, "/lock");
  {
    const grant held = theirs.acquire();
    EXPECT_FALSE(lock_.try_acquire());
  }
  ASSERT_TRUE(queue_is(0));
  EXPECT_TRUE(lock_.try_acquire());
}

TEST_F(hand_over_of_a_mutex, a_time_limit_ends_the_wait_in_the_local_queue) {
  grant first = lock_.acquire();
  std::error_code ec;
  EXPECT_FALSE(lock_.try_acquire_for(briefly, ec));
  EXPECT_FALSE(ec) << ec.message();
  EXPECT_FALSE(elsewhere([&] { return lock_.try_lock_for(briefly); }));
  expect_released(first);
  EXPECT_TRUE(queue_is(0));
}

TEST_F(hand_over_of_a_mutex, a_stop_ends_the_wait_and_the_last_one_takes_the_node_away) {
  recursive_mutex theirs(two_, "/lock");
  const grant held = theirs.acquire();
  std::stop_source stop;
  auto waiting = in_a_thread([&] {
    std::error_code ec;
    EXPECT_FALSE(lock_.acquire(stop.get_token(), ec));
    return ec;
  });
  ASSERT_TRUE(wait_there(lock_, 1));
  ASSERT_TRUE(queue_is(2));
  stop.request_stop();
  EXPECT_EQ(waiting.get(), errc::abandoned);
  EXPECT_TRUE(queue_is(1));
}

TEST_F(hand_over_of_a_mutex, the_lock_object_may_go_before_its_grants_and_waits_end_then) {
  std::optional<recursive_mutex> short_lived(std::in_place, one_, "/a", turns_of_an_hour);
  grant first = short_lived->acquire();
  auto waiting = in_a_thread([&] {
    std::error_code ec;
    static_cast<void>(short_lived->acquire(ec));
    return ec;
  });
  ASSERT_TRUE(wait_there(*short_lived, 1));
  short_lived.reset();
  EXPECT_EQ(waiting.get(), errc::abandoned);
  EXPECT_TRUE(first.held());
  expect_released(first);
}

TEST_F(hand_over_of_a_mutex, re_entry_is_a_count_of_the_turn) {
  lock_.lock();
  lock_.lock();
  auto other = in_a_thread([&] { return lock_.acquire(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  lock_.unlock();
  EXPECT_TRUE(lock_.held());
  ASSERT_TRUE(wait_there(lock_, 1));
  lock_.unlock();
  const grant next = other.get();
  EXPECT_EQ(next.token().turn, 1U);
}

TEST_F(hand_over_of_a_mutex, token_and_held_of_the_thread_are_those_of_its_turn) {
  grant first = lock_.acquire();
  auto other = in_a_thread([&] {
    const std::scoped_lock guard(lock_);
    EXPECT_TRUE(lock_.held());
    return lock_.token();
  });
  ASSERT_TRUE(wait_there(lock_, 1));
  first.release();
  EXPECT_EQ(other.get().turn, 1U);
}

TEST_F(hand_over_of_a_mutex, a_loss_is_told_to_the_turn_alone) {
  session watchful(zookeeper_.clients(2), {.timeout = 2s});  // it looks at its own nodes soon
  recursive_mutex lock(watchful, "/a", turns_of_an_hour);
  grant first = lock.acquire();
  auto other = in_a_thread([&] { return lock.acquire(); });
  ASSERT_TRUE(wait_there(lock, 1));
  ASSERT_TRUE(zookeeper_.remove_node(first.node()));
  const grant next = other.get();
  EXPECT_TRUE(next.held());
  EXPECT_EQ(next.token().turn, 0U);
  EXPECT_GT(next.token(), first.token());
  EXPECT_FALSE(first.held());
  EXPECT_EQ(first.loss_reason(), loss_reason::node_removed);
}

TEST_F(hand_over_of_a_mutex, a_client_elsewhere_comes_after_the_turns_of_one_node) {
  recursive_mutex few(one_, "/a", {.hand_over = local_handover{.max_turns = 2, .max_time = 1h}});
  recursive_mutex theirs(two_, "/a");
  grant first = few.acquire();
  auto second = in_a_thread([&] { return few.acquire(); });
  ASSERT_TRUE(wait_there(few, 1));
  auto elsewhere = in_a_thread([&] { return theirs.acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  auto third = in_a_thread([&] { return few.acquire(); });
  ASSERT_TRUE(wait_there(few, 2));
  first.release();
  grant held = second.get();
  EXPECT_EQ(held.token().turn, 1U);
  held.release();
  held = elsewhere.get();
  const fencing_token of_theirs = held.token();
  EXPECT_TRUE(queue_is(2, "/a")) << "the third waits behind it";
  held.release();
  EXPECT_GT(third.get().token(), of_theirs);
}

TEST_F(hand_over_of_a_mutex, a_client_elsewhere_waits_for_the_time_and_one_hold) {
  recursive_mutex fair(one_, "/a", {.hand_over = local_handover{.max_turns = 1024, .max_time = 0ms}});
  recursive_mutex theirs(two_, "/a");
  grant first = fair.acquire();
  auto second = in_a_thread([&] { return fair.acquire(); });
  ASSERT_TRUE(wait_there(fair, 1));
  auto elsewhere = in_a_thread([&] { return theirs.acquire(); });
  ASSERT_TRUE(queue_is(2, "/a"));
  first.release();
  grant held = elsewhere.get();  // the time was up, so the local one comes behind it
  held.release();
  EXPECT_EQ(second.get().token().turn, 0U);
}

TEST_F(hand_over_of_a_mutex, a_part_of_a_multi_lock_takes_no_part) {
  recursive_mutex other(one_, "/a");
  multi_lock both{lock_, other};
  grant first = lock_.acquire();
  auto waiting = in_a_thread([&] { return both.acquire(); });
  EXPECT_TRUE(queue_is(2)) << "it has a node of its own";
  first.release();
  waiting.get().release();
}

TEST_F(hand_over_of_a_mutex, turns_go_on_in_curators_layout) {
  recursive_mutex lock(one_, "/a", {.layout = layout::curator, .hand_over = turns_of_an_hour.hand_over});
  grant first = lock.acquire();
  auto other = in_a_thread([&] { return lock.acquire().token(); });
  ASSERT_TRUE(wait_there(lock, 1));
  expect_released(first);
  EXPECT_EQ(other.get().turn, 1U);
}

using hand_over_of_a_semaphore_mutex = on_a_fake;

TEST_F(hand_over_of_a_semaphore_mutex, its_acquisitions_take_turns) {
  semaphore_mutex lock(one_, "/lock", turns_of_an_hour);
  grant first = lock.acquire();
  auto other = in_a_thread([&] {
    grant held = lock.acquire();
    const fencing_token mine = held.token();
    return std::pair(mine, std::move(held));
  });
  ASSERT_TRUE(wait_there(lock, 1));
  elsewhere([&] { first.release(); });
  auto [token, held] = other.get();
  EXPECT_EQ(token.turn, 1U);
  expect_released(held);
}

TEST_F(hand_over_of_a_semaphore_mutex, in_curators_layout_it_takes_no_part) {
  semaphore_mutex lock(one_, "/lock", {.layout = layout::curator, .hand_over = turns_of_an_hour.hand_over});
  grant first = lock.acquire();
  auto other = in_a_thread([&] { return lock.acquire().token(); });
  EXPECT_TRUE(queue_is(3)) << "the lease, and two nodes that wait for the next one";
  first.release();
  EXPECT_EQ(other.get().turn, 0U);
}

class hand_over_of_a_write_side : public on_a_fake {
 protected:
  shared_mutex lock_{one_, "/lock", turns_of_an_hour};
};

TEST_F(hand_over_of_a_write_side, writers_take_turns) {
  grant first = lock_.write().acquire();
  auto other = in_a_thread([&] { return lock_.write().acquire().token(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  expect_released(first);
  EXPECT_EQ(other.get().turn, 1U);
}

TEST_F(hand_over_of_a_write_side, readers_have_nodes_of_their_own) {
  const grant first = lock_.read().acquire();
  const grant second = elsewhere([&] { return lock_.read().acquire(); });
  EXPECT_EQ(queue().size(), 2U);
  EXPECT_NE(first.node(), second.node());
}

TEST_F(hand_over_of_a_write_side, a_downgrade_ends_the_turns) {
  grant first = lock_.write().acquire();
  auto other = in_a_thread([&] { return lock_.write().acquire(); });
  ASSERT_TRUE(wait_there(lock_, 1));
  first.downgrade();
  EXPECT_TRUE(queue_is(2)) << "the next writer stands behind the reader";
  EXPECT_TRUE(first.held());
  expect_released(first);
  const grant next = other.get();
  EXPECT_EQ(next.token().turn, 0U);
  EXPECT_GT(next.token(), first.token());
}

}  // namespace
}  // namespace zklock::test
