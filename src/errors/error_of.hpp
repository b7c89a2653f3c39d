#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include <zklock/error.hpp>

#include "recipes/code.hpp"
#include "recipes/contender.hpp"

namespace zklock::detail {

/// The library's error for a code of ZooKeeper.
[[nodiscard]] std::error_code error_of(recipes::code answer) noexcept;

/// The library's error for a contender's refusal. None for "not in time": that is no error when the queue was seen.
[[nodiscard]] std::error_code error_of(recipes::refusal why, recipes::code answer) noexcept;

/// Behind errc::not_a_permit_limit. `shown`: the lock node's data, as printable_bytes() gives them.
[[nodiscard]] std::string text_of_other_data(std::string_view shown);

/// What is thrown: with ZooKeeper's name of the answer, where there was one, and what can be done about it; else with the
/// session's chroot, since a refusal may be a matter of the chroot's node, which the path does not name.
[[nodiscard]] error error_with(std::error_code ec, recipes::code answer, std::string_view operation,
                               std::string_view path, std::string_view root = {});

}  // namespace zklock::detail
