#include "src/lock_state.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <zklock/error.hpp>

#include "src/contract.hpp"
#include "src/option_check.hpp"
#include "src/path.hpp"

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

grant lock_state::acquire(wait_limit limit, std::error_code& ec, std::stop_token stop) {
  ec.clear();
  if (session_->forked()) {
    ec = errc::forked;
    return {};
  }
  const owner_number me = this_thread_number();
  if (const auto mine = book_->reenter(me, boot_now()); mine.proof) {
    if (mine.standing) {
      return grant_access::make(session_, book_, mine.proof);
    }
    ec = errc::lost;
    return {};
  }
  if (stop.stop_requested()) {
    ec = errc::abandoned;
    return {};
  }
  if (session_->on_client_thread()) {
    ec = errc::would_deadlock;  // the answer would come to this very thread
    return {};
  }
  const std::shared_ptr<waiter> mine = begin(limit);
  session_->acquire(mine);
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { session_->stop(mine, recipes::refusal::abandoned); });
    mine->wait();
  }
  end(mine);
  std::shared_ptr<hold> proof = mine->take_proof();
  ec = mine->error();
  if (!proof) {
    return {};
  }
  book_->enter(me, proof);
  return grant_access::make(session_, book_, std::move(proof));
}

std::shared_ptr<waiter> lock_state::begin(wait_limit limit) {
  const instant now = boot_now();
  std::optional<instant> until;
  const bool once = limit.is == wait_limit::kind::one_try;
  if (once) {
    until = now + (try_limit_.count() > 0 ? try_limit_ : session_->timeout() / 3);
  } else if (limit.is == wait_limit::kind::time) {
    until = now + limit.time;
  }
  auto made = std::make_shared<waiter>(target_, once, until);
  const scoped_lock_on lock(mutex_);
  waiting_.push_back(made);
  return made;
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
  {
    const scoped_lock_on lock(mutex_);
    waiting = waiting_;
  }
  for (const auto& one : waiting) {
    session_->stop(one, recipes::refusal::abandoned);
  }
  for (const auto& proof : book_->give_back_all_locked()) {
    proof->end_by_release(boot_now());
    session_->release(proof, nullptr);
  }
}

}  // namespace zklock::detail
