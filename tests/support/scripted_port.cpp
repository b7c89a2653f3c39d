#include "tests/support/scripted_port.hpp"

#include <algorithm>

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
      port_.engine.on_reply(generation_, id, failed, port_.now);
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

std::unique_ptr<client::connection> scripted_port::open_newcomer(const parameters&, client::observer&,
                                                                 std::string_view last_server) {
  newcomers_at.emplace_back(last_server);
  if (!newcomers) {
    return nullptr;
  }
  newcomers_opened.push_back(opening_);
  return std::make_unique<connection>(*this, opening_);
}

// ---- what the session's user does

std::shared_ptr<detail::lock_target> target_at(std::string_view path, recipes::layout layout) {
  auto target = std::make_shared<detail::lock_target>();
  target->path = path;
  target->label = "test";
  target->layout = layout;
  if (layout == recipes::layout::curator) {
    target->payload = "127.0.0.1";
  }
  return target;
}

namespace {

operations::acquire_request request_for(const std::vector<scripted_port::path_and_spec>& parts, bool whole,
                                        bool one_try, std::optional<detail::instant> until) {
  detail::wanted_parts wanted;
  for (const auto& [path, spec] : parts) {
    wanted.push_back({target_at(path, spec.as), spec});
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

std::shared_ptr<asked_lock> scripted_port::acquire_as(const recipes::acquire_spec& wanted, std::string_view path,
                                                      std::optional<detail::instant> until, bool one_try) {
  return begin(*this, request_for({{path, wanted}}, false, one_try, until));
}

std::shared_ptr<asked_lock> scripted_port::acquire_by(const std::shared_ptr<detail::lock_target>& object,
                                                      const recipes::acquire_spec& wanted, bool one_try) {
  return begin(*this, {{{object, wanted}}, false, one_try, std::nullopt});
}

std::shared_ptr<asked_lock> scripted_port::acquire_all(const std::vector<path_and_spec>& parts,
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
  begin_session(session);
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
    end_session();
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
  engine.on_reply(asked.generation, asked.id, result, now);
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
  engine.on_reply(asked.generation, asked.id, unknown, now);
}

// ---- what is seen

namespace {

std::string words_of(const std::deque<scripted_port::sent_request>& requests, std::optional<std::uint64_t> generation) {
  static constexpr const char* names[] = {"create", "list", "get", "exists", "set", "remove", "sync", "multi"};
  std::string text;
  for (const scripted_port::sent_request& one : requests) {
    if (generation && one.generation != *generation) {
      continue;
    }
    const auto* const multi = std::get_if<request::multi>(&one.what);
    const bool asks_quorum = multi != nullptr && multi->operations.size() == 1 &&
                             std::holds_alternative<request::check>(multi->operations.front());
    text += (text.empty() ? "" : " ") + std::string(asks_quorum ? "check" : names[one.what.index()]);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string scripted_port::asked() const { return words_of(requests, std::nullopt); }

std::string scripted_port::asked_of(std::uint64_t its_generation) const { return words_of(requests, its_generation); }

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

bool scripted_port::warned_of(std::string_view text) const {
  return std::any_of(lines.begin(), lines.end(), [text](const log_line& line) {
    return line.level >= log_level::warning && line.text.find(text) != std::string::npos;
  });
}

}  // namespace zklock::test_support
