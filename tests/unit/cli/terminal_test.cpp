#include "src/cli/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace zklock::cli {
namespace {

/// The status of a process of its own, which leads a session with a terminal or without one.
template <class Body>
int in_a_session(bool with_terminal, Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    sigset_t writing;
    sigemptyset(&writing);
    sigaddset(&writing, SIGTTOU);
    sigprocmask(SIG_BLOCK, &writing, nullptr);
    if (with_terminal) {
      const int device = posix_openpt(O_RDWR | O_NOCTTY);
      if (grantpt(device) != 0 || unlockpt(device) != 0 || open(ptsname(device), O_RDWR) < 0) _exit(99);
    }
    _exit(body());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A process in a group of its own, until it is ended.
class another_group {
 public:
  another_group() : pid_(fork()) {
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    setpgid(pid_, pid_);
  }
  another_group(const another_group&) = delete;
  another_group& operator=(const another_group&) = delete;
  ~another_group() {
    if (pid_ != 0) end();
  }

  [[nodiscard]] pid_t number() const noexcept { return pid_; }
  void end() {
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(a_terminal, that_is_not_there_is_nobodys) {
  EXPECT_EQ(in_a_session(false,
                         [] {
                           const terminal none;
                           if (none.exists()) return 1;
                           if (none.is_ours()) return 2;
                           return none.take_back_from(getpgrp() + 1) ? 3 : 0;
                         }),
            0);
}

TEST(a_terminal, goes_to_another_group_and_back) {
  EXPECT_EQ(in_a_session(true,
                         [] {
                           const terminal one;
                           const another_group other;
                           if (!one.exists() || !one.is_ours()) return 1;
                           if (one.take_back_from(other.number())) return 2;  // it is ours
                           one.hand_to(other.number());
                           if (one.is_ours()) return 3;
                           if (!one.take_back_from(other.number())) return 4;
                           return one.is_ours() ? 0 : 5;
                         }),
            0);
}

TEST(a_terminal, is_not_taken_from_a_group_that_lives_and_is_not_the_one_it_was_handed_to) {
  EXPECT_EQ(in_a_session(true,
                         [] {
                           const terminal one;
                           const another_group handed_to;
                           const another_group third;
                           one.hand_to(third.number());
                           if (one.take_back_from(handed_to.number())) return 1;
                           return one.is_ours() ? 2 : 0;
                         }),
            0);
}

TEST(a_terminal, is_taken_back_from_a_group_of_which_no_process_is_left) {
  EXPECT_EQ(in_a_session(true,
                         [] {
                           const terminal one;
                           another_group gone;
                           one.hand_to(gone.number());
                           gone.end();
                           if (one.take_back_from(0)) return 1;  // it was not handed to that group
                           return one.is_ours() ? 0 : 2;
                         }),
            0);
}

}  // namespace
}  // namespace zklock::cli
