#include "src/api/count_release.hpp"

#include "src/api/lock_state.hpp"
#include "src/api/multi_lock_state.hpp"
#include "src/api/mutex_terms.hpp"
#include "src/api/shared_mutex_terms.hpp"
#include "tests/unit/api/on_a_fake.hpp"

/// What follows from giving a count back, and that it works as long as one is left: also when the session has gone.
namespace zklock::test {
namespace {

using detail::grant_access;
using detail::hold;
using detail::lock_mode;
using detail::lock_owners;
using detail::lock_state;
using detail::multi_lock_state;
using detail::released_count;
using detail::side;

struct told_release final : operations::release_receiver {
  void complete(operations::release_result result) noexcept override {
    first = times == 0 ? result.ec : first;
    ++times;
  }
  [[nodiscard]] bool told() const {
    return eventually([this] { return times > 0; });
  }
  std::error_code first;
  std::atomic<int> times = 0;
};

class count_release : public on_a_fake {
 protected:
  template <class Terms = detail::mutex_terms>
  static std::shared_ptr<lock_state> lock_on(session& of, std::string_view path, const lock_options& options = {}) {
    return std::make_shared<lock_state>(detail::session_access::impl(of), std::make_shared<Terms>(), path, options);
  }
  /// One count of it for this thread, which is the test's to give back.
  static std::shared_ptr<hold> take(detail::acquirable_state& lock, lock_mode what = {}) {
    what.owner = detail::this_thread_number();
    grant got = lock.acquire(what, {detail::time_limit::kind::none, {}}, nullptr, {});
    std::shared_ptr<hold> taken = grant_access::held(got);
    grant_access::keep_count(std::move(got));
    return taken;
  }
  released_count release_count(lock_state& lock, const std::shared_ptr<hold>& taken, side of = side::whole,
                               bool listened_to = true) {
    return detail::release_count(*lock.its_session(), *lock.owners(), taken, of, listened_to ? listener_ : nullptr);
  }
  [[nodiscard]] bool lost(const hold& one) const {
    return eventually([&] { return one.why_lost() != loss_reason::none; });
  }

  std::shared_ptr<told_release> listener_ = std::make_shared<told_release>();
};

TEST_F(count_release, a_count_that_is_not_the_last_removes_nothing_and_tells_no_listener) {
  const auto lock = lock_on(one_, "/lock");
  const auto taken = take(*lock, lock_mode{});
  ASSERT_EQ(take(*lock, lock_mode{}), taken);
  const released_count first = release_count(*lock, taken);
  EXPECT_TRUE(first.stood);
  EXPECT_FALSE(first.removing);
  EXPECT_TRUE(taken->held_at(detail::boot_now()));
  EXPECT_EQ(queue().size(), 1U);
  EXPECT_EQ(listener_->times, 0);
  const released_count last = release_count(*lock, taken);
  EXPECT_TRUE(last.stood);
  EXPECT_TRUE(last.removing);
  EXPECT_FALSE(taken->held_at(detail::boot_now())) << "at once, whatever the servers say";
  ASSERT_TRUE(listener_->told());
  EXPECT_FALSE(listener_->first);
  EXPECT_TRUE(queue().empty());
  EXPECT_EQ(listener_->times, 1);
}

TEST_F(count_release, the_last_count_removes_the_node_also_without_a_listener) {
  const auto lock = lock_on(one_, "/lock");
  const auto taken = take(*lock, lock_mode{});
  EXPECT_TRUE(release_count(*lock, taken, side::whole, false).removing);
  EXPECT_TRUE(queue_is(0));
  EXPECT_EQ(taken->why_lost(), loss_reason::none);
}

TEST_F(count_release, a_lost_hold_says_that_it_did_not_stand) {
  const auto lock = lock_on(one_, "/lock");
  const auto taken = take(*lock, lock_mode{});
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(lost(*taken));
  EXPECT_FALSE(release_count(*lock, taken).stood);
  ASSERT_TRUE(listener_->told());
  EXPECT_EQ(listener_->first, errc::lost);
  EXPECT_EQ(taken->why_lost(), loss_reason::session_expired);
}

TEST_F(count_release, f53_the_write_count_alone_lets_readers_in_and_keeps_the_node) {
  const auto lock = lock_on<detail::shared_mutex_terms>(one_, "/lock");
  const auto taken = take(*lock, lock_mode{side::write});
  ASSERT_EQ(take(*lock, lock_mode{side::read}), taken);
  const released_count written = release_count(*lock, taken, side::write);
  EXPECT_TRUE(written.stood);
  EXPECT_FALSE(written.removing);
  const auto other = lock_on<detail::shared_mutex_terms>(two_, "/lock");
  const auto reading = take(*other, lock_mode{side::read});
  EXPECT_TRUE(taken->held_at(detail::boot_now()));
  EXPECT_EQ(queue().size(), 2U);
  EXPECT_TRUE(release_count(*lock, taken, side::read).removing);
  EXPECT_TRUE(release_count(*other, reading, side::read, false).removing);
}

// ---- multi-locks

class count_release_parts : public count_release {
 protected:
  [[nodiscard]] static detail::caller me() { return {detail::this_thread_number(), detail::this_thread_number()}; }
  void SetUp() override { whole_.enter({.by = me()}, taken_); }
  released_count release_all() {
    return detail::release_count(*a_->its_session(), whole_, taken_, side::whole, listener_);
  }

  std::shared_ptr<lock_state> a_ = lock_on(one_, "/a");
  std::shared_ptr<lock_state> b_ = lock_on(one_, "/b");
  lock_owners whole_{{{a_->owners(), side::whole}, {b_->owners(), side::whole}}};
  std::shared_ptr<multi_lock_state> both_ =
      std::make_shared<multi_lock_state>(std::vector<multi_lock_state::part>{{a_, {}}, {b_, {}}});
  std::shared_ptr<hold> taken_ = take(*both_);
};

TEST_F(count_release_parts, tells_once_when_all_of_them_are_removed) {
  const released_count given = release_all();
  EXPECT_TRUE(given.stood);
  EXPECT_TRUE(given.removing);
  ASSERT_TRUE(listener_->told());
  EXPECT_FALSE(listener_->first);
  EXPECT_TRUE(queue("/a").empty());
  EXPECT_TRUE(queue("/b").empty());
  EXPECT_EQ(listener_->times, 1);
}

TEST_F(count_release_parts, waits_for_no_part_that_the_thread_goes_on_holding) {
  const auto part = take(*a_, lock_mode{});
  EXPECT_TRUE(release_all().removing);
  ASSERT_TRUE(listener_->told());
  EXPECT_FALSE(listener_->first);
  EXPECT_TRUE(queue("/b").empty());
  EXPECT_EQ(queue("/a").size(), 1U);
  EXPECT_TRUE(part->held_at(detail::boot_now()));
  EXPECT_TRUE(release_count(*a_, part, side::whole, false).removing);
}

TEST_F(count_release_parts, tells_a_loss_once) {
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(lost(*taken_));
  EXPECT_FALSE(release_all().stood);
  ASSERT_TRUE(listener_->told());
  EXPECT_EQ(listener_->first, errc::lost);
  EXPECT_EQ(listener_->times, 1);
}

/// The first one's removal is forbidden, the second one finds no node: the loss is what the caller has to know.
TEST_F(count_release, of_several_tells_a_loss_before_any_other_failure) {
  const lock_options undeletable{.acl = acl{acl_entry{permission::read | permission::write | permission::create}}};
  const auto forbidden = lock_on(one_, "/a", undeletable);
  const auto lost = lock_on(one_, "/b");
  const auto both =
      std::make_shared<multi_lock_state>(std::vector<multi_lock_state::part>{{forbidden, {}}, {lost, {}}});
  const auto taken = take(*both);
  zookeeper_.hold_requests(0);
  EXPECT_TRUE(detail::release_count(*both->its_session(), *both->owners(), taken, side::whole, listener_).stood);
  ASSERT_TRUE(zookeeper_.remove_node("/b/" + zookeeper_.children("/b").front()));
  zookeeper_.restore(0);
  ASSERT_TRUE(listener_->told());
  EXPECT_EQ(listener_->first, errc::lost);
  EXPECT_EQ(listener_->times, 1);
  zookeeper_.expire_sessions(0);  // the other node goes with its session
}

// ---- after the session

class count_release_late : public count_release {
 protected:
  std::optional<session> mine_{std::in_place, zookeeper_.clients(2), session_options{.timeout = 60s}};
  contract_violations violations_;
};

TEST_F(count_release_late, a_grant_keeps_alive_what_it_is_given_back_to) {
  grant released = semaphore(*mine_, "/lock", 2).permits().acquire();
  {
    const grant destroyed = semaphore(*mine_, "/lock", 2).permits().acquire();
    mine_.reset();
    EXPECT_TRUE(queue_is(0)) << "its nodes went with it";
    EXPECT_FALSE(destroyed.held());
    EXPECT_EQ(destroyed.loss_reason(), loss_reason::session_closed);
  }
  std::error_code ec;
  released.release(ec);
  EXPECT_EQ(ec, errc::lost);
}

TEST_F(count_release_late, a_lock_keeps_alive_what_it_is_unlocked_to) {
  recursive_mutex unlocked(*mine_, "/a");
  unlocked.lock();
  semaphore_mutex destroyed(*mine_, "/b");
  destroyed.lock();
  mine_.reset();
  EXPECT_FALSE(unlocked.held());
  unlocked.unlock();
  EXPECT_EQ(violations_.take(), 0) << "that it was lost is not the caller's fault";
}

/// As of a std::mutex: the thread that gets the lock by an unlock() may destroy it, though that call has not returned.
TEST_F(count_release_late, unlock_may_be_overtaken_by_the_end_of_its_lock_and_session) {
  for (int round = 0; round < 50; ++round) {
    auto going = std::make_unique<session>(zookeeper_.clients(2), session_options{.timeout = 60s});
    auto lock = std::make_unique<semaphore_mutex>(*going, "/lock");
    lock->lock();
    auto next = in_a_thread([&] {
      const grant let_in = semaphore_mutex(two_, "/lock").acquire();
      lock.reset();
      going.reset();
      return let_in.held();
    });
    ASSERT_TRUE(queue_is(2));
    semaphore_mutex& unlocked = *lock;
    unlocked.unlock();
    ASSERT_TRUE(next.get());
    ASSERT_TRUE(queue_is(0));
  }
}

}  // namespace
}  // namespace zklock::test
