#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace demo {

inline constexpr int store_refused = 3;  ///< the exit status of demo_store

/// The store as the workers see it: a program, started for each call. Throws std::runtime_error when it fails.
class remote_store {
 public:
  explicit remote_store(std::filesystem::path file);

  /// The value; nothing: refused.
  [[nodiscard]] std::optional<std::int64_t> read(std::int64_t token) const;
  /// False: refused.
  [[nodiscard]] bool write(std::int64_t value, std::int64_t token) const;

 private:
  struct answer {
    int status = 0;
    std::string text{};
  };
  [[nodiscard]] answer call(std::vector<std::string> words) const;

  std::filesystem::path program_;
  std::filesystem::path file_;
};

}  // namespace demo
