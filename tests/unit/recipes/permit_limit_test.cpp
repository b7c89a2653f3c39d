#include "recipes/permit_limit.hpp"

#include <gtest/gtest.h>

#include <random>

#include "recipes/contender_name.hpp"

namespace zklock::recipes {
namespace {

TEST(permit_limit, what_is_written_is_read) {
  for (const permit_limit& one : {permit_limit{1, 1}, permit_limit{8, 8}, permit_limit{2, 10},
                                  permit_limit{permits_max, permits_max}, permit_limit{1, permits_max}}) {
    EXPECT_EQ(parse_limit(limit_data(one)), one) << limit_data(one);
  }
  EXPECT_EQ(limit_data({8, 8}), "limit=8\n");
  EXPECT_EQ(limit_data({8, 10}), "limit=8\nwas=10\n");
}

TEST(permit_limit, data_that_says_no_limit_is_none) {
  for (const char* const data : {"",
                                 "hello",
                                 "8",
                                 "limit=",
                                 "limit= 8",
                                 "limit=8 ",
                                 "limit=+8",
                                 "limit=-8",
                                 "limit=0",
                                 "limit=1000001",
                                 "limit=4294967297",
                                 "limit=99999999999999999999",
                                 "limit=8x",
                                 "limit=0x8",
                                 "limit=8\r\n",
                                 "Limit=8",
                                 " limit=8",
                                 "was=8",
                                 "was=8\nlimit=8",
                                 "\nlimit=8"}) {
    EXPECT_FALSE(parse_limit(data)) << data;
  }
  using namespace std::string_view_literals;
  EXPECT_FALSE(parse_limit("limit=8\0"sv));
  EXPECT_FALSE(parse_limit("\0limit=8"sv));
}

TEST(permit_limit, f106_a_former_limit_that_cannot_be_read_or_is_lower_is_the_present_one) {
  for (const char* const data : {"limit=8", "limit=8\n", "limit=8\n\n", "limit=8\nwas=3\n", "limit=8\nwas=0\n",
                                 "limit=8\nwas=\n", "limit=8\nwas=x\n", "limit=8\nwas=1000001\n", "limit=8\nother=9\n",
                                 "limit=8\nlimit=9\n", "limit=8\n\nwas=9\n"}) {
    EXPECT_EQ(parse_limit(data), (permit_limit{8, 8})) << data;
  }
  EXPECT_EQ(parse_limit("limit=8\nwas=9"), (permit_limit{8, 9}));
  EXPECT_EQ(parse_limit("limit=8\nwas=9\nmore"), (permit_limit{8, 9}));
}

TEST(permit_limit, no_bytes_make_it_crash_or_give_a_limit_that_cannot_be) {
  std::mt19937 random(63);  // NOLINT: the same bytes every time
  const std::string letters = std::string("limt=was0123456789\n\r -+", 23) + '\0' + '\xff';
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1), length(0, 20);
  std::size_t limits = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string data = round % 2 == 0 ? "limit=" : "";
    for (std::size_t left = length(random); left > 0; --left) {
      data += letters[letter(random)];
    }
    if (const auto told = parse_limit(data)) {
      ++limits;
      ASSERT_TRUE(told->limit >= 1 && told->limit <= permits_max && told->was >= told->limit &&
                  told->was <= permits_max)
          << data;
    }
  }
  EXPECT_GT(limits, 100U);
}

TEST(permit_limit, f106_a_lowered_limit_remembers_what_holders_may_have_been_granted_under) {
  EXPECT_EQ(changed_limit({3, 3}, 2, false), (permit_limit{2, 3}));
  EXPECT_EQ(changed_limit({2, 3}, 1, false), (permit_limit{1, 3})) << "the highest since the queue was empty";
  EXPECT_EQ(changed_limit({1, 3}, 2, false), (permit_limit{2, 3}));
  EXPECT_EQ(changed_limit({1, 3}, 5, false), (permit_limit{5, 5}));
}

TEST(permit_limit, f106_of_an_empty_queue_only_the_limit_in_force_is_remembered) {
  EXPECT_EQ(changed_limit({2, 9}, 1, true), (permit_limit{1, 2})) << "a contender may have come after the look";
  EXPECT_EQ(changed_limit({2, 9}, 4, true), (permit_limit{4, 4}));
}

}  // namespace
}  // namespace zklock::recipes
