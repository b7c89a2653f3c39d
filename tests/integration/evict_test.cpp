// zklock evict: what it removes, what it leaves alone, and what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

using client::create_mode;

class an_eviction : public command_on_a_server {
 protected:
  [[nodiscard]] running_command::surroundings at_a_terminal() const {
    running_command::surroundings around = here();
    around.with_terminal = true;
    return around;
  }
  [[nodiscard]] std::string first() { return "/lock/" + in_order().at(0); }
  [[nodiscard]] std::string second() { return "/lock/" + in_order().at(1); }

 private:
  std::vector<std::string> in_order() {
    std::vector<std::string> all = contenders();
    std::ranges::sort(all, {}, [](const std::string& one) { return one.substr(one.size() - 10); });
    return all;
  }
};

TEST_F(an_eviction, of_a_holder_ends_its_command_and_lets_the_next_one_in) {
  running_command holder(zklock({"run", "--label", "stuck", "/lock", "--", "sleep", "600"}), here());
  ASSERT_TRUE(queue_grows_to(1));
  const std::string node = first();
  running_command next(zklock({"run", "/lock", "--", "echo", "in"}), here());
  ASSERT_TRUE(queue_grows_to(2));
  running_command one(zklock({"evict", "--yes", node}), here());
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contains(one.errors(), node + "\nholds /lock (mutex): \"stuck\" (host \"")) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "compare tokens")) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "zklock: evicted " + node + "\n")) << one.errors();
  EXPECT_EQ(holder.status(), 79) << holder.errors();
  EXPECT_EQ(next.status(), 0) << next.errors();
  EXPECT_EQ(next.output(), "in\n");
}

TEST_F(an_eviction, of_a_waiter_puts_it_at_the_end) {
  recursive_mutex lock(open(), "/lock");
  const grant held = lock.acquire();
  running_command waiter(zklock({"run", "/lock", "--", "echo", "in"}), here());
  ASSERT_TRUE(queue_grows_to(2));
  const std::string node = second();
  running_command one(zklock({"evict", "--yes", node}), here());
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "waits for /lock (mutex)")) << one.errors();
  EXPECT_FALSE(server_.look(full(node)));
  waiter.send(SIGTERM);
  EXPECT_EQ(waiter.status(), 128 + SIGTERM);
}

TEST_F(an_eviction, of_a_kept_node_says_that_nobody_may_hold_by_it) {
  for (const bool kept : {true, false}) {
    lock_options as;
    if (kept) {
      as.keep = kept_lock{.idle_limit = std::chrono::seconds(5)};
    }
    recursive_mutex lock(open(), "/lock", as);
    lock.acquire().release();  // kept from the second one on
    grant held = lock.acquire();
    const std::string node = first();
    if (kept) {
      held.release();
    }
    running_command one(zklock({"evict", "--yes", node}), here());
    EXPECT_EQ(one.status(), 0) << one.errors();
    EXPECT_TRUE(contains(one.errors(), "holds /lock (mutex)")) << one.errors();
    EXPECT_EQ(contains(one.errors(), "keep it between two holds, and hold nothing now"), kept) << one.errors();
    EXPECT_FALSE(server_.look(full(node)));
  }
}

TEST_F(an_eviction, asks_at_a_terminal_and_takes_no_answer_but_yes) {
  recursive_mutex lock(open(), "/lock");
  const grant held = lock.acquire();
  for (const char* answer : {"n\n", "\n", "yess\n", "\x04"}) {
    running_command one(zklock({"evict", first()}), at_a_terminal());
    ASSERT_TRUE(eventually([&] { return contains(one.errors() + one.output(), "evict it? [y/N]"); })) << one.errors();
    one.type(answer);
    EXPECT_EQ(one.status(), 1) << one.errors();
  }
  EXPECT_EQ(contenders().size(), 1U);
  running_command one(zklock({"evict", first()}), at_a_terminal());
  ASSERT_TRUE(eventually([&] { return contains(one.errors() + one.output(), "evict it? [y/N]"); }));
  one.type("Yes\n");
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contenders().empty());
}

TEST_F(an_eviction, leaves_alone_what_has_changed_while_it_asked) {
  shared_mutex lock(open(), "/lock");
  grant held = lock.write().acquire();
  running_command one(zklock({"evict", first()}), at_a_terminal());
  ASSERT_TRUE(eventually([&] { return contains(one.errors() + one.output(), "evict it? [y/N]"); })) << one.errors();
  held.downgrade();
  ASSERT_TRUE(eventually([&] { return server_.look(full(first()))->version > 0; }));
  one.type("y\n");
  EXPECT_EQ(one.status(), 1) << one.errors();
  EXPECT_TRUE(contains(one.errors() + one.output(), "has changed since it was shown")) << one.errors();
  EXPECT_TRUE(held.held());
}

TEST_F(an_eviction, of_a_waiter_leaves_it_alone_when_it_holds_by_then) {
  recursive_mutex lock(open(), "/lock");
  grant held = lock.acquire();
  recursive_mutex next(open(), "/lock");
  auto waits = in_a_thread([&] { return next.acquire(); });
  ASSERT_TRUE(queue_grows_to(2));
  running_command one(zklock({"evict", second()}), at_a_terminal());
  ASSERT_TRUE(eventually([&] { return contains(one.errors() + one.output(), "evict it? [y/N]"); }));
  held.release();
  const grant now = waits.get();
  one.type("y\n");
  EXPECT_EQ(one.status(), 1) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "holds by now, and was left alone")) << one.errors();
  EXPECT_TRUE(now.held());
}

TEST_F(an_eviction, removes_no_other_node) {
  (void)server_.create(full("/app/config"));
  running_command other(zklock({"evict", "--yes", "/app/config"}), here());
  EXPECT_EQ(other.status(), 1);
  EXPECT_EQ(other.errors(), "zklock: /app/config: is no contender of a lock; it was left alone\n");
  EXPECT_TRUE(server_.look(full("/app/config")));
  running_command none(zklock({"evict", "--yes", "/app/x-lock-0000000001"}), here());
  EXPECT_EQ(none.status(), 1);
  EXPECT_EQ(none.errors(), "zklock: /app/x-lock-0000000001: there is no such node\n");
}

TEST_F(an_eviction, finds_the_lease_of_a_semaphore_in_curators_layout) {
  semaphore pool(open(), "/lock", 2, {.layout = layout::curator});
  const grant has = pool.permits(1).acquire();
  const std::string node = has.node();
  running_command one(zklock({"evict", "--yes", node}), here());
  EXPECT_EQ(one.status(), 0) << one.errors();
  EXPECT_TRUE(contains(one.errors(), "holds /lock (permits)")) << one.errors();
  EXPECT_TRUE(eventually([&] { return !has.held(); }));
}

TEST_F(an_eviction, refuses_bad_usage) {
  for (const auto& [arguments, text] :
       std::vector<std::pair<words, std::string>>{{{"evict"}, "NODE"},
                                                  {{"evict", "/lock/a"}, "--yes removes without a question"},
                                                  {{"evict", "--yes", "/a", "/b"}, "evict takes one NODE"},
                                                  {{"evict", "--yes", "relative"}, "\"relative\""},
                                                  {{"evict", "--yes", "/a", "--", "true"}, "evict runs no COMMAND"}}) {
    running_command one(zklock(arguments), here());
    EXPECT_EQ(one.status(), 64) << one.errors();
    EXPECT_TRUE(contains(one.errors(), text)) << one.errors();
  }
  running_command nowhere(zklock({"--connect", "127.0.0.1:1", "evict", "--yes", "/a/b"}), here());
  EXPECT_EQ(nowhere.status(), 69);
}

}  // namespace
}  // namespace zklock::test
