#include "src/api/semaphore_limit.hpp"

#include <memory>
#include <string>

#include <zklock/error.hpp>

#include "recipes/semaphore.hpp"
#include "src/api/blocking_receiver.hpp"
#include "src/api/option_check.hpp"
#include "src/errors/error_of.hpp"

namespace zklock::detail {
namespace {

using operations::permit_limit_result;

void answer(const permit_limit_result& told, std::error_code* ec, std::string_view operation, lock_state& of) {
  if (ec != nullptr) {
    *ec = told.ec;
  } else if (told.ec) {
    if (!told.detail.empty()) {
      throw error(told.ec, operation, of.path(), told.detail);
    }
    throw error_with(told.ec, told.answer, operation, of.path(), of.its_session()->root());
  }
}

}  // namespace

recipes::acquire_spec semaphore_limit::spec_of(lock_mode what, recipes::acquire_spec in) const {
  return recipes::spec_of_permits(what.permits, said(), in);
}

failure semaphore_limit::fault(lock_mode what, const lock_target& of) const {
  const std::uint32_t most = said();
  if (most == 0) {
    const bool no_node_says_it = of.layout == recipes::layout::curator;
    return no_node_says_it ? failure{errc::no_permit_limit, {}, of.path} : failure{};
  }
  if (what.permits <= most) {
    return {};
  }
  return {errc::permit_limit_exceeded, {}, of.path, std::to_string(what.permits) + " of " + std::to_string(most)};
}

std::uint32_t semaphore_limit::ask(lock_state& of, std::error_code* ec) const {
  const permit_limit_result told = call(of, {});
  answer(told, ec, "ask for the permit limit of", of);
  return told.ec ? 0 : told.limit;
}

void semaphore_limit::set(lock_state& of, std::int64_t limit, std::error_code* ec) {
  if (ec != nullptr && !is_valid_permits(limit)) {
    *ec = errc::invalid_option;
    return;
  }
  const permit_limit_result told = call(of, require_valid_permits(limit, "permit_limit"));
  if (!told.ec) {
    say(told.limit, told.as_of);
  }
  answer(told, ec, "set the permit limit of", of);
}

/// Two threads that change it at once are answered in any order: what was written last is what stands.
void semaphore_limit::say(std::uint32_t limit, std::int64_t as_of) {
  const scoped_lock_on lock(mutex_);
  if (said() != 0 && as_of >= as_of_) {
    as_of_ = as_of;
    said_.store(limit, std::memory_order_relaxed);
  }
}

permit_limit_result semaphore_limit::call(lock_state& of, std::optional<std::uint32_t> to) const {
  session_impl& session = *of.its_session();
  if (session.forked()) {
    return {errc::forked};
  }
  if (of.target()->layout == recipes::layout::curator) {  // it is nowhere but here
    return to ? permit_limit_result{errc::not_in_layout}
              : permit_limit_result{
                    said() == 0 ? make_error_code(errc::no_permit_limit) : std::error_code(), {}, said()};
  }
  if (session.on_client_thread()) {
    return {errc::would_deadlock};  // the answer would come to this very thread
  }
  blocking_receiver<permit_limit_result> told;
  const std::shared_ptr<engine::operation> mine = std::make_shared<operations::permit_limit_operation>(
      of.target(), to, of.end_of_one_try(boot_now()), told.shared());
  lock_owners::call waits(*of.owners(), {});
  if (!waits.enter(mine)) {
    return {errc::abandoned};
  }
  session.begin(mine);
  return told.wait();
}

}  // namespace zklock::detail
