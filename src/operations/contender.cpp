#include "src/operations/contender.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/holder_watch.hpp"
#include "src/operations/limit_keeper.hpp"
#include "src/operations/nodes.hpp"
#include "src/zookeeper/culprit.hpp"
#include "src/zookeeper/path.hpp"

namespace zklock::operations {
namespace {

namespace event = recipes::event;
namespace request = client::request;
using detail::environment;
using recipes::action;
using recipes::refusal;

/// What is asked, and what is watched.
enum step : engine::tag {
  lock_node_made,
  created,
  synced,
  listed,
  looked_beside,
  limit_read,
  limit_kept,
  limit_stored,
  marked,
  replaced,
  removed,
  own,
  predecessor,
  limit,
  children,
};

refusal refusal_of(const detail::failure& why) {
  return why.ec == errc::session_closed ? refusal::closed : refusal::abandoned;
}

}  // namespace

contender::contender(const settings& how, const recipes::contender_id& id, const recipes::place& as,
                     std::shared_ptr<const detail::lock_target> target, const detail::retry_pace& pace)
    : how_(how),
      machine_(id, as.claim, how.one_try, how.created_by_transaction),
      target_(std::move(target)),
      below_(as.below),
      pace_(pace) {}

bool contender::is_granted() const noexcept { return machine_.now() == recipes::contender::state::granted; }

std::string contender::lock_node(const engine::out& wants) const {
  return wants.full(target_->path) + std::string(below_);
}

std::string contender::node(std::string_view name, const engine::out& wants) const {
  return lock_node(wants) + "/" + std::string(name);
}

// ---- what happens to it ---------------------------------------------------------------------------------------------

void contender::begin(engine::out& wants) {
  how_.registry->add(*this);
  wants.count(engine::counted::node, 1);
  if (wants.session().connected) {
    tell(event::connected{}, wants);
  }
}

void contender::connected(engine::out& wants) {
  retry_at_.reset();
  pace_.start_anew();
  tell(event::connected{}, wants);
}

void contender::disconnected(engine::out& wants) { tell(event::disconnected{}, wants); }

void contender::session_over(const engine::session_end& end, engine::out& wants) {
  own_watch_stands_ = false;
  if (!end.confirmed) {
    release_.complete({errc::release_unconfirmed});
  }
  ending_ = end.why;
  tell(event::session_over{}, wants);
  ending_ = loss_reason::node_removed;
}

void contender::holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) {
  lose(why, why == loss_reason::deadline_passed ? std::optional(nodes_until) : std::nullopt, wants);
}

void contender::stop(const detail::failure& why, engine::out& wants) { tell(event::stop{refusal_of(why)}, wants); }

void contender::closed(std::error_code result, engine::out& wants) {
  release_.complete({result});
  finish(wants);
}

void contender::timer(engine::out& wants) {
  const engine::instant now = wants.session().now;
  if (release_.until() && *release_.until() <= now) {
    release_.complete({errc::release_unconfirmed});
  }
  if (retry_at_ && *retry_at_ <= now) {
    retry_at_.reset();
    if (wants.session().connected && machine_.needs_connection()) {
      tell(event::connected{}, wants);
    }
  }
  if (node_until_ && *node_until_ <= now) {
    node_until_.reset();
    tell(event::release{}, wants);
  }
}

std::optional<engine::instant> contender::due() const {
  std::optional<engine::instant> first;
  for (const auto& one : {release_.until(), retry_at_, node_until_}) {
    if (one && (!first || *one < *first)) {
      first = one;
    }
  }
  return first;
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void contender::tell(const recipes::contender_event& what, engine::out& wants) {
  for (const action one : machine_.resume(what)) {
    if (one == action::finish) {
      finish(wants);
      return;  // it is always the last
    }
    perform(one, wants);
  }
  if (machine_.at_rest()) {
    pace_.start_anew();
  }
  if (wants.session().connected && machine_.needs_connection() && !retry_at_) {
    // A request has failed although there is a connection (a throttled one, or a failure that came late).
    retry_at_ = pace_.next_try(wants.session().now, wants.session().timeout);
  }
}

void contender::perform(action what, engine::out& wants) {
  switch (what) {
    case action::make_lock_node: make_lock_node(wants); break;
    case action::create_own: wants.request(created, own_node(wants)); break;
    case action::sync: wants.quorum_write(synced); break;
    case action::list: wants.request(listed, request::list{lock_node(wants), client::no_watch}); break;
    case action::look_beside:
      wants.request(looked_beside, request::list{wants.full(target_->path), client::no_watch});
      break;
    case action::read_limit: wants.request(limit_read, request::get{lock_node(wants), client::no_watch}); break;
    case action::store_limit:
      wants.request(limit_kept, limit_keeper_at(lock_node(wants), target_->acl));
      wants.request(limit_stored, request::set{lock_node(wants), machine_.terms().lock_node_data.value_or(""), machine_.limit_version()});
      break;
    case action::mark_own:
      wants.request(marked, request::set{node(machine_.own(), wants), recipes::with_mode(machine_.mode(), data_), -1});
      break;
    case action::go_on_as_reader: replace_with_reader(wants); break;
    case action::watch_own:
      own_watch_stands_ = true;
      wants.get_and_watch(own, node(machine_.own(), wants));
      break;
    case action::watch_predecessor: wants.get_and_watch(predecessor, node(machine_.predecessor(), wants)); break;
    case action::watch_limit: wants.get_and_watch(limit, lock_node(wants)); break;
    case action::watch_children: wants.list_and_watch(children, lock_node(wants)); break;
    case action::forget_predecessor: wants.forget_watch(predecessor); break;
    case action::forget_own:
      own_watch_stands_ = false;
      wants.forget_watch(own);
      break;
    case action::forget_limit: wants.forget_watch(limit); break;
    case action::forget_children: wants.forget_watch(children); break;
    case action::remove_own: wants.request(removed, request::remove{node(machine_.own(), wants), -1}); break;
    case action::grant:
    case action::refuse:
    case action::start_over:
    case action::lose: tell_call(what, wants); break;
    case action::finish: break;  // tell() does it
  }
}

/// What a contender wants of the call that it contends for.
void contender::tell_call(action what, engine::out& wants) {
  acquire* const of = how_.of;
  if (of == nullptr) {
    if (what == action::lose) {
      lose(ending_, std::nullopt, wants);
    }
    return;
  }
  const std::size_t place = how_.place;
  const loss_reason why = ending_;
  wants.call(of->number(), [of, place, what, why](engine::out& its) {
    switch (what) {
      case action::grant: of->place_granted(place, its); break;
      case action::refuse: of->place_refused(place, its); break;
      case action::lose: of->place_lost(place, why, its); break;
      default: of->place_void(place, its); break;
    }
  });
}

client::request::create contender::own_node(const engine::out& wants) {
  std::string says = target_->payload.value_or("");
  if (!target_->payload) {
    says = wants.session().world->describe_contender(machine_.mode(), target_->label);
    if (machine_.terms().mark != recipes::mark_meaning::none) {
      data_ = says;
    }
  }
  return {node(machine_.prefix(), wants), std::move(says), client::create_mode::ephemeral_sequential, target_->acl};
}

void contender::make_lock_node(engine::out& wants) {
  recipes::node_terms terms = machine_.terms();
  making_ = detail::request_creates(
      {lock_node(wants), std::move(terms.lock_node_data), terms.lock_node_stays, target_->acl}, lock_node_made, wants);
}

/// At once, so that no client sees the lock without either: who waits behind the writer waits behind the reader.
void contender::replace_with_reader(engine::out& wants) {
  const std::string reader = node(machine_.reader(), wants);
  request::multi both;
  both.operations.emplace_back(
      request::create{reader, target_->payload.value_or(""), client::create_mode::ephemeral, target_->acl});
  both.operations.emplace_back(request::remove{node(machine_.own(), wants), -1});
  if (hold_) {
    hold_->move_to(target_->path + "/" + machine_.reader());
  }
  wants.request(replaced, std::move(both));
}

void contender::finish(engine::out& wants) {
  const client::code with = machine_.refused_with();
  if (!machine_.own().empty() && with != client::code::ok) {
    wants.log(environment::severity::error, "contender " + node(machine_.own(), wants) + " ended with " +
                                                std::string(recipes::name(with)));
  }
  release_.complete({detail::error_of(with), with});
  how_.registry->remove(*this);
  wants.count(engine::counted::node, -1);
  wants.finish();
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void contender::reply(engine::tag as, client::reply&& answer, engine::out& wants) {
  const client::code code = answer.code;
  switch (as) {
    case lock_node_made:
      if (making_.answered(code, wants)) {
        acquire* const of = how_.of;
        if (how_.created_by_transaction && of != nullptr) {
          wants.call(of->number(), [of, place = how_.place, made = making_](engine::out& its) {
            of->lock_node_made(place, made.result(), made.without_root(), its);
          });
        } else {
          tell(event::lock_node_made{making_.result(), making_.without_root()}, wants);
        }
      }
      break;
    case created: tell(event::created{code, detail::base_name(answer.name), {answer.stat.czxid}}, wants); break;
    case synced: tell(event::synced{code}, wants); break;
    case looked_beside: tell(event::looked_beside{code, answer.children}, wants); break;
    case listed:
    case children: tell(event::listed{code, answer.children}, wants); break;
    case limit_read:
    case limit: tell(event::limit_read{code, answer.data, answer.stat.version}, wants); break;
    case limit_kept:
      if (auto warning = limit_keeper_warning(code)) {
        wants.log(environment::severity::warning, std::move(*warning));
      }
      break;
    case limit_stored: tell(event::limit_stored{code}, wants); break;
    case marked:
      log_unmarked(code, wants);
      tell(event::marked{code}, wants);
      break;
    case replaced: {
      const client::code cause = client::cause(answer);
      const bool refused = recipes::classify(cause) == recipes::outcome::not_done && cause != client::code::node_exists;
      if (refused && hold_) {
        hold_->stay();
        log_unmarked(cause, wants);
      }
      tell(event::marked{cause}, wants);
      break;
    }
    case own: own_watched(answer, wants); break;
    case predecessor:
      tell(event::predecessor_watched{code, answer.stat.ephemeral_owner == wants.session().id,
                                      recipes::parse_contender_mode(answer.data)},
           wants);
      break;
    default: tell(event::removed{code}, wants); break;
  }
}

void contender::own_watched(const client::reply& answer, engine::out& wants) {
  own_watch_stands_ = own_watch_stands_ && answer.code == client::code::ok;
  const bool unwatched_holder = is_granted() && !own_watch_stands_;
  const bool owned = answer.stat.ephemeral_owner == wants.session().id;
  tell(event::own_watched{answer.code, {answer.stat.czxid}, owned}, wants);
  if (unwatched_holder && machine_.now() != recipes::contender::state::finished) {
    tell(event::own_changed{}, wants);  // there was no watch to be had: ask again later
    how_.watch->look_again(number(), wants);
  }
}

void contender::watch_fired(engine::tag as, client::node_event what, engine::out& wants) {
  const bool gone = what == client::node_event::deleted;
  switch (as) {
    case own: {
      own_watch_stands_ = false;
      const bool holding = is_granted();
      gone ? tell(event::own_gone{}, wants) : tell(event::own_changed{}, wants);
      if (!gone && holding) {
        watch_soon(wants);
      }
      break;
    }
    case predecessor:
      gone ? tell(event::predecessor_gone{}, wants) : tell(event::predecessor_changed{}, wants);
      break;
    case limit: tell(event::limit_changed{}, wants); break;
    default: tell(event::children_changed{}, wants); break;
  }
}

/// A holder looks from time to time instead.
void contender::watch_refused(engine::tag as, engine::out& wants) {
  own_watch_stands_ = own_watch_stands_ && as != own;
  if (!is_granted()) {
    tell(event::stop{refusal::too_many_watches}, wants);
  }
}

void contender::log_unmarked(client::code answer, engine::out& wants) const {
  if (recipes::classify(answer) == recipes::outcome::not_done && answer != client::code::no_node) {
    wants.log(environment::severity::error, "contender " + node(machine_.own(), wants) + " cannot be marked: " +
                                                std::string(recipes::name(answer)) +
                                                "; waiters that wait for the mark wait until it is released");
  }
}

// ---- its hold -------------------------------------------------------------------------------------------------------

std::shared_ptr<detail::hold> contender::begin_hold(recipes::fencing_token token, engine::out& wants) {
  const bool untouched = machine_.terms().mark == recipes::mark_meaning::downgraded;
  hold_ = std::make_shared<detail::hold>(*wants.session().lease, wants.make_notice(), number(), token, target_->path,
                                         target_->path + std::string(below_) + "/" + machine_.own(), untouched);
  wants.count(engine::counted::hold, 1);
  watch_soon(wants);
  return hold_;
}

void contender::watch_soon(engine::out& wants) const { how_.watch->watch_soon(number(), wants); }

void contender::lose(loss_reason why, std::optional<engine::instant> node_until, engine::out& wants) {
  if (!hold_) {
    return;
  }
  wants.count(engine::counted::hold, -1);
  node_until_ = node_until;
  const std::shared_ptr<detail::hold> lost = std::move(hold_);
  lost->end_by_loss(why);
  const bool is_known = below_.empty();                     // else the user has the whole that it is a node of
  if (is_known && lost->why_lost() != loss_reason::none) {  // it may have been released just before
    wants.tell_loss(lost);
  }
}

void contender::give_back(std::shared_ptr<release_receiver> caller, engine::out& wants) {
  if (acquire* const of = how_.of) {
    wants.call(of->number(), [of](engine::out& its) { of->part_released(its); });
  }
  wants.count(engine::counted::hold, -1);
  hold_.reset();
  if (caller) {
    release_.await(std::move(caller), std::max((*wants.session().lease)->deadline(), wants.session().now));
  }
  tell(event::release{}, wants);
}

}  // namespace zklock::operations
