// For which owner a simulated program acquires, and when it is that owner's turn.
#include <algorithm>

#include "tests/sim/program_listeners.hpp"

namespace zklock::sim {

detail::caller program::caller_of(const user_action& what) const noexcept {
  const auto thread_of = [](const program& one) { return static_cast<detail::owner_number>(one.number_) + 1; };
  return what.owner ? detail::caller{*what.owner, thread_of(process())}
                    : detail::caller{thread_of(*this), thread_of(*this)};
}

std::vector<std::size_t> program::reentered_locks_of(const user_action& what) const {
  std::vector<std::size_t> locks;
  for (const want& one : wanted_of(what)) {
    if (reentrant(one.lock)) {
      locks.push_back(one.lock);
    }
  }
  return locks;
}

bool program::may_call(const user_action& what) const {
  const detail::owner_number owner = caller_of(what).owner;
  const std::vector<std::size_t> locks = reentered_locks_of(what);
  return owner == detail::no_owner || std::none_of(locks.begin(), locks.end(), [this, owner](std::size_t lock) {
           return owners_of(lock)->has_call_of(owner);
         });
}

bool program::sleeps_behind_nobody() const {
  return turn_ && !crashed_ && to_call_.empty() && !owners_of(0)->has_call_of(by_.owner);
}

void program::await_turn(const user_action& what) {
  std::optional<instant> until;
  if (what.time) {
    until = now() + *what.time;
  }
  turn_ = std::make_shared<turn>(*this, what);
  turn_->wait = std::make_shared<operations::turn_wait>(until, nullptr, turn_);
  for (auto& [lock, its] : calls_on_) {
    static_cast<void>(its.on->await_turn(its.call, turn_));
  }
  note("waits for an earlier call of its owner");
  process().engine_->begin(turn_->wait, now());
}

/// As lock_call does it.
void program::turn_ended(const operations::turn_wait_result& how) {
  const user_action what = turn_->what;
  turn_.reset();
  calls_on_.clear();
  told_.seen().note(transcript::entry::turn_ended, number_, how.came, how.why.ec);
  if (how.came && !crashed_) {
    acquire(what);
    return skip_void_actions();
  }
  note("not granted: " + (how.why.ec ? how.why.ec.message() : std::string("not in time")));
  skip_void_actions();
}

void program::turn::wake() noexcept {
  owner.to_call_.emplace_back([kept = wait, &whose = owner] {
    kept->wake();
    whose.process().engine_->call(kept->number(), whose.now(),
                                  [&kept](engine::operation&, engine::out& wants) { kept->go_on(wants); });
  });
}

void program::turn::complete(operations::turn_wait_result result) noexcept {
  owner.to_call_.emplace_back([&whose = owner, how = std::move(result)] { whose.turn_ended(how); });
}

void program::end_call() {
  for (const auto& [lock, its] : calls_on_) {
    told_.owners().call_ended(process().number_, lock, by_.owner);
  }
  calls_on_.clear();
}

}  // namespace zklock::sim
