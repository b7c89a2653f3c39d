// Several locks as one, on a real server: one transaction, one loss, and parts that go one by one.
#include <zklock/multi_lock.hpp>

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

/// A mutex, a read/write lock and a semaphore of one session.
struct three_locks {
  recursive_mutex a;
  shared_mutex b;
  semaphore c;
  multi_lock all{a, b.write(), c.permits(2)};
  explicit three_locks(session& of) : a(of, "/a"), b(of, "/b"), c(of, "/c", 3) {}
};

class a_multi_lock : public on_a_server {
 protected:
  void TearDown() override {
    EXPECT_TRUE(nodes_are(0));
    if (server_.look(full("/c"))) {
      touch_lock_node("/c");
    }
    on_a_server::TearDown();
  }
  [[nodiscard]] std::size_t nodes() {
    return contenders("/a").size() + contenders("/b").size() + contenders("/c").size();
  }
  [[nodiscard]] bool nodes_are(std::size_t count) {
    return eventually([&] { return nodes() == count; });
  }
};

TEST_F(a_multi_lock, puts_all_its_nodes_there_in_one_transaction_and_has_their_zxid_for_a_token) {
  proxy& way = new_proxy();
  three_locks locks(open_through(way));
  { const grant first = locks.all.acquire(); }  // makes the lock nodes
  ASSERT_TRUE(nodes_are(0));
  std::atomic<int> transactions = 0;
  std::atomic<int> creates = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    transactions += asked.opcode == opcode::multi ? 1 : 0;
    creates += opcode::creates(asked.opcode) ? 1 : 0;
    return verdict::pass;
  });
  const grant held = locks.all.acquire();
  EXPECT_EQ(transactions, 1);
  EXPECT_EQ(creates, 0);
  for (const char* path : {"/a", "/b", "/c"}) {
    ASSERT_EQ(contenders(path).size(), 1U);
    const std::string node = std::string(path) + "/" + contenders(path).front();
    EXPECT_EQ(server_.look(full(node))->czxid, held.token().czxid);
    EXPECT_NE(held.node().find(node), std::string::npos) << held.node();
  }
}

TEST_F(a_multi_lock, f67_is_lost_with_a_part_and_gives_the_others_back) {
  three_locks locks(open({.timeout = 4s}));
  grant held = locks.all.acquire();
  std::atomic<int> told = 0;
  const std::stop_callback counting(held.lost(), [&] { ++told; });
  ASSERT_TRUE(server_.remove(full("/b/" + contenders("/b").front())));
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::node_removed);
  EXPECT_EQ(held.lost_part(), "/b");
  EXPECT_TRUE(eventually([&] { return !locks.a.held() && !locks.b.held() && !locks.all.held(); }));
  EXPECT_TRUE(nodes_are(0));
  EXPECT_TRUE(eventually([&] { return told == 1; }));
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(locks.all.try_acquire_for(patience).held());
}

TEST_F(a_multi_lock, f108_gives_its_other_parts_back_when_one_is_gone_already) {
  proxy& way = new_proxy();
  three_locks locks(open_through(way));
  for (const char* path : {"/a", "/b", "/c"}) {
    grant held = locks.all.acquire();
    way.set_mode(proxy_mode::hold);  // so that no session here hears of it
    ASSERT_TRUE(server_.remove(full(std::string(path) + "/" + contenders(path).front())));
    EXPECT_TRUE(held.held());
    std::atomic<int> transactions = 0;
    {
      const hooks counting(way, [&](const request_frame& asked) {
        transactions += asked.opcode == opcode::multi ? 1 : 0;
        return verdict::pass;
      });
      held = {};
      way.set_mode(proxy_mode::pass);
      EXPECT_TRUE(nodes_are(0)) << "without " << path;
    }
    EXPECT_EQ(transactions, 0) << "one by one";
  }
}

TEST_F(a_multi_lock, f61_has_each_part_once_when_the_reply_of_the_transaction_is_lost) {
  proxy& way = new_proxy();
  three_locks locks(open_through(way));
  { const grant first = locks.all.acquire(); }
  ASSERT_TRUE(nodes_are(0));
  for (const verdict how : {verdict::cut_after, verdict::cut_before, verdict::cut_after}) {
    std::atomic<int> transactions = 0;
    const hooks losing(way, [&](const request_frame& asked) {
      return asked.opcode == opcode::multi && transactions++ == 0 ? how : verdict::pass;
    });
    grant held = locks.all.try_acquire_for(patience);
    ASSERT_TRUE(held.held());
    EXPECT_TRUE(nodes_are(3));
    held.release();
    EXPECT_TRUE(nodes_are(0));
  }
}

TEST_F(a_multi_lock, f66_that_fails_names_the_part_and_leaves_nothing_although_servers_go_away) {
  proxy& way = new_proxy();
  session& mine = open_through(way);
  recursive_mutex a(mine, "/a");
  semaphore c(mine, "/c", 3);
  recursive_mutex wrong(mine, "/b");
  shared_mutex others(open(), "/b");
  const grant reading = others.read().acquire();
  multi_lock all{a, wrong, c.permits()};
  std::atomic<int> removals = 0;
  const hooks losing(way, [&](const request_frame& asked) {
    return asked.opcode == opcode::remove && removals++ == 0 ? verdict::cut_before : verdict::pass;
  });
  try {
    static_cast<void>(all.try_acquire_for(patience));
    ADD_FAILURE() << "not refused";
  } catch (const error& told) {
    EXPECT_EQ(told.code(), errc::wrong_recipe);
    EXPECT_EQ(told.path(), "/b");
  }
  EXPECT_TRUE(nodes_are(1)) << "the reader's";
  EXPECT_GE(removals, 1);
}

TEST_F(a_multi_lock, f107_or_a_transaction_that_is_too_large_is_refused_before_it_is_sent) {
  proxy& way = new_proxy();
  session& mine = open_through(way);
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  std::vector<lock_view> parts;
  for (int one = 0; one < 2'000; ++one) {
    const std::string path = "/" + std::string(600, 'x') + std::to_string(one);
    locks.push_back(std::make_unique<recursive_mutex>(mine, path));
    parts.emplace_back(*locks.back());
  }
  multi_lock all(parts);
  recursive_mutex lock(mine, "/a");
  const grant held = lock.acquire();
  std::atomic<int> transactions = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    transactions += asked.opcode == opcode::multi ? 1 : 0;
    return verdict::pass;
  });
  std::error_code ec;
  EXPECT_FALSE(all.try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::request_too_large);
  mine.transaction().guarded_by(held).create("/data", std::string(1'100'000, 'x')).commit(ec);
  EXPECT_EQ(ec, errc::request_too_large);
  EXPECT_EQ(transactions, 0);
  EXPECT_TRUE(held.held()) << "the connection stands";
  EXPECT_FALSE(server_.look(full("/" + std::string(600, 'x') + "0")));
}

TEST_F(a_multi_lock, f65_and_one_with_its_parts_in_the_opposite_order_both_finish) {
  constexpr int rounds = 15;
  int unprotected = 0;
  const auto work = [&](session& of, bool backwards) {
    recursive_mutex a(of, "/a");
    shared_mutex b(of, "/b");
    semaphore c(of, "/c", 1);
    multi_lock all(backwards ? std::vector<lock_view>{c.permits(), b.write(), a}
                             : std::vector<lock_view>{a, b.write(), c.permits()});
    for (int round = 0; round < rounds; ++round) {
      const grant held = all.try_acquire_for(patience);
      ASSERT_TRUE(held.held());
      ++unprotected;
    }
  };
  session& other = open();
  auto running = in_a_thread([&] { work(other, true); });
  work(open(), false);
  running.get();
  EXPECT_EQ(unprotected, 2 * rounds);
}

}  // namespace
}  // namespace zklock::test
