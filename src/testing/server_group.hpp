#pragma once

#include <cstddef>
#include <vector>

#include "src/testing/ensemble_config.hpp"
#include "src/testing/server.hpp"

namespace zklock::testing {

/// The servers, and which one leads: the rules of quorums. A server is attached when it exchanges messages with a
/// leader in which it believes.
class server_group {
 public:
  static constexpr int no_leader = -1;

  server_group(const ensemble_config& with, std::int64_t zxid);

  [[nodiscard]] std::size_t size() const noexcept { return servers_.size(); }
  [[nodiscard]] auto begin() noexcept { return servers_.begin(); }
  [[nodiscard]] auto end() noexcept { return servers_.end(); }
  [[nodiscard]] auto begin() const noexcept { return servers_.begin(); }
  [[nodiscard]] auto end() const noexcept { return servers_.end(); }
  [[nodiscard]] server& operator[](int number) noexcept { return servers_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const server& operator[](int number) const noexcept {
    return servers_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] server* find(int number) noexcept;  ///< null: there is none

  [[nodiscard]] int leader_number() const noexcept { return leader_; }  ///< or no_leader
  [[nodiscard]] bool has_leader() const noexcept { return leader_ != no_leader; }
  [[nodiscard]] bool leads(const server& s) const noexcept { return s.number == leader_; }
  [[nodiscard]] server& leader() noexcept { return (*this)[leader_]; }
  [[nodiscard]] const server& leader() const noexcept { return (*this)[leader_]; }
  void set_leader(int number) noexcept { leader_ = number; }

  /// In the leader that has a quorum, if there is one.
  [[nodiscard]] bool believes_in_leader(const server& s) const noexcept;
  [[nodiscard]] bool attached(const server& s) const noexcept;
  [[nodiscard]] bool has_quorum() const noexcept;
  [[nodiscard]] bool can_elect() const noexcept;
  /// Without one of those that can vote, the others are still a majority; or none can vote anyway.
  [[nodiscard]] bool can_spare_one() const noexcept;
  [[nodiscard]] bool can_rejoin(const server& s) const noexcept;
  /// The nodes of the leader; without one, of a server that has applied most.
  [[nodiscard]] const data_tree& nodes() const noexcept;

 private:
  std::vector<server> servers_;
  int leader_ = 0;
};

}  // namespace zklock::testing
