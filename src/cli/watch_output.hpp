#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/api/queue_watch.hpp"
#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// What `zklock watch` shows.
struct watched_lock {
  std::string path;
  detail::queue_head queue{};
  std::uint64_t grants = 0;                                ///< in the last minute
  std::optional<std::chrono::seconds> out_of_reach_for{};  ///< nothing: a server is in reach
  std::chrono::system_clock::time_point now{};
};

struct screen_size {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

/// How many contenders there is room for.
[[nodiscard]] std::size_t room_for_contenders(screen_size size) noexcept;

/// A screen: at most that many lines of at most that many columns each. What participants say of themselves cannot speak to
/// the terminal.
[[nodiscard]] std::vector<terminal_text> screen_of(const watched_lock& seen, screen_size size,
                                                   const terminal_characters& characters);

/// What has a terminal show that in place of what it has shown: no line is deleted before it is written, so none flickers.
[[nodiscard]] std::string drawing_of(const std::vector<terminal_text>& screen, screen_size size);

/// Whether nothing has happened to the lock between the two, as far as they show it.
[[nodiscard]] bool same_queue(const detail::queue_head& one, const detail::queue_head& other);

/// One line, with the time in front. It describes the first holder alone.
[[nodiscard]] std::string as_line(const watched_lock& seen, const terminal_characters& characters);

/// An object in one line, in ASCII.
[[nodiscard]] std::string as_json_line(const watched_lock& seen);

/// "7s", "3m07s", "2h05m", "4d13h". What is negative (two machines' clocks) is "0s".
[[nodiscard]] std::string age_text(std::chrono::seconds age);

}  // namespace zklock::cli
