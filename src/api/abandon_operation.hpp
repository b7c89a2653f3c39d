#pragma once

#include <memory>

#include "src/api/session_impl.hpp"
#include "src/threads/strand.hpp"

namespace zklock::detail {

/// A stop that ends an operation. The operation's answer may come from in there, and end what has this callback.
struct abandon_operation {
  void operator()() const {
    if (in->forked()) {
      return;
    }
    const own_tasks_only leaving_others;  // it may be an event loop's thread
    const std::shared_ptr<session_impl> session = in;
    const std::shared_ptr<engine::operation> ended = under_way;
    session->abandon(ended);
  }
  std::shared_ptr<session_impl> in;
  std::shared_ptr<engine::operation> under_way;
};

}  // namespace zklock::detail
