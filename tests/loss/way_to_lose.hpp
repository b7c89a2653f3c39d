#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <zklock/loss.hpp>

#include "tests/support/private_zookeeper.hpp"

namespace zklock::test {

class trial;

enum class place : std::uint8_t {
  shared_server,   ///< only proxies are tampered with
  own_server,      ///< a single server is
  three_servers,   ///< one of three is
  linked_servers,  ///< the same, and the links among them are
};

/// The server that the holder talks to when the fault comes.
enum class seat : std::uint8_t { follower, leader };

/// When the fault is made good.
enum class healing : std::uint8_t {
  in_time,         ///< after a quarter of the session timeout
  after_the_loss,  ///< since no other client is granted before
  after_the_next,  ///< when the next one in line holds
};

/// One way to lose a session or a node, or nearly to lose it.
struct way_to_lose {
  std::string_view key;   ///< to name it on a command line
  std::string_view name;  ///< for people
  place where = place::shared_server;
  std::chrono::milliseconds timeout{4000};
  std::chrono::milliseconds tick{500};  ///< of the servers; on a shared server it has to be this
  int sync_limit = 4;                   ///< of the servers, in ticks
  seat at = seat::follower;             ///< of three servers
  seat victim = seat::follower;         ///< what the fault happens to: the holder's own follower, or the leader
  bool no_other_server = false;         ///< in the holder's reach
  healing healed = healing::after_the_next;
  /// session_options::margin; 0: the default.
  std::chrono::milliseconds margin{0};
  bool at_the_grant = false;     ///< the fault comes right behind the answer that grants
  bool heartbeats_only = false;  ///< from the fault on: a write would change what happens
  bool whole_process = false;    ///< the holder's process is stopped
  /// An operator takes the lock away by the servers' hand, so the holder cannot know before the next one does.
  bool by_force = false;
  bool may_survive = false;
  std::vector<loss_reason> may_be_told = {};  ///< none: it must survive
  bool tick_is_told = false;                  ///< to the holder's session; else it has to assume one
  std::function<void(trial&)> arrange = {};   ///< before the holder's session is opened
  std::function<void(trial&)> prepare = {};   ///< while the lock is held, before the fault
  std::function<void(trial&)> fault;
  std::function<void(trial&)> heal = {};

  [[nodiscard]] bool survivable() const { return may_survive || may_be_told.empty(); }
};

/// What `place` says of the servers, with the numbers of the way.
[[nodiscard]] test_support::zookeeper_options servers_for(const way_to_lose& way);

/// All of them.
[[nodiscard]] const std::vector<way_to_lose>& ways_to_lose();
[[nodiscard]] const way_to_lose& way_named(std::string_view key);

}  // namespace zklock::test
