// A server that enforces quotas: what it refuses is told by its name, and costs no client a lock that it holds.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <cstdlib>
#include <string>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

struct holds_a_server_with_quotas {
  /// The server's Java takes it from the environment; the test's own process has no other one.
  struct enforced {
    enforced() { setenv("JAVA_TOOL_OPTIONS", "-Dzookeeper.enforceQuota=true", 1); }
    ~enforced() { unsetenv("JAVA_TOOL_OPTIONS"); }
    enforced(const enforced&) = delete;
    enforced& operator=(const enforced&) = delete;
  };
  enforced while_it_starts{};
  test_support::private_zookeeper zookeeper{};
};

class a_quota : protected holds_a_server_with_quotas, public on_a_server {
 protected:
  a_quota() : on_a_server(zookeeper.address()) {}

  /// No more nodes below `path`, itself included, than these.
  void limit_nodes(const std::string& path, int count) {
    const std::string quota = server_.create("/zookeeper/quota" + full(path));
    const std::string limits = server_.create(quota + "/zookeeper_limits");
    const std::string hard = "count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=" + std::to_string(count);
    ASSERT_EQ(server_.ask(client::request::set{limits, hard, -1}).code, client::code::ok);
    const std::string used = server_.create(quota + "/zookeeper_stats");
    const std::string now = "count=" + std::to_string(1 + contenders(path).size()) + ",bytes=0";
    ASSERT_EQ(server_.ask(client::request::set{used, now, -1}).code, client::code::ok);
  }
};

TEST_F(a_quota, f158_that_is_used_up_refuses_the_lock_and_is_told_by_zookeepers_name) {
  server_.create(full("/lock"));
  limit_nodes("/lock", 1);
  recursive_mutex lock(open(), "/lock");
  try {
    (void)lock.acquire();
    FAIL() << "granted";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::server_error);
    EXPECT_NE(std::string(refused.what()).find("ZQUOTAEXCEEDED"), std::string::npos) << refused.what();
  }
}

TEST_F(a_quota, f156_that_refuses_a_downgrade_leaves_the_hold_which_guards_the_next_write) {
  server_.create(full("/config"));
  server_.create(full("/lock"));
  proxy& way = new_proxy();
  session& one = open_through(way);
  shared_mutex lock(one, "/lock", {.layout = layout::curator});
  grant held = lock.write().acquire();
  limit_nodes("/lock", 2);
  std::error_code behind;
  way.set_mode(proxy_mode::hold_replies);  // so that the write is sent before the refusal is known
  held.downgrade();
  auto written = in_a_thread([&] { one.transaction().guarded_by(held).set("/config", "by it").commit(behind); });
  EXPECT_FALSE(ready(written, 100ms));
  way.set_mode(proxy_mode::pass);
  written.get();
  EXPECT_EQ(behind, errc::not_connected) << behind.message();
  EXPECT_TRUE(held.held());
  one.transaction().guarded_by(held).set("/config", "by it").commit();
  EXPECT_EQ(server_.data(full("/config")), "by it");
  held.release();
}

}  // namespace
}  // namespace zklock::test
