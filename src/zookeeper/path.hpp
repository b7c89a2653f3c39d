#pragma once

#include <string_view>

namespace zklock::detail {

/// Refuses what ZooKeeper would refuse, before anything is sent: a path without '/' in front, with an empty, "." or ".."
/// part, a '/' at the end, a control character or invalid UTF-8; and "/" itself, which can be no lock node. Throws
/// zklock::error(errc::invalid_path, operation, path).
void require_valid_path(std::string_view path, std::string_view operation);

/// Whether it would be let through.
[[nodiscard]] bool is_valid_path(std::string_view path) noexcept;

/// Behind the last '/'.
[[nodiscard]] constexpr std::string_view base_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace zklock::detail
