// Servers that come back with a shorter history than their clients have seen: an emptied data directory, a restored backup.
// They close each connect of such a client without a word, and no expiry is ever told.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/inspector.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

constexpr auto timeout = 2s;
/// What a waiter's session, and any other that holds nothing, needs: docs/guide/sessions.md states it.
constexpr auto recovered_within = 3 * timeout;

class servers : public ::testing::TestWithParam<std::size_t> {
 protected:
  /// A session that has seen much of the servers' history.
  [[nodiscard]] std::unique_ptr<session> old_session() {
    auto made = std::make_unique<session>(zookeeper_.connect_string(), session_options{.timeout = timeout});
    recursive_mutex lock(*made, "/history");
    for (int round = 0; round < 150; ++round) {
      static_cast<void>(lock.acquire());
    }
    return made;
  }
  void kill_all() {
    for (std::size_t i = 0; i < zookeeper_.size(); ++i) {
      zookeeper_.kill(i);
    }
  }
  void start_all() {
    for (std::size_t i = 0; i < zookeeper_.size(); ++i) {
      zookeeper_.restart(i, false);
    }
    ASSERT_TRUE(eventually([&] { return zookeeper_.leader().has_value(); }));
  }
  void lose_data() {
    kill_all();
    for (std::size_t i = 0; i < zookeeper_.size(); ++i) {
      std::filesystem::remove_all(zookeeper_.data_directory(i) / "version-2");
    }
    start_all();
  }
  void expect_no_contender() {
    inspector fresh(zookeeper_.connect_string());
    for (const char* const lock : {"/orders", "/idle", "/permits"}) {
      EXPECT_TRUE(eventually([&] { return fresh.ephemerals_below(lock).empty(); })) << lock;
    }
  }

  test_support::private_zookeeper zookeeper_{{.servers = GetParam()}};
};

using servers_that_have_lost_their_data = servers;

TEST_P(servers_that_have_lost_their_data, f183_get_new_sessions_of_all_who_hold_nothing) {
  const auto holds = old_session(), waits = old_session(), idles = old_session(), lists = old_session(),
             limits = old_session();
  recursive_mutex held(*holds, "/orders"), waited_for(*waits, "/orders"), tried(*idles, "/idle"),
      seen(*lists, "/orders");
  semaphore permits(*limits, "/permits");
  grant first = held.acquire();
  std::atomic<bool> listed = false;
  auto waiting = in_a_thread([&] { return waited_for.acquire(); });
  ASSERT_TRUE(eventually([&] { return seen.queue().size() == 2; }));

  lose_data();
  auto one_try = in_a_thread([&] { return tried.try_acquire_for(recovered_within); });
  auto a_look = in_a_thread([&] {
    std::error_code ec;
    while (!listed) {
      static_cast<void>(seen.queue(ec));
      listed = !ec;
    }
  });
  auto a_limit = in_a_thread([&] {
    std::error_code ec;
    do {
      permits.set_permit_limit(3, ec);
    } while (ec);
  });
  EXPECT_TRUE(one_try.get().held());
  grant second;
  if (ready(waiting)) {
    second = waiting.get();
  }
  EXPECT_TRUE(second.held());
  EXPECT_TRUE(ready(a_look));
  EXPECT_TRUE(ready(a_limit));
  EXPECT_FALSE(first.held());
  second = {};
  expect_no_contender();
}

using servers_that_were_all_down_for_long = servers;

TEST_P(servers_that_were_all_down_for_long, f183_keep_a_waiters_place_if_they_have_their_data) {
  const auto holds = old_session(), waits = old_session();
  recursive_mutex held(*holds, "/orders"), waited_for(*waits, "/orders");
  grant first = held.acquire();
  auto waiting = in_a_thread([&] { return waited_for.acquire(); });
  inspector before(zookeeper_.connect_string());
  ASSERT_TRUE(eventually([&] { return before.children("/orders").size() == 2; }));
  const std::string mine = [&] {
    for (const std::string& name : before.children("/orders")) {
      if (first.node() != "/orders/" + name) {
        return "/orders/" + name;
      }
    }
    return std::string();
  }();
  const auto created = before.look(mine)->czxid;
  kill_all();
  std::this_thread::sleep_for(2 * timeout);  // the outage itself
  start_all();
  grant second = waiting.get();
  EXPECT_TRUE(second.held());
  EXPECT_EQ(second.node(), mine);
  EXPECT_EQ(second.token(), (fencing_token{created}));
  second = {};
  expect_no_contender();
}

/// A program's own handle, on which nothing tells that its servers will never take it again.
TEST_P(servers_that_have_lost_their_data, f184_make_the_session_of_an_adopted_handle_expire) {
  const auto program = [&] {
    return zookeeper_init2(zookeeper_.connect_string().c_str(), nullptr, std::chrono::milliseconds(timeout).count(),
                           nullptr, nullptr, ZOO_NO_LOG_CLIENTENV, [](const char*) {});
  };
  const auto others = old_session();
  zhandle_t* const refused = program();
  session adopted = adopt(refused);
  std::atomic<bool> told = false;
  const session_observer observer =
      adopted.observe([&](const session_change& change) { told = told || change.state == session_state::expired; });
  recursive_mutex lock(adopted, "/orders"), other(*others, "/orders");
  ASSERT_TRUE(adopted.wait_connected_for(patience));
  grant first = other.acquire();
  std::error_code ec;
  auto waiting = in_a_thread([&] { return lock.acquire(ec); });
  ASSERT_TRUE(eventually([&] { return lock.queue().size() == 2; }));

  lose_data();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(ec, errc::session_expired);
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  EXPECT_EQ(adopted.state(), session_state::expired);
  EXPECT_NE(adopted.last_connection_failure().find("refuses this session, since its data are older"), std::string::npos)
      << adopted.last_connection_failure();
  zhandle_t* const next = program();
  readopt(adopted, next);
  zookeeper_close(refused);
  EXPECT_TRUE(lock.try_acquire_for(patience).held());
  EXPECT_EQ(adopted.last_connection_failure(), "");
  adopted.close(ec);
  zookeeper_close(next);
}

INSTANTIATE_TEST_SUITE_P(one, servers_that_have_lost_their_data, ::testing::Values(1));
INSTANTIATE_TEST_SUITE_P(three, servers_that_have_lost_their_data, ::testing::Values(3));
INSTANTIATE_TEST_SUITE_P(one, servers_that_were_all_down_for_long, ::testing::Values(1));
INSTANTIATE_TEST_SUITE_P(three, servers_that_were_all_down_for_long, ::testing::Values(3));

}  // namespace
}  // namespace zklock::test
