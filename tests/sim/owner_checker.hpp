#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "src/api/lock_owners.hpp"
#include "src/engine/hold.hpp"

namespace zklock::sim {

/// What must hold of owners, judged by what users say and are told: no look into a table.
///
/// | name | says |
/// |---|---|
/// | counts_are_the_owners | a count more is its hold's owner's; an acquisition without owner is never one |
/// | one_contender_per_owner | an owner has no two calls under way on one lock object that re-enters |
class owner_checker {
 public:
  using reporter = std::function<void(std::string checker, std::string what)>;
  explicit owner_checker(reporter report) : report_(std::move(report)) {}

  /// `process`: whose lock object it is.
  void call_begun(int process, std::size_t lock, detail::owner_number owner);
  void call_ended(int process, std::size_t lock, detail::owner_number owner);
  void granted(const detail::hold& held, detail::owner_number owner) { owner_of_[&held] = owner; }
  void counted(const detail::hold& held, detail::owner_number owner);

 private:
  const reporter report_;
  std::set<std::tuple<int, std::size_t, detail::owner_number>> calls_;
  std::map<const detail::hold*, detail::owner_number> owner_of_;  ///< programs keep their holds to the end
};

}  // namespace zklock::sim
