// What a try costs on a lock that is busy: reads, and no write.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/api/process_sessions.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

/// Client 0 holds. Client 1 tries, as if it were in another process, unless a test says otherwise.
class a_busy_try : public ::testing::TestWithParam<layout> {
 protected:
  a_busy_try() { detail::process_sessions::all().forget(); }

  [[nodiscard]] static lock_options options(bool read_first = false) {
    return {.layout = GetParam(), .read_first = read_first};
  }
  /// That it costs so many requests, and is refused.
  void expect_refused(const std::function<grant()>& once, std::uint64_t requests,
                      const test_support::call_site& where = test_support::call_site::current()) {
    const ::testing::ScopedTrace trace(where.file, where.line, "called here");
    ASSERT_TRUE(eventually([this] { return zookeeper.quiet(); }));
    const std::uint64_t before = zookeeper.request_count(1);
    EXPECT_FALSE(once());
    ASSERT_TRUE(eventually([this] { return zookeeper.quiet(); }));
    EXPECT_EQ(zookeeper.request_count(1) - before, requests);
  }
  /// The number of the node that comes next: a try that writes makes one.
  [[nodiscard]] static std::string number_of(const std::string& node) { return node.substr(node.size() - 10); }

  testing::fake_ensemble zookeeper;
  session holding{zookeeper.clients(0), {.timeout = 30s}};
  session trying{zookeeper.clients(1), {.timeout = 30s}};
};

INSTANTIATE_TEST_SUITE_P(each_layout, a_busy_try, ::testing::Values(layout::native, layout::curator),
                         [](const auto& of) { return std::string(to_string(of.param)); });

TEST_P(a_busy_try, at_a_mutex_takes_one_read_behind_the_first) {
  recursive_mutex theirs(holding, "/lock", options());
  recursive_mutex ours(trying, "/lock", options());
  grant held = theirs.acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  expect_refused([&] { return ours.try_acquire(); },
                 GetParam() == layout::native ? 4 : 3);  // and whether it may be idle
  for (int i = 0; i < 5; ++i) expect_refused([&] { return ours.try_acquire(); }, 1);
  EXPECT_FALSE(ours.try_lock());
  const int last = std::stoi(number_of(held.node()));
  held.release();
  const grant mine = ours.try_acquire();
  ASSERT_TRUE(mine) << "the node that blocked is gone";
  EXPECT_EQ(std::stoi(number_of(mine.node())), last + 2) << "one try has made a node, and this one";
  EXPECT_FALSE(theirs.try_acquire());
}

TEST_P(a_busy_try, at_either_side_takes_one_read) {
  shared_mutex theirs(holding, "/lock", options());
  shared_mutex ours(trying, "/lock", options());
  lock_view read = ours.read(), write = ours.write();
  grant held = theirs.write().acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  for (lock_view* side : {&read, &write}) {
    expect_refused([&] { return side->try_acquire(); }, side == &read && GetParam() == layout::native ? 5 : 3);
    expect_refused([&] { return side->try_acquire(); }, 1);
  }
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return static_cast<bool>(read.try_acquire()); })) << "a reader by now";
  expect_refused([&] { return write.try_acquire(); }, GetParam() == layout::native ? 1 : 4);
}

TEST_P(a_busy_try, at_permits_takes_one_list) {
  semaphore theirs(holding, "/pool", 3, options());
  semaphore ours(trying, "/pool", 3, options());
  grant held = theirs.permits(2).acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  lock_view two = ours.permits(2);
  EXPECT_FALSE(two.try_acquire());
  detail::process_sessions::all().forget();
  expect_refused([&] { return two.try_acquire(); }, 1);
  expect_refused([&] { return two.try_acquire(); }, 1);
  EXPECT_TRUE(ours.try_acquire()) << "one is left";
  held.release();
  EXPECT_TRUE(two.try_acquire());
}

TEST_P(a_busy_try, behind_an_exclusive_hold_of_its_session_takes_nothing) {
  recursive_mutex theirs(trying, "/lock", options());
  recursive_mutex ours(trying, "/lock", options());
  const grant held = theirs.acquire();
  expect_refused([&] { return ours.try_acquire(); }, 0);
  shared_mutex sides(trying, "/sides", options());
  const grant writes = sides.write().acquire();
  expect_refused([&] { return sides.read().try_acquire(); }, 0);
  expect_refused([&] { return sides.write().try_acquire(); }, 0);
}

TEST_P(a_busy_try, that_reads_first_makes_no_node_from_the_first_on) {
  recursive_mutex theirs(holding, "/lock", options());
  recursive_mutex ours(trying, "/lock", options(true));
  const grant held = theirs.acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  expect_refused([&] { return ours.try_acquire(); }, 2);
  expect_refused([&] { return ours.try_acquire(); }, 1);
  EXPECT_EQ(zookeeper.children("/lock").size(), 1U);
  recursive_mutex free(trying, "/free", options(true));
  EXPECT_TRUE(free.try_acquire());
}

TEST_P(a_busy_try, says_who_is_in_the_way) {
  lock_options with_label = options();
  with_label.label = "nightly import";
  recursive_mutex theirs(holding, "/lock", with_label);
  recursive_mutex ours(trying, "/lock", options());
  grant held = theirs.acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  for (int i = 0; i < 3; ++i) {  // with a node of its own, and by a read
    participant who;
    EXPECT_FALSE(ours.try_acquire(who));
    EXPECT_EQ(who.label, "nightly import");
    EXPECT_EQ(who.node, held.node());
    EXPECT_EQ(who.token, held.token());
    EXPECT_EQ(who.state, participant_state::held);
    EXPECT_EQ(who.kind, participant_kind::mutex);
  }
  participant who;
  expect_refused([&] { return ours.try_acquire(who); }, 1);
  EXPECT_EQ(who.label, "nightly import");
  recursive_mutex also_theirs(holding, "/lock", options());
  participant own;
  const std::uint64_t asked = zookeeper.request_count(0);
  EXPECT_FALSE(also_theirs.try_acquire(own));
  EXPECT_EQ(zookeeper.request_count(0), asked);
  EXPECT_EQ(own.label, "nightly import") << "of its own session";
  EXPECT_EQ(own.node, held.node());
  EXPECT_EQ(own.token, held.token());
  held.release();
  std::error_code ec;
  EXPECT_TRUE(ours.try_acquire(who, ec));
  EXPECT_EQ(who, participant());
}

TEST_P(a_busy_try, says_that_a_readers_writer_may_wait_itself_and_of_permits_nobody) {
  shared_mutex theirs(holding, "/lock", options());
  shared_mutex ours(trying, "/lock", options());
  const grant held = theirs.write().acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  participant who;
  EXPECT_FALSE(ours.read().try_acquire(who));
  EXPECT_EQ(who.node, held.node());
  EXPECT_EQ(who.kind, participant_kind::write);
  EXPECT_EQ(who.state, participant_state::waiting);
  semaphore pool(holding, "/pool", 1, options());
  semaphore our_pool(trying, "/pool", 1, options());
  const grant permit = pool.acquire();
  EXPECT_FALSE(our_pool.try_acquire(who));
  EXPECT_EQ(who, participant());
}

// Whatever a server has not heard of yet: a release that its caller knows of is never denied.
TEST_P(a_busy_try, is_not_told_of_a_time_before_a_release_of_its_own_process) {
  testing::fake_ensemble three({.servers = 3});
  const int follower = (three.leader() + 1) % 3;
  session one(three.clients(0, three.leader()), {.timeout = 60s});
  session other(three.clients(1, follower), {.timeout = 60s});
  ASSERT_TRUE(one.wait_connected_for(patience) && other.wait_connected_for(patience));
  recursive_mutex theirs(one, "/lock", options());
  recursive_mutex ours(other, "/lock", options());
  bool both_asked = false;
  for (int i = 0; i < 20 && !both_asked; ++i) {  // a heartbeat under way holds up the read
    grant held = theirs.acquire();
    EXPECT_FALSE(ours.try_acquire());
    ASSERT_TRUE(eventually([&] { return three.quiet(); }));
    three.lag_follower(follower);
    held.release();
    const std::uint64_t asked = three.request_count(1);
    auto tried = in_a_thread([&] { return static_cast<bool>(ours.try_acquire()); });
    both_asked = eventually([&] { return three.request_count(1) > asked + 1; }, 300ms);  // the read, and the node
    three.join_follower(follower);
    EXPECT_TRUE(tried.get());
  }
  EXPECT_TRUE(both_asked);
}

TEST_P(a_busy_try, whose_connection_goes_meanwhile_ends_as_any_other) {
  recursive_mutex theirs(holding, "/lock", options());
  recursive_mutex ours(trying, "/lock", options());
  const grant held = theirs.acquire();
  ASSERT_TRUE(trying.wait_connected_for(patience));
  detail::process_sessions::all().forget();
  EXPECT_FALSE(ours.try_acquire());
  for (int i = 0; i < 5; ++i) {
    zookeeper.lose_next_reply(1);
    std::error_code ec;
    EXPECT_FALSE(ours.try_acquire(ec));
    EXPECT_TRUE(!ec || ec == errc::not_connected) << ec.message();
    ASSERT_TRUE(eventually([&] { return trying.state() == session_state::connected; }));
  }
  zookeeper.expire_sessions(1);
  std::error_code ec;
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(ours.try_acquire(ec));
    return !ec;
  })) << ec.message();
  EXPECT_TRUE(eventually([&] { return zookeeper.children("/lock").size() == 1U; }));
}

}  // namespace
}  // namespace zklock::test
