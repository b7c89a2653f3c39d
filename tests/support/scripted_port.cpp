#include "tests/support/scripted_port.hpp"

#include <algorithm>
#include <cstdio>

#include <zklock/error.hpp>

namespace zklock::test_support {

using namespace client;  // NOLINT: requests and replies are all that this file speaks of
using recipes::code;

/// Only writes down what it is asked.
class scripted_port::connection final : public client::connection {
 public:
  connection(scripted_port& port, std::uint64_t generation) : port_(port), generation_(generation) {}
  void submit(request_id id, any_request&& what) override {
    port_.requests.push_back({generation_, id, std::move(what)});
  }
  void forget(std::string_view, watch_id id, watch_kind) override { port_.watches.erase(id); }
  void poll() override { ++port_.polls; }
  void close() override {
    port_.closing.push_back(generation_);
    std::erase_if(port_.requests, [this](const sent_request& one) { return one.generation == generation_; });
    port_.watches.clear();
  }

 private:
  scripted_port& port_;
  const std::uint64_t generation_;
};

scripted_port::scripted_port(detail::session_config config, bool handle_is_adopted)
    : core(std::move(config), *this, *this), adopted_(handle_is_adopted) {
  core.open(now);
}

detail::session_config scripted_port::default_config() {
  detail::session_config config;
  config.timeout = std::chrono::seconds(6);
  return config;
}

std::unique_ptr<client::connection> scripted_port::open(const parameters&, client::observer&) {
  if (!resolvable) {
    throw error(errc::unresolvable_host, "connect", "nowhere");
  }
  opened.push_back(opening_);
  return std::make_unique<connection>(*this, opening_);
}

// ---- what the session's user does

std::shared_ptr<asked_lock> scripted_port::acquire(std::string_view path, std::optional<detail::instant> until,
                                                   bool one_try) {
  auto target = std::make_shared<detail::lock_target>();
  target->path = path;
  target->label = "test";
  auto wanted = std::make_shared<asked_lock>(std::move(target), one_try, until);
  core.acquire(wanted, now);
  return wanted;
}

std::shared_ptr<asked_release> scripted_port::release(const std::shared_ptr<asked_lock>& of) {
  auto listener = std::make_shared<asked_release>();
  core.release(of->hold, listener, now);
  return listener;
}

// ---- what happens

void scripted_port::connect(std::int64_t session, std::chrono::milliseconds timeout) {
  session_ = session;
  core.on_session_event(generation(), {connection_state::connected, session, timeout}, now);
}

void scripted_port::disconnect() {
  session_event(connection_state::connecting);
  const std::size_t under_way = requests.size();
  for (std::size_t one = 0; one < under_way; ++one) {
    answer(code::connection_loss);
  }
}

void scripted_port::session_event(connection_state state) {
  if (state == connection_state::expired) {
    std::erase_if(nodes, [](const std::string& node) { return node.find("abc") != std::string::npos; });
  }
  core.on_session_event(generation(), {state, 0, {}}, now);
}

void scripted_port::advance_to(detail::instant to) {
  for (auto next = core.next_timer(); next && *next <= to; next = core.next_timer()) {
    now = std::max(now, *next);
    core.on_timer(now);
  }
  now = to;
}

void scripted_port::answer(code failure) {
  const sent_request asked = requests.at(0);
  requests.pop_front();
  reply result;
  result.code = failure;
  if (failure == code::ok) {
    result = reply_to(asked.what);
  }
  core.on_reply(asked.generation, asked.id, std::move(result), now);
}

void scripted_port::answer_all() {
  while (!requests.empty()) {
    answer();
  }
}

void scripted_port::others_remove(const std::string& path) {
  nodes.erase(path);
  fire(path, node_event::deleted);
}

void scripted_port::fire(const std::string& path, node_event event) {
  std::vector<watch_id> fired;
  std::erase_if(watches, [&](const auto& watch) {
    const bool hit = watch.second == path;
    if (hit) {
      fired.push_back(watch.first);
    }
    return hit;
  });
  for (const watch_id id : fired) {
    core.on_node_event(generation(), id, event, now);
  }
}

reply scripted_port::reply_to(const any_request& what) {
  reply result;
  const auto parent = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  if (const auto* create = std::get_if<request::create>(&what)) {
    const std::string above = parent(create->path);
    result.name = create->path;
    if (create->mode == create_mode::ephemeral_sequential) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%010d", counters_[above]++ + 5);
      result.name += digits;
    }
    if (const auto refused = refuses.find(create->path); refused != refuses.end()) {
      result.code = refused->second;
    } else if (!above.empty() && !nodes.contains(above)) {
      result.code = code::no_node;
    } else if (!nodes.insert(result.name).second) {
      result.code = code::node_exists;
    }
    result.stat.czxid = czxids_[result.name] = ++zxid_;
  } else if (const auto* list = std::get_if<request::list>(&what)) {
    result.code = nodes.contains(list->path) ? code::ok : code::no_node;
    result.children = nodes_under(list->path);
  } else if (const auto* get = std::get_if<request::get>(&what)) {
    result.code = nodes.contains(get->path) ? code::ok : code::no_node;
    const bool made_here = get->path.find("/0000000000000abc") != std::string::npos;  // the ids that next_id() gives
    result.stat.ephemeral_owner = made_here ? session_ : session_ + 1;
    result.stat.czxid = czxids_[get->path];
    if (result.code == code::ok && get->watch != no_watch) {
      watches.emplace(get->watch, get->path);
    }
  } else if (const auto* remove = std::get_if<request::remove>(&what)) {
    result.code = nodes.contains(remove->path) ? code::ok : code::no_node;
    nodes.erase(remove->path);
  }
  if (result.code != code::ok) {
    result = {.code = result.code, .name = {}, .data = {}, .children = {}, .stat = {}, .parts = {}};
  }
  return result;
}

// ---- what is seen

std::string scripted_port::asked() const {
  static constexpr const char* names[] = {"create", "list", "get", "exists", "set", "remove", "sync", "multi"};
  std::string text;
  for (const sent_request& one : requests) {
    text += (text.empty() ? "" : " ") + std::string(names[one.what.index()]);
  }
  return text.empty() ? "nothing" : text;
}

const std::string& scripted_port::path_of(std::size_t place) const {
  static const std::string none;
  return std::visit(
      [](const auto& one) -> const std::string& {
        if constexpr (requires { one.path; }) {
          return one.path;
        } else {
          return none;
        }
      },
      requests.at(place).what);
}

std::vector<std::string> scripted_port::nodes_under(const std::string& path) const {
  std::vector<std::string> names;
  for (const std::string& node : nodes) {
    if (node.starts_with(path + "/") && node.find('/', path.size() + 1) == std::string::npos) {
      names.push_back(node.substr(path.size() + 1));
    }
  }
  return names;
}

bool scripted_port::warned_of(std::string_view text) const {
  return std::any_of(lines.begin(), lines.end(), [text](const log_line& line) {
    return line.level >= severity::warning && line.text.find(text) != std::string::npos;
  });
}

}  // namespace zklock::test_support
