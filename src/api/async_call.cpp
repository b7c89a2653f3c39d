#include "src/api/async_call.hpp"

#include <new>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/count_release.hpp"
#include "src/api/view_access.hpp"
#include "src/errors/error_of.hpp"
#include "src/threads/strand.hpp"

namespace zklock::detail {

// ---- acquire --------------------------------------------------------------------------------------------------------

async_call::async_call(std::shared_ptr<acquirable_state> of, lock_mode what, acquire_options&& how,
                       std::unique_ptr<acquire_handler> told)
    : lock_call(*of, caller{what.owner, no_owner}, what, false, std::move(how.stop)),
      state_(std::move(of)),
      handler_(std::move(told)) {}

void async_call::start(time_limit limit) {
  std::optional<acquired> now;
  try {
    now = begin(limit);
  } catch (...) {
    forget();  // its operation has it
    throw;
  }
  if (now) {
    answer(std::move(*now));
  }
}

void async_call::complete(operations::acquire_result result) noexcept {
  try {
    answer(end(std::move(result)));
  } catch (const std::exception&) {
    answer({{}, {make_error_code(std::errc::not_enough_memory)}});
  }
}

void async_call::complete(operations::turn_wait_result result) noexcept {
  try {
    if (std::optional<acquired> now = turn_ended(std::move(result))) {
      answer(std::move(*now));
    }
  } catch (const std::exception&) {
    answer({{}, {make_error_code(std::errc::not_enough_memory)}});
  }
}

/// Whoever is here has the session from elsewhere. Nothing of this object is touched behind the post.
void async_call::answer(acquired&& with) noexcept {
  forget();
  answer_ = std::move(with);
  of().its_session()->post_answer({shared_from_this(), this});
}

void async_call::run() {
  const std::shared_ptr<acquirable_state> kept = std::move(state_);
  const std::unique_ptr<acquire_handler> told = std::move(handler_);
  const std::error_code ec = answer_.why.ec;
  if (!ec) {
    return told->complete({}, std::move(answer_.taken), nullptr);
  }
  std::optional<error> why;
  try {
    why = error_of_call(std::move(answer_.why), "acquire", *kept);
  } catch (const std::bad_alloc&) {  // the code goes without words
  }
  told->complete(ec, {}, why ? &*why : nullptr);
}

void start_acquire(const lock_view& of, acquire_options how, std::unique_ptr<acquire_handler> told) {
  const std::shared_ptr<acquirable_state> state = view_access::state(of);
  if (state->its_session()->forked()) {
    throw error(errc::forked, "acquire", state->path());
  }
  const time_limit limit = how.within ? time_limit::from_duration(*how.within) : time_limit();
  const own_tasks_only leaving_others;
  std::make_shared<async_call>(state, view_access::what(of), std::move(how), std::move(told))->start(limit);
}

// ---- release --------------------------------------------------------------------------------------------------------

void async_release::complete(operations::release_result result) noexcept {
  if (!answered_.exchange(true)) {
    result_ = result;
    session_->post_answer({shared_from_this(), this});
  }
}

void async_release::run() {
  const std::shared_ptr<session_impl> kept = std::move(session_);
  const std::unique_ptr<release_handler> told = std::move(handler_);
  if (!result_.ec) {
    return told->complete({}, nullptr);
  }
  std::optional<error> why;
  try {
    why = error_with(result_.ec, result_.answer, "release", path_, kept->root());
  } catch (const std::bad_alloc&) {  // the code goes without words
  }
  told->complete(result_.ec, why ? &*why : nullptr);
}

void start_release(grant given_back, std::unique_ptr<release_handler> told) {
  if (!given_back) {
    throw error(errc::not_owner, "release", {});
  }
  const std::shared_ptr<session_impl> session = grant_access::session(given_back);
  if (session->forked()) {
    throw error(errc::forked, "release", given_back.path());
  }
  const auto listener = std::make_shared<async_release>(session, given_back.path(), std::move(told));
  const own_tasks_only leaving_others;
  const released_count given = grant_access::release(std::move(given_back), listener);
  if (!given.stood) {
    listener->complete({errc::lost});
  } else if (!given.removing) {
    listener->complete({});
  }
}

// ---- the end of a hold ----------------------------------------------------------------------------------------------

/// Its answer may come while it is started: told when both are done.
void async_end::start(std::stop_token stop) {
  when_stopped_.emplace(std::move(stop), abandon{this});
  if (!hold_->notice()->add(shared_from_this())) {
    complete({}, hold_->why_lost());
  } else if (answered_) {
    hold_->notice()->remove(*this);
  }
  arrive();
}

void async_end::abandon::operator()() const noexcept {
  if (of->session_->forked()) {
    return;
  }
  const std::shared_ptr<async_end> kept = of->shared_from_this();  // the notice may have had the last one
  kept->hold_->notice()->remove(*kept);
  kept->complete(make_error_code(errc::abandoned), loss_reason::none);
}

void async_end::complete(std::error_code ec, loss_reason why) noexcept {
  if (!answered_.exchange(true)) {
    ec_ = ec;
    why_ = why;
    arrive();
  }
}

void async_end::arrive() noexcept {
  if (awaited_.fetch_sub(1) == 1) {
    session_->post_answer({shared_from_this(), this});
  }
}

void async_end::run() {
  when_stopped_.reset();  // first: a stop that is under way looks at the rest
  const std::shared_ptr<session_impl> kept = std::move(session_);
  const std::shared_ptr<hold> of = std::move(hold_);
  const std::unique_ptr<end_handler> told = std::move(handler_);
  told->complete(ec_, why_);
}

void start_lost(const grant& of, std::stop_token stop, std::unique_ptr<end_handler> told) {
  const std::shared_ptr<hold>& held = grant_access::held(of);
  if (!held) {
    throw error(errc::not_owner, "wait for the loss of", {});
  }
  const std::shared_ptr<session_impl>& session = grant_access::session(of);
  if (session->forked()) {
    throw error(errc::forked, "wait for the loss of", held->path());
  }
  std::make_shared<async_end>(session, held, std::move(told))->start(std::move(stop));
}

}  // namespace zklock::detail
