#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "recipes/limit_change.hpp"
#include "src/operations/lock_node_making.hpp"
#include "src/operations/lock_target.hpp"
#include "src/operations/receiver.hpp"
#include "src/operations/repeated.hpp"

namespace zklock::operations {

struct permit_limit_result {
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind the error
  std::uint32_t limit = 0;
  std::int64_t as_of = 0;  ///< the zxid of the write that this is the limit since
  std::string detail{};    ///< as in detail::failure
};

/// Asks for a semaphore's permit limit, or changes it. `recipes::limit_change` decides.
class permit_limit_operation final : public repeated {
 public:
  /// `to`: what the limit is to be; nothing: it is only asked for.
  permit_limit_operation(std::shared_ptr<const detail::lock_target> semaphore, std::optional<std::uint32_t> to,
                         instant until, std::shared_ptr<receiver<permit_limit_result>> told);

  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  void ask(engine::out& wants) override { perform(decides_.begin(), wants); }
  void forget_try() noexcept override {}
  void perform(recipes::limit_action what, engine::out& wants);
  void complete(const permit_limit_result& result, engine::out& wants);

  const std::shared_ptr<const detail::lock_target> target_;
  recipes::limit_change decides_;
  lock_node_making making_;
  std::int64_t as_of_ = 0;
  std::string data_;  ///< of the lock node, as read last, printable
  std::shared_ptr<receiver<permit_limit_result>> told_;
};

}  // namespace zklock::operations
