#pragma once

#include <filesystem>
#include <string>

namespace demo {

struct worker_options {
  std::string label{};
  std::string connect{};
  std::filesystem::path directory{};  ///< of the counter and the meeting point
  long increments = 0;
  long workers = 0;
  bool with_lock = true;
};

inline constexpr auto lock_path = "/zklock-demo/counter";

/// A worker process: says "ready" on its standard output, waits for the end of its standard input, then increments the
/// counter, and says so each time with one line of fields: label, fencing token, microseconds waited, value read.
/// Returns the exit status.
int work(const worker_options& options);

}  // namespace demo
