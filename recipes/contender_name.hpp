#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recipes/node_name.hpp"

namespace zklock::recipes {

/// The number that the server appends to a contender's name. Signed, because the server's counter is (F47).
struct sequence_number {
  std::int32_t value = 0;
  auto operator<=>(const sequence_number&) const = default;
};

/// The czxid of a contender's node: greater for every later contender, also after the lock node was made anew (F48). And
/// which of the holders that this node has had, one after the other.
struct fencing_token {
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  auto operator<=>(const fencing_token&) const = default;
};

/// 128 random bits as 32 hex digits, new for each contender: how it is found again after an unknown outcome (F01), and
/// why no name is used twice.
class contender_id {
 public:
  contender_id() = default;
  contender_id(std::uint64_t high, std::uint64_t low) noexcept;

  [[nodiscard]] std::string_view text() const noexcept { return {digits_.data(), digits_.size()}; }
  bool operator==(const contender_id&) const = default;

 private:
  std::array<char, 32> digits_{};
};

/// Which names the contenders have.
enum class layout : std::uint8_t {
  native,
  curator,  ///< `_c_<uuid>-…`: what Curator's recipes write and read
};

/// What a child of a lock node is, by its name alone.
enum class contender_kind : std::uint8_t {
  mutex,    ///< `…-lock-N` (ours, Curator's, go-zk's) or `…__lock__N` (kazoo's)
  latch,    ///< `…-latch-N`: a candidate of an election with the names of Curator's LeaderLatch
  read,     ///< `read-…-N`, or Curator's `…__READ__N`
  write,    ///< `write-…-N`, or Curator's `…__WRIT__N`; a native one may have been downgraded since: its data tells
  permit,   ///< `permit-…-<n>-N`
  lease,    ///< `…-lease-N`: one permit of a semaphore of Curator's, taken by the holder of the mutex beside it
  foreign,  ///< by its name a contender, or the parent of contenders, of a layout that none of ours goes with
};

/// As many permits as a semaphore may have, and as a contender may ask for.
inline constexpr std::uint32_t permits_max = 1'000'000;

struct parsed_name {
  contender_kind kind = contender_kind::mutex;
  sequence_number sequence;
  std::uint32_t permits = 0;  ///< of a permit contender
  recipes::layout layout = recipes::layout::native;
};

/// Whether such a contender holds alone, once it holds: also one that may be downgraded later.
[[nodiscard]] constexpr bool holds_alone(contender_kind kind) noexcept {
  return kind == contender_kind::mutex || kind == contender_kind::latch || kind == contender_kind::write;
}

/// Whether contenders of these kinds can stand in one queue.
[[nodiscard]] bool of_one_recipe(contender_kind one, contender_kind other) noexcept;
/// The same for two names: the sides of a read/write lock only with those of their own layout.
[[nodiscard]] bool of_one_recipe(const parsed_name& one, const parsed_name& other) noexcept;

/// Reads a child's name. Nothing for a child that is no contender of any recipe known (F49).
[[nodiscard]] std::optional<parsed_name> parse_contender_name(std::string_view name) noexcept;

/// The name that a contender asks for; the server appends the sequence number. `permits` counts for permits alone.
[[nodiscard]] node_name contender_prefix(contender_kind kind, const contender_id& id, std::uint32_t permits,
                                         layout as = layout::native);

/// Where the contenders of a semaphore of Curator's stand, below the path that its users name.
inline constexpr std::string_view curator_locks = "/locks";
inline constexpr std::string_view curator_leases = "/leases";

/// The node as which a writer in Curator's layout goes on reading: at the writer's own place (Curator since 5.5.0).
[[nodiscard]] std::string curator_reader_of(std::string_view writer);

}  // namespace zklock::recipes
