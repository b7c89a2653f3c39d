#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::recipes {

/// The state of a contender, as its node's data tells it. Only ours to write; anything unknown means the strictest.
enum class contender_mode : std::uint8_t {
  write,    ///< of a mutex, or a write lock
  read,     ///< of a read lock, or a write lock that was downgraded
  permit,   ///< of a semaphore, not known to be held
  granted,  ///< of a semaphore, held
};

/// The state that a contender's data tells: its first line alone. Whatever is not known is the strictest: `write`.
[[nodiscard]] contender_mode parse_contender_mode(std::string_view data) noexcept;

/// The same data in another state.
[[nodiscard]] std::string with_mode(contender_mode mode, std::string_view data);

/// What Curator's Revoker writes, in place of all data.
inline constexpr std::string_view curator_revocation = "__REVOKE__";

/// Whether the contender whose node has this name is asked to let go: by Curator's mark, or by a line `revoke=1` behind a state,
/// where its data have one.
[[nodiscard]] bool asks_to_let_go(std::string_view data, std::string_view name = {}) noexcept;

/// Whether a write lock's node with these data stands for a writer still: at the version that it was read with it may guard a
/// write. A downgrade is a later write of it.
[[nodiscard]] inline bool guards_as_writer(std::string_view data) noexcept {
  return parse_contender_mode(data) == contender_mode::write;
}

/// Whether a node of this name and data may be asked to let go.
enum class revocability : std::uint8_t {
  revocable,
  no_contender,
  candidate,  ///< its data are the candidate's
  data_at_risk,  ///< the mark takes the place of data that are not ours; a mutex's may be a leader's, also where there are none
};
[[nodiscard]] revocability revocability_of(std::string_view name, std::string_view data);

/// The same data of a node of this name, which ask to let go: with one line more, or, where there is no state, Curator's mark alone.
[[nodiscard]] std::string with_revocation(std::string_view data, std::string_view name = {});

/// The last line of a mutex's contender that its process may keep between its holds (lock_options::keep).
inline constexpr std::string_view may_be_idle_line = "keeps=1\n";
/// Only where they begin with a state. Behind it others may have added lines.
[[nodiscard]] bool may_be_idle(std::string_view data) noexcept;

/// What a contender's node says: the state in the first line, then `key=value` lines for people and tools. `label` has no
/// control characters: a line break would forge a line (F105). `owner`: of the acquisition; 0: none, and not said.
/// `into`: empty, and may have memory.
[[nodiscard]] std::string contender_data(contender_mode mode, std::string_view host, std::int64_t pid,
                                         std::uint64_t owner, std::string_view label, std::string_view time,
                                         std::string into = {});

/// What a contender's node says of its owner: for listings alone, nothing is decided by it. Empty, nothing: not said.
struct contender_description {
  contender_mode mode = contender_mode::write;
  std::string host{};
  std::optional<std::int64_t> pid{};
  std::optional<std::uint64_t> owner{};  ///< of its process
  std::string label{};
  std::optional<std::chrono::sys_seconds> time{};
  bool asked_to_let_go = false;
  bool may_be_idle = false;

  bool operator==(const contender_description&) const = default;
};

/// contender_data() backwards, for any bytes, whatever client has written them (F51). The state is the first line
/// alone, and of each other key the first line that has it counts: what follows cannot forge anything (F105). Data that
/// does not begin with a state is another library's: it is all label. A text of more than `described_bytes_max` is cut
/// and ends in "…".
[[nodiscard]] contender_description parse_contender_data(std::string_view data);

/// The same for a node of this name: those of Curator's and go-zk's (`_c_…`) have a payload for data, and no state.
[[nodiscard]] contender_description parse_contender_data(std::string_view data, std::string_view name);

/// As much as a label of ours may have.
inline constexpr std::size_t described_bytes_max = 256;

}  // namespace zklock::recipes
