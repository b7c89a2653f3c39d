// Holders and waiters, as the locks of each recipe list them, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <string>
#include <vector>

#include "tests/integration/asked_for_its_queue.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;

std::vector<std::string> summary_of(const std::vector<participant>& queue) {
  std::vector<std::string> lines;
  for (const participant& one : queue) {
    std::string line(to_string(one.state));
    line.append(" ").append(to_string(one.kind));
    if (one.permits != 0) {
      line += " " + std::to_string(one.permits);
    }
    lines.push_back(line);
  }
  return lines;
}

using lines = std::vector<std::string>;

TEST_F(asked_for_its_queue, a_semaphore_mutex_tells_it_as_a_mutex_does) {
  semaphore_mutex mutex(open(), "/lock");
  const grant held = mutex.acquire();
  (void)put("x-lock-", "");
  EXPECT_EQ(summary_of(mutex.queue()), (lines{"held mutex", "waiting mutex"}));
}

TEST_F(asked_for_its_queue, f52_a_shared_mutex_tells_readers_and_writers_and_a_downgraded_writer_as_a_reader) {
  shared_mutex lock(open(), "/lock");
  shared_mutex other(open(), "/lock");
  grant writing = lock.write().acquire();
  auto reading = in_a_thread([&] { return other.read().try_acquire_for(patience); });
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_EQ(summary_of(lock.queue()), (lines{"held write", "waiting read"}));
  writing.downgrade();
  EXPECT_TRUE(reading.get()) << "and given back at once";
  (void)put("write-x-", "");
  (void)put("read-x-", "");
  ASSERT_TRUE(eventually([&] { return lock.queue().size() == 3; }));
  EXPECT_EQ(summary_of(lock.queue()), (lines{"held read", "waiting write", "waiting read"}));
  EXPECT_EQ(summary_of(other.queue()), summary_of(lock.queue()));
}

TEST_F(asked_for_its_queue, a_semaphore_tells_permits_and_which_contenders_the_limit_lets_in) {
  semaphore pool(open(), "/lock", 5);
  const grant two = pool.permits(2).acquire();
  const grant three = pool.permits(3).acquire();
  (void)put("permit-x-4-", "mode=permit\n");
  (void)put("permit-y-1-", "mode=permit\n");
  EXPECT_EQ(summary_of(pool.queue()),
            (lines{"held permits 2", "held permits 3", "waiting permits 4", "waiting permits 1"}));
  pool.set_permit_limit(9);
  EXPECT_EQ(summary_of(pool.queue()),
            (lines{"held permits 2", "held permits 3", "held permits 4", "waiting permits 1"}));
}

TEST_F(asked_for_its_queue, f106_a_semaphore_tells_marked_holders_though_the_limit_was_lowered) {
  semaphore pool(open(), "/lock", 5);
  const grant two = pool.permits(2).acquire();
  (void)put("permit-x-3-", "mode=granted\n");
  (void)put("permit-y-1-", "mode=permit\n");
  pool.set_permit_limit(2);
  EXPECT_EQ(summary_of(pool.queue()), (lines{"held permits 2", "held permits 3", "waiting permits 1"}));
}

TEST_F(asked_for_its_queue, a_lock_tells_those_of_its_own_recipe_alone) {
  for (const char* prefix : {"x-lock-", "read-x-", "write-x-", "permit-x-2-", "x-latch-"}) {
    (void)put(prefix, "");
  }
  ASSERT_EQ(server_.ask(request::set{full("/lock"), "limit=2\n", -1}).code, client::code::ok);
  session& one = open();
  EXPECT_EQ(summary_of(recursive_mutex(one, "/lock").queue()), lines{"held mutex"});
  EXPECT_EQ(summary_of(semaphore_mutex(one, "/lock").queue()), lines{"held mutex"});
  EXPECT_EQ(summary_of(shared_mutex(one, "/lock").queue()), (lines{"held read", "waiting write"}));
  EXPECT_EQ(summary_of(semaphore(one, "/lock").queue()), lines{"held permits 2"});
}

TEST_F(asked_for_its_queue, a_semaphore_without_a_limit_or_with_a_hidden_one_tells_the_marked_holders) {
  (void)put("permit-x-2-", "mode=permit\n");
  (void)put("permit-y-2-", "mode=granted\n");
  semaphore pool(open(), "/lock");
  EXPECT_EQ(summary_of(pool.queue()), (lines{"waiting permits 2", "held permits 2"}));
  ASSERT_EQ(server_.ask(request::set{full("/lock"), "\xff\x1b[2J", -1}).code, client::code::ok);
  EXPECT_EQ(summary_of(pool.queue()), (lines{"waiting permits 2", "held permits 2"}));
}

}  // namespace
}  // namespace zklock::test
