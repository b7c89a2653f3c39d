// What a contender's caller is told: the grant, the refusal, the loss, the release.
#include <algorithm>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {

using recipes::refusal;

/// A grant is delivered only while the local deadline is ahead (F19); until an answer says so, it waits.
void session_core::deliver(std::uint64_t number, contender_shell& shell, instant now) {
  const bool waited = std::exchange(shell.grant_waits, false);
  if (waited) {
    --waiting_grants_;
  }
  if (!shell.wanted) {
    return;
  }
  if (!lease_->is_ahead_of(now)) {
    shell.grant_waits = true;
    if (++waiting_grants_ == 1) {
      send_heartbeat(now);
    }
    return;
  }
  shell.proof = hold_of(number, shell, shell.machine.token());
  ++holds_;
  watch_soon(number, now);
  const std::shared_ptr<acquisition> wanted = std::move(shell.wanted);
  wanted->contender = 0;
  if (wanted->until) {
    timers_.erase({*wanted->until, number});
  }
  wanted->granted(shell.proof);
}

std::shared_ptr<hold> session_core::hold_of(std::uint64_t number, const contender_shell& shell,
                                            recipes::fencing_token token) const {
  const recipes::contender& machine = shell.machine;
  const recipes::contender_kind kind = machine.wanted().kind;
  const bool untouched = kind == recipes::contender_kind::write && machine.wanted().as == recipes::layout::native;
  return std::make_shared<hold>(lease_, number, token, shell.target->path,
                                shell.target->path + std::string(shell.below) + "/" + machine.own(), untouched);
}

void session_core::refuse(contender_shell& shell) {
  if (std::exchange(shell.grant_waits, false)) {
    --waiting_grants_;
  }
  if (!shell.wanted) {
    return;
  }
  const refusal why = shell.machine.why_refused();
  failure told = failure_of(shell, why, shell.machine.refused_with());
  if (why == refusal::not_in_time && !shell.wanted->queue_seen && !shell.machine.queue_seen()) {
    told.ec = errc::not_connected;
  }
  answer(std::move(shell.wanted), told);
}

failure session_core::failure_of(const contender_shell& shell, refusal why, client::code with) const {
  failure told{error_of(why, with), with, shell.target->path, {}};
  const recipes::claim& wanted = shell.machine.wanted();
  const auto& limit = shell.machine.limit();
  if (why == refusal::limit_mismatch && limit) {
    told.detail = std::to_string(wanted.limit) + " here, " + std::to_string(limit->limit) + " on the server";
  } else if (why == refusal::limit_exceeded && limit) {
    told.detail = std::to_string(wanted.permits) + " of " + std::to_string(limit->limit);
  }
  return told;
}

void session_core::answer(std::shared_ptr<acquisition> wanted, const failure& why) {
  if (wanted->until) {
    timers_.erase({*wanted->until, wanted->contender});
  }
  wanted->contender = 0;
  wanted->refused(why);
}

void session_core::lose(contender_shell& shell) {
  if (std::exchange(shell.grant_waits, false)) {
    --waiting_grants_;
    note_progress(*shell.wanted, shell);
    again_.push_back(std::move(shell.wanted));  // nobody has been told of the grant: it is as if it had not been
    return;
  }
  if (!shell.proof) {
    return;
  }
  --holds_;
  const std::shared_ptr<hold> proof = std::move(shell.proof);
  proof->end_by_loss(ending_);
  const bool is_known = shell.machine.wanted().kind != recipes::contender_kind::lease;  // the user has the whole
  if (is_known && proof->why_lost() != loss_reason::none) {  // it may have been given back just before
    world_.notice_of_loss(proof);
  }
}

void session_core::answer_releases(contender_shell& shell, std::error_code result, client::code with) {
  for (const auto& listener : std::exchange(shell.releasing, {})) {
    listener->released(result, with);
  }
}

}  // namespace zklock::detail
