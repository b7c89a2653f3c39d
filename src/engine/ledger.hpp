#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "recipes/local_deadline.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

/// An operation's own mark on a request. The engine never reads it.
using tag = std::uint32_t;

/// The requests of one connection that are not answered yet, in the order in which they were submitted. What is sent is
/// answered in that order.
class ledger {
 public:
  /// The owner of what is answered to no operation any more.
  static constexpr std::uint64_t forgotten = UINT64_MAX;

  /// What a request is, besides what it asks.
  struct traits {
    bool proves = false;    ///< its answer may move the local deadline: the leader's
    bool first = false;     ///< its answer goes to its operation before it moves the deadline
    bool write = false;     ///< it does, and is a write: a quorum's
    bool watch = false;     ///< it sets a watch
    bool exists = false;    ///< so it does where there is no node
    bool quorum = false;    ///< it is a heartbeat::quorum_write(), and answered as such
    std::uint8_t kind = 0;  ///< its index in client::any_request
  };
  struct entry {
    client::request_id id;
    std::uint64_t owner;  ///< the number of an operation; 0: the engine itself
    tag as;
    traits is;
    recipes::instant sent_at{};
  };

  client::request_id add(std::uint64_t owner, tag as, const traits& is, recipes::instant now = {});
  /// The request is answered. Nothing: it is not known (any more).
  [[nodiscard]] std::optional<entry> take(client::request_id id);
  /// Nothing: it is not known (any more).
  [[nodiscard]] std::optional<std::uint64_t> owner_of(client::request_id id) const;
  /// What is still answered to this owner goes nowhere. For one that goes on under its number: no other gets it.
  void forget(std::uint64_t owner);
  /// It has ended: no operation gets its number.
  void owner_ended(std::uint64_t owner) noexcept { forgotten_.erase(owner); }
  void clear() noexcept {
    entries_.clear();
    forgotten_.clear();
  }

 private:
  client::request_id last_ = 0;
  std::deque<entry> entries_;
  std::unordered_map<std::uint64_t, client::request_id> forgotten_;  ///< owners, and up to which request
};

}  // namespace zklock::engine
