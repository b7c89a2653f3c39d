#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/participants_round.hpp"

namespace zklock::operations {

/// How many contenders of `before` and `after` were granted between these two lists of one queue. One that waited and is
/// gone counts if it stood before one that holds now: it was granted, or gave up. Not seen: who came and went in between.
[[nodiscard]] std::uint64_t grants_between(std::span<const recipes::seen_contender> before,
                                           std::span<const recipes::seen_contender> after);

/// What is known of a lock's queue, of any recipe and layout: the names of all contenders, and what a few nodes say.
///
/// A contender whose node was not read is shown by its name alone: its kind, how many permits it wants, and whether it
/// holds by its place. That is right but for writers that were downgraded, and for holders of a semaphore whose limit was
/// lowered.
class seen_queue {
 public:
  // ---- what comes in
  /// `below` the lock node: "", recipes::curator_locks or recipes::curator_leases.
  void listed(std::string_view below, recipes::names_view children);
  /// The lock node's data. Nothing: they are not known.
  void limit_read(std::optional<std::string> data);
  /// The node of that name in queue(). Data of more than a few kilobytes are cut. Whatever the answer, it is_read() then.
  void node_read(const std::string& name, recipes::code answer, const recipes::node_origin& origin,
                 std::string_view data);
  /// Its data have changed.
  void forget_node(const std::string& name);
  void forget_all_nodes();
  /// Until count_grants(): what was not seen to happen is not counted.
  void miss_grants() noexcept { counts_ = false; }
  /// It is known who holds: grants are counted from here on.
  void count_grants() noexcept { counts_ = true; }

  // ---- what follows
  [[nodiscard]] std::span<const recipes::seen_contender> queue() const noexcept { return queue_; }
  [[nodiscard]] std::size_t holders() const noexcept { return holders_; }
  [[nodiscard]] const std::optional<recipes::permit_limit>& limit() const noexcept { return limit_; }
  /// All that were seen.
  [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }
  [[nodiscard]] bool is_read(const std::string& name) const { return nodes_.contains(name); }
  /// There is a child `leases`: the lists below it and below `locks` belong to the queue.
  [[nodiscard]] bool has_leases() const noexcept { return has_leases_; }
  /// There are native contenders for permits, whose number the lock node's data say.
  [[nodiscard]] bool has_permits() const noexcept;

 private:
  struct node {
    recipes::code answer;  ///< ok; no_node: it has gone; no_auth: its data cannot be had
    recipes::node_origin origin;
    std::string data;
  };
  void judge();
  [[nodiscard]] bool is_listed(std::string_view name) const;

  std::map<std::string, std::vector<std::string>, std::less<>> lists_;  ///< by what is below the lock node
  std::map<std::string, node> nodes_;
  std::optional<std::string> limit_data_;
  bool has_leases_ = false;
  bool counts_ = false;

  std::vector<recipes::seen_contender> queue_;
  std::optional<recipes::permit_limit> limit_;
  std::size_t holders_ = 0;
  std::uint64_t grants_ = 0;
};

}  // namespace zklock::operations
