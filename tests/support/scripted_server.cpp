#include "tests/support/scripted_server.hpp"

#include <cstdio>
#include <tuple>
#include <variant>

namespace zklock::test_support {

using namespace client;  // NOLINT: requests and replies are all that this file speaks of
using recipes::code;

namespace {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

void scripted_server::others_create(const std::string& path, std::string_view with) {
  put(path, with);
  if (keeps_pzxids) {
    czxids_[path] = pzxids[parent_of(path)] = ++zxid_;
  }
}

void scripted_server::others_set(const std::string& path, std::string_view to) {
  data[path] = to;
  ++versions_[path];
  mzxids_[path] = ++writes_;
  fire(path, node_event::changed);
}

void scripted_server::others_remove(const std::string& path) { take(path); }

void scripted_server::end_session() {
  std::erase_if(nodes, [](const std::string& node) { return node.find("abc") != std::string::npos; });
}

std::vector<std::string> scripted_server::nodes_under(const std::string& path) const {
  std::vector<std::string> names;
  for (const std::string& node : nodes) {
    if (node.starts_with(path + "/") && node.find('/', path.size() + 1) == std::string::npos) {
      names.push_back(node.substr(path.size() + 1));
    }
  }
  return names;
}

void scripted_server::put(const std::string& path, std::string_view with) {
  nodes.insert(path);
  data[path] = with;
  versions_[path] = 0;
  mzxids_[path] = ++writes_;
  fire(parent_of(path), node_event::children_changed);
}

void scripted_server::take(const std::string& path) {
  if (keeps_pzxids) {
    pzxids[parent_of(path)] = ++zxid_;
  }
  nodes.erase(path);
  fire(path, node_event::deleted);
  fire(parent_of(path), node_event::children_changed);
}

void scripted_server::fire(const std::string& path, node_event event) {
  std::vector<watch_id> fired;
  std::erase_if(watches, [&](const auto& watch) {
    const bool of_children = on_children_.contains(watch.first);
    const bool hit = watch.second == path &&
                     (event == node_event::deleted || of_children == (event == node_event::children_changed));
    if (hit) {
      fired.push_back(watch.first);
    }
    return hit;
  });
  for (const watch_id id : fired) {
    on_fired(id, event);
  }
}

reply scripted_server::reply_to(const any_request& what) {
  reply result = std::visit([this](const auto& one) { return done(one); }, what);
  if (result.code != code::ok) {
    result = {
        .code = result.code, .name = {}, .data = {}, .children = {}, .stat = {}, .parts = result.parts, .acl = {}};
  }
  return result;
}

reply scripted_server::done(const request::create& what) {
  const std::string above = parent_of(what.path);
  reply result;
  result.name = what.path;
  if (what.mode == create_mode::ephemeral_sequential) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%010d", counters_[above]++ + 5);
    result.name += digits;
  }
  const auto refused = refuses.find(what.path);
  if (refused != refuses.end()) {
    result.code = refused->second;
  } else if (!above.empty() && !nodes.contains(above)) {
    result.code = code::no_node;
  } else if (nodes.contains(result.name)) {
    result.code = code::node_exists;
  } else {
    put(result.name, what.data);
  }
  zxid_ += in_multi_ ? 0 : 1;
  result.stat.czxid = czxids_[result.name] = zxid_;
  if (keeps_pzxids && result.code == code::ok) {
    pzxids[above] = zxid_;
  }
  return result;
}

reply scripted_server::done(const request::list& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  result.children = nodes_under(what.path);
  result.stat.czxid = czxid_of_first(what.path);
  result.stat.pzxid = pzxids[what.path];
  result.stat.mzxid = mzxids_[what.path];
  if (result.code == code::ok && what.watch != no_watch) {
    watches.emplace(what.watch, what.path);
    on_children_.insert(what.watch);
  }
  return result;
}

reply scripted_server::done(const request::exists& what) {
  reply result;
  result.stat.czxid = czxid_of_first(what.path);
  return result;
}

std::int64_t scripted_server::czxid_of_first(const std::string& path) const {
  return keeps_pzxids && !czxids_.contains(path) ? 1 : 0;
}

reply scripted_server::done(const request::get& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  const bool made_here = what.path.find("0000000000000abc") != std::string::npos ||  // the ids that next_id() gives
                         what.path.find("00000000-0000-4abc-") != std::string::npos;
  result.stat.ephemeral_owner = made_here ? session_ : session_ + 1;
  result.stat.czxid = czxids_[what.path];
  result.stat.mzxid = mzxids_[what.path];
  result.stat.version = versions_[what.path];
  result.data = data[what.path];
  if (result.code == code::ok && what.watch != no_watch) {
    watches.emplace(what.watch, what.path);
  }
  return result;
}

reply scripted_server::done(const request::set& what) {
  reply result;
  result.code = !nodes.contains(what.path)                                   ? code::no_node
                : what.version != -1 && what.version != versions_[what.path] ? code::bad_version
                                                                             : code::ok;
  if (result.code == code::ok) {
    others_set(what.path, what.data);
  }
  return result;
}

reply scripted_server::done(const request::remove& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  if (result.code == code::ok) {
    take(what.path);
  }
  return result;
}

/// All or nothing; one transaction has one zxid. Creates and removals are asked for here; a client is not told any
/// czxid.
reply scripted_server::done(const request::multi& what) {
  reply result;
  const auto before = std::tuple(nodes, data, versions_);
  ++zxid_;
  in_multi_ = true;
  for (const request::operation& one : what.operations) {
    const auto* const create = std::get_if<request::create>(&one);
    const auto* const removal = std::get_if<request::remove>(&one);
    const reply part = result.code != code::ok ? reply{}
                       : create != nullptr     ? done(*create)
                       : removal != nullptr    ? done(*removal)
                                               : reply{};
    result.parts.push_back({result.code == code::ok ? part.code : code::runtime_inconsistency, part.name, {}});
    if (result.code == code::ok) {
      result.code = part.code;
    }
  }
  in_multi_ = false;
  if (result.code != code::ok) {
    std::tie(nodes, data, versions_) = before;
    for (part_result& part : result.parts) {
      part.name.clear();
    }
  }
  return result;
}

}  // namespace zklock::test_support
