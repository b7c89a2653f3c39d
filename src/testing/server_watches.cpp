#include "src/testing/server_watches.hpp"

namespace zklock::testing {

using client::node_event;

void server_watches::clear() noexcept {
  data_.clear();
  child_.clear();
}

bool server_watches::take_out(paths& from, std::string_view path) {
  const auto it = from.find(path);
  if (it == from.end()) return false;
  from.erase(it);
  return true;
}

server_watches::fired server_watches::fire(const change& what) {
  fired out;
  if (what.what == change::kind::set) {
    if (take_out(data_, what.path)) out.node = node_event::changed;
    return out;
  }
  const bool created = what.what == change::kind::create;
  bool own = take_out(data_, what.path);
  if (!created && take_out(child_, what.path)) own = true;  // one event for both
  if (own) out.node = created ? node_event::created : node_event::deleted;
  out.parent = take_out(child_, parent_of(what.path));
  return out;
}

std::vector<server_watches::missed> server_watches::watch_again(const upward::watch_lists& lists,
                                                                const data_tree& tree) {
  std::vector<missed> out;
  for (const std::string& path : lists.data) {
    const tree_node* node = tree.find(path);
    if (node == nullptr) {
      out.push_back({path, node_event::deleted});
    } else if (node->stat.mzxid > lists.seen) {
      out.push_back({path, node_event::changed});
    } else {
      data_.insert(path);
    }
  }
  for (const std::string& path : lists.exist) {
    if (tree.find(path) != nullptr) {
      out.push_back({path, node_event::created});
    } else {
      data_.insert(path);
    }
  }
  for (const std::string& path : lists.child) {
    const tree_node* node = tree.find(path);
    if (node == nullptr) {
      out.push_back({path, node_event::deleted});
    } else if (node->stat.pzxid > lists.seen) {
      out.push_back({path, node_event::children_changed});
    } else {
      child_.insert(path);
    }
  }
  return out;
}

}  // namespace zklock::testing
