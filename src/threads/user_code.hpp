#pragma once

#include <chrono>
#include <string>

namespace zklock::detail {

/// While one exists, the calling thread runs user code that the library has called: a callback, an observer, a log sink.
class user_code_scope {
 public:
  user_code_scope() noexcept;
  user_code_scope(const user_code_scope&) = delete;
  user_code_scope& operator=(const user_code_scope&) = delete;
  ~user_code_scope();
};

[[nodiscard]] bool in_user_code() noexcept;

/// Until when a call that is made now waits for other user code to return. From within user code it does not wait: so no
/// waits form a circle. All waits for user code ask this one (docs/guide/threads.md).
[[nodiscard]] std::chrono::steady_clock::time_point user_code_deadline(std::chrono::nanoseconds limit) noexcept;

/// For messages: "5000 ms".
[[nodiscard]] std::string milliseconds_text(std::chrono::nanoseconds time);

}  // namespace zklock::detail
