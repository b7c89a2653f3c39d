#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/locks/lock_state.hpp"
#include "src/locks/waiting_calls.hpp"

namespace zklock::detail {

/// What stands behind a multi_lock. A call that waits keeps it alive, and its parts' states.
class multi_lock_state : public std::enable_shared_from_this<multi_lock_state> {
 public:
  struct part {
    std::shared_ptr<lock_state> state;
    aspect what;
  };
  /// Throws errc::invalid_parts, errc::wrong_session.
  explicit multi_lock_state(std::vector<part> parts);

  grant acquire(wait_limit limit, std::error_code* ec, std::stop_token stop, std::string_view operation);
  bool lock_within(wait_limit limit);
  void unlock() noexcept;
  void abandon() noexcept;

  [[nodiscard]] std::shared_ptr<hold> find_mine() const;
  /// Throws errc::not_owner, errc::forked.
  [[nodiscard]] std::shared_ptr<hold> require_mine(std::string_view operation) const;
  [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
  [[nodiscard]] const std::shared_ptr<session_impl>& its_session() const noexcept { return session_; }
  /// Of all parts: for messages that blame none.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  acquired acquire(wait_limit limit, std::stop_token stop);
  acquired wait_in_queues(wait_limit limit, std::stop_token stop);
  [[nodiscard]] operations::acquire_request request_within(wait_limit limit) const;
  [[nodiscard]] failure blaming(failure why) const;
  /// The part whose lock object has gone; null: the call has begun on all.
  const part* begin(const std::shared_ptr<engine::operation>& mine);
  void end(const std::shared_ptr<engine::operation>& mine);

  const std::vector<part> parts_;
  const std::string path_;
  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<owner_book> book_;
  waiting_calls calls_;
};

}  // namespace zklock::detail
