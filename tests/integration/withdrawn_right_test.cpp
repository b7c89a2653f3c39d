// An administrator changes the access list of a lock node that is in use.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <string>
#include <string_view>

#include "tests/integration/an_adopted_handle.hpp"

namespace zklock::test {
namespace {

class a_withdrawn_right : public on_a_server {
 protected:
  /// On `path`, to every client.
  void leave_only(const std::string& path, int permissions) {
    const program_with_a_handle administrator("127.0.0.1:" + std::to_string(port_), 10s);
    ASSERT_TRUE(administrator.reaches(ZOO_CONNECTED_STATE));
    std::string world = "world";
    std::string anyone = "anyone";
    ACL entry{permissions, {world.data(), anyone.data()}};
    const ACL_vector list{1, &entry};
    ASSERT_EQ(zoo_set_acl(administrator.handle(), full(path).c_str(), -1, &list), ZOK);
  }
  /// Empty: there is none.
  [[nodiscard]] std::string contender_with(std::string_view mark) {
    for (const std::string& name : contenders("/lock")) {
      if (name.find(mark) != std::string::npos) {
        return full("/lock/") + name;
      }
    }
    return {};
  }
};

/// A server asks for the right to create before it sees that the reader is there: a downgrade that is repeated as it was is
/// refused again and again, and the client would not know which node stands for it.
TEST_F(a_withdrawn_right, f173_to_create_behind_a_downgrade_whose_answer_was_lost_hides_no_removal) {
  constexpr std::string_view reader = "__READ__";
  proxy& way = new_proxy();
  session& one = open_through(way);
  const lock_options as_curator{.layout = layout::curator};
  shared_mutex lock(one, "/lock", as_curator);
  shared_mutex other(open(), "/lock", as_curator);
  grant held = lock.write().acquire();
  auto next = in_a_thread([&] { return other.write().acquire(); });
  ASSERT_TRUE(queue_grows_to(2));
  std::atomic<int> downgrades = 0;
  std::atomic<bool> found = false;
  const hooks at_the_reader(way, [&](const request_frame& asked) {
    if (asked.path.find(reader) == std::string::npos) {
      return verdict::pass;
    }
    found = found || asked.opcode != opcode::multi;
    return asked.opcode == opcode::multi && ++downgrades == 1 ? verdict::cut_after : verdict::pass;
  });
  way.set_mode(proxy_mode::refuse);  // the client comes back when the right has gone
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return !contender_with(reader).empty(); }));
  leave_only("/lock", ZOO_PERM_ALL & ~ZOO_PERM_CREATE);
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return found || downgrades > 3; }));
  EXPECT_TRUE(held.held());
  ASSERT_TRUE(server_.remove(contender_with(reader)));
  EXPECT_TRUE(ready(next)) << "the next writer holds";
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed) << "and not only when a deadline has passed";
  next.get().release();
  leave_only("/lock", ZOO_PERM_ALL);
}

/// Answers that prove nothing of the session must not stand for the requests that do.
TEST_F(a_withdrawn_right, f174_to_write_costs_a_program_that_tries_on_no_lock) {
  session_options brief;
  brief.timeout = 4s;
  session& one = open(brief);
  (void)server_.create(full("/config"));
  leave_only("/config", ZOO_PERM_READ);
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  std::error_code told;
  for (const auto end = std::chrono::steady_clock::now() + 5s; std::chrono::steady_clock::now() < end;) {
    one.transaction().set("/config", "forbidden").commit(told);
    ASSERT_EQ(told, errc::permission_denied) << told.message();
    std::this_thread::sleep_for(50ms);  // the load
  }
  EXPECT_TRUE(held.held()) << "its deadline is less than 4 s behind the last write that a server has done";
}

}  // namespace
}  // namespace zklock::test
