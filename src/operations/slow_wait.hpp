#pragma once

#include <string>

#include "src/engine/out.hpp"
#include "src/operations/acquire_request.hpp"
#include "src/operations/lock_target.hpp"
#include "src/port/client.hpp"

namespace zklock::operations {

/// Of a call that waits for long: who is first in the queue, in one line of the log. Asked once, of the server that the client is
/// connected to; nothing is said if that fails.
class slow_wait {
 public:
  static constexpr engine::tag listed = UINT32_MAX - 1;
  static constexpr engine::tag read = UINT32_MAX - 2;

  /// `lock_node`: without the root. It has waited for `waited`.
  slow_wait(std::string path, std::string lock_node, recipes::acquire_spec spec, std::chrono::nanoseconds waited)
      : path_(std::move(path)), lock_node_(std::move(lock_node)), spec_(spec), waited_(waited) {}

  void begin(engine::out& wants);
  void answered(engine::tag as, const client::reply_view& answer, engine::out& wants);

 private:
  const std::string path_;
  const std::string lock_node_;
  const recipes::acquire_spec spec_;
  const std::chrono::nanoseconds waited_;
  std::string first_;
};

}  // namespace zklock::operations
