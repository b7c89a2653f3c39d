#include "src/api/acquirable_state.hpp"

#include <utility>

#include <zklock/error.hpp>

#include "src/api/contract.hpp"
#include "src/api/count_release.hpp"
#include "src/api/hold_notice.hpp"
#include "src/api/lock_call.hpp"
#include "src/api/participants_list.hpp"
#include "src/errors/error_of.hpp"

namespace zklock::detail {

error error_of_call(failure why, std::string_view operation, const acquirable_state& of) {
  const std::string& blamed = why.path.empty() ? of.path() : why.path;
  if (why.ec == errc::not_connected && why.detail.empty() && why.answer == recipes::code::ok) {
    const std::string met = of.its_session()->last_failure();
    why.detail = met.empty() ? met : "last attempt: " + met;
  }
  return why.detail.empty() ? error_with(why.ec, why.answer, operation, blamed, of.its_session()->root())
                            : error(why.ec, operation, blamed, why.detail);
}

released_count grant_access::release(grant from, std::shared_ptr<operations::release_receiver> listener) {
  const auto session = std::move(from.session_);
  const auto owners = std::move(from.owners_);
  const auto held = std::move(from.hold_);
  return release_count(*session, *owners, held, from.side_, std::move(listener));
}

namespace {

/// The grant, or what the caller's form of the call makes of the failure: it throws when `ec` is null.
grant grant_or_failure(acquired&& result, std::error_code* ec, std::string_view operation, const acquirable_state& of) {
  if (ec != nullptr) {
    *ec = result.why.ec;
  } else if (result.why.ec) {
    throw error_of_call(std::move(result.why), operation, of);
  }
  return std::move(result.taken);
}

}  // namespace

grant acquirable_state::acquire(lock_mode what, time_limit limit, std::error_code* ec, std::stop_token stop) {
  const caller by{what.owner, this_thread_number()};
  if (std::shared_ptr<hold> held; counts_only(by, what.of, false, &held)) {
    if (ec != nullptr) {
      ec->clear();
    }
    if (limit.blocked_by != nullptr) {
      *limit.blocked_by = {};
    }
    return grant_access::make(session_, owners_, std::move(held), what.of);
  }
  return contend(by, what, false, limit, ec, "acquire", std::move(stop));
}

bool acquirable_state::counts_only(const caller& by, side of, bool locks, std::shared_ptr<hold>* held) {
  return by.owner != no_owner && counts_again() && !owners_->has_parts() && !session_->forked() &&
         owners_->count_again(by.owner, of, locks, held);
}

grant acquirable_state::contend(const caller& by, lock_mode what, bool locks, time_limit limit, std::error_code* ec,
                                std::string_view operation, std::stop_token stop) {
  const std::shared_ptr<acquirable_state> kept = shared_from_this();
  blocking_call call(*this, by, what, locks, stop);
  acquired result = call.run(limit);
  if (limit.blocked_by != nullptr) {
    *limit.blocked_by = result.blocked_by ? look_at_blocker(session_, *result.blocked_by, what.of,
                                                            call.until().value_or(boot_now()), stop)
                                          : participant();
  }
  return grant_or_failure(std::move(result), ec, operation, *this);
}

// ---- as std has it --------------------------------------------------------------------------------------------------

caller acquirable_state::std_caller(lock_mode what) const noexcept {
  const owner_number thread = this_thread_number();
  const bool of_thread = what.owner == no_owner && counts_again();
  return {of_thread ? thread : what.owner, thread};
}

bool acquirable_state::lock_within(lock_mode what, time_limit limit) {
  const caller by = std_caller(what);
  return counts_only(by, what.of, true, nullptr) || lock_by_contending(by, what, limit);
}

bool acquirable_state::lock_by_contending(const caller& by, lock_mode what, time_limit limit) {
  grant taken = contend(by, what, true, limit, nullptr, "lock", {});
  const bool locked = static_cast<bool>(taken);
  if (locked) {
    grant_access::keep_count(std::move(taken));
  }
  return locked;
}

void acquirable_state::unlock(lock_mode what) noexcept {
  if (session_->forked()) {
    return;  // the parent holds it
  }
  if (const lock_owners::unlocked given = owners_->release_locked(std_caller(what), what.of, what.permits);
      !given.found || given.held) {
    unlocked(given);
  }
}

void acquirable_state::unlocked(const lock_owners::unlocked& given) noexcept {
  if (given.found) {
    const std::shared_ptr<session_impl> session = session_;  // the next holder may destroy all of it at once
    const std::shared_ptr<lock_owners> owners = owners_;
    follow_up(*session, *owners, given.held, given.left, nullptr);
  } else if (!owners_->abandoned()) {  // a view may outlive its lock object, which has given back what was locked
    contract_violated("unlock", path().c_str());
  }
}

void acquirable_state::abandon() noexcept {
  if (session_->forked()) {
    return;
  }
  const lock_owners::leftover left = owners_->abandon();
  for (const std::shared_ptr<engine::operation>& call : left.calls) {
    session_->abandon(call);
  }
  for (const std::shared_ptr<queued_call>& call : left.queued) {
    call->wake();
  }
  for (const lock_owners::unlocked& given : left.locked) {
    if (given.held) {
      follow_up(*session_, *owners_, given.held, given.left, nullptr);
    }
  }
  let_kept_go();
}

// ---- what is held ---------------------------------------------------------------------------------------------------

std::shared_ptr<hold> acquirable_state::find_mine(lock_mode what) const {
  const caller by = std_caller(what);
  return by.owner != no_owner ? owners_->find(by.owner, what.permits)
                              : owners_->find_locked_without_owner(by.thread, what.permits);
}

bool held_of(const acquirable_state& lock, lock_mode what) noexcept {
  const std::shared_ptr<hold> mine = lock.its_session()->forked() ? nullptr : lock.find_mine(what);
  return mine && mine->held_at(boot_now());
}

namespace {

std::shared_ptr<hold> require_hold(const acquirable_state& lock, lock_mode what, std::string_view operation) {
  if (lock.its_session()->forked()) {
    throw error(errc::forked, operation, lock.path());
  }
  std::shared_ptr<hold> mine = lock.find_mine(what);
  if (!mine) {
    throw error(errc::not_owner, operation, lock.path());
  }
  return mine;
}

}  // namespace

std::stop_token lost_of(const acquirable_state& lock, lock_mode what) {
  const std::shared_ptr<hold> mine = require_hold(lock, what, "lost");
  return lost_token(*mine, boot_now());
}

zklock::fencing_token token_of(const acquirable_state& lock, lock_mode what) {
  const fencing_token of_hold = require_hold(lock, what, "token")->token();
  return {of_hold.czxid, of_hold.turn};
}

}  // namespace zklock::detail
