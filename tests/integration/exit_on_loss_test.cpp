// Processes on three servers that end with their lock (exit_on_loss): cut off, killed, and the servers killed and frozen. What holds
// never asks whether it does. Each fault once; with ZKLOCK_LONG=1 in the environment 100 at random.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/linked_to_three.hpp"
#include "tests/integration/running_command.hpp"

namespace zklock::test {
namespace {

enum class fault : std::uint8_t {
  holder_is_silenced,    ///< its links hold all that it sends and is sent, until it is gone
  holder_hears_nothing,  ///< the same, what it is sent
  holder_is_cut_off,
  holder_is_killed,
  server_is_killed,
  server_is_frozen,
  leading_server_is_frozen,
};
constexpr int faults_there_are = 7;

class processes_that_end_with_their_lock : public linked_to_three {
 protected:
  processes_that_end_with_their_lock() : linked_to_three(3) {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      begin(i);
    }
  }

  void strike(fault what) {
    const std::size_t holder = holding();
    switch (what) {
      case fault::holder_is_silenced: return end_by(holder, proxy_mode::hold);
      case fault::holder_hears_nothing: return end_by(holder, proxy_mode::hold_replies);
      case fault::holder_is_cut_off: return end_by(holder, proxy_mode::cut);
      case fault::holder_is_killed: return processes_[holder]->send(SIGKILL);
      case fault::server_is_killed: return kill_for(lot_() % 3, at_most(1s));
      case fault::server_is_frozen: return freeze_for(lot_() % 3, at_most(3s));
      case fault::leading_server_is_frozen: return freeze_for(zookeeper.leader().value_or(0), at_most(3s));
    }
  }

  /// Those that have ended are started anew; there is a holder, and it writes.
  void go_on() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (processes_[i]->has_ended()) {
        ended_by_loss_ += processes_[i]->status() == 75 ? 1 : 0;
        begin(i);
      }
    }
    const std::size_t before = bytes_stored();
    ASSERT_TRUE(eventually([&] { return bytes_stored() > before + 100; }, 60s));
  }

  int ended_by_loss_ = 0;

 private:
  void begin(std::size_t i) {
    processes_[i] =
        std::make_unique<running_command>(std::vector<std::string>{ZKLOCK_EXITING_PROCESS, servers_of(i), store_});
  }
  /// The process that has the first node.
  [[nodiscard]] std::size_t holding() {
    std::size_t which = 0;
    EXPECT_TRUE(eventually([&] {
      const auto queue = recursive_mutex(*writing_, "/lock").queue();
      for (which = 0; !queue.empty() && which < processes_.size(); ++which) {
        if (queue.front().pid == processes_[which]->pid()) return true;
      }
      return false;
    }));
    return which % processes_.size();
  }
  /// It is gone before the links are there again.
  void end_by(std::size_t holder, proxy_mode how) {
    cut_off(holder, how);
    EXPECT_TRUE(eventually([&] { return processes_[holder]->has_ended(); })) << "it runs on without its lock";
    std::this_thread::sleep_for(at_most(3s));
    let_back(holder);
  }

  std::array<std::unique_ptr<running_command>, 3> processes_;
};

TEST_F(processes_that_end_with_their_lock, f214_are_gone_before_the_next_one_holds) {
  const int faults = for_long() ? 100 : faults_there_are;
  go_on();
  for (int number = 0; number < faults; ++number) {
    std::this_thread::sleep_for(at_most(200ms));
    strike(static_cast<fault>(for_long() ? static_cast<int>(lot_() % faults_there_are) : number));
    ASSERT_TRUE(eventually([&] { return all_serve(); }));
    ASSERT_NO_FATAL_FAILURE(go_on()) << "behind fault " << number;
  }
  const record all = recorded();
  std::cout << ended_by_loss_ << " processes ended by a loss\n";
  EXPECT_GT(all.tokens.size(), 3U);
  EXPECT_GT(ended_by_loss_, 2);
  EXPECT_EQ(all.overtaken, std::vector<std::int64_t>());
}

}  // namespace
}  // namespace zklock::test
