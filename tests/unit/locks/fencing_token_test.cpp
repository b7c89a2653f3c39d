#include <zklock/fencing_token.hpp>

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace zklock {
namespace {

constexpr std::int64_t last_numbered_czxid = (INT64_C(1) << 53) - 1;

TEST(a_fencing_token, is_told_as_text_of_a_fixed_length) {
  EXPECT_EQ(to_string(fencing_token{}), "0000000000000000-000");
  EXPECT_EQ(to_string(fencing_token{0x500000011}), "0000000500000011-000");
  EXPECT_EQ(to_string(fencing_token{0x500000011, 1023}), "0000000500000011-3ff");
  EXPECT_EQ(to_string(fencing_token{INT64_MAX, 1}), "7fffffffffffffff-001");
}

TEST(a_fencing_token, is_one_number_that_a_signed_column_holds) {
  EXPECT_EQ(fencing_token{}.number(), 0);
  EXPECT_EQ((fencing_token{1, 0}.number()), 1024);
  EXPECT_EQ((fencing_token{0x500000011, 7}.number()), 0x500000011 * 1024 + 7);
  EXPECT_EQ((fencing_token{last_numbered_czxid, 1023}.number()), INT64_MAX);
}

TEST(a_fencing_token, beyond_the_numbers_has_none_and_is_told_so) {
  EXPECT_THROW(static_cast<void>(fencing_token{last_numbered_czxid + 1}.number()), std::overflow_error);
  EXPECT_THROW(static_cast<void>(fencing_token{INT64_MAX}.number()), std::overflow_error);
  EXPECT_THROW(static_cast<void>(fencing_token{-1}.number()), std::overflow_error);
  EXPECT_THROW(static_cast<void>(fencing_token{1, fencing_token::turns_per_node}.number()), std::overflow_error);
}

/// The token, its text and its number are in one order.
TEST(a_fencing_token, is_in_one_order_in_each_of_its_forms) {
  std::mt19937_64 chance(14);
  const auto drawn = [&chance] {
    const std::int64_t czxid = static_cast<std::int64_t>(chance() >> (11 + chance() % 50));  // of all lengths
    return fencing_token{czxid, static_cast<std::uint32_t>(chance() % fencing_token::turns_per_node)};
  };
  for (int i = 0; i < 100'000; ++i) {
    const fencing_token one = drawn();
    fencing_token other = drawn();
    if (i % 3 == 0) other.czxid = one.czxid;  // then the turn decides
    ASSERT_EQ(one <=> other, one.number() <=> other.number()) << to_string(one) << ' ' << to_string(other);
    ASSERT_EQ(one < other, to_string(one) < to_string(other)) << to_string(one) << ' ' << to_string(other);
    ASSERT_EQ(to_string(one).size(), 20U);
  }
}

static_assert(fencing_token{1, 5} < fencing_token{2, 0} && fencing_token{2, 0} < fencing_token{2, 1});
static_assert(fencing_token{3, 4}.number() == 3 * 1024 + 4);

}  // namespace
}  // namespace zklock
