#include "src/cli/nearest_word.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zklock::cli {
namespace {

const std::vector<std::string> words{"--timeout", "--session-timeout", "--label", "run", "ls"};

TEST(the_nearest_word, has_few_slips_for_its_length) {
  EXPECT_EQ(nearest_word("--timout", words), "--timeout");
  EXPECT_EQ(nearest_word("--tiemout", words), "--timeout");
  EXPECT_EQ(nearest_word("--lbel", words), "--label");
  EXPECT_EQ(nearest_word("rnu", words), "run");
  EXPECT_EQ(nearest_word("l", words), "ls");
}

TEST(the_nearest_word, may_have_been_begun_only) { EXPECT_EQ(nearest_word("--sess", words), "--session-timeout"); }

TEST(the_nearest_word, is_none_where_nothing_is_near) {
  for (const char* far : {"", "x", "-x", "--", "--port", "unlock", "rn-x"}) {
    EXPECT_EQ(nearest_word(far, words), "") << far;
  }
  EXPECT_EQ(nearest_word(std::string(100'000, '-'), words), "");
  EXPECT_EQ(nearest_word("run", {}), "");
}

}  // namespace
}  // namespace zklock::cli
