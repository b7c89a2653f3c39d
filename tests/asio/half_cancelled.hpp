#pragma once

#include <zklock/session.hpp>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>

namespace zklock::test {

/// How many calls are in flight: ten times as many are asked for by ZKLOCK_LONG=1 in the environment.
[[nodiscard]] inline std::size_t calls_in_flight() { return std::getenv("ZKLOCK_LONG") != nullptr ? 10'000 : 1'000; }

/// Acquisitions of all kinds in flight on `ours`, in three contexts, while `others` holds all: of the mutex /lock, the sides of
/// /a, the permits of /b, and a multi-lock. Half are cancelled at random, some while locks are handed on, and one context is destroyed.
/// Expects one completion of each, none of those whose context has gone, no thread more, and no contender left of those that
/// `contenders` counts.
void expect_one_completion_each(session& ours, session& others,
                                const std::function<std::size_t(const std::string& path)>& contenders);

}  // namespace zklock::test
