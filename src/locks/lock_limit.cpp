#include "src/locks/lock_limit.hpp"

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/runtime/blocking_receiver.hpp"
#include "src/runtime/option_check.hpp"

namespace zklock::detail {

std::uint32_t lock_limit::ask(instant until, std::error_code* ec) {
  const operations::permit_limit_result told = call({}, until);
  answer(told, ec, "ask for the limit of");
  return told.ec ? 0 : told.limit;
}

void lock_limit::set(std::int64_t limit, instant until, std::error_code* ec) {
  if (ec != nullptr && !is_valid_permits(limit)) {
    *ec = errc::invalid_option;
    return;
  }
  const operations::permit_limit_result told = call(require_valid_permits(limit, "limit"), until);
  if (!told.ec) {
    note(told.limit, told.as_of);
  }
  answer(told, ec, "set the limit of");
}

/// Two threads that change it at once are answered in any order: what was written last is what stands.
void lock_limit::note(std::uint32_t limit, std::int64_t as_of) {
  const scoped_lock_on lock(mutex_);
  if (said() != 0 && as_of >= as_of_) {
    as_of_ = as_of;
    said_.store(limit, std::memory_order_relaxed);
  }
}

operations::permit_limit_result lock_limit::call(std::optional<std::uint32_t> to, instant until) {
  if (session_->forked()) {
    return {errc::forked};
  }
  if (target_->layout == recipes::layout::curator) {  // it is nowhere but here
    return to ? operations::permit_limit_result{errc::not_in_layout}
              : operations::permit_limit_result{
                    said() == 0 ? make_error_code(errc::no_limit) : std::error_code(), {}, said()};
  }
  if (session_->on_client_thread()) {
    return {errc::would_deadlock};  // the answer would come to this very thread
  }
  const auto told = std::make_shared<blocking_receiver<operations::permit_limit_result>>();
  const std::shared_ptr<engine::operation> mine = std::make_shared<operations::permit_limit>(target_, to, until, told);
  if (!calls_.begin(mine)) {
    return {errc::abandoned};
  }
  session_->begin(mine);
  const operations::permit_limit_result result = told->wait();
  calls_.end(mine);
  return result;
}

void lock_limit::answer(const operations::permit_limit_result& told, std::error_code* ec,
                        std::string_view operation) const {
  if (ec != nullptr) {
    *ec = told.ec;
  } else if (told.ec) {
    throw error_with(told.ec, told.answer, operation, target_->path);
  }
}

}  // namespace zklock::detail
