// Calls that are refused memory between what the servers have done and what the caller learns of it: no lock stays held
// that no caller holds.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

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

// ---- which call of operator new fails decides what happens

/// The calling thread is refused its nth allocation from now on.
void refuse_allocation(int nth, bool& refused) {
  at_next_allocation([nth, &refused] {
    refused = nth == 1;
    if (refused) {
      throw std::bad_alloc();
    }
    refuse_allocation(nth - 1, refused);
  });
}

enum class fate { not_refused, thrown, unconfirmed, other };

/// For a process of its own, which it ends: with the fate of the call as its status.
template <class Call>
[[noreturn]] void call_without_memory(int nth, Call&& call) {
  bool refused = false;
  fate what = fate::other;
  try {
    refuse_allocation(nth, refused);
    const std::error_code ec = call();
    what = !refused ? fate::not_refused : ec == errc::release_unconfirmed ? fate::unconfirmed : fate::other;
  } catch (const std::bad_alloc&) {
    what = fate::thrown;
  }
  _exit(static_cast<int>(what));
}

class a_program_without_memory : public a_call_without_memory {
 protected:
  /// Of the call with each of its thread's allocations refused, in their order. It gets a lock that was held before.
  template <class Call>
  [[nodiscard]] std::vector<std::string> fates_of(Call&& call) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    std::vector<std::string> all;
    for (int nth = 1; nth < 20; ++nth) {
      std::string said = "?";
      const auto note = [&said](int status) {
        const bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
        const fate its = WIFEXITED(status) ? static_cast<fate>(WEXITSTATUS(status)) : fate::other;
        said = ended                      ? "ended"
               : its == fate::not_refused ? ""
               : its == fate::thrown      ? "thrown"
               : its == fate::unconfirmed ? "unconfirmed"
                                          : "another status";
        return true;
      };
      recursive_mutex lock(one_, "/lock");
      EXPECT_EXIT(call(lock, nth), note, "");
      if (said.empty()) {
        break;
      }
      all.push_back(said);
    }
    return all;
  }
};

TEST_F(a_program_without_memory, f179_throws_before_its_request_is_the_sessions_and_ends_behind) {
  const auto fates = fates_of([](recursive_mutex& lock, int nth) {
    static_cast<void>(lock.acquire());  // what a first use allocates is there
    call_without_memory(nth, [&lock] {
      std::error_code ec;
      const grant got = lock.acquire(ec);
      return ec;
    });
  });
  ASSERT_GE(fates.size(), 2U);
  EXPECT_EQ(fates.front(), "thrown") << "the call";
  for (std::size_t i = 1; i < fates.size(); ++i) {
    EXPECT_EQ(fates[i], "ended") << "allocation " << i + 1;
  }
}

TEST_F(a_program_without_memory, f179_releases_unconfirmed_or_ends) {
  const auto fates = fates_of([](recursive_mutex& lock, int nth) {
    grant held = lock.acquire();
    call_without_memory(nth, [&held] {
      std::error_code ec;
      held.release(ec);
      return ec;
    });
  });
  ASSERT_GE(fates.size(), 2U);
  EXPECT_EQ(fates.front(), "unconfirmed") << "what waits for the confirmation";
  for (std::size_t i = 1; i < fates.size(); ++i) {
    EXPECT_EQ(fates[i], "ended") << "allocation " << i + 1;
  }
}

}  // namespace
}  // namespace zklock::test
