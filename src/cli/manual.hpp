#pragma once

#include <span>
#include <string>
#include <string_view>

/// The manual pages, from the texts that --help has as well.
namespace zklock::cli {

/// "zklock", "zklock-run", "zklock-ls" ...
[[nodiscard]] std::span<const std::string_view> manual_pages() noexcept;

/// A page in roff, with the macros of man(7). Throws std::invalid_argument for a page that is not one of them.
[[nodiscard]] std::string manual_page(std::string_view name);

}  // namespace zklock::cli
