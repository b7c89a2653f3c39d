// What the user of a simulated program does, deed by deed, and with what it was granted.
#include <algorithm>
#include <utility>

#include "tests/sim/program_listeners.hpp"

namespace zklock::sim {

std::string_view name(deed::kind what) noexcept {
  switch (what) {
    case deed::kind::acquire: return "acquires";
    case deed::kind::try_once: return "tries once";
    case deed::kind::abandon: return "abandons";
    case deed::kind::reenter: return "re-enters";
    case deed::kind::release: return "releases";
    case deed::kind::drop: return "drops its grant";
    case deed::kind::drop_first: return "drops its first grant";
    case deed::kind::downgrade: return "downgrades";
    case deed::kind::set_limit: return "sets the limit";
    case deed::kind::rest: return "rests";
    case deed::kind::crash: return "crashes";
    case deed::kind::close: return "closes its session";
    case deed::kind::look: return "looks at the queue";
    case deed::kind::write: return "writes, guarded";
  }
  return "?";
}

bool program::may_act() const {
  if (crashed_ || stopped_ || next_ >= wanted_.size()) {
    return false;
  }
  const bool waits = attempt_ && !answered_;
  switch (wanted_[next_].what) {
    case deed::kind::acquire:
    case deed::kind::try_once: return !waits && releases_under_way_ == 0 && may_call(wanted_[next_]);
    case deed::kind::abandon: return waits;
    case deed::kind::reenter:
    case deed::kind::release:
    case deed::kind::drop:
    case deed::kind::drop_first:
    case deed::kind::downgrade: return !waits;
    case deed::kind::set_limit: return !waits && !setting_limit_;
    case deed::kind::rest: return !waits && (!rests_until_ || now() >= *rests_until_);
    case deed::kind::crash:
    case deed::kind::close: return true;
    case deed::kind::look: return !looking_;
    case deed::kind::write: return !waits;
  }
  return false;
}

void program::act() {
  const deed what = wanted_[next_++];
  told_.seen().note(transcript::entry::deed, number_, what.what);
  switch (what.what) {
    case deed::kind::acquire:
    case deed::kind::try_once: acquire(what); break;
    case deed::kind::abandon:
      told_.abandon_begun(number_, attempts_);
      process().engine_->abandon(call_, now());
      break;
    case deed::kind::reenter: static_cast<void>(reenter(wanted_of(what).front(), caller_of(what))); break;
    case deed::kind::release: give_back(held(), true); break;
    case deed::kind::drop: give_back(held(), false); break;
    case deed::kind::drop_first: {
      const count first = taken_.front();
      taken_.erase(taken_.begin());
      give_back(first, false);
      break;
    }
    case deed::kind::downgrade: downgrade(); break;
    case deed::kind::set_limit: set_limit(what); break;
    case deed::kind::rest:
      if (!rests_until_) {  // begins; the deed is done when the time has passed
        rests_until_ = now() + *what.time;
        --next_;
      } else {
        rests_until_.reset();
      }
      break;
    case deed::kind::crash: crash(); break;
    case deed::kind::close:
      process().closing_ = true;
      told_.close_begun(number_);
      process().engine_->close(now() + what.time.value_or(instant{0}), now());
      break;
    case deed::kind::look: look(what); break;
    case deed::kind::write: write(); break;
  }
  skip_void_deeds();
}

/// What was to be done with a grant that did not come, or with a wait that has ended, is passed over.
void program::skip_void_deeds() {
  while (next_ < wanted_.size() && !crashed_) {
    const bool waits = attempt_ && !answered_;
    const deed::kind what = wanted_[next_].what;
    const bool of_wait = what == deed::kind::abandon;
    const bool of_hold = what == deed::kind::reenter || what == deed::kind::release || what == deed::kind::drop ||
                         what == deed::kind::drop_first || what == deed::kind::downgrade || what == deed::kind::write;
    if ((of_wait && !waits) || (of_hold && !waits && !held())) {
      ++next_;
      continue;
    }
    return;
  }
}

std::vector<want> program::wanted_of(const deed& what) const {
  return what.of.empty() ? std::vector<want>{want{}} : what.of;
}

/// As lock_state and multi_lock_state do it: what the owner holds already is counted, or stands in the way.
void program::acquire(const deed& what) {
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
    } else if (table_of(one.lock)->contend_as_part(by, one.of, detail::owner_again::counts, now()) !=
               detail::ownership_table::verdict::contends) {
      note("not granted: it holds a part already");
      return;
    }
  }
  by_ = by;
  if (by.owner != detail::no_owner) {
    called_on_ = reentered_locks_of(what);
    for (const std::size_t lock : called_on_) {
      static_cast<void>(process().calls_[lock].begin(by.owner));  // it may: see may_call()
      told_.owners().call_begun(process().number_, lock, by.owner);
    }
  }
  const bool once = what.what == deed::kind::try_once;
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
  using detail::ownership_table;
  const std::uint64_t before = requests();
  const std::shared_ptr<ownership_table>& table = table_of(what.lock);
  const ownership_table::reentry mine = table->reenter(by, what.of, detail::owner_again::counts, now());
  if (!mine.held) {
    if (mine.what == ownership_table::verdict::would_deadlock) {
      note("not granted: only its thread could unlock");
    }
    return mine.what != ownership_table::verdict::contends;
  }
  const bool counted = mine.what == ownership_table::verdict::counted;
  const bool upgrade = mine.what == ownership_table::verdict::would_deadlock;
  told_.seen().note(transcript::entry::reentered, number_, mine.what);
  told_.reentered(number_, *mine.held, counted || upgrade, requests() != before, now());
  note(counted ? "re-entered" : upgrade ? "not re-entered: it reads" : "not re-entered: lost");
  if (counted) {
    told_.owners().counted(*mine.held, by.owner);
    taken_.push_back({mine.held, table, what.of});
  }
  return true;
}

/// As grant::downgrade does it.
void program::downgrade() {
  count& one = taken_.back();
  if (one.of != detail::side::write || !one.proof->held_at(now()) || !one.table->downgrade(*one.proof)) {
    note("not downgraded");
    return;
  }
  one.of = detail::side::read;
  one.proof->downgrade();
  told_.downgraded(*one.proof);
  process().operations_->downgrade(one.proof, now());
}

void program::set_limit(const deed& what) {
  const std::size_t lock = wanted_of(what).front().lock;
  setting_limit_ = true;
  told_.limit_change_begun(number_);
  const instant until = now() + what.time.value_or(std::chrono::seconds(20));
  process().engine_->begin(new_limit::begun_by(*this, lock, what.limit, until), now());
}

void program::look(const deed& what) {
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

/// The latest count of it, whichever thread of the process has it.
void program::give_back(const std::shared_ptr<detail::hold>& proof, bool wait) {
  std::vector<program*> threads = process().guests_;
  threads.push_back(&process());
  threads.push_back(this);
  for (auto one = threads.rbegin(); one != threads.rend(); ++one) {
    std::vector<count>& taken = (*one)->taken_;
    const auto latest =
        std::find_if(taken.rbegin(), taken.rend(), [&proof](const count& each) { return each.proof == proof; });
    if (latest != taken.rend()) {
      const count given = *latest;
      taken.erase(std::next(latest).base());
      give_back(given, wait);
      return;
    }
  }
}

/// As grant::release and grant::~grant do it (giving_back.cpp).
void program::give_back(const count& one, bool wait) {
  using detail::ownership_table;
  switch (one.table->give_back(*one.proof, one.of)) {
    case ownership_table::remainder::held: return;
    case ownership_table::remainder::read:
      one.proof->downgrade();
      told_.downgraded(*one.proof);
      process().operations_->downgrade(one.proof, now());
      return;
    case ownership_table::remainder::nothing: break;
  }
  one.proof->end_by_release(now());
  told_.given_back(number_, *one.proof);
  for (std::size_t i = 0; i < one.proof->parts().size(); ++i) {
    const std::shared_ptr<detail::hold>& each = one.proof->parts()[i];
    if (one.table->has_parts()) {
      const ownership_table::part_table& part = one.table->part(i);
      give_back({each, part.table, part.of}, wait);
    } else {  // nodes of one lock
      each->end_by_release(now());
      release(each, wait);
    }
  }
  if (one.proof->parts().empty()) {
    release(one.proof, wait);
  }
}

void program::release(const std::shared_ptr<detail::hold>& proof, bool wait) {
  std::shared_ptr<confirmation> listener;
  if (wait) {
    listener = std::make_shared<confirmation>(*this);
    ++releases_under_way_;
    told_.release_awaited(number_);
  }
  process().operations_->release(proof, std::move(listener), now());
}

void program::granted(const std::vector<want>& wanted, std::shared_ptr<detail::hold> proof) {
  answered_ = true;
  ++grants_;
  note("granted token " + std::to_string(proof->token().value) + " " + proof->node());
  proofs_.push_back(proof);
  proofs_.insert(proofs_.end(), proof->parts().begin(), proof->parts().end());
  enter_tables(wanted, proof);
  end_call();
  skip_void_deeds();
}

/// What its own thread holds it has locked: only that thread gives it back.
void program::enter_tables(const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& proof) {
  using detail::ownership_table;
  const bool locks = by_.owner == by_.thread;
  const auto enter = [&](const want& one, const std::shared_ptr<detail::hold>& held) {
    table_of(one.lock)->enter(by_, one.of, held, one.permits);
    table_of(one.lock)->mark_whole_locked(*held, locks);
    told_.owners().granted(*held, by_.owner);
  };
  if (wanted.size() == 1) {
    const want& one = wanted.front();
    enter(one, proof);
    taken_.push_back({proof, table_of(one.lock), one.of});
    return;
  }
  std::vector<ownership_table::part_table> parts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const want& one = wanted[i];
    enter(one, proof->parts()[i]);
    parts.push_back({table_of(one.lock), one.of});
  }
  const auto table = std::make_shared<ownership_table>(std::move(parts));
  table->enter(by_, detail::side::whole, proof);
  taken_.push_back({proof, table, detail::side::whole});
}

void program::refused(std::error_code why) {
  answered_ = true;
  end_call();
  note("not granted: " + (why ? why.message() : std::string("not in time")));
  skip_void_deeds();
}

}  // namespace zklock::sim
