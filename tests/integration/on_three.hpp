#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {

/// Asked for by ZKLOCK_LONG=1 in the environment.
[[nodiscard]] inline bool for_long() { return std::getenv("ZKLOCK_LONG") != nullptr; }

struct three_servers {
  test_support::private_zookeeper zookeeper{{.servers = 3, .tick_time = 200ms, .quorum_links = true}};
};

/// Servers that are killed and frozen, one at a time; each serves again before the next one: else ZooKeeper 3.8 itself loses
/// what it has acknowledged. With sessions on each server alone, on all for an observer, and on all for a writer.
class on_three : protected three_servers, public ::testing::Test {
 protected:
  on_three() {
    for (std::size_t server = 0; server < 3; ++server) {
      alone_.push_back(std::make_unique<session>(zookeeper.address(server), options));
    }
    all_ = std::make_unique<session>(zookeeper.connect_string(), options);
    writing_ = std::make_unique<session>(zookeeper.connect_string(), options);
    EXPECT_TRUE(writing_->wait_connected_for(patience) && all_->wait_connected_for(patience));
  }
  /// One on each server alone, one on all.
  [[nodiscard]] std::vector<session*> followers() {
    return {alone_[0].get(), alone_[1].get(), alone_[2].get(), all_.get()};
  }

  void kill_for(std::size_t server, std::chrono::milliseconds time) {
    zookeeper.kill(server);
    std::this_thread::sleep_for(time);
    zookeeper.restart(server);
  }
  void freeze_for(std::size_t server, std::chrono::milliseconds time) {
    zookeeper.stop(server);
    std::this_thread::sleep_for(time);
    zookeeper.cont(server);
  }
  [[nodiscard]] std::chrono::milliseconds at_most(std::chrono::milliseconds time) {
    return std::chrono::milliseconds(lot_() % static_cast<unsigned>(time.count()));
  }
  /// Until `enough` says so.
  template <class Enough>
  int strike(Enough&& enough) {
    int faults = 0;
    for (; !enough(); ++faults) {
      std::this_thread::sleep_for(at_most(500ms));
      const std::size_t server = lot_() % 3;
      lot_() % 2 == 0 ? kill_for(server, at_most(500ms)) : freeze_for(server, at_most(2s));
      EXPECT_TRUE(eventually([&] { return all_serve(); }));
    }
    return faults;
  }

  [[nodiscard]] bool all_serve() const {
    for (std::size_t server = 0; server < 3; ++server) {
      if (zookeeper.ask("srvr", server).find("Mode: ") == std::string::npos) {
        return false;
      }
    }
    return true;
  }

  const session_options options{.timeout = 2s};
  std::mt19937 lot_{std::random_device{}()};
  std::vector<std::unique_ptr<session>> alone_;
  std::unique_ptr<session> all_;
  std::unique_ptr<session> writing_;
};

}  // namespace zklock::test
