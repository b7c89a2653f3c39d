#include "src/lock_state.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <zklock/error.hpp>

#include "src/contract.hpp"
#include "src/option_check.hpp"
#include "src/path.hpp"
#include "src/session/error_of.hpp"

namespace zklock::detail {
namespace {

constexpr std::string_view making = "make a lock at";

std::shared_ptr<const lock_target> target_of(std::string_view path, const lock_options& options,
                                             const session_options& defaults) {
  require_valid_path(path, making);
  const std::string& label = options.label.value_or(defaults.label);
  require_valid_label(label);
  auto target = std::make_shared<lock_target>();
  target->path = path;
  target->label = label;
  target->acl = wire_acl(options.acl.value_or(defaults.acl));
  return target;
}

}  // namespace

lock_state::lock_state(std::shared_ptr<session_impl> session, std::string_view path, const lock_options& options)
    : session_(std::move(session)),
      target_(target_of(path, options, session_->options())),
      try_limit_(options.try_limit) {
  require_valid_duration(try_limit_, "try_limit");
}

grant lock_state::acquire(wait_limit limit, std::error_code* ec, std::stop_token stop, std::string_view operation) {
  outcome result = acquire(limit, std::move(stop));
  if (ec != nullptr) {
    *ec = result.ec;
  } else if (result.ec) {
    throw error_with(result.ec, result.answer, operation, path());
  }
  return std::move(result.taken);
}

lock_state::outcome lock_state::acquire(wait_limit limit, std::stop_token stop) {
  if (session_->forked()) {
    return {{}, errc::forked};
  }
  if (const auto mine = book_->reenter(this_thread_number(), boot_now()); mine.proof) {
    if (mine.standing) {
      return {grant_access::make(session_, book_, mine.proof), {}};
    }
    return {{}, errc::lost};
  }
  if (stop.stop_requested()) {
    return {{}, errc::abandoned};
  }
  if (session_->on_client_thread()) {
    return {{}, errc::would_deadlock};  // the answer would come to this very thread
  }
  return wait_in_queue(limit, std::move(stop));
}

lock_state::outcome lock_state::wait_in_queue(wait_limit limit, std::stop_token stop) {
  const std::shared_ptr<waiter> mine = begin(limit);
  if (!mine) {
    return {{}, errc::abandoned};
  }
  session_->acquire(mine);
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { session_->stop(mine, recipes::refusal::abandoned); });
    mine->wait();
  }
  end(mine);
  std::shared_ptr<hold> proof = mine->take_proof();
  if (!proof) {
    return {{}, mine->error(), mine->answer()};
  }
  book_->enter(this_thread_number(), proof);
  return {grant_access::make(session_, book_, std::move(proof)), {}};
}

void lock_state::keep_for_unlock(grant taken) {
  {
    const scoped_lock_on lock(mutex_);
    if (!abandoned_) {
      book_->mark_locked(this_thread_number());
      grant_access::keep_count(std::move(taken));
      return;
    }
  }
  throw error(errc::abandoned, "lock", path());  // nobody could unlock it: the grant is given back here
}

bool lock_state::held_by_this_thread() const noexcept {
  if (session_->forked()) {
    return false;
  }
  const std::shared_ptr<hold> mine = book_->find(this_thread_number());
  return mine && mine->held_at(boot_now());
}

std::shared_ptr<hold> lock_state::require_mine(std::string_view operation) const {
  if (session_->forked()) {
    throw error(errc::forked, operation, path());
  }
  std::shared_ptr<hold> mine = book_->find(this_thread_number());
  if (!mine) {
    throw error(errc::not_owner, operation, path());
  }
  return mine;
}

std::shared_ptr<waiter> lock_state::begin(wait_limit limit) {
  const instant now = boot_now();
  std::optional<instant> until;
  const bool once = limit.is == wait_limit::kind::one_try;
  if (once) {
    until = end_of_one_try(now);
  } else if (limit.is == wait_limit::kind::time) {
    until = now + limit.time;
  }
  auto made = std::make_shared<waiter>(target_, once, until);
  const scoped_lock_on lock(mutex_);
  if (abandoned_) {
    return nullptr;
  }
  waiting_.push_back(made);
  return made;
}

instant lock_state::end_of_one_try(instant now) const {
  return now + (try_limit_.count() > 0 ? try_limit_ : session_->timeout() / 3);
}

void lock_state::end(const std::shared_ptr<waiter>& done) {
  const scoped_lock_on lock(mutex_);
  std::erase(waiting_, done);
}

void lock_state::unlock() noexcept {
  if (session_->forked()) {
    return;  // the parent holds it
  }
  const owner_book::unlocked given = book_->give_back_locked(this_thread_number());
  if (!given.proof) {
    contract_violated("unlock", target_->path.c_str());
    return;
  }
  if (given.last) {
    given.proof->end_by_release(boot_now());
    session_->release(given.proof, nullptr);
  }
}

void lock_state::abandon() noexcept {
  if (session_->forked()) {
    return;
  }
  std::vector<std::shared_ptr<waiter>> waiting;
  std::vector<std::shared_ptr<queue_waiter>> inspecting;
  {
    const scoped_lock_on lock(mutex_);
    abandoned_ = true;
    waiting = waiting_;
    inspecting = inspecting_;
  }
  for (const auto& one : waiting) {
    session_->stop(one, recipes::refusal::abandoned);
  }
  for (const auto& one : inspecting) {
    session_->abandon(one);
  }
  for (const auto& proof : book_->give_back_all_locked()) {
    proof->end_by_release(boot_now());
    session_->release(proof, nullptr);
  }
}

}  // namespace zklock::detail
