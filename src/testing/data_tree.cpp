#include "src/testing/data_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "recipes/joined.hpp"

namespace zklock::testing {
namespace {

constexpr std::int32_t permission_read = 1;
constexpr std::int32_t permission_write = 2;
constexpr std::int32_t permission_create = 4;
constexpr std::int32_t permission_delete = 8;
constexpr std::int32_t permission_admin = 16;

bool allowed(const client::acl& acl, std::int32_t permission, const data_tree::identities& caller) {
  if (acl.empty()) return true;
  return std::any_of(acl.begin(), acl.end(), [&](const client::acl_entry& entry) {
    if ((entry.permissions & permission) == 0) return false;
    if (entry.scheme == "world") return true;
    return std::any_of(caller.begin(), caller.end(),
                       [&](const identity& i) { return i.scheme == entry.scheme && i.id == entry.id; });
  });
}

/// Replaces "auth" by the creator's identities and checks the rest, as the server does before anything else.
code fix_up(const client::acl& asked, const data_tree::identities& caller, client::acl& out) {
  out.clear();
  if (asked.size() == 1 && asked.front() == client::acl_entry{}) return code::ok;
  if (asked.empty()) return code::invalid_acl;
  for (const client::acl_entry& entry : asked) {
    if (entry.scheme == "world" && entry.id == "anyone") {
      out.push_back(entry);
    } else if (entry.scheme == "auth") {
      if (caller.empty()) return code::invalid_acl;
      for (const identity& i : caller) out.push_back({entry.permissions, i.scheme, i.id});
    } else if ((entry.scheme == "digest" && entry.id.find(':') != std::string::npos) || entry.scheme == "ip") {
      out.push_back(entry);
    } else {
      return code::invalid_acl;
    }
  }
  return code::ok;
}

bool is_sequential(client::create_mode mode) {
  return mode == client::create_mode::persistent_sequential || mode == client::create_mode::ephemeral_sequential;
}
bool is_ephemeral(client::create_mode mode) {
  return mode == client::create_mode::ephemeral || mode == client::create_mode::ephemeral_sequential;
}

/// As rfind('/'), which looks at one byte at a time.
std::size_t last_slash(std::string_view path) noexcept {
  const void* const found = path.empty() ? nullptr : memrchr(path.data(), '/', path.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - path.data());
}

std::string with_number(const std::string& prefix, std::int32_t number) {
  constexpr std::size_t width = 10;  // as "%010d"
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), std::abs(std::int64_t{number})).ptr;
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  const std::string_view sign = number < 0 ? "-" : "";
  const std::size_t taken = sign.size() + digits.size();
  const std::string zeros(taken < width ? width - taken : 0, '0');
  return recipes::joined({prefix, sign, zeros, digits});
}

}  // namespace

client::stat tree_node::visible_stat() const noexcept {
  client::stat out = stat;
  const auto count = static_cast<std::uint32_t>(children.size());
  // wraps like the server's int
  out.cversion = static_cast<std::int32_t>(static_cast<std::uint32_t>(stat.cversion) * 2U - count);
  out.child_count = static_cast<std::int32_t>(count);
  return out;
}

std::string_view parent_of(std::string_view path) noexcept {
  const std::size_t slash = last_slash(path);
  return slash == 0 || slash == std::string_view::npos ? std::string_view("/") : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) noexcept { return path.substr(last_slash(path) + 1); }

data_tree::data_tree() { nodes_.try_emplace("/"); }

const tree_node* data_tree::find(std::string_view path) const {
  const auto it = nodes_.find(path);
  return it == nodes_.end() ? nullptr : &it->second;
}

code data_tree::plan(const client::request::create& what, std::int64_t session, const identities& caller,
                     change& out) const {
  out.what = change::kind::create;
  if (const code refused = fix_up(what.acl, caller, out.acl); refused != code::ok) return refused;
  const tree_node* parent = find(parent_of(what.path));
  if (parent == nullptr) return code::no_node;
  if (!allowed(parent->acl, permission_create, caller)) return code::no_auth;
  out.path = is_sequential(what.mode) ? with_number(what.path, parent->stat.cversion) : what.path;
  if (find(out.path) != nullptr) return code::node_exists;
  if (parent->stat.ephemeral_owner != 0) return code::no_children_for_ephemerals;
  out.data = what.data;
  out.owner = is_ephemeral(what.mode) ? session : 0;
  out.container = what.mode == client::create_mode::container;
  return code::ok;
}

code data_tree::plan(const client::request::set& what, const identities& caller, change& out) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (!allowed(node->acl, permission_write, caller)) return code::no_auth;
  if (what.version != -1 && what.version != node->stat.version) return code::bad_version;
  out = {change::kind::set, what.path, what.data, {}, 0, false};
  return code::ok;
}

code data_tree::plan(const client::request::remove& what, const identities& caller, change& out) const {
  if (what.path == "/") return code::bad_arguments;
  const tree_node* parent = find(parent_of(what.path));
  if (parent == nullptr) return code::no_node;
  if (!allowed(parent->acl, permission_delete, caller)) return code::no_auth;
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (what.version != -1 && what.version != node->stat.version) return code::bad_version;
  if (!node->children.empty()) return code::not_empty;
  out = {change::kind::remove, what.path, {}, {}, 0, false};
  return code::ok;
}

code data_tree::plan(const client::request::check& what, const identities& caller) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (!allowed(node->acl, permission_read, caller)) return code::no_auth;
  return what.version != -1 && what.version != node->stat.version ? code::bad_version : code::ok;
}

std::vector<change> data_tree::plan_end_of(std::int64_t session) const {
  std::vector<change> out;
  if (const auto it = ephemerals_.find(session); it != ephemerals_.end()) {
    for (const std::string& path : it->second) out.push_back({change::kind::remove, path, {}, {}, 0, false});
  }
  return out;
}

std::vector<change> data_tree::plan_reaping() const {
  std::vector<change> out;
  for (const auto& [path, node] : nodes_) {
    if (node.container && node.children.empty() && node.stat.cversion > 0) {
      out.push_back({change::kind::remove, path, {}, {}, 0, false});
    }
  }
  return out;
}

code data_tree::read(const client::request::list& what, const identities& caller, client::reply& out) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (!allowed(node->acl, permission_read, caller)) return code::no_auth;
  out.children.assign(node->children.begin(), node->children.end());
  out.stat = node->visible_stat();
  return code::ok;
}

code data_tree::read(const client::request::get& what, const identities& caller, client::reply& out) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (!allowed(node->acl, permission_read, caller)) return code::no_auth;
  out.data = node->data;
  out.stat = node->visible_stat();
  return code::ok;
}

code data_tree::read(const client::request::exists& what, client::reply& out) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  out.stat = node->visible_stat();
  return code::ok;
}

code data_tree::read(const client::request::get_acl& what, const identities& caller, client::reply& out) const {
  const tree_node* node = find(what.path);
  if (node == nullptr) return code::no_node;
  if (!allowed(node->acl, permission_read | permission_admin, caller)) return code::no_auth;
  out.acl.assign(node->acl.begin(), node->acl.end());
  if (node->acl.empty()) out.acl.emplace_back();
  const bool shown_whole = allowed(node->acl, permission_admin, caller);
  for (client::acl_entry& entry : out.acl) {
    if (entry.scheme == "digest" && !shown_whole) entry.id.replace(entry.id.find(':'), std::string::npos, ":x");
  }
  out.stat = node->visible_stat();
  return code::ok;
}

void data_tree::apply(const change& what, std::int64_t zxid) { static_cast<void>(apply_revertible(what, zxid)); }

data_tree::undo data_tree::apply_revertible(const change& what, std::int64_t zxid) {
  undo out{what.what, what.path, std::nullopt, 0, 0};
  if (what.what == change::kind::set) {
    tree_node& node = nodes_.find(what.path)->second;
    out.before = node;
    node.data = what.data;
    node.stat.mzxid = zxid;
    ++node.stat.version;
    return out;
  }
  tree_node& parent = nodes_.find(parent_of(what.path))->second;
  out.parent_cversion = parent.stat.cversion;
  out.parent_pzxid = parent.stat.pzxid;
  if (what.what == change::kind::remove) {
    const auto it = nodes_.find(what.path);
    if (const std::int64_t owner = it->second.stat.ephemeral_owner; owner != 0) ephemerals_[owner].erase(what.path);
    parent.children.erase(parent.children.find(name_of(what.path)));
    parent.stat.pzxid = zxid;
    out.before = std::move(it->second);
    nodes_.erase(it);
    return out;
  }
  tree_node& node = nodes_[what.path];
  node.data = what.data;
  node.acl = what.acl;
  node.container = what.container;
  node.stat.czxid = node.stat.mzxid = node.stat.pzxid = zxid;
  node.stat.ephemeral_owner = what.owner;
  if (what.owner != 0) ephemerals_[what.owner].insert(what.path);
  parent.children.emplace(name_of(what.path));
  // at the greatest number the counter sticks, and the parent's pzxid with it, as in the server's DataTree
  if (parent.stat.cversion != INT32_MAX || counters_wrap_) {
    parent.stat.cversion = static_cast<std::int32_t>(static_cast<std::uint32_t>(parent.stat.cversion) + 1U);
    parent.stat.pzxid = zxid;
  }
  return out;
}

void data_tree::revert(undo&& what) {
  if (what.what == change::kind::set) {
    nodes_.find(what.path)->second = std::move(*what.before);
    return;
  }
  tree_node& parent = nodes_.find(parent_of(what.path))->second;
  parent.stat.cversion = what.parent_cversion;
  parent.stat.pzxid = what.parent_pzxid;
  if (what.what == change::kind::create) {
    const auto it = nodes_.find(what.path);
    if (const std::int64_t owner = it->second.stat.ephemeral_owner; owner != 0) ephemerals_[owner].erase(what.path);
    parent.children.erase(parent.children.find(name_of(what.path)));
    nodes_.erase(it);
    return;
  }
  if (const std::int64_t owner = what.before->stat.ephemeral_owner; owner != 0) ephemerals_[owner].insert(what.path);
  parent.children.emplace(name_of(what.path));
  nodes_.insert_or_assign(what.path, std::move(*what.before));
}

void data_tree::set_sequence_counter(std::string_view path, std::int32_t next) {
  if (const auto it = nodes_.find(path); it != nodes_.end()) it->second.stat.cversion = next;
}

}  // namespace zklock::testing
