#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/zookeeper/culprit.hpp"
#include "src/zookeeper/path.hpp"
#include "src/errors/error_of.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using recipes::action;
using recipes::multi_action;
using recipes::refusal;
namespace multi_event = recipes::multi_event;

}  // namespace

void session_core::begin_group(std::shared_ptr<acquisition> wanted, instant now) {
  const std::uint64_t number = ++last_contender_;
  std::vector<contender_place> places = places_of(*wanted);
  const bool one_by_one = in_turn(*wanted);
  group_shell made(one_by_one ? recipes::multi_contender(turns_of(places))
                              : recipes::multi_contender(places.size(), wanted->lock_nodes_missing));
  made.members.resize(places.size());
  made.places = std::move(places);
  made.wanted = wanted;
  for (std::size_t place = 0; place < made.places.size() && !one_by_one; ++place) {
    add_member(number, made, place);
  }
  wanted->contender = number;
  if (wanted->until) {
    timers_.emplace(*wanted->until, number);
  }
  groups_.emplace(number, std::move(made));
  if (connected_at_) {
    tell_group(number, multi_event::connected{}, now);
  }
}

std::uint64_t session_core::add_member(std::uint64_t number, group_shell& group, std::size_t place) {
  const std::uint64_t member = add_contender(*group.wanted, group.places[place]);
  contender_shell& shell = contenders_.at(member);
  shell.group = number;
  shell.place = place;
  ++group.left;
  return group.members[place] = member;
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void session_core::tell_group(std::uint64_t number, const recipes::multi_contender_event& what, instant now) {
  const auto found = groups_.find(number);
  if (found == groups_.end()) {
    return;
  }
  for (const multi_action one : found->second.machine.resume(what)) {
    const auto still = groups_.find(number);  // with its last contender it goes
    if (still == groups_.end()) {
      return;
    }
    perform(number, still->second, one, now);
  }
  if (drop_if_over(number)) {
    return;
  }
  const auto still = groups_.find(number);
  if (still != groups_.end() && connected_at_ && still->second.machine.needs_connection() && !still->second.retry_at) {
    still->second.retry_at = still->second.pace.next_try(now, deadline_.timeout());
    timers_.emplace(*still->second.retry_at, number);
  }
}

void session_core::tell_all_groups(const recipes::multi_contender_event& what, instant now) {
  std::vector<std::uint64_t> numbers;
  for (const auto& entry : groups_) {
    numbers.push_back(entry.first);
  }
  for (const std::uint64_t number : numbers) {
    tell_group(number, what, now);
  }
}

void session_core::perform(std::uint64_t number, group_shell& group, multi_action what, instant now) {
  switch (what) {
    case multi_action::begin_step: begin_step(number, group, now); break;
    case multi_action::let_pass: let_pass(group, now); break;
    case multi_action::make_lock_nodes:
      for (const std::uint64_t member : group.members) {
        make_lock_node(member, contenders_.at(member), now);
      }
      break;
    case multi_action::create_all: create_all(number, group, now); break;
    case multi_action::read_token: {
      const contender_shell& first = contenders_.at(group.members.front());
      send(number, purpose::read_token, client::request::get{node_path(first, first.machine.own()), client::no_watch}, now);
      break;
    }
    case multi_action::grant: deliver(number, group, now); break;
    case multi_action::refuse: refuse(group); break;
    case multi_action::start_over:
      if (group.wanted) {
        group.wanted->lock_nodes_missing = group.machine.lock_nodes_missing();
        if (group.wanted->until) {
          timers_.erase({*group.wanted->until, number});
        }
        again_.push_back(std::move(group.wanted));
      }
      break;
    case multi_action::lose: lose(number, group, group.machine.place()); break;
    case multi_action::dissolve: dissolve(group, now); break;
  }
}

void session_core::create_all(std::uint64_t number, group_shell& group, instant now) {
  client::request::multi all;
  for (const std::uint64_t member : group.members) {
    all.operations.emplace_back(own_node_of(contenders_.at(member)));
  }
  const std::vector<std::uint64_t> members = group.members;
  send(number, purpose::create_all, std::move(all), now);
  for (const std::uint64_t member : members) {
    tell(member, recipes::event::enlisted{}, now);
  }
}

void session_core::begin_step(std::uint64_t number, group_shell& group, instant now) {
  std::vector<std::uint64_t> begun;
  for (std::size_t place = 0; place < group.places.size(); ++place) {
    if (group.places[place].turn.step == group.machine.step()) {
      begun.push_back(add_member(number, group, place));
    }
  }
  for (const std::uint64_t member : begun) {
    if (connected_at_) {
      tell(member, recipes::event::connected{}, now);
    }
  }
}

void session_core::let_pass(const group_shell& group, instant now) {
  std::vector<std::uint64_t> done;
  for (std::size_t place = 0; place < group.places.size(); ++place) {
    const recipes::place_turn& turn = group.places[place].turn;
    if (turn.passing && turn.step + 1 < group.machine.step()) {
      done.push_back(group.members[place]);
    }
  }
  for (const std::uint64_t member : done) {
    tell(member, recipes::event::release{}, now);
  }
}

/// It goes with its last contender. One that ends before it has any goes by itself.
bool session_core::drop_if_over(std::uint64_t number) {
  const auto found = groups_.find(number);
  const bool over = found != groups_.end() && found->second.left == 0 &&
                    found->second.machine.now() == recipes::multi_contender::state::over;
  if (over) {
    timers_.erase({found->second.retry_at.value_or(instant::max()), number});
    groups_.erase(found);
  }
  return over;
}

/// One by one: a transaction of removals does nothing when one of the nodes is gone already (F108). The last first: whoever
/// takes places in turn finds the way open behind the first.
void session_core::dissolve(const group_shell& group, instant now) {
  note_progress(group);
  for (const std::uint64_t member : std::vector(group.members.rbegin(), group.members.rend())) {
    tell(member, recipes::event::stop{refusal::abandoned}, now);
  }
}

void session_core::note_progress(const group_shell& group) {
  for (const std::uint64_t member : group.members) {
    if (const auto one = contenders_.find(member); group.wanted && one != contenders_.end()) {
      note_progress(*group.wanted, one->second);
    }
  }
}

/// What a member wants of its caller, who is the group.
void session_core::tell_group_of_member(contender_shell& shell, action what, instant now) {
  const auto found = groups_.find(shell.group);
  if (found == groups_.end()) {
    return;
  }
  if (found->second.wanted) {
    note_progress(*found->second.wanted, shell);
  }
  switch (what) {
    case action::grant:
      watch_soon(found->second.members[shell.place], now);  // it is held while others are waited for
      tell_group(shell.group, multi_event::granted{shell.place, shell.machine.token()}, now);
      break;
    case action::refuse:
      tell_group(shell.group,
                 multi_event::refused{shell.place, shell.machine.why_refused(), shell.machine.refused_with()}, now);
      break;
    default: tell_group(shell.group, multi_event::gone{shell.place}, now); break;
  }
}

// ---- the caller -----------------------------------------------------------------------------------------------------

void session_core::deliver(std::uint64_t number, group_shell& group, instant now) {
  if (std::exchange(group.grant_waits, false)) {
    --waiting_grants_;
  }
  if (!group.wanted) {
    return;
  }
  if (!lease_->is_ahead_of(now)) {
    group.grant_waits = true;
    if (++waiting_grants_ == 1) {
      send_heartbeat(now);
    }
    return;
  }
  std::vector<std::shared_ptr<hold>> parts;
  for (std::size_t part = 0; part < group.wanted->parts.size(); ++part) {
    parts.push_back(hold_of_part(group, part, now));
  }
  group.proof = group.wanted->of_multi_lock ? std::make_shared<hold>(lease_, group.machine.token(), std::move(parts))
                                            : parts.front();
  const std::shared_ptr<hold> proof = group.proof;
  const std::shared_ptr<acquisition> wanted = std::move(group.wanted);
  wanted->contender = 0;
  if (wanted->until) {
    timers_.erase({*wanted->until, number});
  }
  wanted->granted(proof);
}

/// The hold of a part that has several nodes stands for all of them.
std::shared_ptr<hold> session_core::hold_of_part(group_shell& group, std::size_t part, instant now) {
  std::vector<std::shared_ptr<hold>> nodes;
  for (std::size_t place = 0; place < group.places.size(); ++place) {
    if (group.places[place].part != part || group.places[place].turn.passing) {
      continue;
    }
    const std::uint64_t member = group.members[place];
    contender_shell& shell = contenders_.at(member);
    shell.proof = hold_of(member, shell, group.machine.in_turn() ? shell.machine.token() : group.machine.token());
    nodes.push_back(shell.proof);
    ++holds_;
    watch_soon(member, now);
  }
  const wanted_part& wanted = group.wanted->parts[part];
  if (!of_several(wanted.claim)) {
    return nodes.front();
  }
  const recipes::fencing_token token = nodes.front()->token();
  group.of_several.push_back(std::make_shared<hold>(lease_, token, std::move(nodes), wanted.target->path));
  return group.of_several.back();
}

void session_core::refuse(group_shell& group) {
  if (std::exchange(group.grant_waits, false)) {
    --waiting_grants_;
  }
  if (!group.wanted) {
    return;
  }
  const refusal why = group.machine.why_refused();
  failure told;
  const std::size_t place = group.machine.place();
  if (place < group.members.size()) {
    told = failure_of(contenders_.at(group.members[place]), why, group.machine.refused_with());
  } else {
    told = {error_of(why, group.machine.refused_with()), group.machine.refused_with()};
  }
  bool queue_seen = group.wanted->queue_seen;
  for (const std::uint64_t member : group.members) {
    const auto one = contenders_.find(member);
    queue_seen = queue_seen || (one != contenders_.end() && one->second.machine.queue_seen());
  }
  if (why == refusal::not_in_time) {
    told = {queue_seen ? std::error_code() : make_error_code(errc::not_connected)};
  }
  answer(std::move(group.wanted), told);
}

/// With the first part that is lost all are (F67). `place`: as many as there are: none in particular.
void session_core::lose(std::uint64_t number, group_shell& group, std::size_t place) {
  if (std::exchange(group.grant_waits, false)) {
    --waiting_grants_;
    note_progress(group);
    again_.push_back(std::move(group.wanted));  // nobody has been told of the grant: it is as if it had not been
    return;
  }
  const std::shared_ptr<hold> proof = std::move(group.proof);
  if (!proof) {
    return;
  }
  const bool blamed = place < group.members.size();
  // What ends the session, or its lease, takes all parts, and is told of the first of them: that one is not to blame.
  const bool alone_gone = blamed && ending_ == loss_reason::node_removed;
  const std::size_t part = alone_gone ? group.places[place].part : 0;
  const bool is_whole = group.of_several.empty() || group.of_several.front() != proof;
  proof->end_by_loss(ending_, alone_gone && is_whole ? proof->parts()[part].get() : nullptr);
  if (proof->why_lost() == loss_reason::none) {  // it has been given back just before: each part is on its own
    const std::uint64_t alone = blamed ? group.members[place] : 0;
    ungroup(number);
    if (alone != 0) {
      lose(contenders_.at(alone));
    }
    return;
  }
  world_.notice_of_loss(proof);
  for (const std::shared_ptr<hold>& several : group.of_several) {
    if (several->end_by_loss(ending_)) {
      world_.notice_of_loss(several);
    }
  }
  for (const std::uint64_t member : group.members) {
    if (const auto one = contenders_.find(member); one != contenders_.end()) {
      lose(one->second);
    }
  }
}

/// The parts of a hold that is given back go on, or go, one by one.
void session_core::ungroup(std::uint64_t number) {
  const auto found = groups_.find(number);
  if (found == groups_.end()) {
    return;
  }
  for (const std::uint64_t member : found->second.members) {
    if (const auto one = contenders_.find(member); one != contenders_.end()) {
      one->second.group = 0;
    }
  }
  groups_.erase(found);
}

void session_core::lose_all_holds() {
  std::vector<std::uint64_t> held;
  for (const auto& [number, group] : groups_) {
    if (group.proof) {
      held.push_back(number);
    }
  }
  for (const std::uint64_t number : held) {
    group_shell& group = groups_.at(number);
    lose(number, group, group.members.size());
  }
  for (auto& [number, shell] : contenders_) {
    if (shell.proof) {
      lose(shell);
    }
  }
}

// ---- what the servers say, and time ---------------------------------------------------------------------------------

void session_core::on_group_reply(const engine::ledger::entry& asked, client::reply&& answer, instant now) {
  const auto found = groups_.find(asked.owner);
  if (found == groups_.end()) {
    return;
  }
  if (asked.as == static_cast<engine::tag>(purpose::read_token)) {
    const bool owned = answer.stat.ephemeral_owner == session_id_;
    tell_group(asked.owner, multi_event::token_read{answer.code, {answer.stat.czxid}, owned}, now);
    return;
  }
  const std::vector<std::uint64_t> members = found->second.members;
  const std::size_t at = std::min(client::culprit(answer).value_or(members.size()), members.size());
  const bool makeable = at == members.size() || contenders_.at(members[at]).machine.can_make_lock_node();
  tell_group(asked.owner, multi_event::created{client::cause(answer), at, makeable}, now);
  for (std::size_t place = 0; place < members.size(); ++place) {
    const bool named = place < answer.parts.size();
    const std::string_view name = named ? base_name(answer.parts[place].name) : std::string_view();
    tell(members[place], recipes::event::created{answer.code, name, {}}, now);
  }
}

void session_core::fire_group_timers(std::uint64_t number, instant now) {
  const auto found = groups_.find(number);
  if (found == groups_.end()) {
    return;
  }
  group_shell& group = found->second;
  if (group.retry_at && *group.retry_at <= now) {
    group.retry_at.reset();
    if (connected_at_ && group.machine.needs_connection()) {
      tell_group(number, multi_event::connected{}, now);
    }
  }
  const auto still = groups_.find(number);
  if (still != groups_.end() && still->second.wanted && still->second.wanted->until &&
      *still->second.wanted->until <= now) {
    tell_group(number, multi_event::stop{refusal::not_in_time}, now);
  }
}

}  // namespace zklock::detail
