#include <algorithm>

#include <zklock/error.hpp>

#include "src/zookeeper/culprit.hpp"
#include "src/zookeeper/path.hpp"
#include "src/errors/error_of.hpp"
#include "src/operations/limit_keeper.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

namespace event = recipes::event;
using recipes::action;
using recipes::refusal;

}  // namespace

std::string session_core::full(std::string_view path) const { return config_.root + std::string(path); }

std::string session_core::lock_node(const contender_shell& shell) const {
  return full(shell.target->path) + std::string(shell.below);
}

std::string session_core::node_path(const contender_shell& shell, std::string_view name) const {
  return lock_node(shell) + "/" + std::string(name);
}

const recipes::contender* session_core::find_contender(std::uint64_t number) const {
  const auto found = contenders_.find(number);
  return found == contenders_.end() ? nullptr : &found->second.machine;
}

// ---- what the user asks for -----------------------------------------------------------------------------------------

void session_core::acquire(std::shared_ptr<acquisition> wanted, instant now) {
  if (wanted->abandoned) {
    wanted->refused({errc::abandoned});
    return;
  }
  if (const auto over = failure_of_session()) {
    wanted->refused(*over);
    return;
  }
  if (state_ == standing::suspended && wanted->once) {
    wanted->refused({errc::not_connected});
    return;
  }
  begin(std::move(wanted), now);
  settle(now);
}

void session_core::begin(std::shared_ptr<acquisition> wanted, instant now) {
  if (wanted->of_multi_lock || of_several(wanted->parts.front().claim)) {
    begin_group(std::move(wanted), now);
    return;
  }
  const std::uint64_t number = add_contender(*wanted, places_of(*wanted).front());
  wanted->contender = number;
  if (wanted->until) {
    timers_.emplace(*wanted->until, number);
  }
  contenders_.at(number).wanted = std::move(wanted);
  if (connected_at_) {
    tell(number, event::connected{}, now);
  }
}

std::uint64_t session_core::add_contender(const acquisition& wanted, const contender_place& place) {
  const std::uint64_t number = ++last_contender_;
  const bool enlisted = wanted.of_multi_lock && !in_turn(wanted);
  contender_shell shell(recipes::contender(world_.next_id(), place.claim, wanted.once, enlisted));
  shell.target = wanted.parts[place.part].target;
  shell.below = place.below;
  shell.part = place.part;
  shell.enlisted = enlisted;
  shell.pace = wanted.pace;
  contenders_.emplace(number, std::move(shell));
  return number;
}

/// What another contender for the same call need not find out once more.
void session_core::note_progress(acquisition& wanted, const contender_shell& shell) {
  wanted.queue_seen = wanted.queue_seen || shell.machine.queue_seen();
  wanted.agreed[shell.part] = wanted.agreed[shell.part] || shell.machine.limit_agreed();
  wanted.pace = shell.pace;
}

void session_core::begin_again(instant now) {
  while (!again_.empty()) {
    std::vector<std::shared_ptr<acquisition>> several;
    several.swap(again_);
    for (auto& one : several) {
      acquire(std::move(one), now);
    }
  }
}

void session_core::stop(const std::shared_ptr<acquisition>& unwanted, refusal why, instant now) {
  unwanted->abandoned = true;
  if (groups_.contains(unwanted->contender)) {
    tell_group(unwanted->contender, recipes::multi_event::stop{why}, now);
  } else if (unwanted->contender != 0) {
    tell(unwanted->contender, event::stop{why}, now);
  }
  settle(now);
}

void session_core::release(const std::shared_ptr<hold>& given_back, std::shared_ptr<release_listener> listener,
                           instant now) {
  if (holds_ > 0 && !lease_->covers(now)) {
    lose_by_deadline(now);
  }
  const auto found = contenders_.find(given_back->contender());
  if (found == contenders_.end() || found->second.proof != given_back) {
    if (listener) {
      listener->released(errc::lost, client::code::ok);
    }
    begin_again(now);
    return;
  }
  contender_shell& shell = found->second;
  ungroup(shell.group);
  --holds_;
  shell.proof.reset();
  if (listener) {
    shell.releasing.push_back(std::move(listener));
    shell.release_limit = std::max(lease_->deadline(), now);
    timers_.emplace(*shell.release_limit, found->first);
  }
  tell(found->first, event::release{}, now);
}

// ---- the machines and what they want --------------------------------------------------------------------------------

void session_core::tell_all(const recipes::contender_event& what, instant now) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(contenders_.size());
  for (const auto& entry : contenders_) {
    numbers.push_back(entry.first);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const std::uint64_t number : numbers) {
    tell(number, what, now);
  }
}

void session_core::tell(std::uint64_t number, const recipes::contender_event& what, instant now) {
  const auto found = contenders_.find(number);
  if (found == contenders_.end()) {
    return;
  }
  contender_shell& shell = found->second;
  for (const action one : shell.machine.resume(what)) {
    if (one == action::finish) {
      drop(number, shell);
      return;  // it is always the last, and the shell is gone
    }
    perform(number, shell, one, now);
  }
  if (shell.over_budget) {
    shell.over_budget = false;
    tell(number, event::stop{refusal::too_many_watches}, now);
    return;
  }
  if (shell.machine.at_rest()) {
    shell.pace.start_anew();
  }
  if (connected_at_ && shell.machine.needs_connection()) {
    schedule_retry(number, now);
  }
}

void session_core::perform(std::uint64_t number, contender_shell& shell, action what, instant now) {
  using namespace client::request;
  switch (what) {
    case action::make_lock_node: make_lock_node(number, shell, now); break;
    case action::create_own: send(number, purpose::create_own, own_node_of(shell), now); break;
    case action::sync: send(number, purpose::sync, quorum_write(), now); break;
    case action::list: send(number, purpose::list, list{lock_node(shell), client::no_watch}, now); break;
    case action::look_beside:
      send(number, purpose::look_beside, list{full(shell.target->path), client::no_watch}, now);
      break;
    case action::read_limit:
      send(number, purpose::read_limit, get{lock_node(shell), client::no_watch}, now);
      break;
    case action::store_limit:
      send(0, purpose::keep_limit, operations::limit_keeper_at(lock_node(shell), shell.target->acl), now);
      send(number, purpose::store_limit, set{lock_node(shell), limit_claimed_by(shell), shell.machine.limit_version()}, now);
      break;
    case action::mark_own:
      send(number, purpose::mark_own,
           set{node_path(shell, shell.machine.own()), recipes::with_mode(shell.machine.mode(), shell.data), -1}, now);
      break;
    case action::go_on_as_reader: go_on_as_reader(number, shell, now); break;
    case action::watch_own: watch(number, shell, watched::own, now); break;
    case action::watch_predecessor: watch(number, shell, watched::predecessor, now); break;
    case action::watch_limit: watch(number, shell, watched::limit, now); break;
    case action::watch_children: watch(number, shell, watched::children, now); break;
    case action::forget_predecessor: forget(shell.predecessor_watch); break;
    case action::forget_own: forget(shell.own_watch); break;
    case action::forget_limit: forget(shell.limit_watch); break;
    case action::forget_children: forget(shell.children_watch); break;
    case action::remove_own:
      send(number, purpose::remove, remove{node_path(shell, shell.machine.own()), -1}, now);
      break;
    case action::grant: shell.group != 0 ? tell_group_of_member(shell, what, now) : deliver(number, shell, now); break;
    case action::refuse: shell.group != 0 ? tell_group_of_member(shell, what, now) : refuse(shell); break;
    case action::lose: shell.group != 0 ? tell_group_of_member(shell, what, now) : lose(shell); break;
    case action::start_over:
      if (shell.group != 0) {
        tell_group_of_member(shell, what, now);
      } else if (shell.wanted) {
        note_progress(*shell.wanted, shell);
        if (shell.wanted->until) {
          timers_.erase({*shell.wanted->until, number});
        }
        again_.push_back(std::move(shell.wanted));
      }
      break;
    case action::finish: break;  // tell() does it
  }
}

client::request::create session_core::own_node_of(contender_shell& shell) {
  const recipes::contender& machine = shell.machine;
  if (machine.wanted().as == recipes::layout::curator) {
    return {node_path(shell, machine.prefix()), shell.target->payload, client::create_mode::ephemeral_sequential,
            shell.target->acl};
  }
  std::string data = world_.describe_contender(machine.mode(), shell.target->label);
  const recipes::contender_kind kind = machine.wanted().kind;
  if (kind == recipes::contender_kind::write || kind == recipes::contender_kind::permit) {
    shell.data = data;  // it may have to be marked
  }
  return {node_path(shell, machine.prefix()), std::move(data), client::create_mode::ephemeral_sequential,
          shell.target->acl};
}

/// What a semaphore's lock node is to say when it says nothing yet; empty: nobody has said how many there are to be.
std::string session_core::limit_claimed_by(const contender_shell& shell) {
  const recipes::claim& wanted = shell.machine.wanted();
  const bool says = wanted.kind == recipes::contender_kind::permit && wanted.limit != 0;
  return !says ? std::string() : recipes::limit_data({wanted.limit, wanted.limit});
}

/// A semaphore's is made to stay, since it holds the limit, and not at all without one.
void session_core::make_lock_node(std::uint64_t number, contender_shell& shell, instant now) {
  const bool of_permits = shell.machine.wanted().kind == recipes::contender_kind::permit;
  lock_node_plan plan{lock_node(shell), limit_claimed_by(shell), of_permits, shell.target->acl};
  if (of_permits && plan.data->empty()) {
    plan.data.reset();
  }
  send_creates(number, purpose::lock_node, plan, shell.making, now);
}

void session_core::send_creates(std::uint64_t number, purpose what, const lock_node_plan& plan,
                                lock_node_making& making, instant now) {
  auto creates = creates_of(plan, containers_);
  making = {creates.size(), containers_};  // before them: a dead handle answers at once
  for (auto& one : creates) {
    send(number, what, std::move(one), now);
  }
}

/// Whether it was the last one.
bool session_core::note_created(lock_node_making& making, client::code answer) {
  making.answered(answer);
  containers_ = containers_ && !making.containers_refused();
  return making.complete();
}

void session_core::drop(std::uint64_t number, contender_shell& shell) {
  const client::code with = shell.machine.refused_with();
  if (!shell.machine.own().empty() && with != client::code::ok) {
    world_.log(environment::severity::error, "contender " + node_path(shell, shell.machine.own()) + " ended with " +
                                                 std::string(recipes::name(with)));
  }
  answer_releases(shell, error_of(with), with);
  for (const auto& limit : {shell.release_limit, shell.retry_at}) {
    if (limit) {
      timers_.erase({*limit, number});
    }
  }
  forget_watches(shell);
  const auto group = groups_.find(shell.group);
  if (group != groups_.end() && --group->second.left == 0) {
    timers_.erase({group->second.retry_at.value_or(instant::max()), group->first});
    groups_.erase(group);
  }
  contenders_.erase(number);
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void session_core::on_contender_reply(const engine::ledger::entry& asked, client::reply&& answer, instant now) {
  if (asked.owner == 0 && asked.as == static_cast<engine::tag>(purpose::keep_limit)) {
    if (const auto warning = operations::limit_keeper_warning(answer.code)) {
      world_.log(environment::severity::warning, *warning);
    }
    return;
  }
  const auto found = contenders_.find(asked.owner);
  if (found == contenders_.end()) {
    return;
  }
  contender_shell& shell = found->second;
  const std::uint64_t number = asked.owner;
  const client::code code = answer.code;
  switch (static_cast<purpose>(asked.as)) {
    case purpose::lock_node:
      if (note_created(shell.making, code)) {
        const lock_node_making& made = shell.making;
        if (shell.enlisted) {
          tell_group(shell.group, recipes::multi_event::lock_node_made{shell.place, made.result(), made.without_root()},
                     now);
        } else {
          tell(number, event::lock_node_made{made.result(), made.without_root()}, now);
        }
      }
      break;
    case purpose::create_own:
      tell(number, event::created{code, base_name(answer.name), {answer.stat.czxid}}, now);
      break;
    case purpose::sync: tell(number, event::synced{quorum_answer(code)}, now); break;
    case purpose::look_beside: tell(number, event::looked_beside{code, answer.children}, now); break;
    case purpose::watch_children:
      if (code != client::code::ok) {
        forget(shell.children_watch);
      }
      [[fallthrough]];
    case purpose::list: tell(number, event::listed{code, answer.children}, now); break;
    case purpose::watch_limit:
      if (code != client::code::ok) {
        forget(shell.limit_watch);
      }
      [[fallthrough]];
    case purpose::read_limit: tell(number, event::limit_read{code, answer.data, answer.stat.version}, now); break;
    case purpose::store_limit: tell(number, event::limit_stored{code}, now); break;
    case purpose::go_on_as_reader: went_on_as_reader(number, shell, client::cause(answer), now); break;
    case purpose::mark_own:
      log_unmarked(shell, code);
      tell(number, event::marked{code}, now);
      break;
    case purpose::watch_own: {
      const bool again = is_granted(shell) && (code != client::code::ok || shell.own_watch == client::no_watch);
      if (code != client::code::ok) {
        forget(shell.own_watch);
      }
      const bool owned = answer.stat.ephemeral_owner == session_id_;
      const bool unwatched = shell.own_watch == client::no_watch;
      tell(number, event::own_watched{code, {answer.stat.czxid}, owned}, now);
      if (again && contenders_.contains(number)) {
        if (unwatched) {
          tell(number, event::own_changed{}, now);  // there was no watch to be had: ask again later
        }
        look_again(number, now);
      }
      break;
    }
    case purpose::watch_predecessor:
      if (code != client::code::ok) {
        forget(shell.predecessor_watch);
      }
      tell(number,
           event::predecessor_watched{code, answer.stat.ephemeral_owner == session_id_,
                                      recipes::parse_contender_mode(answer.data)},
           now);
      break;
    case purpose::remove: tell(number, event::removed{code}, now); break;
    default: break;  // not a contender's
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// A request has failed although there is a connection (a throttled one, or a failure that came late).
void session_core::schedule_retry(std::uint64_t number, instant now) {
  contender_shell& shell = contenders_.at(number);
  if (!shell.retry_at) {
    shell.retry_at = shell.pace.next_try(now, deadline_.timeout());
    timers_.emplace(*shell.retry_at, number);
  }
}

/// On a new connection, where what has failed is sent again by itself.
void session_core::retry_at_once() {
  const auto anew = [](auto& shells) {
    for (auto& [number, shell] : shells) {
      shell.retry_at.reset();
      shell.pace.start_anew();
    }
  };
  anew(contenders_);
  anew(groups_);
}

void session_core::fire_contender_timers(instant now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::uint64_t number = timers_.begin()->second;
    timers_.erase(timers_.begin());
    const auto found = contenders_.find(number);
    if (found == contenders_.end()) {
      fire_group_timers(number, now);
      continue;
    }
    contender_shell& shell = found->second;
    if (shell.release_limit && *shell.release_limit <= now) {
      shell.release_limit.reset();
      answer_releases(shell, errc::release_unconfirmed, client::code::ok);
    }
    if (shell.retry_at && *shell.retry_at <= now) {
      shell.retry_at.reset();
      if (connected_at_ && shell.machine.needs_connection()) {
        tell(number, event::connected{}, now);
      }
    }
    const auto still = contenders_.find(number);
    if (still != contenders_.end() && still->second.wanted && still->second.wanted->until &&
        *still->second.wanted->until <= now) {
      tell(number, event::stop{refusal::not_in_time}, now);
    }
  }
}

}  // namespace zklock::detail
