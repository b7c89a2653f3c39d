#include "src/api/async_call.hpp"

#include <new>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/async_operation.hpp"
#include "src/api/count_release.hpp"
#include "src/api/view_access.hpp"
#include "src/errors/error_of.hpp"
#include "src/threads/strand.hpp"

namespace zklock::detail {

// ---- acquire --------------------------------------------------------------------------------------------------------

async_call::async_call(std::shared_ptr<acquirable_state> of, lock_mode what, std::stop_token stop,
                       std::unique_ptr<answer_handler<grant>> told)
    : lock_call(*of, caller{what.owner, no_owner}, what, false, std::move(stop)),
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
  const std::unique_ptr<answer_handler<grant>> told = std::move(handler_);
  const std::error_code ec = answer_.why.ec;
  if (!ec) {
    return told->complete({}, nullptr, std::move(answer_.taken));
  }
  std::optional<error> why;
  try {
    why = error_of_call(std::move(answer_.why), "acquire", *kept);
  } catch (const std::bad_alloc&) {  // the code goes without words
  }
  told->complete(ec, why ? &*why : nullptr, {});
}

void start_async_call(const std::shared_ptr<acquirable_state>& of, lock_mode what, acquire_options&& how,
                      std::unique_ptr<answer_handler<grant>> told) {
  require_not_forked(*of->its_session(), calls::acquire::name, of->path());
  const time_limit limit = how.within ? time_limit::from_duration(*how.within) : time_limit();
  const own_tasks_only leaving_others;
  std::make_shared<async_call>(of, what, std::move(how.stop), std::move(told))->start(limit);
}

void calls::acquire::start(std::unique_ptr<handler> told) {
  start_async_call(view_access::state(of), view_access::what(of), std::move(how), std::move(told));
}

// ---- release --------------------------------------------------------------------------------------------------------

calls::release::release(grant of) : given_back(std::move(of)) {
  if (!given_back) {
    throw error(errc::not_owner, name, {});
  }
}

void calls::release::start(std::unique_ptr<handler> told) {
  const std::shared_ptr<session_impl> session = grant_access::session(given_back);
  const std::string path = given_back.path();
  require_not_forked(*session, name, path);
  const auto call =
      make_async<operations::release_result>(session, std::move(told), [path, session](const auto& result) {
        if (result.ec) {
          throw error_with(result.ec, result.answer, name, path, session->root());
        }
      });
  const own_tasks_only leaving_others;
  const released_count given = grant_access::release(std::move(given_back), call);
  if (!given.stood) {
    call->complete({errc::lost});
  } else if (!given.removing) {
    call->complete({});
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
  const std::unique_ptr<answer_handler<loss_reason>> told = std::move(handler_);
  told->complete(ec_, nullptr, why_);
}

calls::lost::lost(const grant& from, std::stop_token stop)
    : in(grant_access::session(from)), of(grant_access::held(from)), how{{}, std::move(stop)} {
  if (!of) {
    throw error(errc::not_owner, name, {});
  }
}

void calls::lost::start(std::unique_ptr<handler> told) {
  require_not_forked(*in, name, of->path());
  std::make_shared<async_end>(in, of, std::move(told))->start(std::move(how.stop));
}

}  // namespace zklock::detail
