#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/acquire_spec.hpp"
#include "recipes/action.hpp"
#include "recipes/contender_event.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/decision.hpp"

/// Events, actions and decisions as words, so that a test can be read, and a table of transitions written. The contender
/// itself is in told_contender.hpp: its parts are tested without it.
namespace zklock::recipes::words {

inline const contender_id own_id{0x0123456789abcdef, 0xfedcba9876543210};
inline const std::string own_name = "0123456789abcdeffedcba9876543210-lock-0000000005";
inline const std::string nearest_name = "_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000003";
inline const std::string farther_name = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb-lock-0000000001";
/// The own node's name.
[[nodiscard]] std::string own_name_of(const acquire_spec& wanted);
/// The name of an exclusive contender of its session right before it: "listed:behind_ours" has it.
[[nodiscard]] std::string before_name_of(const acquire_spec& wanted);
inline constexpr fencing_token created_token{77};    ///< what the create says
inline constexpr fencing_token found_token{78};      ///< what a get of the node says
inline constexpr std::int64_t limit_written = 70;    ///< the mzxid of the lock node, but for "listed:rewritten:..."
inline constexpr std::int64_t before_alone_in = 50;  ///< the czxid of a lock node in which one was alone before
inline constexpr acquire_spec two_of_four{contender_kind::permit, 2, 4};
inline constexpr acquire_spec lease_of_four{contender_kind::lease, 1, 4, true, layout::curator, true};

/// All words for events of a contender of this kind: at least one for each kind of event, and one for each answer that
/// makes a difference.
[[nodiscard]] std::vector<std::string> all_events(const acquire_spec& of);

/// The event of a word, for example "created:ok" or "listed:behind_one", as a contender of this kind is told it.
[[nodiscard]] contender_event event_of(std::string_view word, const acquire_spec& of = {});

[[nodiscard]] std::string_view word_of(action what);
/// "refuse remove_own", or "nothing".
[[nodiscard]] std::string word_of(const action_list& actions);
/// What a part of a contender answers: its decision as numbers, and its actions.
[[nodiscard]] std::string word_of(const decision& next, const action_list& actions);
[[nodiscard]] std::vector<std::string> split(std::string_view text);

}  // namespace zklock::recipes::words
