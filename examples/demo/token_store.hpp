#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace demo {

/// A number in a file, guarded by fencing tokens: one line, `value token`, where the token is the greatest that has
/// come so far. It knows nothing of locks, sessions and processes; all that it does is to refuse a smaller one.
///
/// *Threads*: any number, of any number of processes, on one file. Each call has the file to itself (flock).
/// *Errors*: std::system_error; std::runtime_error for a file with anything else in it.
class token_store {
 public:
  struct contents {
    std::int64_t value = 0;
    std::int64_t token = 0;
  };

  /// Opens nothing yet. A file that does not exist is made by the first call, and says `0 0`.
  explicit token_store(std::filesystem::path file) : file_(std::move(file)) {}

  /// Nothing: refused. Raises the mark as a write does. Else a holder that was stopped could write between the next
  /// one's read and write: both would be accepted, and the first of the two would be overwritten, an update lost.
  std::optional<contents> read(std::int64_t token);

  /// False: refused, and nothing has changed.
  bool write(std::int64_t value, std::int64_t token);

  /// For a caller that only wants to look; raises nothing.
  [[nodiscard]] contents look() const;

 private:
  std::filesystem::path file_;
};

}  // namespace demo
