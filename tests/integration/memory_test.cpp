// Calls that are refused memory between what the servers have done and what the caller learns of it: no lock stays held
// that no caller holds.
#include <unistd.h>

#include <fstream>
#include <future>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/scarce.hpp"

namespace zklock::test {
namespace {

/// Whether the thread sleeps, and has not run between two looks.
bool is_at_rest(pid_t thread) {
  const auto status = [thread] {
    std::ostringstream text;
    text << std::ifstream("/proc/self/task/" + std::to_string(thread) + "/status").rdbuf();
    return text.str();
  };
  const auto context_switches = [](const std::string& in) { return in.substr(in.find("voluntary_ctxt_switches")); };
  const std::string before = status();
  std::this_thread::sleep_for(10ms);
  return before.find("\nState:\tS") != std::string::npos && context_switches(before) == context_switches(status());
}

class a_call_without_memory : public on_a_server {
 protected:
  [[nodiscard]] static bool is_free(recursive_mutex& lock) {
    const grant got = acquire_patiently(lock);
    return static_cast<bool>(got);
  }
  /// `lock` waits behind the holder of `held`. Its thread is refused what it allocates first behind the grant: the entry in the
  /// table of owners.
  template <class Lock>
  void expect_no_memory_when_granted(Lock& lock, grant held) {
    struct ids {
      std::thread::id id;
      pid_t number;
    };
    std::promise<ids> waits_in;
    auto waiting = in_a_thread([&] {
      waits_in.set_value({std::this_thread::get_id(), gettid()});
      EXPECT_THROW(static_cast<void>(lock.acquire()), std::bad_alloc);
    });
    const ids thread = waits_in.get_future().get();
    ASSERT_TRUE(queue_grows_to(2));
    ASSERT_TRUE(eventually([&] { return !watched_paths().empty(); })) << "the waiter's, since the hold is young";
    ASSERT_TRUE(eventually([&] { return is_at_rest(thread.number); })) << "it may still send for its session before";
    refuse_next_allocation_of(thread.id);
    held.release();
    waiting.get();
  }

  session& one_ = open();
  session& other_ = open();
};

TEST_F(a_call_without_memory, f179_that_was_granted_throws_and_the_lock_is_free) {
  recursive_mutex lock(one_, "/lock");
  recursive_mutex others(other_, "/lock");
  expect_no_memory_when_granted(lock, others.acquire());
  EXPECT_TRUE(is_free(others));
  EXPECT_TRUE(is_free(lock)) << "its owner has nothing that it would wait for";
}

TEST_F(a_call_without_memory, f179_that_was_granted_several_locks_throws_and_all_are_free) {
  recursive_mutex first(one_, "/lock");
  recursive_mutex second(one_, "/second");
  recursive_mutex others_first(other_, "/lock");
  recursive_mutex others_second(other_, "/second");
  multi_lock both({first, second});
  for (const char* refused : {"the first part's", "the second's, since the first table has room"}) {
    SCOPED_TRACE(refused);
    expect_no_memory_when_granted(both, others_first.acquire());
    EXPECT_TRUE(is_free(others_first) && is_free(others_second));
    EXPECT_TRUE(is_free(first)) << "no part is entered for an owner any more";
  }
  EXPECT_TRUE(is_free(second));
}

TEST_F(a_call_without_memory, f179_that_releases_gives_the_lock_back_and_says_unconfirmed) {
  recursive_mutex lock(one_, "/lock");
  recursive_mutex others(other_, "/lock");
  grant held = lock.acquire();
  at_next_allocation([] { throw std::bad_alloc(); });
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_FALSE(held);
  EXPECT_TRUE(is_free(others));
}

TEST_F(a_call_without_memory, f179_that_releases_several_locks_gives_all_back) {
  recursive_mutex first(one_, "/first");
  recursive_mutex second(one_, "/second");
  recursive_mutex others_first(other_, "/first");
  recursive_mutex others_second(other_, "/second");
  multi_lock both({first, second});
  grant held = both.acquire();
  at_next_allocation([] { at_next_allocation([] { throw std::bad_alloc(); }); });  // behind the confirmation's
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_TRUE(is_free(others_first) && is_free(others_second));
}

}  // namespace
}  // namespace zklock::test
