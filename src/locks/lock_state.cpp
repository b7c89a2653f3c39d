#include "src/locks/lock_state.hpp"

#include <optional>
#include <utility>

#include <zklock/error.hpp>

#include "src/runtime/blocking_receiver.hpp"
#include "src/locks/contract.hpp"
#include "src/locks/giving_back.hpp"
#include "src/runtime/hold_notice.hpp"
#include "src/runtime/option_check.hpp"
#include "src/locks/target_of.hpp"
#include "src/errors/error_of.hpp"

namespace zklock::detail {

grant grant_or_failure(acquired&& result, std::error_code* ec, std::string_view operation, const std::string& path) {
  failure& why = result.why;
  if (ec != nullptr) {
    *ec = why.ec;
  } else if (why.ec) {
    const std::string& blamed = why.path.empty() ? path : why.path;
    if (!why.detail.empty()) {
      throw error(why.ec, operation, blamed, why.detail);
    }
    throw error_with(why.ec, why.answer, operation, blamed);
  }
  return std::move(result.taken);
}

lock_state::lock_state(std::shared_ptr<session_impl> session, std::shared_ptr<const lock_terms> terms,
                       std::string_view path, const lock_options& options)
    : session_(std::move(session)),
      terms_(std::move(terms)),
      target_(target_of(path, options, session_->options())),
      try_limit_(options.try_limit) {
  require_valid_duration(try_limit_, "try_limit");
}

recipes::claim lock_state::claim_of(aspect what) const {
  recipes::claim in;
  in.as = target_->layout;
  return terms_->claim_of(what, in);
}

// ---- acquiring ------------------------------------------------------------------------------------------------------

grant lock_state::acquire(aspect what, wait_limit limit, std::error_code* ec, std::stop_token stop,
                          std::string_view operation) {
  return grant_or_failure(acquire(what, limit, std::move(stop)), ec, operation, path());
}

acquired lock_state::acquire(aspect what, wait_limit limit, std::stop_token stop) {
  if (session_->forked()) {
    return {{}, {errc::forked}};
  }
  if (calls_.abandoned()) {
    return {{}, {errc::abandoned}};  // a view has outlived its lock object: nor does it re-enter
  }
  if (reentrant()) {
    const auto mine = book_->reenter(this_thread_number(), what.of, boot_now());
    switch (mine.what) {
      case owner_book::reentry::counted: return {grant_access::make(session_, book_, mine.proof, what.of), {}};
      case owner_book::reentry::lost: return {{}, {errc::lost}};
      case owner_book::reentry::would_deadlock: return {{}, {errc::would_deadlock}};
      case owner_book::reentry::holds_nothing: break;
    }
  }
  if (failure fault = this->fault(what); fault.ec) {
    return {{}, std::move(fault)};
  }
  if (stop.stop_requested()) {
    return {{}, {errc::abandoned}};
  }
  if (session_->on_client_thread()) {
    return {{}, {errc::would_deadlock}};  // the answer would come to this very thread
  }
  return wait_in_queue(what, limit, std::move(stop));
}

acquired lock_state::wait_in_queue(aspect what, wait_limit limit, std::stop_token stop) {
  const call_end end = end_of(limit);
  const auto told = std::make_shared<blocking_receiver<operations::acquire_result>>();
  operations::acquire_request request{{}, false, end.once, end.until};
  request.parts.push_back(wanted(what));
  const auto mine = operations::acquire::make(std::move(request), told);
  if (!calls_.begin(mine)) {
    return {{}, {errc::abandoned}};
  }
  session_->begin_acquire(mine);
  operations::acquire_result result;
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { session_->abandon(mine); });
    result = told->wait();
  }
  calls_.end(mine);
  std::shared_ptr<hold> proof = std::move(result.hold);
  if (!proof) {
    return {{}, std::move(result.why)};
  }
  book_->enter(this_thread_number(), what.of, proof, what.permits);
  return {grant_access::make(session_, book_, std::move(proof), what.of), {}};
}

call_end lock_state::end_of(wait_limit limit) const {
  const instant now = boot_now();
  switch (limit.is) {
    case wait_limit::kind::one_try: return {true, end_of_one_try(now)};
    case wait_limit::kind::time: return {false, now + limit.time};
    case wait_limit::kind::none: break;
  }
  return {};
}

instant lock_state::end_of_one_try(instant now) const {
  return now + (try_limit_.count() > 0 ? try_limit_ : session_->status().timeout() / 3);
}

std::error_code lock_state::obstacle() const {
  if (!reentrant()) {
    return {};
  }
  const std::shared_ptr<hold> mine = book_->find(this_thread_number());
  if (!mine) {
    return {};
  }
  return mine->held_at(boot_now()) ? errc::would_deadlock : errc::lost;
}

// ---- as std has it --------------------------------------------------------------------------------------------------

bool lock_state::lock_within(aspect what, wait_limit limit) {
  grant taken = acquire(what, limit, nullptr, {}, "lock");
  return taken && (keep_for_unlock(what, std::move(taken)), true);
}

void lock_state::keep_for_unlock(aspect what, grant taken) {
  const bool kept = calls_.unless_abandoned([&] {
    book_->mark_locked(*grant_access::proof(taken), what.of);
    grant_access::keep_count(std::move(taken));
  });
  if (!kept) {
    throw error(errc::abandoned, "lock", path());  // no thread could unlock it: the grant is given back here
  }
}

void lock_state::unlock(aspect what) noexcept {
  const std::shared_ptr<session_impl> session = session_;  // the next holder may destroy all of it at once
  if (session->forked()) {
    return;  // the parent holds it
  }
  const owner_book::unlocked given = book_->give_back_locked(this_thread_number(), what.of, reentrant(), what.permits);
  if (!given.proof) {
    if (!calls_.abandoned()) {  // a view may outlive its lock object, which has given back what was locked
      contract_violated("unlock", target_->path.c_str());
    }
    return;
  }
  follow_up(*session, *book_, given.proof, given.left, nullptr);
}

void lock_state::abandon() noexcept {
  if (session_->forked()) {
    return;
  }
  calls_.abandon(*session_);
  for (const owner_book::unlocked& given : book_->give_back_all_locked()) {
    follow_up(*session_, *book_, given.proof, given.left, nullptr);
  }
}

// ---- what is held ---------------------------------------------------------------------------------------------------

std::shared_ptr<hold> lock_state::find_mine() const {
  return reentrant() ? book_->find(this_thread_number()) : book_->find_locked(this_thread_number());
}

bool lock_state::held_by_this_thread() const noexcept {
  if (session_->forked()) {
    return false;
  }
  const std::shared_ptr<hold> mine = find_mine();
  return mine && mine->held_at(boot_now());
}

std::shared_ptr<hold> lock_state::require_mine(std::string_view operation) const {
  if (session_->forked()) {
    throw error(errc::forked, operation, path());
  }
  std::shared_ptr<hold> mine = find_mine();
  if (!mine) {
    throw error(errc::not_owner, operation, path());
  }
  return mine;
}

std::stop_token lock_state::lost() const {
  const std::shared_ptr<hold> mine = require_mine("lost");
  return lost_token(*mine, boot_now());
}

zklock::fencing_token lock_state::token() const { return {require_mine("token")->token().value}; }

}  // namespace zklock::detail
