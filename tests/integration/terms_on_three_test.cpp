// Three processes that stand for election on three servers: killed, frozen, resigned, the servers too, and their links cut. They
// write into a store that only records. Each fault once; with ZKLOCK_LONG=1 in the environment 100 at random.
#include <gtest/gtest.h>
#include <signal.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/on_three.hpp"
#include "tests/integration/talking_process.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {
namespace {

enum class fault : std::uint8_t {
  leader_is_killed,
  leader_is_frozen,  ///< beyond its session
  leader_resigns,
  server_is_killed,
  server_is_frozen,
  leading_server_is_frozen,
  follower_is_cut_off,
};
constexpr int faults_there_are = 7;

class terms : public on_three {
 protected:
  void stand(const char* names) {
    names_ = names;
    for (auto& each : processes_) {
      each = begin();
    }
    ASSERT_TRUE(leads_and_writes());
  }

  void strike_each_way(int faults) {
    for (int number = 0; number < faults; ++number) {
      std::this_thread::sleep_for(at_most(200ms));
      strike_by(static_cast<fault>(for_long() ? static_cast<int>(lot_() % faults_there_are) : number));
      ASSERT_TRUE(eventually([&] { return all_serve(); }));
      ASSERT_TRUE(leads_and_writes()) << "behind fault " << number;
    }
  }

  void strike_by(fault what) {
    switch (what) {
      case fault::leader_is_killed: {
        std::unique_ptr<talking_process>& it = leading();
        it->kill();
        it = begin();
        return expect_newer_term();
      }
      case fault::leader_is_frozen: {
        talking_process& it = *leading();
        kill(it.pid(), SIGSTOP);
        expect_newer_term();
        std::this_thread::sleep_for(at_most(1s));
        return it.cont();
      }
      case fault::leader_resigns: leading()->order("resign"); return expect_newer_term();
      case fault::server_is_killed: return kill_for(lot_() % 3, at_most(1s));
      case fault::server_is_frozen: return freeze_for(lot_() % 3, at_most(3s));
      case fault::leading_server_is_frozen: return freeze_for(zookeeper.leader().value_or(0), at_most(3s));
      case fault::follower_is_cut_off: cut_off_for(at_most(3s));
    }
  }

  void cut_off_for(std::chrono::milliseconds time) {
    const std::size_t from = zookeeper.leader().value_or(0);
    proxy& link = zookeeper.quorum_link((from + 1) % 3, from);
    link.set_mode(proxy_mode::hold);
    std::this_thread::sleep_for(time);
    link.cut_now();
    link.set_mode(proxy_mode::pass);
  }

  /// All leave, the last of them from its term.
  void leave() {
    for (auto& each : processes_) {
      EXPECT_EQ(each->exit_status(), 0);
    }
    EXPECT_TRUE(eventually([&] { return leader(*writing_, "/e").is == leader_view::state::none; })) << "a node is left";
  }

  struct record {
    std::set<std::int64_t> terms;
    std::vector<std::int64_t> overtaken;  ///< each write of a term behind one of a newer
    std::size_t writes = 0;
  };
  [[nodiscard]] record recorded() const {
    record all;
    std::ifstream lines(store_);
    for (std::int64_t token = 0; lines >> token; ++all.writes) {
      if (!all.terms.empty() && token < *all.terms.rbegin()) {
        all.overtaken.push_back(token);
      }
      all.terms.insert(token);
    }
    std::cout << all.writes << " writes of " << all.terms.size() << " terms, " << all.overtaken.size()
              << " behind one of a newer\n";
    return all;
  }

  const int faults_ = for_long() ? 100 : faults_there_are;
  election_observer leader_{*all_, "/e"};

 private:
  [[nodiscard]] std::unique_ptr<talking_process> begin() const {
    return std::make_unique<talking_process>(
        std::vector<std::string>{ZKLOCK_LEADING_PROCESS, zookeeper.connect_string(), names_, store_});
  }
  /// The one that is named.
  [[nodiscard]] std::unique_ptr<talking_process>& leading() {
    std::size_t which = 0;
    EXPECT_TRUE(eventually([&] {
      const leader_view now = leader_.current();
      before_ = now.token;
      const auto* const it =
          std::ranges::find(processes_, now.data, [](const auto& each) { return std::to_string(each->pid()); });
      which = static_cast<std::size_t>(it - processes_.begin());
      return now && now.current && which < processes_.size();
    }));
    return processes_.at(which);
  }
  /// Than the one that leading() has found.
  void expect_newer_term() {
    EXPECT_TRUE(eventually([&] { return leader_.current() && leader_.current().token > before_; }));
  }
  [[nodiscard]] std::int64_t last_recorded() const {
    std::ifstream lines(store_, std::ios::ate);
    const auto size = static_cast<std::int64_t>(lines.tellg());
    lines.seekg(std::max<std::int64_t>(0, size - 100));
    std::int64_t token = 0, last = 0;
    for (std::string cut; std::getline(lines, cut) && lines >> token;) {
      last = token;
      lines >> std::ws;
    }
    return last;
  }
  [[nodiscard]] bool leads_and_writes() {
    return eventually(
        [&] {
          const leader_view now = leader_.current();
          return now.current && now && now.token.czxid == last_recorded();
        },
        60s);
  }

  test_support::scratch_directory directory_;
  const std::string store_ = (directory_.path() / "store").string();
  std::string names_;
  std::array<std::unique_ptr<talking_process>, 3> processes_;
  fencing_token before_;
};

class each_kind_of_names : public terms, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(names, each_kind_of_names, ::testing::Values("selector", "latch"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(each_kind_of_names, f130_no_write_of_a_term_stands_behind_one_of_a_newer) {
  stand(GetParam());
  strike_each_way(faults_);
  leave();
  const record all = recorded();
  EXPECT_GT(all.terms.size(), 2U);
  EXPECT_EQ(all.overtaken, std::vector<std::int64_t>());
}

// ZooKeeper's way: the next one leads when the node is gone, and the old one is told at that time at the earliest.
TEST_P(each_kind_of_names, f203_terms_overlap_where_a_third_party_removes_a_leader_and_there_alone) {
  stand(GetParam());
  std::set<std::int64_t> removed;
  std::jthread remover([&](const std::stop_token& stop) {
    std::mt19937 lot(std::random_device{}());
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(lot() % 300));
      if (const leader_view now = leader_.current()) {
        removed.insert(now.token.czxid);
        std::error_code ec;
        writing_->transaction().remove(now.node).commit(ec);
      }
    }
  });
  strike_each_way(for_long() ? faults_ : 3);
  remover.request_stop();
  remover.join();
  leave();
  const record all = recorded();
  EXPECT_GT(removed.size(), 2U);
  for (const std::int64_t token : all.overtaken) {
    EXPECT_TRUE(removed.contains(token)) << token << " was not removed: a store that compares tokens has to refuse it";
  }
}

}  // namespace
}  // namespace zklock::test
