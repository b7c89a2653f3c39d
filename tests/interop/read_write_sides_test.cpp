// Our read/write lock in Curator's layout, with Java on the same path: what a thread may do with both sides.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <memory>
#include <vector>

#include "tests/interop/beside_others.hpp"

namespace zklock::test {
namespace {

constexpr lock_options as_curator{.layout = layout::curator};

class sides_beside_java : public beside_others {
 protected:
  peer& java_ = start(library::curator);
};

TEST_F(sides_beside_java, f53_both_are_given_back_in_either_order_and_java_comes_in_after_the_second) {
  shared_mutex mine(open(), "/lock", as_curator);
  for (const bool write_first : {true, false}) {
    mine.lock();
    const fencing_token token = mine.token();
    mine.lock_shared();  // at once, even if another client queues: this thread has the write side
    make_wait(java_, lock("write"));
    if (write_first) {
      mine.unlock();
    } else {
      mine.unlock_shared();
    }
    EXPECT_FALSE(java_.answers_within(300ms));
    EXPECT_TRUE(mine.held());
    EXPECT_EQ(mine.token(), token) << "also that of a reader that was a writer";
    if (write_first) {
      mine.unlock_shared();
    } else {
      mine.unlock();
    }
    EXPECT_EQ(java_.answer(), "held");
    EXPECT_EQ(java_.release(lock("write")), "released");
    EXPECT_TRUE(eventually([&] { return nodes().empty(); }));
  }
}

TEST_F(sides_beside_java, f54_a_reader_that_wants_to_write_is_refused_and_reads_on) {
  shared_mutex mine(open(), "/lock", as_curator);
  const grant reading = mine.read().as(owner::this_thread()).acquire();
  ASSERT_EQ(java_.acquire(lock("read")), "held");
  std::error_code ec;
  EXPECT_FALSE(mine.write().as(owner::this_thread()).try_acquire_for(5s, ec));
  EXPECT_EQ(ec, errc::would_deadlock);
  EXPECT_TRUE(reading.held());
  EXPECT_EQ(nodes().size(), 2U);
  EXPECT_EQ(java_.release(lock("read")), "released");
}

TEST_F(sides_beside_java, f56_a_read_on_a_write_hold_that_was_lost_to_java_is_refused) {
  proxy& way = new_proxy();
  shared_mutex mine(open_through(way), "/lock", as_curator);
  grant held = mine.as(owner::this_thread()).acquire();
  make_wait(java_, lock("write"));
  expire_behind(way);
  ASSERT_EQ(java_.answer(), "held");
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  std::error_code ec;
  EXPECT_FALSE(mine.read().as(owner::this_thread()).try_acquire(ec));
  EXPECT_EQ(ec, errc::lost);
  held.release(ec);
  EXPECT_FALSE(mine.read().as(owner::this_thread()).try_acquire_for(300ms, ec)) << "afresh: Java writes";
  EXPECT_EQ(java_.release(lock("write")), "released");
  EXPECT_TRUE(mine.read().as(owner::this_thread()).try_acquire_for(patience));
}

TEST_F(sides_beside_java, f57_our_readers_sleep_while_java_writers_go_that_are_not_the_last_before_them) {
  proxy& way = new_proxy();
  std::atomic<int> lists = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    lists += asked.opcode == opcode::get_children2 ? 1 : 0;
    return verdict::pass;
  });
  peer* const writers[] = {&java_, &start(library::curator), &start(library::curator)};
  ASSERT_EQ(java_.acquire(lock("write")), "held");
  make_wait(*writers[1], lock("write"));
  make_wait(*writers[2], lock("write"));
  session& of_readers = open_through(way);
  std::vector<std::unique_ptr<shared_mutex>> locks;
  std::vector<std::future<grant>> readers;
  for (int one = 0; one < 3; ++one) {
    locks.push_back(std::make_unique<shared_mutex>(of_readers, "/lock", as_curator));
    const std::size_t before = nodes().size();
    readers.push_back(in_a_thread([side = locks.back()->read()]() mutable { return side.try_acquire_for(patience); }));
    ASSERT_TRUE(more_than(before));
    EXPECT_FALSE(ready(readers.back(), 150ms));
  }
  const int before = lists;
  EXPECT_EQ(writers[0]->release(lock("write")), "released");
  EXPECT_EQ(writers[1]->answer(), "held");
  EXPECT_EQ(writers[1]->release(lock("write")), "released");
  EXPECT_EQ(writers[2]->answer(), "held");
  EXPECT_FALSE(ready(readers.front(), 150ms));
  EXPECT_EQ(lists, before);
  EXPECT_EQ(writers[2]->release(lock("write")), "released");
  for (auto& one : readers) {
    EXPECT_TRUE(one.get().held());
  }
  EXPECT_EQ(lists, before + 3) << "each looks once more before it reads";
}

}  // namespace
}  // namespace zklock::test
