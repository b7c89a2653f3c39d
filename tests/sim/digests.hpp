#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/scenario.hpp"
#include "tests/sim/trouble.hpp"

/// What the core was seen to do (transcript.hpp), as it is committed in digests.txt: a core that is built anew does the same.
namespace zklock::sim {

/// By what was run. "acquire: request lost" has "324 struck, 12 quiet, 0123456789abcdef": schedules in which the fault has
/// struck, those in which it has not, and one number for what was seen in all of them.
using digests = std::map<std::string, std::string>;

/// Of one scenario with one kind of fault.
[[nodiscard]] std::string cell_of(const scenario& plays, trouble_kind kind);
[[nodiscard]] std::string digest_of(std::uint64_t struck, std::uint64_t quiet, std::uint64_t seen);

/// Seeds of the random run that have a digest: 1 and so on. One for each block, so that a difference is soon found.
inline constexpr std::uint64_t seeds_planned = 12'000;
inline constexpr std::uint64_t seeds_of_block = 1'000;
/// Of the block that the seed is in: "random: seeds from 01001".
[[nodiscard]] std::string block_of(std::uint64_t seed);
[[nodiscard]] std::string digest_of(std::uint64_t seen);

/// All that has a digest: each scenario with each kind of fault that concerns it, and the blocks of seeds.
[[nodiscard]] std::set<std::string> planned();

/// Nothing: not the text of digests, or the same line twice.
[[nodiscard]] std::optional<digests> parse_digests(std::istream& from);
void write_all(std::ostream& to, const digests& what);
/// What is committed once `seen` was: without what is planned no more.
[[nodiscard]] digests renewed(const digests& committed, const digests& seen);
/// A sentence for each that is seen otherwise than committed; and for each that is planned and not committed, or the other way
/// round, whether it was seen now or not: so that no run can be left out, and none forgotten.
[[nodiscard]] std::vector<std::string> differences(const digests& committed, const digests& seen);

}  // namespace zklock::sim
