// A process tree is ended whatever it does: on this machine's processes.
#include "src/cli/process_tree.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "src/cli/print_error.hpp"
#include "src/cli/process_tree_terminator.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::cli {
namespace {

using test_support::usual_patience;

/// What the processes of a test share.
struct shared {
  std::atomic<bool> go{true};
  std::atomic<int> forks{0};
};
class shared_memory {
 public:
  shared_memory()
      : at_(mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        its_(new (at_) shared) {}
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  ~shared_memory() {
    its_->go = false;  // whatever is left ends
    munmap(at_, sizeof(shared));
  }
  shared* operator->() const noexcept { return its_; }

 private:
  void* const at_;
  shared* const its_;
};

/// So many take no other test's process numbers, where a busy machine gives this test's guardian little time.
constexpr int forks_max = 10'000;

/// Each process forks the next one and ends, in a session of its own or not. The last ones stand.
[[noreturn]] void fork_for_ever(const shared_memory& with, bool new_sessions, int most = forks_max) {
  std::signal(SIGTERM, SIG_IGN);
  while (with->go) {
    if (new_sessions) setsid();
    if (with->forks >= most) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    if (fork() > 0) _exit(0);
    ++with->forks;
  }
  _exit(0);
}

/// The status of `body` in a process of its own, whose children all orphans become.
template <class Body>
int as_a_guardian(Body&& body) {
  const pid_t guardian = fork();
  if (guardian == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    [&]() noexcept {  // what is thrown is not for the test's own process to catch, which this is a copy of
      adopt_orphans();
      _exit(body());
    }();
  }
  int status = -1;
  waitpid(guardian, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum class kind { lives, has_ended, is_stopped, is_stopped_and_traced };

/// Of this process. It is so when this returns.
pid_t child_that(kind what) {
  const pid_t child = fork();
  if (child == 0) {
    if (what == kind::has_ended) _exit(0);
    if (what == kind::is_stopped_and_traced) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    if (what != kind::lives) raise(SIGSTOP);
    while (true) pause();
  }
  siginfo_t told{};
  if (what != kind::lives) waitid(P_PID, static_cast<id_t>(child), &told, WEXITED | WSTOPPED | WNOWAIT);
  return child;
}

bool ends_by_sigkill(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {}
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(a_process_trees_children, are_killed_while_they_live_and_buried_when_they_have_ended) {
  EXPECT_EQ(as_a_guardian([] {
              alarm(60);
              const pid_t leader = child_that(kind::lives);
              const pid_t ended = child_that(kind::has_ended);
              const std::vector<pid_t> living = {leader, child_that(kind::lives), child_that(kind::is_stopped),
                                                 child_that(kind::is_stopped_and_traced)};
              process_tree tree(leader);
              const killed_children killed = tree.kill_children();
              if (killed.lived != living || !killed.any_killed) return 1;
              if (waitpid(ended, nullptr, WNOHANG) >= 0) return 2;
              return std::all_of(living.begin(), living.end(), ends_by_sigkill) ? 0 : 3;
            }),
            0);
}

/// 0: nothing is left.
int ended(int chains, bool new_sessions) {
  const shared_memory with;
  return as_a_guardian([&] {
    const pid_t leader = fork();
    if (leader == 0) {
      setpgid(0, 0);
      for (int chain = 0; chain < chains; ++chain) {
        if (fork() == 0) fork_for_ever(with, new_sessions);
      }
      _exit(0);
    }
    while (with->forks < 100) std::this_thread::yield();
    process_tree tree(leader);
    process_tree_terminator ending(tree);
    const auto begun = boot_clock::now();
    ending.begin(begun);
    while (!tree.extinct()) {
      if (boot_clock::now() > begun + usual_patience()) return 1;
      ending.continue_at(boot_clock::now());
    }
    const int forks = with->forks;
    with->go = false;
    return waitpid(-1, nullptr, WNOHANG) != -1 ? 2 : with->forks != forks ? 3 : 0;
  });
}

TEST(a_process_tree, that_forks_all_the_time_is_ended) { EXPECT_EQ(ended(1, false), 0); }
TEST(a_process_tree, that_forks_all_the_time_into_new_sessions_is_ended) { EXPECT_EQ(ended(1, true), 0); }
TEST(a_process_tree, of_several_that_fork_into_new_sessions_is_ended) { EXPECT_EQ(ended(4, true), 0); }
/// Faster than they could be looked at, one after the other.
TEST(a_process_tree, of_a_crowd_that_forks_into_new_sessions_is_ended) { EXPECT_EQ(ended(40, true), 0); }

constexpr uid_t nobody = 65'534;

/// As long as it lives this process gets no descriptor.
class no_descriptors {
 public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &none) != 0) std::abort();
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// What this process writes to stderr from here on.
class kept_errors {
 public:
  kept_errors() : file_(memfd_create("errors", 0)) {
    if (dup2(file_, STDERR_FILENO) < 0) std::abort();
  }
  [[nodiscard]] std::ptrdiff_t lines() const {
    std::string all(64 * 1024, ' ');
    all.resize(static_cast<std::size_t>(std::max<ssize_t>(pread(file_, all.data(), all.size(), 0), 0)));
    return std::count(all.begin(), all.end(), '\n');
  }

 private:
  const int file_;
};

/// As one that was started by sudo. The processes that end are buried here, and leave numbers enough.
void expect_that_another_users_chain_is_given_up(bool without_descriptors) {
  constexpr int forks_enough = 100'000;
  const shared_memory with;
  EXPECT_EQ(as_a_guardian([&] {
              const pid_t leader = fork();
              if (leader == 0) {
                setpgid(0, 0);
                if (fork() == 0) fork_for_ever(with, true, forks_enough);
                _exit(0);
              }
              if (setuid(nobody) != 0) return 1;
              alarm(60);
              while (with->forks < 100) std::this_thread::yield();
              const kept_errors errors;
              process_tree tree(leader);
              process_tree_terminator ending(tree);
              const auto none = without_descriptors ? std::make_unique<no_descriptors>() : nullptr;
              const auto begun = boot_clock::now();
              ending.begin(begun);
              while (!ending.given_up()) ending.continue_at(boot_clock::now());
              // A shortage may pass.
              if (without_descriptors && boot_clock::now() < begun + std::chrono::milliseconds(1500)) return 4;
              const bool forks_still = with->forks < forks_enough && !tree.extinct();
              flush_errors();
              if (errors.lines() != 1) return 3;  // none for each of them
              with->go = false;
              return forks_still && test_support::eventually([&] { return tree.extinct(); }) ? 0 : 2;
            }),
            0);
}
TEST(a_process_tree, of_another_user_that_forks_all_the_time_is_given_up) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process that this one may not signal";
  expect_that_another_users_chain_is_given_up(false);
}
TEST(a_process_tree, of_another_user_that_forks_all_the_time_is_given_up_without_descriptors) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process that this one may not signal";
  expect_that_another_users_chain_is_given_up(true);
}

/// The leader may not be signalled. Its child may, which takes a descriptor.
void expect_that_a_child_below_another_users_process(bool is_ended, int rounds_without_descriptors) {
  const shared_memory with;
  EXPECT_EQ(as_a_guardian([&] {
              const pid_t leader = fork();
              if (leader == 0) {
                setpgid(0, 0);
                if (fork() == 0) {
                  std::signal(SIGTERM, SIG_IGN);
                  setsid();
                  if (setuid(nobody) == 0) ++with->forks;
                }
                while (with->go) usleep(1000);
                _exit(0);
              }
              if (setuid(nobody) != 0) return 1;
              alarm(60);
              while (with->forks == 0) std::this_thread::yield();
              auto none = std::make_unique<no_descriptors>();
              process_tree tree(leader);
              process_tree_terminator ending(tree);
              auto now = boot_clock::now();
              const auto continue_once = [&] {
                ending.continue_at(now);
                now = *ending.next_due();
              };
              const auto only_the_leader_is_seen = [&] {
                const auto left = tree.survivors();
                return left.size() == 1 && left.front().pid == leader;
              };
              ending.begin(now);
              for (int round = 0; round < rounds_without_descriptors && !ending.given_up(); ++round) continue_once();
              if (ending.given_up() == is_ended) return 2;
              if (!only_the_leader_is_seen()) return 3;
              none.reset();
              while (!ending.given_up()) continue_once();
              if (is_ended ? !test_support::eventually(only_the_leader_is_seen) : tree.survivors().size() != 2)
                return 4;
              with->go = false;
              return test_support::eventually([&] { return tree.extinct(); }) ? 0 : 5;
            }),
            0);
}
TEST(a_process_tree, below_another_users_process_is_ended_when_there_are_descriptors_again) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process that this one may not signal";
  expect_that_a_child_below_another_users_process(true, 6);
}
TEST(a_process_tree, below_another_users_process_is_given_up_where_there_never_is_a_descriptor) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process that this one may not signal";
  expect_that_a_child_below_another_users_process(false, 100);
}

TEST(a_process_tree, that_forks_all_the_time_is_ended_beside_another_users_process) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a process that this one may not signal";
  const shared_memory with;
  EXPECT_EQ(as_a_guardian([&] {
              const pid_t leader = fork();
              if (leader == 0) {
                setpgid(0, 0);
                for (int chain = 0; chain < 4; ++chain) {
                  if (fork() == 0 && setuid(nobody) == 0) fork_for_ever(with, true);
                }
                while (with->go) usleep(1000);
                _exit(0);
              }
              if (setuid(nobody) != 0) return 1;
              alarm(60);
              while (with->forks < 100) std::this_thread::yield();
              process_tree tree(leader);
              process_tree_terminator ending(tree);
              ending.begin(boot_clock::now());
              while (!ending.given_up()) ending.continue_at(boot_clock::now());
              const int forks = with->forks;
              const auto left = tree.survivors();
              usleep(10'000);
              if (left.size() != 1 || left.front().pid != leader || with->forks != forks) return 2;
              with->go = false;
              return test_support::eventually([&] { return tree.extinct(); }) ? 0 : 3;
            }),
            0);
}

/// No handle of a grandchild is to be had. Each level ends with the one above it.
TEST(a_process_tree, that_is_deep_is_ended_at_once_without_descriptors) {
  constexpr int depth = 60;
  const shared_memory with;
  EXPECT_EQ(as_a_guardian([&] {
              const pid_t leader = fork();
              if (leader == 0) {
                for (int level = 0; level < depth; ++level) {
                  std::signal(SIGTERM, SIG_IGN);
                  setsid();
                  ++with->forks;
                  if (fork() > 0) break;
                }
                sleep(60);
                _exit(0);
              }
              while (with->forks < depth) std::this_thread::yield();
              const no_descriptors none;
              process_tree tree(leader);
              if (dup(0) >= 0) return 2;
              process_tree_terminator ending(tree);
              auto now = boot_clock::now();
              const auto begun = now;
              ending.begin(now);
              while (!tree.extinct()) {  // the pauses are counted, not waited for
                ending.continue_at(now);
                now = *ending.next_due();
                // 5 ms a level; a busy machine takes longer to end what was killed, and each round that finds it there doubles them.
                if (now > begun + std::chrono::seconds(10)) return 1;
              }
              return 0;
            }),
            0);
}

TEST(a_process_tree, whose_leader_has_ended_keeps_no_orphan_that_has_ended_beside_one_that_lives) {
  const shared_memory with;
  EXPECT_EQ(as_a_guardian([&] {
              const pid_t leader = fork();
              if (leader == 0) {
                if (fork() == 0) {  // lives, and is the first in the list
                  while (with->go) usleep(1000);
                  _exit(0);
                }
                for (int i = 0; i < 50; ++i) {
                  if (fork() == 0) {
                    if (fork() == 0) _exit(0);
                    _exit(0);
                  }
                }
                _exit(0);
              }
              process_tree tree(leader);
              // The leader, which stays until the end, and the one that lives.
              const auto children = [] {
                const std::string path = "/proc/self/task/" + std::to_string(getpid()) + "/children";
                std::ifstream file(path);
                return std::distance(std::istream_iterator<pid_t>(file), std::istream_iterator<pid_t>());
              };
              const bool only_one_is_left =
                  test_support::eventually([&] { return !tree.extinct() && tree.leader_end() && children() == 2; });
              with->go = false;
              const bool over = test_support::eventually([&] { return tree.extinct(); });
              return only_one_is_left && over ? 0 : 1;
            }),
            0);
}

/// Not behind adopt_orphans(), it has no list of its children: as where the kernel keeps none.
TEST(a_process_tree, has_its_descendants_parents_before_children) {
  const shared_memory with;
  const pid_t parent = fork();
  if (parent == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const pid_t child = fork();
    ++with->forks;
    while (with->go) usleep(1000);
    if (child > 0) waitpid(child, nullptr, 0);
    _exit(0);
  }
  while (with->forks < 2) std::this_thread::yield();
  {
    process_tree tree(parent);
    std::vector<process> all;
    const auto both_are_seen = [&] { return (all = tree.survivors()).size() == 2; };
    ASSERT_TRUE(test_support::eventually(both_are_seen)) << all.size();  // all of /proc may take more than 50 ms
    EXPECT_EQ(all[0].pid, parent);
    EXPECT_EQ(all[0].parent, getpid());
    EXPECT_EQ(all[1].parent, parent);
    EXPECT_FALSE(tree.extinct());
    with->go = false;
    EXPECT_TRUE(test_support::eventually([&] { return tree.extinct(); }));
    EXPECT_TRUE(tree.survivors().empty());
  }
}

}  // namespace
}  // namespace zklock::cli
