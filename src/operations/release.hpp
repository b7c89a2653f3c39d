#pragma once

#include <forward_list>
#include <memory>
#include <optional>
#include <utility>

#include "src/operations/acquire_request.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

using release_receiver = receiver<release_result>;

/// The callers that wait until a node is known to be gone. They wait until their hold would have been over: by then the
/// server's word makes no difference to them.
class release {
 public:
  void await(std::shared_ptr<release_receiver> caller, detail::instant until) {
    waiting_.push_front({std::move(caller), until});
  }
  void complete(const release_result& with) {
    waiting_.reverse();
    for (const one& each : std::exchange(waiting_, {})) {
      each.caller->complete(with);
    }
  }
  [[nodiscard]] std::optional<detail::instant> until() const noexcept {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.front().until);
  }

 private:
  struct one {
    std::shared_ptr<release_receiver> caller;
    detail::instant until;
  };
  std::forward_list<one> waiting_;  ///< the latest first
};

}  // namespace zklock::operations
