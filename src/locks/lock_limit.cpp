#include <zklock/error.hpp>

#include "src/runtime/blocking_receiver.hpp"
#include "src/locks/lock_state.hpp"
#include "src/runtime/option_check.hpp"
#include "src/errors/error_of.hpp"

namespace zklock::detail {

std::uint32_t lock_state::ask_limit(std::error_code* ec) {
  const operations::permit_limit_result told = call_for_limit({});
  answer_limit_call(told, ec, "ask for the limit of");
  return told.ec ? 0 : told.limit;
}

void lock_state::set_limit(std::int64_t limit, std::error_code* ec) {
  if (ec != nullptr && !is_valid_permits(limit)) {
    *ec = errc::invalid_option;
    return;
  }
  const operations::permit_limit_result told = call_for_limit(require_valid_permits(limit, "limit"));
  if (!told.ec) {
    assert_limit(told.limit, told.as_of);
  }
  answer_limit_call(told, ec, "set the limit of");
}

/// Two threads that change it at once are answered in any order: what was written last is what stands.
void lock_state::assert_limit(std::uint32_t limit, std::int64_t as_of) {
  const scoped_lock_on lock(limit_mutex_);
  if (this->limit() != 0 && as_of >= limit_as_of_) {
    limit_as_of_ = as_of;
    limit_.store(limit, std::memory_order_relaxed);
  }
}

operations::permit_limit_result lock_state::call_for_limit(std::optional<std::uint32_t> to) {
  if (session_->forked()) {
    return {errc::forked};
  }
  if (target_->layout == recipes::layout::curator) {  // it is nowhere but here
    return to ? operations::permit_limit_result{errc::not_in_layout}
              : operations::permit_limit_result{limit() == 0 ? make_error_code(errc::no_limit) : std::error_code(), {}, limit()};
  }
  if (session_->on_client_thread()) {
    return {errc::would_deadlock};  // the answer would come to this very thread
  }
  const auto told = std::make_shared<blocking_receiver<operations::permit_limit_result>>();
  const std::shared_ptr<engine::operation> mine =
      std::make_shared<operations::permit_limit>(target_, to, end_of_one_try(boot_now()), told);
  if (!calls_.begin(mine)) {
    return {errc::abandoned};
  }
  session_->begin(mine);
  const operations::permit_limit_result result = told->wait();
  calls_.end(mine);
  return result;
}

void lock_state::answer_limit_call(const operations::permit_limit_result& told, std::error_code* ec, std::string_view operation) const {
  if (ec != nullptr) {
    *ec = told.ec;
  } else if (told.ec) {
    throw error_with(told.ec, told.answer, operation, path());
  }
}

}  // namespace zklock::detail
