// Guarded writes that a server or the library refuses, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/integration/a_guarded_write.hpp"

namespace zklock::test {
namespace {

TEST_F(a_guarded_write, whose_operation_fails_names_it_wherever_it_stands_and_leaves_nothing_behind) {
  (void)server_.create(full("/full/child"));
  session& one = open();
  recursive_mutex lock(one, "/lock");
  recursive_mutex other(one, "/other");
  const grant held = lock.acquire();
  const grant second = other.acquire();
  struct row {
    errc why;
    std::string_view named;
    std::function<void(transaction&)> add;
  };
  const row table[] = {
      {errc::node_exists, "create /config (ZNODEEXISTS)", [](transaction& to) { to.create("/config"); }},
      {errc::node_missing, "create /none/a (ZNONODE)", [](transaction& to) { to.create("/none/a"); }},
      {errc::version_mismatch, "set /config (ZBADVERSION)", [](transaction& to) { to.set("/config", "", 7); }},
      {errc::node_missing, "set /none (ZNONODE)", [](transaction& to) { to.set("/none", ""); }},
      {errc::node_not_empty, "remove /full (ZNOTEMPTY)", [](transaction& to) { to.remove("/full"); }},
      {errc::version_mismatch, "remove /config (ZBADVERSION)", [](transaction& to) { to.remove("/config", 7); }},
      {errc::node_missing, "check /none (ZNONODE)", [](transaction& to) { to.check("/none"); }},
      {errc::version_mismatch, "check /config (ZBADVERSION)", [](transaction& to) { to.check("/config", 7); }},
  };
  for (const row& each : table) {
    for (int place = 0; place < 3; ++place) {
      transaction all = one.transaction();
      all.guarded_by(held).guarded_by(second);
      for (int operation = 0; operation < 3; ++operation) {
        operation == place ? each.add(all)
                           : static_cast<void>(all.set("/log", "").create("/log/n-" + std::to_string(operation)));
      }
      try {
        all.commit();
        ADD_FAILURE() << each.named << " at " << place;
      } catch (const error& told) {
        EXPECT_EQ(told.code(), each.why) << told.what();
        EXPECT_EQ(std::string_view(told.what()).substr(0, each.named.size()), each.named) << "at " << place;
      }
    }
  }
  EXPECT_EQ(log_length(), 0U);
  EXPECT_EQ(version_of("/log"), 0);
  EXPECT_EQ(version_of("/config"), 0);
  EXPECT_TRUE(held.held());
}

TEST_F(a_guarded_write, f82_with_bad_input_is_refused_before_a_request_is_sent) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  session& two = open();
  recursive_mutex lock(one, "/lock");
  recursive_mutex theirs(two, "/theirs");
  grant held = lock.acquire();
  const grant foreign = theirs.acquire();
  std::atomic<int> multis = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    multis += asked.opcode == opcode::multi ? 1 : 0;
    return verdict::pass;
  });
  const auto refused_with = [&](const std::function<void(transaction&)>& fill) {
    std::error_code ec;
    transaction bad = one.transaction();
    fill(bad.guarded_by(held).set("/config", "x"));
    bad.commit(ec);
    return ec;
  };
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.guarded_by(foreign); }), errc::wrong_session);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.guarded_by(grant()); }), errc::not_owner);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.create("no/slash"); }), errc::invalid_path);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.set("/a//b", ""); }), errc::invalid_path);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.remove("/a/"); }), errc::invalid_path);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.check("/a\nb"); }), errc::invalid_path);
  EXPECT_EQ(refused_with([&](transaction& bad) { bad.set("/config", std::string(1'000'000, 'x')); }),
            errc::request_too_large);
  EXPECT_EQ(refused_with([&](transaction&) { held.release(); }), errc::not_owner);
  EXPECT_EQ(multis, 0);
  EXPECT_EQ(version_of("/config"), 0);
}

TEST_F(a_guarded_write, in_a_forked_child_is_refused) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "gcc 12's address sanitizer: a mutex of its allocator that another thread has at the fork stays "
                  "locked in the child";
#endif
  session& one = open();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(append(one, held) == errc::forked ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(log_length(), 0U);
  EXPECT_FALSE(append(one, held));
}

}  // namespace
}  // namespace zklock::test
