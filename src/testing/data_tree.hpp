#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"

namespace zklock::testing {

using client::code;

/// An identity that a connection has proved. Digest identities are compared as they were given ("user:password").
struct identity {
  std::string scheme;
  std::string id;
  bool operator==(const identity&) const = default;
};

/// What a transaction does to one node, decided by the leader and repeated by every server.
struct change {
  enum class kind : std::uint8_t { create, set, remove };
  kind what = kind::create;
  std::string path;
  std::string data;
  client::acl acl;  ///< empty: open to all clients
  std::int64_t owner = 0;
  bool container = false;
};

struct tree_node {
  std::string data;
  client::acl acl;    ///< empty: open to all clients
  client::stat stat;  ///< cversion counts creates below this node; child_count is not kept
  bool container = false;
  std::set<std::string, std::less<>> children;

  /// As clients see it: cversion counts creates and deletes.
  [[nodiscard]] client::stat visible_stat() const noexcept;
};

[[nodiscard]] std::string_view parent_of(std::string_view path) noexcept;
[[nodiscard]] std::string_view name_of(std::string_view path) noexcept;

/// The nodes of one server. `plan` answers what a request would change, or why it is refused; `apply` does it.
/// Invariant: each node but the root stands among its parent's children.
class data_tree {
 public:
  data_tree();

  [[nodiscard]] const tree_node* find(std::string_view path) const;
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] const std::map<std::string, tree_node, std::less<>>& nodes() const noexcept { return nodes_; }

  using identities = std::vector<identity>;
  code plan(const client::request::create& what, std::int64_t session, const identities& caller, change& out) const;
  code plan(const client::request::set& what, const identities& caller, change& out) const;
  code plan(const client::request::remove& what, const identities& caller, change& out) const;
  [[nodiscard]] code plan(const client::request::check& what, const identities& caller) const;
  /// Removes what a session leaves behind, in the order of the paths.
  [[nodiscard]] std::vector<change> plan_end_of(std::int64_t session) const;
  /// Empty containers that once had a child.
  [[nodiscard]] std::vector<change> plan_reaping() const;

  code read(const client::request::list& what, const identities& caller, client::reply& out) const;
  code read(const client::request::get& what, const identities& caller, client::reply& out) const;
  code read(const client::request::exists& what, client::reply& out) const;
  code read(const client::request::get_acl& what, const identities& caller, client::reply& out) const;

  /// What it takes to revert one change.
  struct undo {
    change::kind what = change::kind::create;
    std::string path;
    std::optional<tree_node> before;
    std::int32_t parent_cversion = 0;
    std::int64_t parent_pzxid = 0;
  };
  void apply(const change& what, std::int64_t zxid);
  [[nodiscard]] undo apply_revertible(const change& what, std::int64_t zxid);
  void revert(undo&& what);

  /// For tests of the overflow: the number that the next sequential child gets.
  void set_sequence_counter(std::string_view path, std::int32_t next);
  /// After the greatest number comes the smallest; otherwise the counter sticks.
  void let_counters_wrap(bool wrap) noexcept { counters_wrap_ = wrap; }

 private:
  std::map<std::string, tree_node, std::less<>> nodes_;
  std::map<std::int64_t, std::set<std::string>> ephemerals_;
  bool counters_wrap_ = false;
};

}  // namespace zklock::testing
