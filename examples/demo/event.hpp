#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace demo {

using clock = std::chrono::steady_clock;  // the same for all processes of a machine

enum class step {
  ready,       ///< connected; waits for leave to begin
  acquired,    ///< number: the microseconds that it waited
  read,        ///< number: the value
  checked,     ///< held() has said yes; waits for leave to write
  wrote,       ///< number: the value
  refused,     ///< by the store; number: 0 its read, 1 its write
  lost,        ///< it is told that it lost the lock; text: why
  still_held,  ///< it is not told so: never after a refusal
  releases,    ///< said before the release, so that a worker that has not said it yet does hold
  done         ///< all its increments
};

/// What a worker says, in one line of its standard output.
struct event {
  int worker = 0;
  clock::time_point at{};
  step what{};
  std::int64_t token = 0;
  std::int64_t number = 0;
  std::string text{};
};

[[nodiscard]] std::string to_line(const event& said);
/// Nothing: not a line of to_line().
[[nodiscard]] std::optional<event> from_line(const std::string& line);

}  // namespace demo
