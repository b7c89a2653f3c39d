#include "src/engine/terms_warning.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace zklock::engine {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;

recipes::deadline_terms terms(std::chrono::nanoseconds margin) { return {.timeout = 6s, .tick = 2s, .margin = margin}; }

TEST(terms_warning, says_nothing_when_all_is_granted) {
  terms_warning warning(6s, 0ms);
  EXPECT_EQ(warning.of(6s, terms(500ms), true), lines{});
}

TEST(terms_warning, says_once_that_another_timeout_is_granted) {
  terms_warning warning(10s, 0ms);
  EXPECT_EQ(warning.of(6s, terms(500ms), true),
            lines{"the server grants a session timeout of 6000 ms instead of 10000 ms"});
  EXPECT_EQ(warning.of(6s, terms(500ms), true), lines{});
}

TEST(terms_warning, says_nothing_of_the_timeout_of_a_handle_that_the_program_has_made) {
  terms_warning warning(10s, 0ms);
  EXPECT_EQ(warning.of(6s, terms(500ms), false), lines{});
  EXPECT_EQ(warning.of(6s, terms(500ms), true).size(), 1U) << "it was not told before";
}

TEST(terms_warning, says_what_margin_is_left_and_again_when_that_changes) {
  terms_warning warning(6s, 800ms);
  EXPECT_EQ(
      warning.of(6s, terms(300ms), true),
      lines{"a session timeout of 6000 ms and a tick of 2000 ms leave a margin of 300 ms at the most, not 800 ms"});
  EXPECT_EQ(warning.of(6s, terms(300ms), true), lines{});
  EXPECT_EQ(warning.of(6s, terms(200ms), true).size(), 1U);
  EXPECT_EQ(warning.of(6s, terms(800ms), true), lines{});
}

TEST(terms_warning, compares_with_the_default_margin_where_none_was_asked_for) {
  terms_warning warning(6s, 0ms);
  EXPECT_EQ(warning.of(6s, terms(499ms), true).size(), 1U);
  EXPECT_EQ(warning.of(6s, terms(500ms), true), lines{});
}

}  // namespace
}  // namespace zklock::engine
