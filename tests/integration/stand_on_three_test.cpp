// zklock elect PATH -- COMMAND: three candidates on three servers, whose COMMANDs mind no SIGTERM and have a child in a session of its
// own. Killed, stopped, cut off beyond their sessions, the servers killed and frozen. Each fault once; with ZKLOCK_LONG=1 in the
// environment 100 at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/linked_to_three.hpp"
#include "tests/integration/processes_of_test.hpp"
#include "tests/integration/running_command.hpp"

namespace zklock::test {
namespace {

enum class fault : std::uint8_t {
  leaders_zklock_is_killed,
  leaders_command_is_killed,
  leaders_zklock_is_stopped,  ///< beyond its session
  leader_is_cut_off,          ///< for three session timeouts
  waiting_zklock_is_killed,
  no_server_is_in_reach,  ///< for three session timeouts
  server_is_killed,
  server_is_frozen,
};
constexpr int faults_there_are = 8;

constexpr auto session_timeout = 4s;

/// It keeps a file locked by all of its processes, so the next one sees if one of them is left.
constexpr const char* command = R"(
exec 9>>"$FILES/tree"; flock -n 9 || echo "$ZKLOCK_TOKEN" >>"$FILES/overlaps"
trap '' TERM
setsid sh -c 'while [ -e "$FILES/go" ] && kill -0 $1; do sleep 0.05; done' child $$ 2>/dev/null &
while [ -e "$FILES/go" ]; do echo "$ZKLOCK_TOKEN_NUMBER" >>"$FILES/store"; sleep 0.01; done; wait)";

class candidates : public linked_to_three {
 protected:
  candidates() : linked_to_three(3) {
    std::ofstream(file("go")) << "\n";
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      begin(i);
    }
  }

  void strike(fault what) {
    const std::size_t leads = leading();
    switch (what) {
      case fault::leaders_zklock_is_killed: return kill(leads);
      case fault::leaders_command_is_killed:
        for (const pid_t one : of_command(leads)) {
          ::kill(one, SIGKILL);
        }
        return expect_another_term();
      case fault::leaders_zklock_is_stopped:
        candidates_[leads]->send(SIGSTOP);
        expect_another_term();
        std::this_thread::sleep_for(at_most(1s));
        return candidates_[leads]->send(SIGCONT);
      case fault::leader_is_cut_off:
        cut_off(leads, lot_() % 2 == 0 ? proxy_mode::hold : proxy_mode::cut);
        std::this_thread::sleep_for(3 * session_timeout);
        return let_back(leads);
      case fault::waiting_zklock_is_killed: return kill((leads + 1) % candidates_.size());
      case fault::no_server_is_in_reach:  // all of them frozen at once may commit nothing from then on
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
          cut_off(i, lot_() % 2 == 0 ? proxy_mode::hold : proxy_mode::cut);
        }
        std::this_thread::sleep_for(3 * session_timeout);
        for (std::size_t i = 0; i < candidates_.size(); ++i) let_back(i);
        return;
      case fault::server_is_killed: return kill_for(lot_() % 3, at_most(1s));
      case fault::server_is_frozen: return freeze_for(lot_() % 3, at_most(3s));
    }
  }

  /// No candidate has gone by itself, there is a leader, and its COMMAND writes.
  void go_on() {
    for (const auto& each : candidates_) {
      ASSERT_FALSE(each->has_ended()) << each->errors();
    }
    const std::size_t before = bytes_stored();
    ASSERT_TRUE(eventually([&] { return bytes_stored() > before + 100; }, 60s)) << errors();
  }

  void leave() {
    ::unlink(file("go").c_str());
    for (const auto& each : candidates_) {
      each->send(SIGTERM);
    }
    for (const auto& each : candidates_) {
      EXPECT_TRUE(each->status() == 0 || each->status() == 128 + SIGTERM) << each->errors();
    }
    EXPECT_TRUE(eventually([&] { return processes_with({mark()}).empty(); })) << "something is left";
    EXPECT_TRUE(eventually([&] { return leader(*writing_, "/e").is == leader_view::state::none; })) << "a node is left";
  }

 private:
  [[nodiscard]] std::string mark() const { return "FILES=" + file(""); }
  void begin(std::size_t i) {
    running_command::surroundings around;
    around.environment = {mark(), "CANDIDATE=" + std::to_string(i) + "."};
    candidates_[i] = std::make_unique<running_command>(
        std::vector<std::string>{zklock_, "--connect", servers_of(i), "elect", "--session-timeout", "4s", "--again",
                                 "--data", std::to_string(i), "/e", "--", "sh", "-c", command},
        around);
    EXPECT_TRUE(eventually([&] { return candidates_[i]->errors().find("stands for") != std::string::npos; }))
        << errors();
  }
  [[nodiscard]] std::vector<pid_t> of_command(std::size_t i) const {
    return processes_with({mark(), "CANDIDATE=" + std::to_string(i) + ".", "ZKLOCK_TOKEN="});
  }
  /// A new one takes its place.
  void kill(std::size_t i) {
    candidates_[i]->send(SIGKILL);
    EXPECT_EQ(candidates_[i]->status(), 128 + SIGKILL);
    begin(i);
  }
  /// The one that is named.
  [[nodiscard]] std::size_t leading() {
    EXPECT_TRUE(eventually([&] {
      const leader_view now = leader_.current();
      before_ = now.token;
      return now && now.current;
    }));
    return std::stoul(leader_.current().data) % candidates_.size();
  }
  void expect_another_term() {
    EXPECT_TRUE(eventually([&] { return leader_.current() && leader_.current().token > before_; })) << errors();
  }
  [[nodiscard]] std::string errors() const {
    std::string all;
    const std::size_t asked = zookeeper.leader().value_or(0);
    for (const char* word : {"dump", "cons"}) all += zookeeper.ask(word, asked) + "--\n";
    for (const auto& each : candidates_)
      all += std::to_string(each ? each->pid() : 0) + ": " + (each ? each->errors() : "") + "--\n";
    return all;
  }

  const char* const other_ = std::getenv("ZKLOCK_TEST_COMMAND");
  const std::string zklock_ = other_ != nullptr ? other_ : ZKLOCK_COMMAND;
  election_observer leader_{*all_, "/e"};
  fencing_token before_;
  std::array<std::unique_ptr<running_command>, 3> candidates_;
};

TEST_F(candidates, f213_of_three_never_have_two_commands_and_none_goes) {
  const int faults = for_long() ? 100 : faults_there_are;
  go_on();
  for (int number = 0; number < faults; ++number) {
    std::this_thread::sleep_for(at_most(200ms));
    const int what = for_long() ? static_cast<int>(lot_() % faults_there_are) : number;
    if (for_long()) std::cout << number << ": " << what << std::endl;
    strike(static_cast<fault>(what));
    ASSERT_TRUE(eventually([&] { return all_serve(); }));
    ASSERT_NO_FATAL_FAILURE(go_on()) << "behind fault " << number;
  }
  leave();
  const record all = recorded();
  EXPECT_GT(all.tokens.size(), 4U);
  EXPECT_EQ(all.overtaken, std::vector<std::int64_t>());
  EXPECT_FALSE(std::ifstream(file("overlaps"))) << "a COMMAND was begun while something of the one before was left";
}

}  // namespace
}  // namespace zklock::test
