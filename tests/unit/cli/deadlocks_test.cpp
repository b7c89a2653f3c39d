#include "src/cli/deadlocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <zklock/async.hpp>
#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

#include "tests/support/eventually.hpp"

namespace zklock::cli {
namespace {

using detail::inspected_lock;
using test_support::eventually;
using namespace std::chrono_literals;

/// One contender after the other at one path.
class lock_at {
 public:
  explicit lock_at(const std::string& path) { lock_.lock.path = path; }
  lock_at& limit(std::int64_t permits) {
    lock_.lock.permit_limit = permits;
    return *this;
  }
  /// `czxid`: nodes of one creation share it.
  lock_at& add(participant_state state, std::uint64_t owner, std::int64_t czxid,
               participant_kind kind = participant_kind::mutex, std::int64_t permits = 0, std::int64_t session = 1) {
    participant one;
    one.position = lock_.lock.participants.size();
    one.state = state;
    one.kind = kind;
    one.permits = permits;
    one.node = lock_.lock.path + "/n-" + std::to_string(czxid);
    one.token.czxid = czxid;
    one.host = "h";
    one.pid = 7;
    if (owner != 0) one.owner = owner;
    lock_.lock.participants.push_back(one);
    lock_.nodes.push_back({.session = session});
    return *this;
  }
  operator inspected_lock() const { return lock_; }  // NOLINT(google-explicit-constructor)

 private:
  inspected_lock lock_;
};
constexpr auto held = participant_state::held;
constexpr auto waiting = participant_state::waiting;
using kind = participant_kind;
using locks = std::vector<inspected_lock>;

locks crossed() {
  return {lock_at("/a").add(held, 1, 10).add(waiting, 2, 13), lock_at("/b").add(held, 2, 11).add(waiting, 1, 12)};
}

TEST(deadlocks, are_circles_of_owners_each_of_whom_has_what_another_one_waits_for) {
  const auto found = find_deadlocks(crossed(), crossed());
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].circle.size(), 2U);
  EXPECT_TRUE(found[0].of_one_session_each);
  EXPECT_EQ(found[0].behind, 0U);
  const circle_step& first = found[0].circle[0];
  const circle_step& second = found[0].circle[1];
  EXPECT_EQ(first.blocks.owner, second.waits.owner);
  EXPECT_EQ(second.blocks.owner, first.waits.owner);
  EXPECT_NE(first.path, second.path);
}

TEST(deadlocks, are_none_where_one_owner_could_go_on) {
  locks chain{lock_at("/a").add(held, 1, 10).add(waiting, 2, 13), lock_at("/b").add(held, 2, 11).add(waiting, 3, 12)};
  EXPECT_TRUE(find_deadlocks(chain, chain).empty());
  locks nobody{lock_at("/a").add(held, 0, 10).add(waiting, 2, 13), lock_at("/b").add(held, 2, 11).add(waiting, 0, 12)};
  EXPECT_TRUE(find_deadlocks(nobody, nobody).empty()) << "whose they are is not known";
  EXPECT_TRUE(find_deadlocks(locks{}, locks{}).empty());
}

TEST(deadlocks, count_only_what_both_passes_have_seen) {
  for (const auto& change : std::vector<void (*)(locks&)>{
           [](locks& first) { first[0].lock.participants[1].token.czxid = 99; },  // another node of this name
           [](locks& first) {
             first[1].lock.participants.pop_back();
             first[1].nodes.pop_back();
           },
           [](locks& first) { first[1].lock.participants[0].state = waiting; }, [](locks& first) { first.pop_back(); },
           [](locks& first) { first.push_back(lock_at("/c").add(held, 1, 20)); },  // it has given one back meanwhile
           [](locks& first) { first.clear(); }}) {
    locks first = crossed();
    change(first);
    EXPECT_TRUE(find_deadlocks(first, crossed()).empty());
  }
  locks more = crossed();
  more.push_back(lock_at("/c").add(held, 1, 20));  // it has got one meanwhile
  EXPECT_TRUE(find_deadlocks(crossed(), more).empty());
}

TEST(deadlocks, have_those_behind_them_counted) {
  locks all = crossed();
  all[0] = lock_at("/a").add(held, 1, 10).add(waiting, 2, 13).add(waiting, 3, 14).add(waiting, 0, 15);
  all.push_back(lock_at("/c").add(held, 3, 16).add(waiting, 4, 17));
  const auto found = find_deadlocks(all, all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].circle.size(), 2U);
  EXPECT_EQ(found[0].behind, 3U);
}

TEST(deadlocks, know_readers_writers_and_permits) {
  locks readers{lock_at("/a").add(held, 1, 10, kind::read).add(held, 2, 11, kind::read),
                lock_at("/b").add(held, 3, 12).add(waiting, 1, 13)};
  EXPECT_TRUE(find_deadlocks(readers, readers).empty());
  locks sides{
      lock_at("/a").add(held, 1, 10, kind::read).add(waiting, 2, 11, kind::write).add(waiting, 3, 14, kind::read),
      lock_at("/b").add(held, 2, 12).add(waiting, 1, 13)};
  auto found = find_deadlocks(sides, sides);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].behind, 1U) << "the reader behind the writer";
  const auto pool = [](std::int64_t limit) {
    return locks{lock_at("/a").limit(limit).add(held, 1, 10, kind::permits, 2).add(waiting, 2, 11, kind::permits, 2),
                 lock_at("/b").add(held, 2, 12).add(waiting, 1, 13)};
  };
  EXPECT_EQ(find_deadlocks(pool(3), pool(3)).size(), 1U);
  EXPECT_TRUE(find_deadlocks(pool(4), pool(4)).empty()) << "there is room, and it is about to get in";
  locks other{lock_at("/a")
                  .limit(3)
                  .add(held, 1, 10, kind::permits, 1)
                  .add(held, 4, 15, kind::permits, 2)
                  .add(waiting, 2, 11, kind::permits, 2),
              lock_at("/b").add(held, 2, 12).add(waiting, 1, 13)};
  EXPECT_TRUE(find_deadlocks(other, other).empty()) << "owner 4 is not stuck";
}

TEST(deadlocks, take_the_nodes_of_one_creation_for_one_call) {
  // a multi-lock of /a and /b stands first at /b, and does not have it
  locks parts{lock_at("/a").add(held, 1, 10).add(waiting, 2, 20), lock_at("/b").add(held, 2, 20).add(waiting, 1, 21)};
  EXPECT_EQ(find_deadlocks(parts, parts).size(), 1U);
  locks both{lock_at("/a").add(held, 2, 20), lock_at("/b").add(held, 2, 20).add(waiting, 1, 21)};
  EXPECT_TRUE(find_deadlocks(both, both).empty());
}

TEST(deadlocks, of_one_process_with_two_sessions_are_perhaps) {
  const locks all{lock_at("/a").add(held, 1, 10, kind::mutex, 0, 1).add(waiting, 2, 13, kind::mutex, 0, 3),
                  lock_at("/b").add(held, 2, 11, kind::mutex, 0, 3).add(waiting, 1, 12, kind::mutex, 0, 2)};
  const auto found = find_deadlocks(all, all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].of_one_session_each);
}

/// Of a lowered limit: who stands as a waiter may hold, or be refused.
TEST(deadlocks, are_none_where_a_limit_was_lowered_and_a_waiter_may_be_a_holder) {
  const auto pool = [](std::int64_t limit, std::int64_t was) {
    inspected_lock at =
        lock_at("/p").limit(limit).add(held, 1, 10, kind::permits, 1).add(waiting, 2, 11, kind::permits, 1);
    at.permits_at_most = was;
    return locks{at, lock_at("/b").add(held, 2, 12).add(waiting, 1, 13)};
  };
  EXPECT_EQ(find_deadlocks(pool(1, 1), pool(1, 1)).size(), 1U);
  EXPECT_TRUE(find_deadlocks(pool(1, 2), pool(1, 2)).empty());
  locks refused{lock_at("/p").limit(3).add(held, 1, 10, kind::permits, 1).add(waiting, 2, 11, kind::permits, 5),
                lock_at("/b").add(held, 2, 12).add(waiting, 1, 13)};
  EXPECT_TRUE(find_deadlocks(refused, refused).empty()) << "it is refused when its turn comes";
}

TEST(deadlocks, are_told_beside_others_that_are_perhaps_and_not_where_the_process_can_go_on) {
  locks both = crossed();
  both.push_back(lock_at("/c").add(held, 5, 30, kind::mutex, 0, 1).add(waiting, 6, 33, kind::mutex, 0, 3));
  both.push_back(lock_at("/d").add(held, 6, 31, kind::mutex, 0, 3).add(waiting, 5, 32, kind::mutex, 0, 2));
  const auto found = find_deadlocks(both, both);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0].of_one_session_each, found[1].of_one_session_each);
  locks free = crossed();  // owner 1 has another call, in another session, that gets in
  free.push_back(lock_at("/c").add(held, 0, 40).add(waiting, 1, 41, kind::mutex, 0, 9));
  EXPECT_TRUE(find_deadlocks(free, free).empty());
}

TEST(deadlocks, of_ten_thousand_in_one_queue_are_one_and_all_others_are_behind_it) {
  lock_at queue("/a");
  queue.add(held, 1, 1);
  for (std::int64_t i = 2; i < 10'000; ++i) queue.add(waiting, static_cast<std::uint64_t>(i), i);
  const locks all{queue, lock_at("/b").add(held, 2, 20'000).add(waiting, 1, 20'001)};
  const auto found = find_deadlocks(all, all);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].circle.size() + found[0].behind, 9'999U);
}

// ---- graphs at random, against what comes of them -----------------------------------------------------------------------

/// Sessions of which a test can tell that nothing of what it has begun goes on.
class programs {
 public:
  explicit programs(testing::fake_ensemble& zookeeper, int from = 0, int to = 6) {
    for (int i = from; i < to; ++i) {
      sessions_.push_back(std::make_unique<session>(zookeeper.clients(i)));
      own_.push_back(std::make_unique<recursive_mutex>(*sessions_.back(), "/own-" + std::to_string(i)));
      EXPECT_TRUE(sessions_.back()->wait_connected_for(30s));
    }
  }
  [[nodiscard]] session& at(std::size_t number) { return *sessions_[number % sessions_.size()]; }

  /// `state`: of what goes on. What is under way when a round begins has been heard of, and answered, when it ends: an event, the
  /// list that follows it, the grant and its handler take no more than four.
  template <class State>
  void settle(State&& state) {
    auto before = state();
    for (int same = 0; same < 4;) {
      const auto heard = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(own_.size()));
      for (const auto& one : own_) {
        start_acquire(*one, {}, [heard](std::error_code, grant) noexcept { heard->count_down(); });
      }
      heard->wait();
      const auto now = state();
      same = now == before ? same + 1 : 0;
      before = now;
    }
  }

 private:
  std::vector<std::unique_ptr<session>> sessions_;
  std::vector<std::unique_ptr<recursive_mutex>> own_;
};

struct call_made {
  std::size_t owner = 0;
  std::stop_source stop{};
  std::mutex mutex{};
  bool answered = false;
  grant taken{};
  std::optional<error> failed{};
};

std::string shown(const locks& all) {
  std::string text;
  for (const inspected_lock& lock : all) {
    text += lock.lock.path + ":";
    for (const participant& one : lock.lock.participants) {
      text += " " + std::to_string(one.owner.value_or(0)) + "=" + std::string(to_string(one.kind)) + "/" +
              std::string(to_string(one.state));
    }
    text += '\n';
  }
  return text;
}

/// Owners in several sessions that have some locks and wait for others. What is stuck turns out when all that do not wait give back
/// what they have, and so on with those who get what they wait for.
class graph_at_random {
 public:
  graph_at_random(programs& all, const std::string& path, std::uint64_t seed, bool permits = true)
      : random_(seed), programs_(all) {
    const std::size_t owners = 2 + pick(6), places = 2 + pick(4);
    for (std::size_t i = 0; i < owners; ++i) owners_.emplace_back();
    held_.resize(owners);
    for (std::size_t i = 0; i < places; ++i) {
      paths_.push_back(path + "/" + std::to_string(i));
      kinds_.push_back(pick(4));
      if (kinds_.back() == 2 && !permits) kinds_.back() = 3;
    }
    const std::size_t has = 1 + pick(2 * owners);
    for (std::size_t i = 0; i < has; ++i) {
      const std::size_t owner = pick(owners);
      if (grant taken = view(pick(places), owner).try_acquire()) held_[owner].push_back(std::move(taken));
    }
  }
  void wait_for_some() {
    for (std::size_t owner = 0; owner < held_.size(); ++owner) {
      if (pick(5) != 0) wait(owner);
      if (pick(12) == 0) wait(owner);  // a job that has two calls
    }
  }
  [[nodiscard]] std::size_t owners() const { return held_.size(); }
  /// One call more, of that owner. What has been granted before is held.
  void wait_for_one_more(std::size_t owner) {
    keep_what_was_granted();
    wait(owner);
  }
  /// The last call was answered, and has got nothing.
  [[nodiscard]] bool last_was_refused() const {
    const std::lock_guard lock(calls_.back()->mutex);
    return calls_.back()->answered && !calls_.back()->taken;
  }
  [[nodiscard]] std::string last_failure() const {
    const std::lock_guard lock(calls_.back()->mutex);
    return calls_.back()->failed ? calls_.back()->failed->what() : "none";
  }
  void stop_last() {
    calls_.back()->stop.request_stop();
    EXPECT_TRUE(eventually([&] { return last_was_refused(); }));
  }

  /// All that can go on does. How many calls are left.
  std::size_t stuck_in_the_end() {
    keep_what_was_granted();
    for (bool changed = true; changed;) {
      changed = false;
      settle();
      for (std::size_t owner = 0; owner < held_.size(); ++owner) {
        std::size_t waits = 0, got = 0;
        for (const auto& one : calls_) {
          const std::lock_guard lock(one->mutex);
          waits += one->owner == owner && !one->answered ? 1 : 0;
          got += one->owner == owner && one->answered ? 1 : 0;
        }
        if (waits == 0 || got > 0) changed = hand_back(owner) || changed;
      }
    }
    return unanswered();
  }
  void settle() {
    programs_.settle([this] { return unanswered(); });
  }
  [[nodiscard]] std::size_t unanswered() const {
    return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), [](const auto& one) {
      const std::lock_guard lock(one->mutex);
      return !one->answered;
    }));
  }
  void end() {
    for (const auto& one : calls_) one->stop.request_stop();
    EXPECT_TRUE(eventually([&] { return unanswered() == 0; }));
    for (std::size_t owner = 0; owner < held_.size(); ++owner) hand_back(owner);
  }

 private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }
  session& of(std::size_t owner) { return programs_.at(owner); }
  lock_view view(std::size_t lock, std::size_t owner) { return part(lock, owner).as(owners_[owner]); }
  /// Without an owner.
  lock_view part(std::size_t lock, std::size_t owner) {
    switch (kinds_[lock]) {
      case 0: return sides_.emplace_back(of(owner), paths_[lock]).read();
      case 1: return sides_.emplace_back(of(owner), paths_[lock]).write();
      case 2: return pools_.emplace_back(of(owner), paths_[lock], 3).permits(1 + static_cast<std::int64_t>(pick(2)));
      default: return mutexes_.emplace_back(of(owner), paths_[lock]);
    }
  }
  void wait(std::size_t owner) {
    call_made& made = *calls_.emplace_back(std::make_unique<call_made>());
    made.owner = owner;
    const auto told = [&made](std::error_code, grant taken) noexcept {
      const std::lock_guard lock(made.mutex);
      made.answered = true;
      made.taken = std::move(taken);
    };
    const std::size_t one = pick(paths_.size()), other = pick(paths_.size());
    if (one != other && pick(4) == 0) {
      multi_lock& both = several_.emplace_back(std::vector<lock_view>{part(one, owner), part(other, owner)});
      start_acquire(both.as(owners_[owner]), {.stop = made.stop.get_token(), .failed = &made.failed}, told);
    } else {
      start_acquire(view(one, owner), {.stop = made.stop.get_token(), .failed = &made.failed}, told);
    }
  }
  /// From here on, a call that is answered has waited before.
  void keep_what_was_granted() {
    for (const auto& one : calls_) {
      const std::lock_guard lock(one->mutex);
      if (one->taken) held_[one->owner].push_back(std::move(one->taken));
    }
    std::erase_if(calls_, [](const auto& one) {
      const std::lock_guard lock(one->mutex);
      return one->answered;
    });
  }
  bool hand_back(std::size_t owner) {
    bool any = !held_[owner].empty();
    held_[owner].clear();
    for (const auto& one : calls_) {
      const std::lock_guard lock(one->mutex);
      if (one->owner == owner && one->taken) {
        one->taken = {};
        any = true;
      }
    }
    return any;
  }

  std::mt19937_64 random_;
  programs& programs_;
  std::deque<owner> owners_;
  std::vector<std::string> paths_;
  std::vector<std::size_t> kinds_;
  std::deque<recursive_mutex> mutexes_;
  std::deque<shared_mutex> sides_;
  std::deque<semaphore> pools_;
  std::deque<multi_lock> several_;
  std::vector<std::vector<grant>> held_;
  std::vector<std::unique_ptr<call_made>> calls_;
};

TEST(deadlocks, are_those_of_a_thousand_graphs_at_random_and_no_others) {
  testing::fake_ensemble zookeeper;
  programs all(zookeeper);
  session asks(zookeeper.clients(6));
  ASSERT_TRUE(asks.wait_connected_for(30s));
  std::size_t with_some = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const std::string path = "/graph-" + std::to_string(seed);
    graph_at_random graph(all, path, seed);
    graph.wait_for_some();
    graph.settle();
    const auto first = detail::inspect_below(asks, path, 30s), second = detail::inspect_below(asks, path, 30s);
    std::size_t stuck = 0;
    for (const deadlock& one : find_deadlocks(first, second)) {
      stuck += one.circle.size() + one.behind;
      EXPECT_TRUE(one.of_one_session_each);
    }
    with_some += stuck > 0 ? 1 : 0;
    ASSERT_EQ(graph.stuck_in_the_end(), stuck) << "seed " << seed;
    graph.end();
  }
  EXPECT_GT(with_some, 100U);
  EXPECT_LT(with_some, 900U);
}

/// Of two graphs that are the same, one has all owners in one session, and the other each in one of its own.
TEST(deadlocks, f217_are_refused_in_one_session_where_they_would_stand_between_several) {
  testing::fake_ensemble zookeeper;
  programs in_one(zookeeper, 0, 1), apart(zookeeper, 1, 9);
  session asks(zookeeper.clients(9));
  ASSERT_TRUE(asks.wait_connected_for(30s));
  std::size_t refused = 0, waited = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::string path = "/apart-" + std::to_string(seed);
    graph_at_random graph(in_one, "/one-" + std::to_string(seed), seed, false), twin(apart, path, seed, false);
    for (std::size_t owner = 0; owner < graph.owners(); ++owner) {
      graph.wait_for_one_more(owner);
      twin.wait_for_one_more(owner);
      graph.settle();
      twin.settle();
      const auto first = detail::inspect_below(asks, path, 30s), second = detail::inspect_below(asks, path, 30s);
      const bool of_itself = twin.last_was_refused();  // it has another object of the lock
      const bool stands = of_itself || !find_deadlocks(first, second).empty();
      ASSERT_EQ(graph.last_was_refused(), stands)
          << "seed " << seed << ", owner " << owner << ": " << graph.last_failure() << '\n'
          << shown(second);
      if (stands && !of_itself) twin.stop_last();
      refused += stands ? 1 : 0;
      waited += graph.unanswered();
    }
    ASSERT_EQ(graph.stuck_in_the_end(), 0U) << "seed " << seed;
    ASSERT_EQ(twin.stuck_in_the_end(), 0U) << "seed " << seed;
    graph.end();
    twin.end();
  }
  EXPECT_GT(refused, 50U);
  EXPECT_GT(waited, 250U);
}

}  // namespace
}  // namespace zklock::cli
