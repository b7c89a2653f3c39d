#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "recipes/node_name.hpp"
#include "src/engine/ledger.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

/// The watches of one session, each set by an operation under a tag, and what they take of the budget (F83).
class watch_table {
 public:
  using kind = client::connection::watch_kind;
  struct entry {
    client::watch_id id;
    std::uint64_t owner;
    tag as;
    std::string path;
    kind on;
  };

  /// In place of an earlier one under this tag. `no_watch`: there is no room.
  client::watch_id add(std::uint64_t owner, tag as, std::string_view path, kind on, const client::watch_budget& budget);
  /// It has fired, and is gone. Nothing: it is not known (any more).
  [[nodiscard]] std::optional<entry> take(client::watch_id id);
  /// Nothing: it is not known (any more).
  [[nodiscard]] std::optional<std::uint64_t> owner_of(client::watch_id id) const;
  /// It is to be forgotten. Nothing: there is none.
  [[nodiscard]] std::optional<entry> take_of(std::uint64_t owner, tag as);
  /// Of this owner's the one with the least tag.
  [[nodiscard]] std::optional<entry> take_any_of(std::uint64_t owner);
  [[nodiscard]] bool stands(std::uint64_t owner, tag as) const { return id_of(owner, as).has_value(); }
  [[nodiscard]] std::size_t size() const noexcept { return watches_.size(); }
  /// 0 to 1: how much of the budget is used up.
  [[nodiscard]] double share() const noexcept {
    return static_cast<double>(bytes_) / static_cast<double>(budget_.bytes);
  }
  void clear() noexcept;

 private:
  /// There may be thousands: no larger than it has to be.
  struct watch {
    std::uint64_t owner;
    recipes::heap_text path;
    tag as;
    kind on;
  };
  [[nodiscard]] std::optional<client::watch_id> id_of(std::uint64_t owner, tag as) const;

  client::watch_id last_ = 0;
  client::watch_budget budget_;  ///< the same while a watch stands
  std::size_t bytes_ = 0;        ///< of it
  std::unordered_map<client::watch_id, watch> watches_;
  std::unordered_multimap<std::uint64_t, client::watch_id> by_owner_;  ///< an owner has a few
};

}  // namespace zklock::engine
