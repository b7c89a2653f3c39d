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
    waiting_.push_front(std::move(caller));
    until_ = until;
  }
  void complete(const release_result& with) {
    until_ = never;
    waiting_.reverse();
    for (const auto& one : std::exchange(waiting_, {})) {
      one->complete(with);
    }
  }
  [[nodiscard]] std::optional<detail::instant> until() const noexcept {
    return until_ == never ? std::nullopt : std::optional(until_);
  }

 private:
  static constexpr detail::instant never = detail::instant::max();

  std::forward_list<std::shared_ptr<release_receiver>> waiting_;  ///< the latest first
  detail::instant until_ = never;
};

}  // namespace zklock::operations
