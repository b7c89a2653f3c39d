#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <zklock/participants.hpp>

#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// As in the contenders' data: "2026-11-21T02:10:15Z".
[[nodiscard]] std::string to_text(std::chrono::system_clock::time_point when);

enum class table_form : std::uint8_t {
  narrow,  ///< 80 columns: host and label are cut, and layout, token and node left out; the kind, where it says nothing
  whole,
};

/// One line a participant, under a line of titles; nothing for an empty queue. What participants say of themselves can
/// neither speak to the terminal nor leave its column. How many permits are wanted is shown where a participant wants
/// some: of how many there are, if `limit` (of the native ones) is known. The layout is shown where a participant is in
/// Curator's.
[[nodiscard]] std::string as_table(std::span<const participant> queue, std::optional<std::int64_t> limit,
                                   table_form form, const terminal_characters& characters);

/// An array of objects, in ASCII: valid whatever participants say of themselves. Bytes that are no UTF-8 become U+FFFD,
/// what is not known null.
[[nodiscard]] std::string as_json(std::span<const participant> queue, std::optional<std::int64_t> limit);

/// Of each lock a line with its path, and its participants below it; between two locks an empty line. Nodes that could
/// not be read are not in it.
[[nodiscard]] std::string as_table(std::span<const listed_lock> locks, table_form form,
                                   const terminal_characters& characters);

/// An array of objects with path, error and participants; the error of a lock is null.
[[nodiscard]] std::string as_json(std::span<const listed_lock> locks);

/// A path in one word, whatever its letters.
[[nodiscard]] std::string path_text(std::string_view path, const terminal_characters& characters);

}  // namespace zklock::cli
