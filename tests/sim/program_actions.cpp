// What the user of a simulated program does, one action after the other, and with what it was granted.
#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "tests/sim/program_listeners.hpp"

namespace zklock::sim {
namespace {

detail::asked asked_of(const want& one, const detail::caller& by, bool of_part = false) {
  return {by, one.of, one.permits, detail::owner_again::counts, of_part};
}

}  // namespace

std::string_view name(user_action::kind what) noexcept {
  switch (what) {
    case user_action::kind::acquire: return "acquires";
    case user_action::kind::try_once: return "tries once";
    case user_action::kind::acquire_behind: return "acquires, perhaps behind its owner's earlier call";
    case user_action::kind::abandon: return "abandons";
    case user_action::kind::reenter: return "re-enters";
    case user_action::kind::release: return "releases";
    case user_action::kind::drop: return "drops its grant";
    case user_action::kind::drop_first: return "drops its first grant";
    case user_action::kind::downgrade: return "downgrades";
    case user_action::kind::set_limit: return "sets the limit";
    case user_action::kind::rest: return "rests";
    case user_action::kind::crash: return "crashes";
    case user_action::kind::close: return "closes its session";
    case user_action::kind::list_participants: return "lists the participants";
    case user_action::kind::write: return "writes, guarded";
    case user_action::kind::follow: return "follows the node";
    case user_action::kind::unfollow: return "follows it no more";
    case user_action::kind::set_value: return "sets the value";
    case user_action::kind::make_value: return "makes the node";
    case user_action::kind::hide_value: return "makes the node anew, hidden";
    case user_action::kind::remove_value: return "removes the node";
    case user_action::kind::update_value: return "updates the value";
    case user_action::kind::update_alike: return "updates the value to what everybody writes";
    case user_action::kind::observe: return "observes who leads";
    case user_action::kind::proclaim: return "proclaims";
    case user_action::kind::lead: return "stands, to lead again and again";
    case user_action::kind::return_from_work: return "returns from its work";
    case user_action::kind::throw_from_work: return "throws from its work";
    case user_action::kind::stop_leading: return "is to stop leading";
    case user_action::kind::extend: return "extends its hold";
    case user_action::kind::revoke: return "is asked to let go";
  }
  return "?";
}

bool program::may_act() const {
  if (crashed_ || stopped_ || next_ >= wanted_.size()) {
    return false;
  }
  const bool waits = this->waits();
  switch (wanted_[next_].what) {
    case user_action::kind::acquire:
    case user_action::kind::try_once: return !waits && releases_under_way_ == 0 && may_call(wanted_[next_]);
    case user_action::kind::acquire_behind: return !waits && releases_under_way_ == 0;
    case user_action::kind::abandon: return waits;
    case user_action::kind::reenter:
    case user_action::kind::release:
    case user_action::kind::drop:
    case user_action::kind::drop_first:
    case user_action::kind::extend:
    case user_action::kind::downgrade: return !waits;
    case user_action::kind::set_limit: return !waits && !setting_limit_;
    case user_action::kind::rest: return !waits && (!rests_until_ || now() >= *rests_until_);
    case user_action::kind::crash:
    case user_action::kind::close: return true;
    case user_action::kind::list_participants: return !looking_;
    case user_action::kind::revoke:
    case user_action::kind::write: return !waits;
    case user_action::kind::follow:
    case user_action::kind::unfollow:
    case user_action::kind::observe: return true;
    case user_action::kind::proclaim: return !waits;
    case user_action::kind::lead:
    case user_action::kind::stop_leading: return true;
    case user_action::kind::return_from_work:
    case user_action::kind::throw_from_work: return works_;
    case user_action::kind::set_value:
    case user_action::kind::make_value:
    case user_action::kind::hide_value:
    case user_action::kind::remove_value: return changes_answered_ == changes_;
    case user_action::kind::update_value:
    case user_action::kind::update_alike: return !waits && changes_answered_ == changes_;
  }
  return false;
}

void program::act() {
  const user_action what = wanted_[next_++];
  told_.seen().note(transcript::entry::action, number_, what.what);
  switch (what.what) {
    case user_action::kind::acquire:
    case user_action::kind::try_once:
    case user_action::kind::acquire_behind: acquire(what); break;
    case user_action::kind::abandon:
      if (turn_) {
        process().engine_->abandon(turn_->wait, now());
        break;
      }
      told_.abandon_begun(number_, attempts_);
      process().engine_->abandon(call_, now());
      break;
    case user_action::kind::reenter: static_cast<void>(reenter(wanted_of(what).front(), caller_of(what))); break;
    case user_action::kind::release: release_count(held(), true); break;
    case user_action::kind::drop: release_count(held(), false); break;
    case user_action::kind::drop_first: {
      const count first = taken_.front();
      taken_.erase(taken_.begin());
      release_count(first, false);
      break;
    }
    case user_action::kind::downgrade: downgrade(); break;
    case user_action::kind::extend: extend(*what.time); break;
    case user_action::kind::set_limit: set_limit(what); break;
    case user_action::kind::rest:
      if (!rests_until_) {  // begins; the action is done when the time has passed
        rests_until_ = now() + *what.time;
        --next_;
      } else {
        rests_until_.reset();
      }
      break;
    case user_action::kind::crash: crash(); break;
    case user_action::kind::close:
      process().closing_ = true;
      told_.close_begun(number_);
      process().engine_->close(now() + what.time.value_or(instant{0}), now());
      break;
    case user_action::kind::list_participants: look(what); break;
    case user_action::kind::write: write(); break;
    case user_action::kind::revoke: revoke(); break;
    case user_action::kind::follow: follow(); break;
    case user_action::kind::unfollow: unfollow(); break;
    case user_action::kind::observe: observe(); break;
    case user_action::kind::proclaim: proclaim(); break;
    case user_action::kind::lead: stand_for_election(what); break;
    case user_action::kind::return_from_work: end_work(false); break;
    case user_action::kind::throw_from_work: end_work(true); break;
    case user_action::kind::stop_leading: stop_leading(); break;
    case user_action::kind::set_value:
    case user_action::kind::make_value:
    case user_action::kind::hide_value:
    case user_action::kind::remove_value: change_value(what.what); break;
    case user_action::kind::update_value:
    case user_action::kind::update_alike: update_value(what.what == user_action::kind::update_alike); break;
  }
  skip_void_actions();
}

/// What was to be done with a grant that did not come, or with a wait that has ended, is passed over.
void program::skip_void_actions() {
  while (next_ < wanted_.size() && !crashed_) {
    const bool waits = this->waits();
    const user_action::kind what = wanted_[next_].what;
    const bool of_wait = what == user_action::kind::abandon;
    const bool of_hold = what == user_action::kind::reenter || what == user_action::kind::release ||
                         what == user_action::kind::drop || what == user_action::kind::drop_first ||
                         what == user_action::kind::downgrade || what == user_action::kind::write ||
                         what == user_action::kind::proclaim || what == user_action::kind::revoke;
    const bool of_candidate = what == user_action::kind::return_from_work ||
                              what == user_action::kind::throw_from_work || what == user_action::kind::stop_leading;
    if ((of_wait && !waits) || (of_candidate && !is_candidate()) || (of_hold && !waits && !held())) {
      ++next_;
      continue;
    }
    return;
  }
}

std::vector<want> program::wanted_of(const user_action& what) const {
  return what.of.empty() ? std::vector<want>{want{}} : what.of;
}

/// As lock_call does it: what the owner holds already is counted, or stands in the way.
void program::acquire(const user_action& what) {
  const std::vector<want> wanted = wanted_of(what);
  const detail::caller by = caller_of(what);
  for (const want& one : wanted) {
    if (!reentrant(one.lock)) {
      continue;
    }
    if (wanted.size() == 1) {
      if (reenter(one, by)) {
        return;
      }
    } else if (owners_of(one.lock)->reenter(asked_of(one, by, true), now()).what !=
               detail::lock_owners::verdict::contends) {
      note("not granted: it holds a part already");
      return;
    }
  }
  by_ = by;
  if (by.owner != detail::no_owner) {
    for (const std::size_t lock : reentered_locks_of(what)) {
      const auto& on = owners_of(lock);
      const detail::asked asked{.by = by, .again = detail::owner_again::counts};
      called& mine = calls_on_.try_emplace(lock, called{on, {*on, asked}}).first->second;
      if (on->admit(mine.call, nullptr, false, now()) == detail::lock_owners::admission::queued) {
        return await_turn(what);
      }  // else it begins: see may_call()
      told_.owners().call_begun(process().number_, lock, by.owner);
    }
  }
  const bool once = what.what == user_action::kind::try_once;
  std::optional<instant> until;
  if (what.time) {
    until = now() + *what.time;
  }
  answered_ = false;
  attempt_ = std::make_shared<attempt>(*this, ++attempts_, wanted, until);
  call_ = attempt_->call(once);
  told_.attempt_begun(number_, attempts_, until, once, wanted, servers_);
  process().operations_->begin_acquire(call_, now());
}

bool program::reenter(const want& what, const detail::caller& by) {
  using detail::lock_owners;
  const std::uint64_t before = requests();
  const lock_owners::reentry mine = owners_of(what.lock)->reenter(asked_of(what, by), now());
  if (!mine.held) {
    if (mine.what == lock_owners::verdict::would_deadlock) {
      note("not granted: only its thread could unlock");
    }
    return mine.what != lock_owners::verdict::contends;
  }
  const bool counted = mine.what == lock_owners::verdict::counted;
  const bool upgrade = mine.what == lock_owners::verdict::would_deadlock;
  told_.seen().note(transcript::entry::reentered, number_, mine.what);
  told_.reentered(number_, *mine.held, counted || upgrade, requests() != before, now());
  note(counted ? "re-entered" : upgrade ? "not re-entered: it reads" : "not re-entered: lost");
  if (counted) {
    told_.owners().counted(*mine.held, by.owner);
    taken_.push_back({mine.held, owners_of(what.lock), what.of});
  }
  return true;
}

/// As grant::downgrade does it.
void program::downgrade() {
  count& one = taken_.back();
  if (one.of != detail::side::write || !one.hold->held_at(now()) || !one.owners->downgrade(*one.hold)) {
    note("not downgraded");
    return;
  }
  one.of = detail::side::read;
  one.hold->downgrade();
  told_.downgraded(*one.hold);
  process().operations_->downgrade(one.hold, now());
}

void program::extend(instant by) {
  const std::shared_ptr<detail::hold>& hold = taken_.back().hold;
  const bool accepted = hold->extend(now(), now() + by);
  note(accepted ? "extended" : "not extended");
  told_.extended(*hold, accepted, now() + by);
}

void program::set_limit(const user_action& what) {
  const std::size_t lock = wanted_of(what).front().lock;
  setting_limit_ = true;
  told_.limit_change_begun(number_);
  const instant until = now() + what.time.value_or(std::chrono::seconds(20));
  process().engine_->begin(new_limit::begun_by(*this, lock, what.limit, until), now());
}

void program::look(const user_action& what) {
  const instant limit = now() + what.time.value_or(std::chrono::seconds(2));
  looking_ = true;
  told_.look_begun(number_, limit, servers_);
  process().engine_->begin(glance::begun_by(*this, wanted_of(what).front().lock, limit), now());
}

void program::write() {
  const std::shared_ptr<detail::hold> guard = held();
  told_.writes().begun(number_, ++writes_, guard, servers_);
  process().operations_->begin_transaction(commit::begun_by(*this, writes_, guard), now());
}

void program::revoke() {
  const std::string node = held()->node();
  if (servers_.exists(node)) {
    told_.revoked(number_);
    servers_.administrator().set_data(node, recipes::with_revocation(servers_.data(node).value_or("")));
  }
}

void program::follow() {
  told_.following_begun(number_);
  follows_ =
      std::make_shared<operations::follow_node>(std::string(followed_path), std::make_shared<value_listener>(*this));
  process().engine_->begin(follows_, now());
}

void program::unfollow() {
  if (const auto ended = std::exchange(follows_, nullptr)) {
    process().engine_->abandon(ended, now());
  }
  if (const auto ended = std::exchange(observes_, nullptr)) {
    process().engine_->abandon(ended, now());
  }
}

void program::observe() {
  told_.observing_begun(number_);
  observes_ =
      std::make_shared<operations::follow_leader>(locks_.front().path, std::make_shared<leader_listener>(*this));
  process().engine_->begin(observes_, now());
}

/// As term::proclaim does it, without waiting.
void program::proclaim() {
  const std::shared_ptr<detail::hold> mine = held();
  if (!says_ || says_->of != mine) {
    says_ = std::make_shared<operations::proclamations>();
    says_->of = mine;
  }
  process().engine_->begin(said::begun_by(*this, says_, ++said_), now());
}

// ---- as election_state has it ----------------------------------------------------------------------------------------

void program::stand_for_election(const user_action& what) {
  candidate_.emplace(what.time.value_or(instant{0}));
  go_on_as_candidate(candidate_->begin(now()));
}

/// Not from within a call of the session.
void program::go_on_as_candidate(recipes::candidacy::command next) {
  using command = recipes::candidacy::command;
  switch (next) {
    case command::stand:
      told_.works().stands(number_);
      to_call_.emplace_back([this] { acquire({}); });
      break;
    case command::work:
      works_ = true;
      told_.works().begun(number_, held() != nullptr);
      break;
    case command::release: to_call_.emplace_back([this] { give_term_back(); }); break;
    case command::end:
      told_.works().over(number_, held() != nullptr);
      skip_void_actions();
      break;
    case command::none:
    case command::pause: break;
  }
}

/// Where there is a connection it waits for the removal.
void program::give_term_back() {
  if (crashed_) {
    return;
  }
  const count term = taken_.back();
  taken_.pop_back();
  if (!term.hold->held_at(now())) {
    candidate_->lost();
  }
  const bool waits = process().connected();
  release_count(term, waits);
  if (!waits) {
    go_on_as_candidate(candidate_->released(now()));
  }
}

void program::end_work(bool threw) {
  works_ = false;
  told_.works().returned(number_);
  go_on_as_candidate(candidate_->returned(threw));
}

void program::stop_leading() {
  go_on_as_candidate(candidate_->stop());
  if (waiting()) {
    told_.abandon_begun(number_, attempts_);
    process().engine_->abandon(call_, now());
  }
}

void program::change_value(user_action::kind what) {
  process().operations_->begin_transaction(value_change::begun_by(*this, what, ++changes_), now());
}

/// As watched_value::update does it, once.
void program::update_value(bool alike) {
  process().engine_->begin(value_read::begun_by(*this, ++changes_, alike), now());
}

/// The latest count of it, whichever thread of the process has it.
void program::release_count(const std::shared_ptr<detail::hold>& hold, bool wait) {
  std::vector<program*> threads = process().guests_;
  threads.push_back(&process());
  threads.push_back(this);
  for (auto one = threads.rbegin(); one != threads.rend(); ++one) {
    std::vector<count>& taken = (*one)->taken_;
    const auto latest =
        std::find_if(taken.rbegin(), taken.rend(), [&hold](const count& each) { return each.hold == hold; });
    if (latest != taken.rend()) {
      const count given = *latest;
      taken.erase(std::next(latest).base());
      release_count(given, wait);
      return;
    }
  }
}

/// As grant::release and grant::~grant do it (count_release.cpp).
void program::release_count(const count& one, bool wait) {
  using detail::lock_owners;
  switch (one.owners->release_count(*one.hold, one.of)) {
    case lock_owners::remainder::held: return;
    case lock_owners::remainder::read:
      one.hold->downgrade();
      told_.downgraded(*one.hold);
      process().operations_->downgrade(one.hold, now());
      return;
    case lock_owners::remainder::nothing: break;
  }
  one.hold->end_by_release(now());
  told_.released(number_, *one.hold);
  for (std::size_t i = 0; i < one.hold->parts().size(); ++i) {
    const std::shared_ptr<detail::hold>& each = one.hold->parts()[i];
    if (one.owners->has_parts()) {
      const lock_owners::part& part = one.owners->part_at(i);
      release_count({each, part.owners, part.of}, wait);
    } else {  // nodes of one lock
      each->end_by_release(now());
      release(each, wait);
    }
  }
  if (one.hold->parts().empty()) {
    release(one.hold, wait);
  }
}

void program::release(const std::shared_ptr<detail::hold>& hold, bool wait, bool again) {
  std::shared_ptr<confirmation> listener;
  if (wait) {
    listener = std::make_shared<confirmation>(*this, again ? nullptr : hold);
    ++releases_under_way_;
    told_.release_awaited(number_);
  }
  process().operations_->release(hold, std::move(listener), now());
}

void program::granted(const std::vector<want>& wanted, std::shared_ptr<detail::hold> hold) {
  answered_ = true;
  ++grants_;
  note("granted token " + std::to_string(hold->token().czxid) +
       (hold->token().turn > 0 ? "-" + std::to_string(hold->token().turn) : "") + " " + hold->node());
  holds_.push_back(hold);
  holds_.insert(holds_.end(), hold->parts().begin(), hold->parts().end());
  enter(wanted, hold);
  end_call();
  skip_void_actions();
  if (candidate_) {
    go_on_as_candidate(candidate_->answered(recipes::candidacy::answer::granted, now()));
  }
}

/// What its own thread holds it has locked: only that thread gives it back.
void program::enter(const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& hold) {
  using detail::lock_owners;
  const bool locks = by_.owner == by_.thread;
  const auto enter = [&](const want& one, const std::shared_ptr<detail::hold>& held) {
    detail::asked what = asked_of(one, by_, true);
    what.locks = locks;
    owners_of(one.lock)->enter(what, held);
    told_.owners().granted(*held, by_.owner);
  };
  if (wanted.size() == 1) {
    const want& one = wanted.front();
    enter(one, hold);
    taken_.push_back({hold, owners_of(one.lock), one.of});
    return;
  }
  std::vector<lock_owners::part> parts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const want& one = wanted[i];
    enter(one, hold->parts()[i]);
    parts.push_back({owners_of(one.lock), one.of});
  }
  const auto owners = std::make_shared<lock_owners>(std::move(parts));
  owners->enter({.by = by_}, hold);
  taken_.push_back({hold, owners, detail::side::whole});
}

void program::refused(std::error_code why) {
  answered_ = true;
  end_call();
  note("not granted: " + (why ? why.message() : std::string("not in time")));
  skip_void_actions();
  if (candidate_) {
    using answer = recipes::candidacy::answer;
    go_on_as_candidate(candidate_->answered(why == errc::session_closed ? answer::refused : answer::later, now()));
  }
}

}  // namespace zklock::sim
