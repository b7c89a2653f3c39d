// Processes on three servers that end with their lock (exit_on_loss): cut off, killed, and the servers killed and frozen. What holds
// writes into a store that only records, and never asks whether it holds. Each fault once; with ZKLOCK_LONG=1 in the environment
// 100 at random.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/on_three.hpp"
#include "tests/integration/running_command.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {
namespace {

using test_support::proxy;
using test_support::proxy_mode;

enum class fault : std::uint8_t {
  holder_is_silenced,     ///< its links hold all that it sends and is sent, beyond its session
  holder_hears_nothing,   ///< the same, what it is sent
  holder_is_refused,      ///< its connections are reset
  holder_is_killed,
  server_is_killed,
  server_is_frozen,
  leading_server_is_frozen,
};
constexpr int faults_there_are = 7;

class processes_that_end_with_their_lock : public on_three {
 protected:
  processes_that_end_with_their_lock() {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (std::size_t server = 0; server < 3; ++server) {
        const std::string address = zookeeper.address(server);
        links_[i].push_back(
            std::make_unique<proxy>(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)))));
      }
      begin(i);
    }
  }

  void strike(fault what) {
    const std::size_t holder = holding();
    switch (what) {
      case fault::holder_is_silenced: return cut_off(holder, proxy_mode::hold);
      case fault::holder_hears_nothing: return cut_off(holder, proxy_mode::hold_replies);
      case fault::holder_is_refused: return cut_off(holder, proxy_mode::cut);
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
    const std::size_t before = writes();
    ASSERT_TRUE(eventually([&] { return writes() > before + 10; }, 60s));
  }

  [[nodiscard]] std::size_t writes() const { return static_cast<std::size_t>(std::ifstream(store_, std::ios::ate).tellg()); }

  struct record {
    std::set<std::int64_t> holds;
    std::vector<std::int64_t> overtaken;  ///< each write of a hold behind one of a newer
  };
  [[nodiscard]] record recorded() const {
    record all;
    std::size_t writes = 0;
    std::ifstream lines(store_);
    for (std::int64_t token = 0; lines >> token; ++writes) {
      if (!all.holds.empty() && token < *all.holds.rbegin()) {
        all.overtaken.push_back(token);
      }
      all.holds.insert(token);
    }
    std::cout << writes << " writes of " << all.holds.size() << " holds, " << all.overtaken.size()
              << " behind one of a newer; " << ended_by_loss_ << " processes ended by a loss\n";
    return all;
  }

  int ended_by_loss_ = 0;

 private:
  void begin(std::size_t i) {
    std::string servers;
    for (const auto& link : links_[i]) {
      servers += (servers.empty() ? "" : ",") + link->address();
    }
    processes_[i] = std::make_unique<running_command>(std::vector<std::string>{ZKLOCK_EXITING_PROCESS, servers, store_});
  }
  /// The process whose session has the first node.
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
  /// It is gone before the link is there again.
  void cut_off(std::size_t holder, proxy_mode how) {
    for (const auto& link : links_[holder]) {
      link->set_mode(how);
    }
    EXPECT_TRUE(eventually([&] { return processes_[holder]->has_ended(); })) << "it runs on without its lock";
    std::this_thread::sleep_for(at_most(3s));
    for (const auto& link : links_[holder]) {
      link->cut_now();
      link->set_mode(proxy_mode::pass);
    }
  }

  test_support::scratch_directory directory_;
  const std::string store_ = (directory_.path() / "store").string();
  std::array<std::vector<std::unique_ptr<proxy>>, 3> links_;
  std::array<std::unique_ptr<running_command>, 3> processes_;
};

TEST_F(processes_that_end_with_their_lock, are_gone_before_the_next_one_holds) {
  const int faults = for_long() ? 100 : faults_there_are;
  go_on();
  for (int number = 0; number < faults; ++number) {
    std::this_thread::sleep_for(at_most(200ms));
    strike(static_cast<fault>(for_long() ? static_cast<int>(lot_() % faults_there_are) : number));
    ASSERT_TRUE(eventually([&] { return all_serve(); }));
    ASSERT_NO_FATAL_FAILURE(go_on()) << "behind fault " << number;
  }
  const record all = recorded();
  EXPECT_GT(all.holds.size(), 3U);
  EXPECT_GT(ended_by_loss_, 2);
  EXPECT_EQ(all.overtaken, std::vector<std::int64_t>());
}

}  // namespace
}  // namespace zklock::test
