#include "tests/sim/simulation.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <zklock/error.hpp>

#include "recipes/deadline_terms.hpp"

namespace zklock::sim {
namespace {

constexpr std::uint64_t steps_max = 200'000;
constexpr int timeouts_to_come_to_rest = 8;
/// So that what was slow has arrived, and was answered.
constexpr instant a_little = std::chrono::milliseconds(1);

bool ends_hold(user_action::kind what) {
  return what == user_action::kind::release || what == user_action::kind::drop || what == user_action::kind::drop_first;
}

bool writes(const scenario& plays) {
  return std::any_of(plays.programs.begin(), plays.programs.end(), [](const script& one) {
    return std::any_of(one.begin(), one.end(),
                       [](const user_action& each) { return each.what == user_action::kind::write; });
  });
}

testing::ensemble::config ensemble_of(const scenario& plays) {
  testing::ensemble::config made;
  made.servers = plays.servers;
  made.sync_limit = plays.sync_limit;
  made.tick = plays.tick;
  made.counter_wraps = plays.counter_wraps;
  made.local_sessions = plays.local_sessions;
  made.leader_ping_delay = std::chrono::microseconds(plays.tick) / 20 - std::chrono::microseconds(1);
  made.expiry_phase = plays.expiry_phase;
  return made;
}

/// Servers that grant less draw it in.
instant least_margin_of(const scenario& plays) {
  return recipes::expected_terms({plays.session_timeout, plays.tick, {}}).margin / 2;
}

}  // namespace

simulation::simulation(const scenario& plays)
    : plays_(plays), lock_nodes_(lock_nodes_of(plays.locks)), servers_(ensemble_of(plays)), checkers_(plays.locks) {
  if (plays.servers > 1) {
    checkers_.servers_may_lag();
  }
  for (const lock_plan& lock : plays.locks) {
    if (plays.lock_node_there) {
      const bool says_limit = lock.kind == recipe::semaphore && !is_of_leases(lock);
      servers_.administrator().create_node(lock.path, says_limit ? recipes::limit_data({lock.limit, lock.limit}) : "",
                                           !says_limit);
    }
  }
  for (const lock_node& one : lock_nodes_) {
    if (plays.lock_node_there && one.path != plays.locks[one.lock].path) {
      servers_.administrator().create_node(one.path, "", true);
    }
  }
  if (is_about_a_value(plays)) {
    servers_.administrator().create_node(followed_path, "first");
  }
  if (writes(plays)) {
    servers_.administrator().create_node(written_path);
  }
  for (std::size_t i = 0; i < plays.programs.size(); ++i) {
    const int host = i < plays.thread_of.size() ? plays.thread_of[i] : -1;
    programs_.push_back(
        std::make_unique<program>(static_cast<int>(i), plays.programs[i], plays.locks,
                                  session_settings{plays.session_timeout, plays.tick, plays.clients_stay}, servers_,
                                  static_cast<int>(i) % plays.servers, checkers_, plays.salt,
                                  host < 0 ? nullptr : programs_[static_cast<std::size_t>(host)].get()));
  }
  for (const script& one : plays.java) {
    const auto number = static_cast<int>(programs_.size() + java_.size());
    java_.push_back(std::make_unique<java_peer>(number, one, plays.locks, servers_, checkers_));
  }
  if (std::any_of(plays.locks.begin(), plays.locks.end(), [](const lock_plan& lock) { return lock.hidden; })) {
    checkers_.may_be_refused_with(errc::permission_denied);  // one that has to find its own node again
  }
  checkers_.bounds().set_margin(least_margin_of(plays));
  prepare();
}

simulation::~simulation() = default;

/// Every program is connected, and has done what the scenario takes for granted.
void simulation::prepare() {
  actions_allowed_.assign(programs_.size() + java_.size(), 0);
  for (const auto& one : programs_) {
    one->open(plays_.beats_when_idle);
    settle();
  }
  for (const auto& one : java_) {
    one->open(plays_.session_timeout);
    settle();
  }
  patience_ = plays_.session_timeout * timeouts_to_come_to_rest;
  for (const script& one : plays_.programs) {
    for (const user_action& each : one) {
      patience_ += each.time.value_or(instant{0});
    }
  }
  for (std::size_t i = 0; i < plays_.done_before.size(); ++i) {
    actions_allowed_[i] = plays_.done_before[i];
    settle();
  }
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    actions_allowed_[i] = plays_.programs[i].size();
  }
  for (std::size_t i = 0; i < java_.size(); ++i) {
    actions_allowed_[programs_.size() + i] = plays_.java[i].size();
  }
  for (const trouble& one : plays_.suffered_before) {
    strike(one);
    settle();
  }
  struck_ = false;
  last_trouble_ = now();
}

void simulation::allow(const trouble& one) { allowed_ = one; }

// ---- what can happen ------------------------------------------------------------------------------------------------

void simulation::choices(std::vector<choice>& out) {
  out.clear();
  if (over_ || checkers_.found()) {
    return;
  }
  collect(out);
  const bool quiet = out.empty();
  if (quiet) {
    std::vector<bool> connected;
    for (const auto& one : programs_) {
      connected.push_back(one->connected() && !one->stopped() && servers_.view().in_touch(one->session_number()));
    }
    connected.resize(connected.size() + java_.size(), false);  // how they wait is not judged
    checkers_.quiescent(servers_, connected, now());
    for (const auto& one : programs_) {
      if (one->sleeps_behind_nobody()) {
        checkers_.report("no_waiter_sleeps", "a call waits for an earlier one of its owner, and there is none");
      }
    }
    if (all_done() && lasting_.empty() && later_.empty()) {
      conclude();
      return;
    }
    if (now() > last_trouble_ + patience_ || steps_ > steps_max || !next_timer()) {
      checkers_.never_finished(servers_);
      over_ = true;
      return;
    }
  }
  const bool timer_due =
      std::any_of(out.begin(), out.end(), [](const choice& one) { return one.what == choice::kind::timer; });
  std::optional<instant> timer;
  for (const auto& one : programs_) {
    const std::optional<instant> limit = timer_due ? std::nullopt : one->limit();
    if (!limit || *limit <= now()) {
      continue;
    }
    timer = timer ? timer : next_timer();
    if (*limit <= *timer) {  // not past another timer
      out.push_back(inside(choice::kind::limit, static_cast<std::size_t>(&one - programs_.data())));
    }
  }
  const bool time_is_first = quiet && plays_.about_deadline;  // the fault is to strike at any time, not soon
  if (time_is_first) {
    out.push_back({});
  }
  collect_faults(out);
  if (quiet && !time_is_first) {
    out.push_back({});
  }
}

bool simulation::excludes(const testing::step& one) const {
  using testing::step_kind;
  if (one.client < 0 || is_java(one.client) || !programs_[static_cast<std::size_t>(one.client)]->stopped()) {
    return false;
  }
  return one.kind != step_kind::serve && one.kind != step_kind::session_expiry;
}

/// Threads whose acquisitions take turns have more in common than their session.
choice simulation::inside(choice::kind what, std::size_t program) const {
  const bool shares =
      programs_[program]->is_guest() && std::any_of(plays_.locks.begin(), plays_.locks.end(),
                                                    [](const lock_plan& lock) { return lock.hand_over.has_value(); });
  return {what, static_cast<std::int32_t>(program), {}, {}, shares ? programs_[program]->session_number() : -1};
}

void simulation::collect(std::vector<choice>& out) {
  out.clear();
  servers_.steps(steps_buffer_);
  const auto add_steps = [&](bool deliveries) {
    for (const testing::step& one : steps_buffer_) {
      if ((one.kind == testing::step_kind::deliver) == deliveries && !excludes(one)) {
        out.push_back({choice::kind::model, -1, one, {}});
      }
    }
  };
  add_steps(true);
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const std::optional<instant> due = programs_[i]->next_timer();
    if (due && *due <= now() && !programs_[i]->stopped()) {
      out.push_back(inside(choice::kind::timer, i));
    }
  }
  add_steps(false);
  for (const bool gives_back : {false, true}) {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      if (programs_[i]->actions_done() < actions_allowed_[i] && programs_[i]->may_act() &&
          ends_hold(programs_[i]->next_action()) == gives_back) {
        out.push_back(inside(choice::kind::act, i));
      }
    }
    for (std::size_t i = 0; i < java_.size(); ++i) {
      const std::size_t client = programs_.size() + i;
      if (java_[i]->actions_done() < actions_allowed_[client] && java_[i]->may_act() &&
          ends_hold(java_[i]->next_action()) == gives_back) {
        out.push_back({choice::kind::act, static_cast<std::int32_t>(client), {}, {}});
      }
    }
  }
}

void simulation::collect_faults(std::vector<choice>& out) {
  if (!struck_ && allowed_.kind != trouble_kind::none && may_strike(allowed_)) {
    out.push_back({choice::kind::fault, hits_client(allowed_.kind) ? allowed_.target : -1, {}, allowed_});
  }
}

std::optional<instant> simulation::next_timer() const {
  std::optional<instant> first = servers_.next_timer();
  const auto consider = [&](std::optional<instant> when) {
    if (when && *when > now() && (!first || *when < *first)) {
      first = when;
    }
  };
  for (const auto& one : programs_) {
    if (!one->stopped()) {
      consider(one->next_timer());
    }
  }
  for (const auto* const several : {&lasting_, &later_}) {
    for (const lasting& one : *several) {
      consider(one.until);
    }
  }
  return first;
}

/// A heartbeat may be under way when all else is done.
bool simulation::nothing_is_queued() const {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->running() && servers_.view().queued(static_cast<int>(i)) != 0) {
      return false;
    }
  }
  return true;
}

bool simulation::all_done() const {
  return nothing_is_queued() && checkers_.followers_at_rest() &&
         std::all_of(lock_nodes_.begin(), lock_nodes_.end(),
                     [this](const lock_node& one) { return servers_.children(one.path).empty(); }) &&
         std::all_of(programs_.begin(), programs_.end(), [](const auto& one) { return one->done(); }) &&
         std::all_of(java_.begin(), java_.end(), [](const auto& one) { return one->done(); });
}

void simulation::conclude() {
  for (const auto& one : programs_) {
    if (one->running()) {
      one->unfollow();
    }
  }
  std::map<int, checkers::remains> left;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->running() && !programs_[i]->is_guest()) {
      left[static_cast<int>(i)] = {programs_[i]->operations().contender_count(),
                                   programs_[i]->engine().servers().watch_count(),
                                   programs_[i]->operations().watched_lock_nodes()};
    }
  }
  checkers_.finished(servers_, left);
  over_ = true;
}

// ---- what happens ---------------------------------------------------------------------------------------------------

void simulation::perform(const choice& what) {
  ++steps_;
  if (lines_ != nullptr && what.what != choice::kind::fault) {
    write(describe(what));
  }
  switch (what.what) {
    case choice::kind::model:
      if (what.step.kind == testing::step_kind::session_expiry) {
        checkers_.forced(false);
      }
      servers_.perform(what.step);
      break;
    case choice::kind::timer: programs_[static_cast<std::size_t>(what.client)]->fire_timer(); break;
    case choice::kind::act:
      is_java(what.client) ? java(what.client).act() : programs_[static_cast<std::size_t>(what.client)]->act();
      break;
    case choice::kind::limit: {
      const auto client_index = static_cast<std::size_t>(what.client);
      advance_to(*programs_[client_index]->limit());
      programs_[client_index]->fire_timer();
      break;
    }
    case choice::kind::fault:
      std::for_each(plays_.preceded_by.begin(), plays_.preceded_by.end(), [this](const trouble& one) { strike(one); });
      strike(what.fault);
      for (const trouble& one : plays_.followed_by) {
        if (is_slowness(what.fault.kind)) {
          strike_later(one, now() + length_of(what.fault) + a_little);
        } else {
          strike(one);
        }
      }
      break;
    case choice::kind::time: advance_to(*next_timer()); break;
  }
  after_step();
}

void simulation::after_step() {
  checkers_.nodes_may_have_changed(servers_);
  for (const auto& one : programs_) {
    one->tidy();
    if (lines_ != nullptr) {
      for (const std::string& note : one->take_notes()) {
        write("c" + std::to_string(&one - programs_.data()) + " " + note);
      }
    }
  }
}

void simulation::advance_to(instant when) {
  servers_.advance(when - now());
  checkers_.seen().time_is(now());
  checkers_.time_has_passed(servers_);
  heal_due();
  strike_due();
}

bool simulation::run_to_end() {
  for (;;) {
    choices(choices_buffer_);
    if (choices_buffer_.empty()) {
      return !checkers_.found();
    }
    const auto next = std::find_if(choices_buffer_.begin(), choices_buffer_.end(), [](const choice& one) {
      return one.what != choice::kind::fault && one.what != choice::kind::limit;
    });
    perform(next == choices_buffer_.end() ? choices_buffer_.front() : *next);
  }
}

void simulation::settle() {
  for (;;) {
    collect(choices_buffer_);
    if (choices_buffer_.empty() || checkers_.found()) {
      return;
    }
    perform(choice(choices_buffer_.front()));
  }
}

}  // namespace zklock::sim
