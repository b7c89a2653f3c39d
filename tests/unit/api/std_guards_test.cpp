// The guards of <mutex>, <shared_mutex> and <condition_variable> on every lockable type, run.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

using thirds = std::chrono::duration<int, std::ratio<1, 3>>;
using real_seconds = std::chrono::duration<double>;

/// One client's lock of the kind, alone on a path or shared with others; what a view or a multi-lock is of goes with
/// it.
/// `nodes`: how many contenders it is when it is held.
template <class Lock, layout In>
struct a_whole_lock {
  static constexpr std::size_t nodes = 1;
  Lock lock;
  a_whole_lock(session& of, const char* path) : lock(of, path, {.layout = In}) {}
};
template <layout In>
struct a_recursive_mutex : a_whole_lock<recursive_mutex, In> {
  using a_whole_lock<recursive_mutex, In>::a_whole_lock;
};
template <layout In>
struct a_semaphore_mutex : a_whole_lock<semaphore_mutex, In> {
  using a_whole_lock<semaphore_mutex, In>::a_whole_lock;
};
template <layout In>
struct a_shared_mutex : a_whole_lock<shared_mutex, In> {
  using a_whole_lock<shared_mutex, In>::a_whole_lock;
};
template <layout In>
struct a_write_view {
  static constexpr std::size_t nodes = 1;
  shared_mutex of;
  lock_view lock = of.write();
  a_write_view(session& in, const char* path) : of(in, path, {.layout = In}) {}
};
template <layout In>
struct a_view_of_permits {
  static constexpr std::size_t nodes = In == layout::curator ? 2 : 1;  // a lease for each
  semaphore of;
  lock_view lock = of.permits(2);
  a_view_of_permits(session& in, const char* path) : of(in, path, 3, {.layout = In}) {}
};
template <layout In>
struct a_multi_lock {
  static constexpr std::size_t nodes = 1;  // on its first path
  recursive_mutex first;
  shared_mutex second;
  multi_lock lock{first, second.write()};
  a_multi_lock(session& in, const char* path)
      : first(in, path, {.layout = In}), second(in, std::string(path) + "-second", {.layout = In}) {}
};

template <class Kind>
class std_guards : public on_a_fake {
 protected:
  std_guards() { paths_ = {"/lock", "/lock-second", "/a", "/a-second", "/b", "/b-second"}; }
  Kind mine_{one_, "/lock"};
  Kind others_{two_, "/lock"};
  using lock_type = decltype(mine_.lock);

  /// Whether another program could have it now.
  [[nodiscard]] bool is_free() { return std::unique_lock<lock_type>(others_.lock, std::try_to_lock).owns_lock(); }
};
using kinds =
    ::testing::Types<a_recursive_mutex<layout::native>, a_semaphore_mutex<layout::native>,
                     a_shared_mutex<layout::native>, a_write_view<layout::native>, a_view_of_permits<layout::native>,
                     a_multi_lock<layout::native>, a_recursive_mutex<layout::curator>,
                     a_semaphore_mutex<layout::curator>, a_shared_mutex<layout::curator>, a_write_view<layout::curator>,
                     a_view_of_permits<layout::curator>, a_multi_lock<layout::curator>>;
TYPED_TEST_SUITE(std_guards, kinds, );

TYPED_TEST(std_guards, lock_guard_and_scoped_lock_hold_until_their_end) {
  {
    const std::lock_guard guard(this->mine_.lock);
    EXPECT_FALSE(this->is_free());
  }
  EXPECT_TRUE(eventually([this] { return this->is_free(); }));
  {
    const std::scoped_lock guard(this->mine_.lock);
    EXPECT_FALSE(this->is_free());
  }
  EXPECT_TRUE(eventually([this] { return this->is_free(); }));
}

TYPED_TEST(std_guards, unique_lock_locks_when_it_is_told_to_and_may_be_moved) {
  std::unique_lock guard(this->mine_.lock, std::defer_lock);
  EXPECT_FALSE(guard.owns_lock());
  EXPECT_TRUE(this->is_free());
  guard.lock();
  EXPECT_FALSE(this->is_free());
  std::unique_lock moved = std::move(guard);
  EXPECT_FALSE(this->is_free());
  moved.unlock();
  EXPECT_TRUE(eventually([this] { return this->is_free(); }));
  EXPECT_THROW(moved.unlock(), std::system_error) << "std's own";
}

TYPED_TEST(std_guards, unique_lock_tries_within_limits_of_any_clock_and_duration) {
  std::unique_lock guard(this->mine_.lock, std::try_to_lock);
  EXPECT_TRUE(guard.owns_lock());
  const auto again = [&guard](auto&& attempt) {
    guard.unlock();
    EXPECT_TRUE(attempt());
    EXPECT_TRUE(guard.owns_lock());
  };
  again([&] { return guard.try_lock_for(patience); });
  again([&] { return guard.try_lock_for(real_seconds(30.5)); });
  again([&] { return guard.try_lock_for(thirds(100)); });
  again([&] { return guard.try_lock_for(std::chrono::hours::max()); });
  again([&] { return guard.try_lock_until(std::chrono::steady_clock::now() + patience); });
  again([&] { return guard.try_lock_until(std::chrono::system_clock::now() + real_seconds(30.5)); });
  again([&] { return guard.try_lock_until(boot_clock::now() + thirds(100)); });
  again([&] { return guard.try_lock_until(std::chrono::steady_clock::time_point::max()); });
}

TYPED_TEST(std_guards, unique_lock_that_is_not_in_time_has_nothing_and_leaves_nothing) {
  const std::unique_lock held(this->others_.lock);
  std::unique_lock guard(this->mine_.lock, briefly);
  EXPECT_FALSE(guard.owns_lock());
  EXPECT_FALSE(guard.try_lock());
  EXPECT_FALSE(guard.try_lock_for(-1h));
  EXPECT_FALSE(guard.try_lock_for(real_seconds(0.2)));
  EXPECT_FALSE(guard.try_lock_for(thirds(0)));
  EXPECT_FALSE(guard.try_lock_until(std::chrono::system_clock::time_point{}));
  EXPECT_FALSE(guard.try_lock_until(boot_clock::now() + briefly));
  EXPECT_TRUE(this->queue_is(TypeParam::nodes));
}

TYPED_TEST(std_guards, std_lock_takes_several_in_any_order) {
  constexpr int rounds = 8;
  int unprotected = 0;
  const auto work = [&unprotected](auto& first, auto& second) {
    for (int round = 0; round < rounds; ++round) {
      std::lock(first, second);
      const std::scoped_lock both(std::adopt_lock, first, second);
      ++unprotected;
    }
  };
  TypeParam a1(this->one_, "/a");
  recursive_mutex b1(this->one_, "/b");
  TypeParam a2(this->two_, "/a");
  recursive_mutex b2(this->two_, "/b");
  auto other = in_a_thread([&] { work(b2, a2.lock); });
  work(a1.lock, b1);
  other.get();
  EXPECT_EQ(unprotected, 2 * rounds);
}

TYPED_TEST(std_guards, condition_variable_any_waits_on_it) {
  std::condition_variable_any changed;
  bool ready = false;  // protected by the lock, as both threads use it
  std::unique_lock guard(this->mine_.lock);
  auto teller = in_a_thread([&] {
    const std::scoped_lock inside(this->mine_.lock);  // not before the waiter has given it up
    ready = true;
    changed.notify_all();
  });
  changed.wait(guard, [&ready] { return ready; });
  EXPECT_TRUE(guard.owns_lock());
  EXPECT_FALSE(this->is_free());
  EXPECT_FALSE(changed.wait_for(guard, briefly, [] { return false; }));
  EXPECT_TRUE(guard.owns_lock());
  teller.get();
}

TYPED_TEST(std_guards, a_lock_that_throws_leaves_a_guard_without_it) {
  this->one_.close();
  std::unique_lock guard(this->mine_.lock, std::defer_lock);
  EXPECT_EQ(thrown_by([&] { guard.lock(); }).ec, errc::session_closed);
  EXPECT_FALSE(guard.owns_lock());
  EXPECT_EQ(thrown_by([&] { return guard.try_lock(); }).ec, errc::session_closed);
  EXPECT_FALSE(guard.owns_lock());
}

class std_guards_together : public on_a_fake {};

TEST_F(std_guards_together, scoped_lock_takes_locks_of_every_recipe) {
  recursive_mutex a(one_, "/a");
  semaphore_mutex b(one_, "/b");
  shared_mutex c(one_, "/c");
  semaphore pool(one_, "/pool", 2);
  lock_view two = pool.permits(2);
  {
    const std::scoped_lock all(a, b, c, two);
    EXPECT_TRUE(a.held() && b.held() && c.held());
    EXPECT_EQ(queue("/pool").size(), 1U);
  }
  EXPECT_FALSE(a.held() || b.held() || c.held());
  EXPECT_TRUE(queue_is(0, "/pool"));
}

TEST_F(std_guards_together, threads_take_locks_of_different_recipes_in_opposite_orders) {
  constexpr int rounds = 8;
  int unprotected = 0;
  const auto work = [&](session& of, bool backwards) {
    semaphore_mutex a(of, "/a");
    shared_mutex b(of, "/b");
    semaphore pool(of, "/c", 1);
    lock_view permit = pool.permits();
    for (int round = 0; round < rounds; ++round) {
      if (backwards) {
        const std::scoped_lock all(permit, b, a);
        ++unprotected;
      } else {
        const std::scoped_lock all(a, b, permit);
        ++unprotected;
      }
    }
  };
  auto other = in_a_thread([&] { work(two_, true); });
  work(one_, false);
  other.get();
  EXPECT_EQ(unprotected, 2 * rounds);
}

TEST_F(std_guards_together, shared_locks_overlap_and_keep_a_writer_out) {
  shared_mutex mine(one_, "/lock");
  shared_mutex others(two_, "/lock");
  std::shared_lock reading(mine);
  std::shared_lock too(others, std::try_to_lock);
  EXPECT_TRUE(reading.owns_lock() && too.owns_lock());
  shared_mutex third(two_, "/lock");
  EXPECT_FALSE(std::unique_lock(third, std::try_to_lock).owns_lock());
  too.unlock();
  EXPECT_TRUE(too.try_lock_for(patience));
  too.unlock();
  EXPECT_TRUE(too.try_lock_for(thirds(100)));
  too.unlock();
  EXPECT_TRUE(too.try_lock_until(std::chrono::system_clock::now() + real_seconds(30.5)));
  too.unlock();
  reading.unlock();
  const std::unique_lock writing(third);
  EXPECT_FALSE(reading.try_lock());
  EXPECT_FALSE(reading.try_lock_for(briefly));
  EXPECT_FALSE(reading.try_lock_until(boot_clock::now() + briefly));
  EXPECT_FALSE(reading.owns_lock());
}

TEST_F(std_guards_together, condition_variable_any_waits_on_a_shared_lock) {
  shared_mutex mine(one_, "/lock");
  std::condition_variable_any changed;
  std::atomic<bool> ready = false;
  std::shared_lock reading(mine);
  auto writer = in_a_thread([&] {
    const std::scoped_lock writing(mine);
    ready = true;
    changed.notify_all();
  });
  changed.wait(reading, [&ready] { return ready.load(); });
  EXPECT_TRUE(reading.owns_lock());
  EXPECT_TRUE(mine.held());
  writer.get();
}

TEST_F(std_guards_together, a_hold_that_was_lost_meanwhile_does_not_end_a_wait_on_a_condition) {
  recursive_mutex mine(one_, "/lock");
  std::condition_variable_any changed;
  std::unique_lock guard(mine);
  bool expired = false;
  auto server = in_a_thread([&] {
    { const std::scoped_lock inside(mine); }  // the waiter is inside the wait, and has unlocked
    zookeeper_.expire_sessions(0);
    const std::scoped_lock inside(mine);  // in the new session
    expired = true;
    changed.notify_all();
  });
  changed.wait(guard, [&expired] { return expired; });
  EXPECT_TRUE(mine.held()) << "it is locked afresh when the wait ends";
  server.get();
}

TEST_F(std_guards_together, a_condition_wait_gives_back_one_count_and_the_outer_one_keeps_other_clients_out) {
  recursive_mutex mine(one_, "/lock");
  recursive_mutex others(two_, "/lock");
  std::condition_variable_any changed;
  const std::scoped_lock outer(mine);
  const fencing_token token = mine.token();
  std::unique_lock inner(mine);
  EXPECT_FALSE(changed.wait_for(inner, briefly, [&] { return elsewhere([&] { return others.try_lock(); }); }));
  EXPECT_EQ(mine.token(), token);
}

TEST_F(std_guards_together, a_wait_on_a_condition_takes_the_lock_afresh_with_another_token) {
  recursive_mutex mine(one_, "/lock");
  std::condition_variable_any changed;
  std::unique_lock guard(mine);
  const fencing_token before = mine.token();
  EXPECT_FALSE(changed.wait_for(guard, 1ms, [] { return false; }));
  EXPECT_GT(mine.token(), before);
}

TEST_F(std_guards_together, a_lock_that_fails_at_the_end_of_a_wait_throws_and_leaves_the_guard_without_it) {
  recursive_mutex mine(one_, "/lock");
  std::condition_variable_any changed;
  bool closed = false;
  std::unique_lock guard(mine);
  auto closer = in_a_thread([&] {
    const std::scoped_lock inside(mine);  // the waiter is inside the wait, and has unlocked
    one_.close();
    closed = true;
    changed.notify_all();
  });
  EXPECT_EQ(thrown_by([&] { changed.wait(guard, [&closed] { return closed; }); }).ec, errc::session_closed);
  EXPECT_FALSE(guard.owns_lock());
  closer.get();
}

}  // namespace
}  // namespace zklock::test
