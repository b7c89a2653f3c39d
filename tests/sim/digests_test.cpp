#include "tests/sim/digests.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace zklock::sim {
namespace {

/// One for all that is planned.
digests complete() {
  digests all;
  for (const std::string& run : planned()) {
    all[run] = "1 struck, 2 quiet, 0123456789abcdef";
  }
  return all;
}

const std::string some_cell = "acquire: request lost";

TEST(digests, each_cell_and_each_block_of_seeds_is_committed_and_nothing_else) {
  std::ifstream file(ZKLOCK_DIGESTS);
  const std::optional<digests> committed = parse_digests(file);
  ASSERT_TRUE(committed);
  EXPECT_TRUE(committed->contains(some_cell));
  EXPECT_TRUE(committed->contains("random: seeds from 11001"));
  EXPECT_EQ(differences(*committed, {}), std::vector<std::string>());
}

TEST(digests, a_cell_that_is_seen_otherwise_is_named) {
  digests seen = complete();
  seen[some_cell] = "1 struck, 2 quiet, 0000000000000000";
  EXPECT_EQ(differences(complete(), seen),
            std::vector<std::string>{some_cell + ": expected 1 struck, 2 quiet, 0123456789abcdef, got 1 struck, 2 "
                                                 "quiet, 0000000000000000"});
}

TEST(digests, a_run_that_is_a_part_of_all_is_compared_by_that_part) {
  EXPECT_TRUE(differences(complete(), {{some_cell, complete().at(some_cell)}}).empty());
}

TEST(digests, a_cell_without_a_line_is_a_difference_whether_it_was_explored_or_not) {
  digests committed = complete();
  committed.erase(some_cell);
  EXPECT_EQ(differences(committed, {}), std::vector<std::string>{some_cell + ": has no digest"});
  EXPECT_EQ(differences(committed, complete()), std::vector<std::string>{some_cell + ": has no digest"});
}

TEST(digests, a_line_that_no_run_explores_is_a_difference) {
  digests committed = complete();
  committed["of old: request lost"] = "1 struck, 2 quiet, 0123456789abcdef";
  EXPECT_EQ(differences(committed, complete()),
            std::vector<std::string>{"of old: request lost: has a digest, and no run"});
}

TEST(digests, what_is_written_is_read_again) {
  std::stringstream file;
  write_all(file, complete());
  EXPECT_EQ(parse_digests(file), complete());
}

TEST(digests, a_file_with_anything_else_or_with_a_line_twice_is_refused) {
  std::istringstream without_digest("acquire: request lost\n");
  EXPECT_FALSE(parse_digests(without_digest));
  std::istringstream twice("acquire: none = 1\nacquire: none = 1\n");
  EXPECT_FALSE(parse_digests(twice));
}

TEST(digests, a_renewal_keeps_what_was_not_run_and_drops_what_is_planned_no_more) {
  digests committed = complete();
  committed["of old: request lost"] = "0";
  digests expected = complete();
  expected[some_cell] = "1";
  EXPECT_EQ(renewed(committed, {{some_cell, "1"}}), expected);
}

TEST(digests, blocks_of_seeds_begin_with_the_first_seed) {
  EXPECT_EQ(block_of(1), block_of(seeds_of_block));
  EXPECT_NE(block_of(seeds_of_block), block_of(seeds_of_block + 1));
  EXPECT_EQ(block_of(1), "random: seeds from 00001");
}

}  // namespace
}  // namespace zklock::sim
