#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/engine/ledger.hpp"
#include "src/zookeeper/client.hpp"

namespace zklock::engine {

/// The watches of one session, each set by an operation under a tag, and what they take of the budget (F83).
class watch_table {
 public:
  struct entry {
    client::watch_id id;
    std::uint64_t owner;
    tag as;
    std::string path;
    bool on_children;
    std::size_t cost;
  };

  /// In place of an earlier one under this tag. `no_watch`: there is no room.
  client::watch_id add(std::uint64_t owner, tag as, std::string path, bool on_children,
                       const client::watch_budget& budget);
  /// It has fired, and is gone. Nothing: it is not known (any more).
  [[nodiscard]] std::optional<entry> take(client::watch_id id);
  /// It is to be forgotten. Nothing: there is none.
  [[nodiscard]] std::optional<entry> take_of(std::uint64_t owner, tag as);
  /// Any of this owner's.
  [[nodiscard]] std::optional<entry> take_any_of(std::uint64_t owner);
  [[nodiscard]] bool stands(std::uint64_t owner, tag as) const { return by_owner_.contains({owner, as}); }
  [[nodiscard]] std::size_t size() const noexcept { return watches_.size(); }
  void clear() noexcept;

 private:
  client::watch_id last_ = 0;
  std::size_t bytes_ = 0;
  std::unordered_map<client::watch_id, entry> watches_;
  std::map<std::pair<std::uint64_t, tag>, client::watch_id> by_owner_;
};

}  // namespace zklock::engine
