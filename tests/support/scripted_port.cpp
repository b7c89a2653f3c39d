#include "tests/support/scripted_port.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include <zklock/error.hpp>

namespace zklock::test_support {

using namespace client;  // NOLINT: requests and replies are all that this file speaks of
using recipes::code;

/// Only writes down what it is asked.
class scripted_port::connection final : public client::connection {
 public:
  connection(scripted_port& port, std::uint64_t generation) : port_(port), generation_(generation) {}
  void submit(request_id id, any_request&& what) override {
    if (port_.answers_at_once) {
      ++port_.answered_at_once;
      reply failed;
      failed.code = *port_.answers_at_once;
      port_.engine.on_reply(generation_, id, std::move(failed), port_.now);
      return;
    }
    port_.requests.push_back({generation_, id, std::move(what)});
  }
  void forget(std::string_view, watch_id id, watch_kind) override { port_.watches.erase(id); }
  void poll() override { ++port_.polls; }
  bool expired() override { return port_.handle_has_expired; }
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
    : adopted_(handle_is_adopted), engine(std::move(config), *this, *this), locks(engine) {
  engine.open(now);
}

detail::session_config scripted_port::default_config() {
  detail::session_config config;
  config.timeout = std::chrono::seconds(6);
  config.tick = std::chrono::milliseconds(800);
  config.margin = std::chrono::milliseconds(2994);  // so that what is proven at 100 s counts until 103 s
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

namespace {

operations::acquire_request request_for(const std::vector<scripted_port::path_and_claim>& parts, bool whole,
                                        bool one_try, std::optional<detail::instant> until) {
  detail::wanted_parts wanted;
  for (const auto& [path, claim] : parts) {
    auto target = std::make_shared<detail::lock_target>();
    target->path = path;
    target->label = "test";
    target->layout = claim.as;
    if (claim.as == recipes::layout::curator) {
      target->payload = "127.0.0.1";
    }
    wanted.push_back({std::move(target), claim});
  }
  return {std::move(wanted), whole, one_try, until};
}

std::shared_ptr<asked_lock> begin(scripted_port& port, operations::acquire_request wanted) {
  auto asked = std::make_shared<asked_lock>();
  const auto call = operations::acquire::make(std::move(wanted), asked);
  asked->call = call;
  port.locks.begin_acquire(call, port.now);
  return asked;
}

}  // namespace

std::shared_ptr<asked_lock> scripted_port::acquire(std::string_view path, std::optional<detail::instant> until,
                                                   bool one_try) {
  return acquire_as({}, path, until, one_try);
}

std::shared_ptr<asked_lock> scripted_port::acquire_as(const recipes::claim& wanted, std::string_view path,
                                                      std::optional<detail::instant> until, bool one_try) {
  return begin(*this, request_for({{path, wanted}}, false, one_try, until));
}

std::shared_ptr<asked_lock> scripted_port::acquire_all(const std::vector<path_and_claim>& parts,
                                                       std::optional<detail::instant> until, bool one_try) {
  return begin(*this, request_for(parts, true, one_try, until));
}

void scripted_port::abandon(const std::shared_ptr<asked_lock>& unwanted) {
  if (const auto still = unwanted->call.lock()) {
    engine.abandon(still, now);
  }
}

std::shared_ptr<asked_release> scripted_port::release(const std::shared_ptr<detail::hold>& of) {
  auto listener = std::make_shared<asked_release>();
  locks.release(of, listener, now);
  return listener;
}

// ---- what happens

void scripted_port::connect(std::int64_t session, std::chrono::milliseconds timeout) {
  session_ = session;
  engine.on_session_event(generation(), {connection_state::connected, session, timeout}, now);
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
  engine.on_session_event(generation(), {state, 0, {}}, now);
}

void scripted_port::advance_to(detail::instant to) {
  for (auto next = engine.next_timer(); next && *next <= to; next = engine.next_timer()) {
    now = std::max(now, *next);
    engine.on_timer(now);
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
  engine.on_reply(asked.generation, asked.id, std::move(result), now);
}

void scripted_port::answer_all() {
  while (!requests.empty()) {
    answer();
  }
}

void scripted_port::lose_answer() {
  const sent_request asked = requests.at(0);
  requests.pop_front();
  reply_to(asked.what);
  reply unknown;
  unknown.code = code::connection_loss;
  engine.on_reply(asked.generation, asked.id, std::move(unknown), now);
}

void scripted_port::others_create(const std::string& path, std::string_view with) { put(path, with); }

void scripted_port::others_set(const std::string& path, std::string_view to) {
  data[path] = to;
  ++versions_[path];
  fire(path, node_event::changed);
}

void scripted_port::others_remove(const std::string& path) { take(path); }

// ---- the server

namespace {

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

void scripted_port::put(const std::string& path, std::string_view with) {
  nodes.insert(path);
  data[path] = with;
  versions_[path] = 0;
  fire(parent_of(path), node_event::children_changed);
}

void scripted_port::take(const std::string& path) {
  nodes.erase(path);
  fire(path, node_event::deleted);
  fire(parent_of(path), node_event::children_changed);
}

void scripted_port::fire(const std::string& path, node_event event) {
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
    engine.on_node_event(generation(), id, event, now);
  }
}

reply scripted_port::reply_to(const any_request& what) {
  reply result = std::visit([this](const auto& one) { return done(one); }, what);
  if (result.code != code::ok) {
    result = {.code = result.code, .name = {}, .data = {}, .children = {}, .stat = {}, .parts = result.parts};
  }
  return result;
}

reply scripted_port::done(const request::create& what) {
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
  return result;
}

reply scripted_port::done(const request::list& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  result.children = nodes_under(what.path);
  if (result.code == code::ok && what.watch != no_watch) {
    watches.emplace(what.watch, what.path);
    on_children_.insert(what.watch);
  }
  return result;
}

reply scripted_port::done(const request::get& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  const bool made_here = what.path.find("0000000000000abc") != std::string::npos ||  // the ids that next_id() gives
                         what.path.find("00000000-0000-4abc-") != std::string::npos;
  result.stat.ephemeral_owner = made_here ? session_ : session_ + 1;
  result.stat.czxid = czxids_[what.path];
  result.stat.version = versions_[what.path];
  result.data = data[what.path];
  if (result.code == code::ok && what.watch != no_watch) {
    watches.emplace(what.watch, what.path);
  }
  return result;
}

reply scripted_port::done(const request::set& what) {
  reply result;
  result.code = !nodes.contains(what.path)                                   ? code::no_node
                : what.version != -1 && what.version != versions_[what.path] ? code::bad_version
                                                                             : code::ok;
  if (result.code == code::ok) {
    others_set(what.path, what.data);
  }
  return result;
}

reply scripted_port::done(const request::remove& what) {
  reply result;
  result.code = nodes.contains(what.path) ? code::ok : code::no_node;
  if (result.code == code::ok) {
    take(what.path);
  }
  return result;
}

/// All or nothing; one transaction has one zxid. Creates and removals are asked for here; a client is not told any czxid.
reply scripted_port::done(const request::multi& what) {
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

// ---- what is seen

std::string scripted_port::asked() const {
  static constexpr const char* names[] = {"create", "list", "get", "exists", "set", "remove", "sync", "multi"};
  std::string text;
  for (const sent_request& one : requests) {
    const auto* const multi = std::get_if<request::multi>(&one.what);
    const bool asks_quorum = multi != nullptr && multi->operations.size() == 1 &&
                             std::holds_alternative<request::check>(multi->operations.front());
    text += (text.empty() ? "" : " ") + std::string(asks_quorum ? "check" : names[one.what.index()]);
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
