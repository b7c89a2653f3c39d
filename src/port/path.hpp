#pragma once

#include <string>
#include <string_view>

namespace zklock::detail {

/// Refuses what ZooKeeper would refuse, before anything is sent: a path without '/' in front, with an empty, "." or ".."
/// part, a '/' at the end, invalid UTF-8, a control or private character or one beyond U+FFFF; and "/" itself, which can
/// be no lock node. Throws zklock::error(errc::invalid_path, operation, path), which says the fault.
void require_valid_path(std::string_view path, std::string_view operation);

/// Whether it would be let through.
[[nodiscard]] bool is_valid_path(std::string_view path);
/// Which rule it breaks, and where: "an empty part at byte 3 of 9". Empty: none.
[[nodiscard]] std::string fault_of_path(std::string_view path);

/// Behind the last '/'.
[[nodiscard]] constexpr std::string_view base_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace zklock::detail
