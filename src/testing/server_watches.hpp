#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/testing/data_tree.hpp"
#include "src/testing/messages.hpp"

namespace zklock::testing {

/// The watches of one connection at its server. Each fires once.
class server_watches {
 public:
  void watch_data(const std::string& path) { data_.insert(path); }  ///< of a node that is there or not
  void watch_children(const std::string& path) { child_.insert(path); }
  void clear() noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return data_.size() + child_.size(); }

  /// The events that a change gives rise to, in this order.
  struct fired {
    std::optional<client::node_event> node;  ///< of the node itself
    bool parent = false;                     ///< its parent's children have changed
  };
  [[nodiscard]] fired fire(const change& what);

  struct missed {
    std::string_view path;  ///< in the lists
    client::node_event event = client::node_event::created;
  };
  /// The events that a client has missed when it connects again; the rest is watched again.
  [[nodiscard]] std::vector<missed> watch_again(const upward::watch_lists& lists, const data_tree& tree);

 private:
  using paths = std::set<std::string, std::less<>>;
  static bool take_out(paths& from, std::string_view path);

  paths data_, child_;
};

}  // namespace zklock::testing
