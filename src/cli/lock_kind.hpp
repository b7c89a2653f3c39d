#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <zklock/options.hpp>

namespace zklock::cli {

/// Which recipe each PATH is, and what is wanted of it.
struct lock_kind {
  enum class recipe : std::uint8_t { mutex, shared, exclusive, semaphore };
  recipe of = recipe::mutex;
  std::uint32_t limit = 0;    ///< of a semaphore: 1 to 1,000,000, as below
  std::uint32_t permits = 1;  ///< of a semaphore: up to its limit
  zklock::layout layout = zklock::layout::native;

  bool operator==(const lock_kind&) const = default;
};

/// The options that say so, as they were typed.
struct kind_options {
  bool shared = false;
  bool exclusive = false;
  std::optional<std::string> semaphore{};
  std::optional<std::string> permits{};
  std::optional<std::string> layout{};
};

/// Throws usage_error.
[[nodiscard]] lock_kind kind_of(const kind_options& given);

}  // namespace zklock::cli
