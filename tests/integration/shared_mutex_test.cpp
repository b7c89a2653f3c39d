// A read/write lock on a real server: what stands there, which clients get in at a downgrade, and what lost
// replies leave.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <future>
#include <regex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

constexpr auto briefly = 100ms;  ///< how long a client is seen to wait in vain

class a_shared_mutex : public on_a_server {
 protected:
  [[nodiscard]] std::string first_line(const std::string& node) {
    const std::string data = server_.data(root_ + node);
    return data.substr(0, data.find('\n'));
  }
  /// Acquires in a thread.
  [[nodiscard]] static std::future<grant> wait_for(lock_view side) {
    return in_a_thread([side]() mutable { return side.try_acquire_for(patience); });
  }
};

TEST_F(a_shared_mutex, leaves_the_nodes_on_the_server_that_the_page_shows) {
  shared_mutex lock(open(), "/lock");
  shared_mutex other(open(), "/lock");
  grant writing = lock.as(owner::this_thread()).acquire();
  EXPECT_EQ(server_.data(full("/lock")), "");
  EXPECT_TRUE(std::regex_match(writing.node(), std::regex("/lock/write-[0-9a-f]{32}-[0-9]{10}"))) << writing.node();
  EXPECT_EQ(first_line(writing.node()), "mode=write");
  const auto stat = server_.look(root_ + writing.node());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->czxid, writing.token().czxid);
  EXPECT_GT(stat->ephemeral_owner, 0);

  const std::string before = server_.data(root_ + writing.node());
  writing.downgrade();
  EXPECT_TRUE(eventually([&] { return first_line(writing.node()) == "mode=read"; })) << "its name stays";
  const std::string after = server_.data(root_ + writing.node());
  EXPECT_EQ(after.substr(after.find('\n')), before.substr(before.find('\n'))) << "only the first line changes";

  const grant reading = other.read().acquire();
  EXPECT_TRUE(std::regex_match(reading.node(), std::regex("/lock/read-[0-9a-f]{32}-[0-9]{10}"))) << reading.node();
  EXPECT_EQ(first_line(reading.node()), "mode=read");
  EXPECT_EQ(contenders().size(), 2U);
}

TEST_F(a_shared_mutex, f52_lets_no_writer_in_at_a_downgrade_in_either_form) {
  shared_mutex lock(open(), "/lock");
  shared_mutex second(open(), "/lock");
  shared_mutex third(open(), "/lock");
  for (const bool by_unlock : {false, true}) {
    grant held = lock.as(owner::this_thread()).acquire();
    std::string node = held.node();
    auto writer = wait_for(second.write());
    ASSERT_TRUE(queue_grows_to(2));
    auto reader = wait_for(third.read());
    ASSERT_TRUE(queue_grows_to(3));
    if (by_unlock) {
      grant reading = lock.read().as(owner::this_thread()).acquire();
      held = std::move(reading);
    } else {
      held.downgrade();
    }
    EXPECT_TRUE(eventually([&] { return first_line(node) == "mode=read"; }));
    EXPECT_FALSE(ready(writer, briefly));
    EXPECT_FALSE(ready(reader, 0ms)) << "first come, first served";
    EXPECT_TRUE(held.held());
    held.release();
    grant wrote = writer.get();
    EXPECT_TRUE(wrote.held());
    EXPECT_FALSE(ready(reader, briefly));
    wrote.release();
    EXPECT_TRUE(reader.get().held());
    ASSERT_TRUE(queue_grows_to(0));
  }
}

TEST_F(a_shared_mutex, wakes_all_readers_that_a_writers_end_lets_in_and_not_the_writer_behind_them) {
  shared_mutex lock(open(), "/lock");
  session& of_readers = open();
  std::vector<std::unique_ptr<shared_mutex>> locks;
  std::vector<std::future<grant>> readers;
  grant held = lock.as(owner::this_thread()).acquire();
  for (std::size_t one = 0; one < 3; ++one) {
    locks.push_back(std::make_unique<shared_mutex>(of_readers, "/lock"));
    readers.push_back(wait_for(locks.back()->read()));
    ASSERT_TRUE(queue_grows_to(2 + one));
  }
  shared_mutex last(open(), "/lock");
  auto writer = wait_for(last.write());
  ASSERT_TRUE(queue_grows_to(5));
  held.release();
  {
    std::vector<grant> reading;
    for (auto& one : readers) {
      reading.push_back(one.get());
      EXPECT_TRUE(reading.back().held());
    }
    EXPECT_FALSE(ready(writer, briefly));
  }
  EXPECT_TRUE(writer.get().held());
}

TEST_F(a_shared_mutex, f56_refuses_to_read_on_a_write_hold_that_was_lost_by_expiry) {
  proxy& way = new_proxy();
  shared_mutex mine(open_through(way, {.timeout = 2s}), "/lock");
  shared_mutex others(open(), "/lock");
  grant held = mine.as(owner::this_thread()).acquire();
  expire_behind(way);
  grant wrote = others.write().try_acquire_for(patience);
  ASSERT_TRUE(wrote.held());
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  way.set_mode(proxy_mode::pass);
  std::error_code ec;
  EXPECT_FALSE(mine.read().as(owner::this_thread()).try_acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  EXPECT_THROW(mine.lock_shared(), error);
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(mine.read().as(owner::this_thread()).try_acquire_for(briefly, ec)) << "afresh: the other writes";
  wrote.release();
  const grant reading = mine.read().as(owner::this_thread()).try_acquire_for(patience);
  EXPECT_TRUE(reading.held());
  EXPECT_GT(reading.token(), wrote.token());
}

TEST_F(a_shared_mutex, f61_has_one_node_when_the_reply_of_its_create_is_lost) {
  proxy& way = new_proxy();
  shared_mutex lock(open_through(way), "/lock");
  lock.as(owner::this_thread()).acquire().release();
  for (const bool read : {true, false, true, false}) {
    std::atomic<int> cuts = 0;
    const hooks losing(way, [&](const request_frame& asked) {
      const bool own = asked.opcode == opcode::create2 && asked.path.starts_with(full("/lock/"));
      return own && cuts++ == 0 ? verdict::cut_after : verdict::pass;
    });
    grant held = (read ? lock.read() : lock.write()).try_acquire_for(patience);
    ASSERT_TRUE(held.held());
    EXPECT_EQ(cuts, 1) << "it was found again, not made again";
    EXPECT_EQ(contenders(), std::vector<std::string>{held.node().substr(6)});
    held.release();
    EXPECT_TRUE(contenders().empty());
  }
}

TEST_F(a_shared_mutex, that_is_downgraded_says_so_although_the_reply_is_lost) {
  proxy& way = new_proxy();
  shared_mutex lock(open_through(way), "/lock");
  shared_mutex others(open(), "/lock");
  for (const verdict how : {verdict::cut_after, verdict::cut_before}) {
    std::atomic<int> sets = 0;
    const hooks losing(way, [&](const request_frame& asked) {
      const bool marks = asked.opcode == opcode::set && asked.path.starts_with(full("/lock/"));
      return marks && sets++ == 0 ? how : verdict::pass;
    });
    grant held = lock.as(owner::this_thread()).acquire();
    auto reader = wait_for(others.read());
    ASSERT_TRUE(queue_grows_to(2));
    held.downgrade();
    EXPECT_TRUE(reader.get().held());
    EXPECT_TRUE(held.held());
    EXPECT_FALSE(others.try_lock());
  }
}

}  // namespace
}  // namespace zklock::test
