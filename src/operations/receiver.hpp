#pragma once

namespace zklock::operations {

/// What an operation tells its result: exactly once, in the session's order of things, so it must not wait there. A thread
/// that waits is one (api/blocking_receiver.hpp), and so is a handler.
template <class Result>
class receiver {
 public:
  virtual ~receiver() = default;
  virtual void complete(Result result) noexcept = 0;
};

}  // namespace zklock::operations
