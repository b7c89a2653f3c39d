#include "src/operations/contender_operation.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/operations/hand_over.hpp"
#include "src/operations/shown_list.hpp"

namespace zklock::operations {

namespace event = recipes::event;
using recipes::action;
using recipes::refusal;
using recipes::session_queue;
using asked = contender_requests::question;

contender_operation::contender_operation(recipes::contender&& machine, contender_requests&& requests,
                                         const engine::retry_timer& retry, session_nodes& among)
    : machine_(std::move(machine)),
      requests_(std::move(requests)),
      retry_(retry),
      among_(among),
      in_queue_(machine_, 0) {
  retry_.cancel();
}

namespace {

constexpr engine::instant never = engine::instant::max();

void dispatch_to(const recipes::session_queue::entry* other, const recipes::contender_event& what, const nodes& all,
                 engine::out& wants) {
  contender_operation* const one = other == nullptr ? nullptr : all.find(other->number);
  if (one != nullptr) {  // else it has left meanwhile
    wants.call(other->number, [one, what](engine::out& its) { one->dispatch(what, its); });
  }
}

/// What all that wait behind it have to know, a slice at a time. Those that have another predecessor by their turn: not.
void dispatch_to_waiters(const recipes::session_queue& queue, const recipes::contender& of,
                         const recipes::contender_event& what, session_nodes& among, const std::string& lock_node,
                         engine::out& wants) {
  auto news = std::make_shared<recipes::session_queue::news>(of);
  const auto kept = among.registry.keep_queue(lock_node);
  among.crowds->tell({[kept, &queue, news](std::size_t most) { return queue.told_by(*news, most); },
                      [news, what](contender_operation& one, engine::out& its) {
                        if (one.machine().waits_behind(news->of)) {
                          one.dispatch(what, its);
                        }
                      }},
                     wants);
}

}  // namespace

void contender_operation::set_listener(place_listener* listener, std::size_t place) noexcept {
  listener_ = listener;
  place_ = static_cast<std::uint32_t>(place);
}

// ---- what happens to it ---------------------------------------------------------------------------------------------

void contender_operation::begin(engine::out& wants) {
  among_.registry.add(*this);
  in_queue_.number = number();
  queue_ = &among_.registry.enter_queue(requests_.lock_node());
  wants.count(engine::counted::node, 1);
  if (hand_over* const idle = among_.kept_at(requests_.lock_node())) {  // it goes before this one comes
    wants.call(idle->number(), [idle](engine::out& its) { idle->give_way(its); });
    wants.call(number(), [this](engine::out& its) { enter(its); });
  } else {
    enter(wants);
  }
}

void contender_operation::enter(engine::out& wants) {
  if (wants.session().connected) {
    dispatch(event::connected{}, wants);
  }
}

void contender_operation::connected(engine::out& wants) {
  retry_.start_anew();
  dispatch(event::connected{}, wants);
}

void contender_operation::session_over(const engine::session_end& end, engine::out& wants) {
  own_watch_ = own_watch::none;
  if (!end.confirmed) {
    end_release_unconfirmed();
  }
  ending_ = end.why;
  dispatch(event::session_over{}, wants);
  ending_ = loss_reason::node_removed;
}

void contender_operation::holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) {
  lose(why, why == loss_reason::deadline_passed ? std::optional(nodes_until) : std::nullopt, wants);
}

void contender_operation::stop(const detail::failure& why, engine::out& wants) {
  dispatch(event::stop{why.ec == errc::session_closed ? refusal::closed : refusal::abandoned}, wants);
}

void contender_operation::closed(std::error_code result, engine::out& wants) {
  if (result == errc::release_unconfirmed) {
    end_release_unconfirmed();
  } else {
    release_.complete({result});
  }
  finish(wants);
}

void contender_operation::end_release_unconfirmed() {
  if (release_.until() && requests_.target().meter) {
    side_meter().unconfirmed.add();
  }
  release_.complete({errc::release_unconfirmed});
}

void contender_operation::timer(engine::out& wants) {
  const engine::instant now = wants.session().now;
  if (release_.until() && *release_.until() <= now) {
    end_release_unconfirmed();
  }
  if (retry_.fired(now) && wants.session().connected && machine_.needs_connection()) {
    dispatch(event::connected{}, wants);
  }
  if (node_until_ <= now) {
    node_until_ = never;
    dispatch(event::release{}, wants);
  }
  check_bound(wants);
}

std::optional<engine::instant> contender_operation::due() const {
  const engine::instant bound = hold_ ? hold_->bound_due().value_or(never) : never;
  const engine::instant first =
      std::min({release_.until().value_or(never), retry_.due().value_or(never), node_until_, bound});
  return first == never ? std::nullopt : std::optional(first);
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void contender_operation::dispatch(const recipes::contender_event& what, engine::out& wants) {
  if (const auto* const list = std::get_if<event::listed>(&what); list != nullptr && list->code == client::code::ok) {
    relisted_ = listed_;
    listed_ = true;
  }
  const recipes::action_list actions = machine_.resume(what, queue_ == nullptr ? recipes::no_others : *queue_);
  if (queue_ != nullptr) {
    queue_->update(in_queue_);
  }
  bool shows = false;
  for (const action one : actions) {
    if (one == action::finish) {
      finish(wants);
      return;  // it is always the last
    }
    shows = shows || one == action::show_list;
    perform(one, wants);
  }
  tell_of_place(what, wants);
  if (shows) {  // behind its own grant
    show(std::get<event::listed>(what), wants);
  }
  if (machine_.at_rest()) {
    retry_.went_well();
  }
  if (wants.session().connected && machine_.needs_connection()) {
    // A request has failed although there is a connection (a throttled one, or a failure that came late).
    retry_.failed(wants.session().now, wants.session().timeout);
  }
}

void contender_operation::tell_of_place(const recipes::contender_event& what, engine::out& wants) {
  const bool waits = (tells_of_wait_ || !enqueued_) && machine_.is_waiting();
  if (tells_of_wait_ && waits) {
    tells_of_wait_ = false;
    notify(place_is::waiting{}, wants);
  }
  const auto* const list = std::get_if<event::listed>(&what);
  const bool in_list =
      list != nullptr && list->code == client::code::ok && machine_.has_node() && !machine_.is_granted();
  if (!enqueued_ && (waits || in_list) && requests_.is_at_target()) {
    enqueued_ = true;
    const std::size_t ahead =
        in_list && wants.session().world->observes_locks() ? count_ahead(*list, machine_.own()) : 0;
    tell_enqueued(requests_.target(), machine_.wanted().kind, requests_.owner(), ahead, wants);
  }
}

/// It lets in those that fit, in their order; behind the first that does not, none does.
void contender_operation::show(const event::listed& list, engine::out& wants) {
  session_queue::place after = session_queue::place_of(in_queue_);
  if (session_queue::place ahead = after; queue_->list_is_shown() || queue_->next_behind(ahead, 1).empty()) {
    return;
  }
  const auto shown = std::make_shared<const shown_list>(list, true);
  queue_->show_list(true);
  const std::shared_ptr<void> kept(queue_, [queue = queue_, until = among_.registry.keep_queue(requests_.lock_node())](
                                               void*) { queue->show_list(false); });
  const auto full = std::make_shared<bool>(false);
  among_.crowds->tell({[kept, queue = queue_, after, full](std::size_t most) mutable {
                         return *full ? std::vector<std::uint64_t>() : queue->next_behind(after, most);
                       },
                       [shown, full, limit = machine_.limit()](contender_operation& one, engine::out& its) {
                         if (!*full && !one.machine_.is_granted()) {
                           const bool waits = one.machine_.is_waiting();
                           one.dispatch(event::list_shown{shown->event(), limit}, its);
                           *full = waits && !one.machine_.is_granted();
                         }
                       }},
                      wants);
}

void contender_operation::perform(action what, engine::out& wants) {
  switch (what) {
    case action::grant: notify(place_is::granted{}, wants); break;
    case action::refuse: notify(place_is::refused{}, wants); break;
    case action::start_over: notify(place_is::void_now{}, wants); break;
    case action::lose:
      if (listener_ == nullptr) {
        lose(ending_, std::nullopt, wants);
      } else {
        notify(place_is::lost{ending_}, wants);
      }
      break;
    case action::tell_of_others: notify(place_is::wanted{}, wants); break;
    case action::pass_on:
      dispatch_to(queue_->find(machine_.successor()), event::passed_on{}, among_.registry, wants);
      break;
    case action::watch_lock_node: among_.lock_nodes->watch(requests_.lock_node(), number(), wants); break;
    case action::share_list: among_.lists->ask(requests_.lock_node(), number(), wants); break;
    case action::tell_of_mark:
      if (queue_ != nullptr && queue_->concerns_others(machine_)) {
        dispatch_to_waiters(*queue_, machine_, event::predecessor_watched{client::code::ok, true, machine_.mode()},
                            among_, requests_.lock_node(), wants);
      }
      break;
    case action::warn_of_others:
      if (!std::exchange(requests_.target().warned_of_others, true)) {
        wants.log({log_level::warning,
                   "contenders of another recipe stand on " + wants.full(requests_.lock_node()) +
                       ": they and this one do not exclude each other",
                   requests_.target().path});
      }
      break;
    case action::watch_own_later:
      own_watch_ == own_watch::refused ? among_.watch->look_again(number(), wants)
                                       : among_.watch->watch_soon(number(), wants);
      break;
    case action::watch_own: own_watch_ = own_watch::asked; break;
    case action::forget_own: own_watch_ = own_watch::none; break;
    case action::mark_own: marks_own_ = own_watch_ == own_watch::asked; break;
    case action::replace_with_reader:
      if (hold_) {
        hold_->move_to(requests_.node(recipes::curator_reader_of(machine_.own())));
      }
      break;
    default: break;
  }
  requests_.ask(what, machine_, wants);  // nothing, where it is no request
}

void contender_operation::notify(const place_event& what, engine::out& wants) {
  if (listener_ == nullptr) {
    return;
  }
  wants.call(listener_->number(), [this, what](engine::out& its) {
    const auto* const lost = std::get_if<place_is::lost>(&what);
    if (listener_ != nullptr) {
      listener_->on_place_event(place_, what, its);
    } else if (lost != nullptr) {  // it was detached meanwhile
      lose(lost->why, node_until(lost->why, its), its);
    }
  });
}

void contender_operation::finish(engine::out& wants) {
  const client::code with = machine_.refused_with();
  const bool found_gone = machine_.found_gone();
  if (!machine_.own().empty() && (found_gone ? hold_released_ : with != client::code::ok)) {
    const std::string own_node = wants.full(requests_.lock_node(), machine_.own());
    const std::string text = found_gone ? "lost " + own_node + ": it was gone when it was released"
                                        : "contender " + own_node + " ended with " + recipes::described(with);
    wants.log({found_gone ? log_level::warning : log_level::error, text, requests_.target().path, own_node});
  }
  if (hold_released_ && requests_.target().meter) {
    side_meter().removals.less();  // before the caller knows: it may read the figures at once
  }
  release_.complete({found_gone ? make_error_code(errc::lost) : detail::error_of(with), with});
  if (queue_ != nullptr) {
    if (wants.session().id != 0 && queue_->concerns_others(machine_)) {  // without a session they are over
      dispatch_to_waiters(*queue_, machine_, event::predecessor_left{}, among_, requests_.lock_node(), wants);
    }
    queue_->remove(in_queue_);
    queue_ = nullptr;
    among_.registry.leave_queue(requests_.lock_node());
    among_.lock_nodes->make_room(wants);
  }
  if (hold_ && hold_->owner() != 0) {
    among_.registry.remove_holder(*this);  // its loss may be told behind this
  }
  among_.registry.remove(*this);
  wants.count(engine::counted::node, -1);
  wants.finish();
}

// ---- what the servers say -------------------------------------------------------------------------------------------

void contender_operation::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const auto what = requests_.event_of(as, answer, machine_, wants);
  if (!what) {
    return;
  }
  if (as == asked::own) {
    const auto& own = std::get<event::own_watched>(*what);
    if (own.code == client::code::ok && own.owned) {
      note_own_data(answer, wants);
    }
    own_watched(*what, wants);
    return;
  }
  if (as == asked::replaced && hold_) {
    const client::code cause = std::get<event::marked>(*what).code;
    if (recipes::classify(cause) == recipes::outcome::not_done && cause != client::code::node_exists) {
      hold_->stay();
      requests_.log_unmarked(cause, machine_, wants);
    }
  }
  dispatch(*what, wants);
  if (as == asked::limit_read || as == asked::limit) {
    requests_.keep_limit(answer, machine_, wants);
  }
}

void contender_operation::own_watched(const recipes::contender_event& answer, engine::out& wants) {
  if (own_watch_ == own_watch::asked && std::get<event::own_watched>(answer).code != client::code::ok) {
    own_watch_ = own_watch::none;
  }
  const bool unwatched_holder = machine_.is_granted() && own_watch_ != own_watch::asked;
  dispatch(answer, wants);
  if (own_watch_ == own_watch::asked || machine_.life() == recipes::node_life::state::finished) {
    return;
  }
  if (unwatched_holder || own_watch_ == own_watch::refused) {
    dispatch(event::own_changed{}, wants);  // there is no watch: ask again later
  }
  if (unwatched_holder) {
    among_.watch->look_again(number(), wants);
  }
}

/// Another client may have set it, to ask for the lock: that ends nothing.
void contender_operation::note_own_data(const client::reply_view& own, engine::out& wants) {
  if (recipes::guards_as_writer(own.data)) {
    version_ = own.stat.version;
    if (hold_) {
      hold_->accept_version(version_);
    }
  }
  if (!asked_to_let_go_ && requests_.target().revocable && recipes::asks_to_let_go(own.data, machine_.own())) {
    asked_to_let_go_ = true;
    if (hold_) {
      report_revocation(wants);
      notify(place_is::asked_for{}, wants);
    }
  }
}

void contender_operation::report_revocation(engine::out& wants) {
  if (requests_.is_at_target()) {  // else the user has the whole that it is a node of
    wants.report_revocation(hold_);
  }
}

void contender_operation::watch_fired(engine::tag as, client::node_event what, engine::out& wants) {
  const bool of_holder = as == asked::own && machine_.is_granted();
  if (as == asked::own) {
    own_watch_ = own_watch::none;
  }
  dispatch(contender_requests::event_of(as, what), wants);
  if (!of_holder || what == client::node_event::deleted) {
    return;
  }
  // Most likely its own mark, or what a leader proclaims: a hold that is short pays nothing for it. And one whose node is set all
  // the time looks at it twice in a twelfth of the session timeout.
  if (marks_own_ || looked_at_once_ || asked_to_let_go_ || !requests_.target().revocable) {
    marks_own_ = false;
    looked_at_once_ = false;
    among_.watch->watch_soon(number(), wants);
  } else {
    looked_at_once_ = true;
    dispatch(event::look_after_own{}, wants);  // perhaps a revocation
  }
}

void contender_operation::watch_refused(engine::tag as, engine::out& wants) {
  own_watch_ = as == asked::own ? own_watch::refused : own_watch_;
  if (as == asked::own ? machine_.needs_own_watch() : !machine_.is_granted()) {
    dispatch(event::stop{refusal::too_many_watches}, wants);
  }
}

// ---- its hold -------------------------------------------------------------------------------------------------------

namespace {

engine::instant end_of_hold(const detail::lock_target& of, engine::instant now) noexcept {
  return of.max_hold.count() > 0 ? now + of.max_hold : never;
}

}  // namespace

std::shared_ptr<detail::hold> contender_operation::begin_hold(recipes::fencing_token token, const grantee& to,
                                                              engine::out& wants) {
  const recipes::contender_kind kind = machine_.wanted().kind;
  const bool at_one_version = machine_.terms().mark == recipes::mark_meaning::downgraded;
  const std::shared_ptr<detail::hold> turn_before = take_hold();
  if (turn_before) {
    tell_ended(requests_.target(), kind, *turn_before, loss_reason::none, wants);
  }
  hold_ = wants.make_hold({.token = token,
                           .contender = number(),
                           .owner = to.owner,
                           .path = requests_.path(),
                           .lock_node = requests_.shared_lock_node(),
                           .node = machine_.own(),
                           .exclusive = recipes::holds_alone(kind),
                           .since = wants.session().now,
                           .ends = end_of_hold(requests_.target(), wants.session().now),
                           .version = at_one_version ? version_ : detail::hold::any_version,
                           .meter = requests_.target().meter.get()});
  if (to.owner != 0) {
    among_.registry.add_holder(*this);
  }
  if (hold_->bounded()) {  // of another operation's call: due() is asked behind one of its own
    wants.call(number(), [](engine::out&) {});
  }
  if (is_told_of()) {
    tell_granted(requests_.target(), kind, *hold_, to, wants);
  }
  if (!turn_before) {
    wants.count(engine::counted::hold, 1);
  }
  if (!turn_before && !rested_ && relisted_ && requests_.target().meter) {
    side_meter().relisted.add();
  }
  if (!turn_before && (!rested_ || unwatched_)) {
    among_.watch->watch_soon(number(), wants);
  }
  rested_ = false;
  unwatched_ = false;
  if (asked_to_let_go_) {  // while it waited, or before its turn
    report_revocation(wants);
  }
  return hold_;
}

void contender_operation::rest(engine::out& wants) {
  rested_ = true;
  end_hold(wants);
}

void contender_operation::look_after_own(engine::out& wants) {
  if (rested_ && machine_.keeps()) {
    unwatched_ = true;
  } else {
    dispatch(event::look_after_own{}, wants);
  }
}

/// By its release.
void contender_operation::end_hold(engine::out& wants) {
  wants.count(engine::counted::hold, -1);
  if (const std::shared_ptr<detail::hold> was = take_hold(); was && is_told_of()) {
    tell_ended(requests_.target(), machine_.wanted().kind, *was, loss_reason::none, wants);
  }
}

/// What it has been till now.
std::shared_ptr<detail::hold> contender_operation::take_hold() {
  if (hold_ && hold_->owner() != 0) {
    among_.registry.remove_holder(*this);
  }
  return std::exchange(hold_, nullptr);
}

void contender_operation::lose(loss_reason why, std::optional<engine::instant> node_until, engine::out& wants) {
  if (!hold_) {
    return;
  }
  wants.count(engine::counted::hold, -1);
  node_until_ = node_until.value_or(never);
  const std::shared_ptr<detail::hold> lost = take_hold();
  if (why == loss_reason::node_removed) {  // behind its deadline the servers have ended it, and no client (F176)
    static_cast<void>(lost->held_at(wants.session().now));
  }
  lost->end_by_loss(why);
  const bool is_known = requests_.is_at_target();  // else the user has the whole that it is a node of
  if (is_known && lost->why_lost() != loss_reason::none) {
    wants.report_loss(lost);
  }
  if (is_told_of()) {  // it may have been released just before
    tell_ended(requests_.target(), machine_.wanted().kind, *lost, lost->why_lost(), wants);
  }
}

void contender_operation::check_bound(engine::out& wants) {
  const std::optional<engine::instant> ends = hold_ ? hold_->bound_due() : std::nullopt;
  if (!ends || *ends > wants.session().now || hold_->held_at(wants.session().now)) {  // extended meanwhile
    return;
  }
  constexpr loss_reason why = loss_reason::held_too_long;
  if (listener_ == nullptr) {
    lose(why, node_until(why, wants), wants);
  } else {
    notify(place_is::lost{why}, wants);
  }
}

std::optional<engine::instant> contender_operation::node_until(loss_reason why, const engine::out& wants) const {
  const std::optional<engine::instant> ends = hold_ ? hold_->bound_due() : std::nullopt;
  return why == loss_reason::held_too_long && ends ? std::optional(*ends + wants.session().margin) : std::nullopt;
}

detail::lock_meter::side_meter& contender_operation::side_meter() const {
  return requests_.target().meter->side(machine_.wanted().kind == recipes::contender_kind::read);
}

void contender_operation::release_hold(std::shared_ptr<release_receiver> caller, engine::out& wants) {
  if (rested_) {
    dispatch(event::release{}, wants);
    return;
  }
  notify(place_is::released{}, wants);
  if (!hold_released_ && requests_.target().meter) {
    side_meter().removals.add();
  }
  hold_released_ = true;
  end_hold(wants);
  if (caller) {
    release_.await(std::move(caller), std::max((*wants.session().deadline)->deadline(), wants.session().now));
  }
  dispatch(event::release{}, wants);
}

}  // namespace zklock::operations
