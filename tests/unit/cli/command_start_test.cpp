#include "src/cli/command_start.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace zklock::cli {
namespace {

class a_command : public testing::Test {
 protected:
  ~a_command() override { inherited_.restore(); }

  command_start start(const std::vector<std::string>& command, const std::vector<std::string>& environment = {}) {
    return {command, {environment, inherited_, false}};
  }
  static int news_of(const command_start& started) {
    pollfd news{started.descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&news, 1, 30'000), 1);
    return started.error_number().value_or(-1);
  }
  static int end_of(const command_start& started) {
    int status = 0;
    EXPECT_EQ(waitpid(started.pid(), &status, 0), started.pid());
    return status;
  }

  const inherited_signals inherited_;
};

TEST_F(a_command, is_started_and_found_in_the_path) {
  const command_start started = start({"sh", "-c", "exit 3"});
  EXPECT_EQ(news_of(started), 0);
  const int status = end_of(started);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST_F(a_command, that_does_not_exist_or_is_no_program_says_so) {
  const command_start missing = start({"/no/such/program"});
  EXPECT_EQ(news_of(missing), ENOENT);
  end_of(missing);
  const command_start directory = start({"/"});
  EXPECT_EQ(news_of(directory), EACCES);
  end_of(directory);
}

TEST_F(a_command, has_the_given_variables_in_place_of_those_inherited) {
  ASSERT_EQ(setenv("ZKLOCK_TEST_ONE", "old", 1), 0);
  ASSERT_EQ(setenv("ZKLOCK_TEST_OTHER", "kept", 1), 0);
  const command_start started =
      start({"sh", "-c", "test \"$ZKLOCK_TEST_ONE $ZKLOCK_TEST_OTHER\" = 'new kept'"}, {"ZKLOCK_TEST_ONE=new"});
  EXPECT_EQ(end_of(started), 0);
}

TEST_F(a_command, can_be_signalled_as_a_group_from_the_start_on) {
  const command_start started = start({"sleep", "60"});
  EXPECT_EQ(getpgid(started.pid()), started.pid());
  EXPECT_EQ(kill(-started.pid(), SIGKILL), 0);
  const int status = end_of(started);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

sigset_t blocked(std::initializer_list<int> numbers) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : numbers) sigaddset(&mask, number);
  return mask;
}

// Else a signal would meet it while it begins anew, before it says which concern it.
TEST_F(a_command, of_a_program_begun_anew_finds_its_signals_as_the_first_program_has) {
  for (const bool ignored : {true, false}) {
    for (const sigset_t& found : {blocked({}), blocked({SIGHUP}), blocked({SIGUSR1, SIGTERM}), blocked({SIGRTMAX})}) {
      pthread_sigmask(SIG_SETMASK, &found, nullptr);
      std::signal(SIGCHLD, ignored ? SIG_IGN : SIG_DFL);
      inherited_signals().hand_on(ignored);
      const inherited_signals anew;
      EXPECT_EQ(std::getenv("ZKLOCK_BEGUN_ANEW"), nullptr);
      EXPECT_TRUE(anew.begun_anew());
      EXPECT_EQ(anew.at_a_terminal(), ignored);
      anew.restore();
      sigset_t restored;
      pthread_sigmask(SIG_SETMASK, nullptr, &restored);
      for (int number = 1; number <= SIGRTMAX; ++number) {
        EXPECT_EQ(sigismember(&restored, number), sigismember(&found, number)) << number;
      }
      EXPECT_EQ(inherited_signals::is_ignored(SIGCHLD), ignored);
    }
  }
}

TEST_F(a_command, does_not_believe_a_variable_that_no_program_has_handed_on) {
  for (const char* said : {"4000:-:t", "ffffffffffffffff:i:t", "", "d", "1:i"}) {
    ASSERT_EQ(setenv("ZKLOCK_BEGUN_ANEW", said, 1), 0);
    const sigset_t found = blocked({SIGUSR1});
    pthread_sigmask(SIG_SETMASK, &found, nullptr);
    const inherited_signals first;
    EXPECT_FALSE(first.begun_anew() || first.at_a_terminal()) << said;
    EXPECT_EQ(std::getenv("ZKLOCK_BEGUN_ANEW"), nullptr);
    first.restore();
    sigset_t restored;
    pthread_sigmask(SIG_SETMASK, nullptr, &restored);
    EXPECT_FALSE(sigismember(&restored, SIGTERM)) << said;
    EXPECT_TRUE(sigismember(&restored, SIGUSR1)) << said;
  }
}

}  // namespace
}  // namespace zklock::cli
