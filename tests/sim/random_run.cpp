#include "tests/sim/random_run.hpp"

#include <algorithm>

#include "tests/sim/simulation.hpp"

namespace zklock::sim {
namespace {

/// splitmix64: the library's distributions may differ between implementations.
class lots {
 public:
  explicit lots(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t many) { return below(many) == 0; }

 private:
  std::uint64_t state_;
};

instant some_time(lots& draw, std::uint64_t max_ms) { return std::chrono::milliseconds(1 + draw.below(max_ms)); }

want some_part(lots& draw, const std::vector<lock_plan>& locks, std::size_t lock) {
  switch (locks[lock].kind) {
    case recipe::shared: return {lock, draw.one_in(2) ? detail::side::read : detail::side::write};
    case recipe::semaphore:
      return {lock, detail::side::permits, static_cast<std::uint32_t>(1 + draw.below(locks[lock].limit))};
    case recipe::mutex: break;
  }
  return {lock};
}

/// One lock, or now and then several in any order.
std::vector<want> some_parts(lots& draw, const std::vector<lock_plan>& locks) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < locks.size(); ++i) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(draw.below(i + 1)), i);
  }
  order.resize(locks.size() > 1 && draw.one_in(3) ? 2 + draw.below(locks.size() - 1) : 1);
  if (std::any_of(order.begin(), order.end(),
                  [&locks](std::size_t lock) { return locks[lock].layout == recipes::layout::curator; })) {
    std::sort(order.begin(), order.end());  // taken one by one: contenders with different orders can deadlock
  }
  std::vector<want> parts;
  for (const std::size_t lock : order) {
    parts.push_back(some_part(draw, locks, lock));
  }
  return parts;
}

/// Of the counts that a round has taken, what it does with them until they are given back.
std::uint64_t add_counts(lots& draw, script& to, const std::vector<lock_plan>& locks, const want& first) {
  using kind = user_action::kind;
  std::uint64_t counts = 1;
  if (first.of == detail::side::write) {
    if (draw.one_in(3)) {
      to.push_back({kind::reenter, std::nullopt, {{first.lock, detail::side::read}}});
      ++counts;
    }
    if (draw.one_in(3)) {
      to.push_back({kind::downgrade});
    }
  } else if (first.of == detail::side::permits) {
    if (draw.one_in(4)) {  // some more, but not at the cost of a deadlock
      to.push_back({kind::acquire, some_time(draw, 3000), {some_part(draw, locks, first.lock)}});
      ++counts;
    }
  } else if (draw.one_in(4)) {
    counts += 1 + draw.below(2);
    for (std::uint64_t i = 1; i < counts; ++i) {
      to.push_back({kind::reenter, std::nullopt, {first}});
    }
  }
  return counts;
}

void add_round(lots& draw, script& to, const std::vector<lock_plan>& locks, bool limits_change) {
  using kind = user_action::kind;
  const std::vector<want> parts = some_parts(draw, locks);
  switch (draw.below(8)) {
    case 0: to.push_back({kind::try_once, std::nullopt, parts}); break;
    case 1: to.push_back({kind::acquire, some_time(draw, 20), parts}); break;
    case 2: to.push_back({kind::acquire, some_time(draw, 9000), parts}); break;
    case 3:
      to.push_back({kind::acquire, std::nullopt, parts});
      to.push_back({kind::abandon});
      break;
    default: to.push_back({kind::acquire, std::nullopt, parts}); break;
  }
  if (draw.one_in(4) && locks.front().kind == recipe::mutex) {
    to.push_back({kind::list_participants, some_time(draw, 3000)});
  }
  const bool plain = parts.size() == 1 || parts.front().of == detail::side::whole;
  const std::uint64_t counts = plain ? add_counts(draw, to, locks, parts.front()) : 1;
  if (draw.one_in(3)) {
    to.push_back({kind::rest, some_time(draw, draw.one_in(3) ? 9000 : 300)});
  }
  const std::uint64_t writes = draw.one_in(4) ? 1 + draw.below(3) : 0;
  for (std::uint64_t i = 0; i < writes; ++i) {
    to.push_back({kind::write});
  }
  for (std::uint64_t i = 0; i < counts; ++i) {
    to.push_back({draw.one_in(3) ? kind::release : draw.one_in(2) ? kind::drop : kind::drop_first});
  }
  if (limits_change && draw.one_in(3)) {
    to.push_back(
        {kind::set_limit, some_time(draw, 9000), {{locks.size() - 1}}, 2 + static_cast<std::uint32_t>(draw.below(4))});
  }
  if (draw.one_in(4)) {
    to.push_back({kind::rest, some_time(draw, 2000)});
  }
}

/// Half of the runs are about one mutex; in the others the last lock may be a semaphore whose limit changes. All locks
/// are in one layout: a multi-lock that takes its parts in turn and one that does not can wait for each other.
std::vector<lock_plan> some_locks(lots& draw) {
  std::vector<lock_plan> locks(1);
  const recipes::layout layout = draw.below(8) < 3 ? recipes::layout::curator : recipes::layout::native;
  locks.front().layout = layout;
  if (draw.one_in(2)) {
    return locks;
  }
  locks.resize(1 + draw.below(3));
  for (std::size_t i = 0; i < locks.size(); ++i) {
    locks[i].path = i == 0 ? std::string(lock_path) : "/m" + std::to_string(i);
    locks[i].kind = static_cast<recipe>(draw.below(3));
    locks[i].layout = layout;
    locks[i].limit = locks[i].kind == recipe::semaphore ? 2 + static_cast<std::uint32_t>(draw.below(3)) : 0;
  }
  return locks;
}

scenario draw_scenario(lots& draw) {
  constexpr int servers[] = {1, 1, 3, 3, 5};
  scenario out;
  out.name = "random";
  out.servers = servers[draw.below(5)];
  out.lock_node_there = draw.one_in(2);
  out.session_timeout = std::chrono::milliseconds(draw.one_in(3) ? 3000 : 6000);
  out.tick =
      draw.one_in(2) ? std::chrono::milliseconds(500) : out.session_timeout / static_cast<int>(2 + draw.below(4));
  out.sync_limit = draw.one_in(2) ? 4 : 20;
  out.expiry_phase = std::chrono::milliseconds(draw.below(static_cast<std::uint64_t>(out.tick.count())));
  out.clients_stay = draw.one_in(4);
  out.salt = draw.next();
  out.locks = some_locks(draw);
  lock_plan& last = out.locks.back();
  const bool limits_change = last.kind == recipe::semaphore && !is_of_leases(last) && draw.one_in(2);
  if (limits_change) {  // no program asserts a limit that programs change, so it has to be there before
    last.asserted = false;
    out.lock_node_there = true;
  }
  const std::uint64_t clients = 2 + draw.below(7);
  for (std::uint64_t i = 0; i < clients; ++i) {
    script one;
    const std::uint64_t rounds = 1 + draw.below(4);
    for (std::uint64_t r = 0; r < rounds; ++r) {
      add_round(draw, one, out.locks, limits_change);
    }
    out.programs.push_back(std::move(one));
    const bool shares = i > 0 && draw.one_in(4);
    const auto host = static_cast<std::size_t>(shares ? draw.below(i) : 0);
    out.thread_of.push_back(shares && out.thread_of[host] == -1 ? static_cast<int>(host) : -1);
  }
  return out;
}

/// Mutexes alone: calls of one process share nodes, which stay between two of them, perhaps.
void let_locks_take_turns(lots& draw, scenario& of) {
  for (lock_plan& one : of.locks) {
    const bool of_leaders = one.layout == recipes::layout::curator;
    if (one.kind == recipe::mutex && !of_leaders && draw.one_in(2)) {
      const auto turns = static_cast<std::uint32_t>(1 + draw.below(4));
      const auto idle = std::chrono::milliseconds(draw.one_in(4) ? 0 : 1 + draw.below(3000));
      one.hand_over = recipes::turn_bounds{turns, std::chrono::milliseconds(1 + draw.below(2000)), idle};
    }
  }
}

void add_rest(lots& draw, script& to) { to.push_back({user_action::kind::rest, some_time(draw, 6000)}); }

script some_candidate(lots& draw) {
  using kind = user_action::kind;
  script one{{kind::lead, std::chrono::milliseconds(draw.one_in(2) ? 0 : 1 + draw.below(3000))}};
  for (std::uint64_t terms = draw.below(4); terms > 0; --terms) {
    one.push_back({kind::return_from_work});
  }
  if (draw.one_in(3)) {
    one.push_back({kind::throw_from_work});
  }
  one.push_back({kind::stop_leading});
  one.push_back({kind::return_from_work});
  return one;
}

/// Follows the first lock's head, or the value: twice, if it ends once.
script some_follower(lots& draw, user_action::kind what) {
  script one{{what}};
  if (draw.one_in(2)) {
    add_rest(draw, one);
    one.push_back({user_action::kind::unfollow});
    if (draw.one_in(2)) {
      add_rest(draw, one);
    }
    one.push_back({what});
  }
  return one;
}

script some_changes(lots& draw) {
  using kind = user_action::kind;
  constexpr kind all[] = {kind::set_value,    kind::set_value,    kind::make_value, kind::remove_value,
                          kind::update_value, kind::update_alike, kind::hide_value};
  script one;
  for (std::uint64_t many = 2 + draw.below(8); many > 0; --many) {
    one.push_back({all[draw.below(std::size(all))]});
    if (draw.one_in(3)) {
      add_rest(draw, one);
    }
  }
  return one;
}

/// Those who proclaim hold a node whose data are their own.
void add_followers(lots& draw, scenario& to) {
  using kind = user_action::kind;
  const lock_plan& first = to.locks.front();
  const bool elects = first.kind == recipe::mutex && first.layout == recipes::layout::curator;
  if (elects && to.locks.size() == 1) {
    for (script& one : to.programs) {
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i].what == kind::acquire && draw.one_in(3)) {
          one.insert(one.begin() + static_cast<std::ptrdiff_t>(i) + 1, {kind::proclaim});
        }
      }
    }
  }
  for (std::uint64_t many = elects ? draw.below(4) : 0; many > 0; --many) {
    to.programs.push_back(some_candidate(draw));
  }
  for (std::uint64_t many = first.kind != recipe::semaphore ? draw.below(3) : 0; many > 0; --many) {
    to.programs.push_back(some_follower(draw, kind::observe));
  }
  if (draw.one_in(2)) {
    to.programs.push_back(some_follower(draw, kind::follow));
    to.programs.push_back(some_changes(draw));
    if (draw.one_in(2)) {
      to.programs.push_back(some_changes(draw));
    }
  }
  to.local_sessions = to.servers > 1 && draw.one_in(8);
}

bool is_in_time(const choice& one) {
  using testing::step_kind;
  if (one.what == choice::kind::timer) {
    return true;
  }
  return one.what == choice::kind::model &&
         (one.step.kind == step_kind::lead || one.step.kind == step_kind::follow ||
          one.step.kind == step_kind::leader_ping || one.step.kind == step_kind::session_expiry ||
          one.step.kind == step_kind::election);
}

class storm {
 public:
  storm(const scenario& plays, lots& draw, std::uint64_t length, std::vector<std::string>* timeline)
      : plays_(plays), draw_(draw), length_(length), world_(plays) {
    if (timeline != nullptr) {
      world_.write_timeline(timeline);
    }
    for (std::size_t i = 0; i < plays.programs.size(); ++i) {
      speed_.push_back(draw.one_in(3) ? 2 : 20);
    }
    calm_ = draw.one_in(5);
    slow_ = draw.one_in(2);
    about_deadline_ = draw.one_in(3);
    fault_every_ = 10 + draw.below(60);
  }

  void run(random_result& result) {
    bool raging = true;
    for (;;) {
      if (raging && result.steps >= length_) {
        raging = false;
        world_.heal();
      }
      world_.choices(options_);
      if (options_.empty()) {
        break;
      }
      if (raging && !calm_ && draw_.one_in(fault_every_)) {
        strike(draw_fault(), result);
      } else if (raging && slow_ && draw_.one_in(25) && may_be_slow()) {
        world_.advance_to(*world_.next_timer());
      } else {
        world_.perform(pick());
      }
      ++result.steps;
    }
    result.found = world_.found();
    result.digest = world_.judges().seen().value();
    result.untold = world_.judges().excused_by_untold_timeout();
    for (std::size_t i = 0; i < world_.clients(); ++i) {
      result.grants += world_.client(i).grants();
    }
  }

 private:
  trouble draw_fault() {
    trouble one;
    do {
      one.kind =
          static_cast<trouble_kind>(1 + draw_.below(static_cast<std::uint64_t>(trouble_kind::lock_node_removed) - 1));
    } while (!is_drawn(one.kind) || (about_deadline_ && !is_about_deadline(one.kind)) ||
             (one.kind == trouble_kind::client_crashed && !draw_.one_in(8)));
    one.target = static_cast<int>(
        draw_.below(hits_client(one.kind) ? plays_.programs.size() : static_cast<std::uint64_t>(plays_.servers)));
    if (is_slowness(one.kind)) {  // for two thirds of a session timeout at the most: then the client leaves
      one.lasts = some_time(draw_, static_cast<std::uint64_t>(plays_.session_timeout.count()) * 2 / 3);
    }
    return one;
  }

  /// What was slow for a while often dies then, or a little later.
  void strike(const trouble& one, random_result& result) {
    if (!world_.strike(one)) {
      return;
    }
    ++result.faults;
    ++result.of_kind[static_cast<std::size_t>(one.kind)];
    if (is_slowness(one.kind) && draw_.one_in(2)) {
      const bool leader = draw_.one_in(4);
      const auto server = static_cast<int>(draw_.below(static_cast<std::uint64_t>(plays_.servers)));
      world_.strike_later({leader ? trouble_kind::leader_killed : trouble_kind::follower_killed, server},
                          world_.now() + one.lasts + some_time(draw_, 300));
    }
  }

  /// The deadline rests on servers that tell each other in time which clients they have heard of, limits on timers that
  /// fire: what clients and servers say to each other may be slow at any time, the rest only by a fault.
  bool may_be_slow() const { return world_.next_timer() && std::none_of(options_.begin(), options_.end(), is_in_time); }

  choice pick() {
    std::uint64_t sum = 0;
    for (const choice& one : options_) {
      sum += weight(one);
    }
    std::uint64_t lot = draw_.below(sum);
    for (const choice& one : options_) {
      if (lot < weight(one)) {
        return one;
      }
      lot -= weight(one);
    }
    return options_.front();
  }

  std::uint64_t weight(const choice& one) const {
    const int whose = one.whose();
    const std::uint64_t speed = whose < 0 ? 20 : speed_[static_cast<std::size_t>(whose)];
    switch (one.what) {
      case choice::kind::act: return speed / 2;
      case choice::kind::limit: return 1;
      default: return speed;
    }
  }

  const scenario& plays_;
  lots& draw_;
  const std::uint64_t length_;
  simulation world_;
  std::vector<std::uint64_t> speed_;
  bool calm_ = false;  ///< no faults at all
  bool slow_ = false;
  bool about_deadline_ = false;  ///< only faults of that kind
  std::uint64_t fault_every_ = 0;
  std::vector<choice> options_;
};

}  // namespace

bool is_drawn(trouble_kind kind) {
  return kind != trouble_kind::none && kind != trouble_kind::time_passes && kind < trouble_kind::lock_node_removed;
}

random_result random_run(std::uint64_t seed, bool with_timeline, bool followed) {
  lots draw(seed);
  random_result result;
  result.plays = draw_scenario(draw);
  if (followed) {
    add_followers(draw, result.plays);
    lots others(~seed);
    let_locks_take_turns(others, result.plays);
  }
  const std::uint64_t length = 200 + draw.below(1500);
  storm(result.plays, draw, length, with_timeline ? &result.timeline : nullptr).run(result);
  return result;
}

}  // namespace zklock::sim
