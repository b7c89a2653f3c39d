#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/api/participants_list.hpp"
#include "src/cli/deadlocks.hpp"
#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// What `zklock doctor` says of a lock.
struct finding {
  enum class level : std::uint8_t {
    problem,  ///< clients wait for ever, or do not exclude each other
    note,     ///< perhaps
  };
  std::string kind;  ///< one word, for programs: "deadlock"
  level is = level::problem;
  std::string path;  ///< of the lock
  std::string text;  ///< one line a sentence; what participants say cannot speak to the terminal
  std::string mend;  ///< the command, or what else to do
};

/// The machine that doctor runs on.
struct own_host {
  std::string name;                                     ///< as contenders of this machine say it; empty: not known
  std::function<bool(std::int64_t)> is_gone = nullptr;  ///< no process has that number
};

/// Of one lock by itself. `all`: with all others that were looked at, sorted by path.
[[nodiscard]] std::vector<finding> findings_of(const detail::inspected_lock& lock,
                                               std::span<const detail::inspected_lock> all, const own_host& here,
                                               const terminal_characters& characters);
/// Whether any client may remove its first contender. False: not known, too.
[[nodiscard]] bool anyone_may_remove_from(const detail::inspected_lock& lock);
[[nodiscard]] finding finding_of(const deadlock& one, const terminal_characters& characters);

}  // namespace zklock::cli
