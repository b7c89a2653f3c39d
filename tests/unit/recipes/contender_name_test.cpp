#include "recipes/contender_name.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

namespace zklock::recipes {
namespace {

/// As a server appends it: "%010d".
std::string digits_of(std::int32_t number) {
  char text[16];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%010d", number))};
}

std::optional<std::int32_t> mutex_number(const std::string& name) {
  const auto parsed = parse_contender_name(name);
  return parsed && parsed->kind == contender_kind::mutex ? std::optional(parsed->sequence.value) : std::nullopt;
}

bool foreign(const std::string& name) {
  const auto parsed = parse_contender_name(name);
  return parsed && parsed->kind == contender_kind::foreign;
}

TEST(contender_name, an_id_is_32_hex_digits_whatever_its_bits) {
  EXPECT_EQ(contender_id(0x0123456789abcdef, 0xf).text(), "0123456789abcdef000000000000000f");
  EXPECT_EQ(contender_id(0, 0).text(), std::string(32, '0'));
  EXPECT_EQ(contender_id(UINT64_MAX, UINT64_MAX).text(), std::string(32, 'f'));
  EXPECT_EQ(contender_prefix(contender_kind::mutex, contender_id(0, 1), 1), std::string(31, '0') + "1-lock-");
}

TEST(contender_name, its_own_names_and_those_of_curator_go_zk_and_kazoo_are_contenders_of_a_mutex) {
  EXPECT_EQ(mutex_number(std::string(contender_prefix(contender_kind::mutex, contender_id(1, 2), 1)) + "0000000042"),
            42);
  EXPECT_EQ(mutex_number("_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000003"), 3) << "Curator";
  EXPECT_EQ(mutex_number("_c_6a0f5f1c5d1c4d5b9a550c8a4c1f7b11-lock-2147000000"), 2147000000) << "go-zk";
  EXPECT_EQ(mutex_number("6a0f5f1c5d1c4d5b9a550c8a4c1f7b11__lock__0000000007"), 7) << "kazoo";
}

TEST(contender_name, names_of_other_recipes_and_layouts_are_foreign) {
  EXPECT_TRUE(foreign("6a0f5f1c5d1c4d5b9a550c8a4c1f7b11__rlock__0000000001"));
}

TEST(contender_name, a_name_tells_the_recipe_and_the_permits_that_it_was_made_for) {
  const contender_id id(1, 2);
  for (const contender_kind kind :
       {contender_kind::mutex, contender_kind::read, contender_kind::write, contender_kind::permit}) {
    for (const std::uint32_t permits : {1U, 7U, permits_max}) {
      const auto parsed = parse_contender_name(std::string(contender_prefix(kind, id, permits)) + "0000000042");
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->kind, kind);
      EXPECT_EQ(parsed->sequence.value, 42);
      EXPECT_EQ(parsed->permits, kind == contender_kind::permit ? permits : 0);
    }
  }
}

TEST(contender_name, a_permit_contender_with_a_number_of_permits_that_cannot_be_is_foreign) {
  for (const char* const permits :
       {"", "0", "+1", " 1", "1 ", "x", "1x", "0x1", "1.0", "1000001", "4294967297", "99999999999999999999"}) {
    EXPECT_TRUE(foreign("permit-0123456789abcdeffedcba9876543210-" + std::string(permits) + "-0000000001")) << permits;
  }
  EXPECT_TRUE(foreign("permit-0000000001"));
  EXPECT_TRUE(foreign("permit-30000000001")) << "no dash before the number";
}

TEST(contender_name, f47_the_number_of_permits_and_a_negative_sequence_number_are_told_apart) {
  const auto parsed = parse_contender_name("permit-0123456789abcdeffedcba9876543210-3--000000005");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->permits, 3);
  EXPECT_EQ(parsed->sequence.value, -5);
}

TEST(contender_name, the_sides_of_a_read_write_lock_are_of_one_recipe_and_no_others_are) {
  using enum contender_kind;
  for (const contender_kind one : {mutex, read, write, permit, foreign}) {
    for (const contender_kind other : {mutex, read, write, permit, foreign}) {
      const bool sides = (one == read || one == write) && (other == read || other == write);
      EXPECT_EQ(of_one_recipe(one, other), sides || (one == other && one != foreign))
          << static_cast<int>(one) << " " << static_cast<int>(other);
    }
  }
}

TEST(contender_name, f49_other_children_are_no_contenders) {
  for (const char* name :
       {"", "0", "-", "zzz", "lock", "ready", "-lock-", "__lock__", "-lock-12345", "0000000001", "x-lock-000000001",
        "x-lock-00000000a1", "x-lock- 000000001", "x-lock-+000000001", "x-lock-0000000001x", "x-lock-0x00000001",
        "member-0000000001", "x-lock-9999999999", "x-lock-2147483648"}) {
    EXPECT_FALSE(parse_contender_name(name)) << name;
  }
}

TEST(contender_name, f47_numbers_are_signed_as_the_servers_counter_is) {
  EXPECT_EQ(mutex_number("x-lock-2147483647"), INT32_MAX);
  EXPECT_EQ(mutex_number("x-lock--2147483648"), INT32_MIN) << "eleven characters";
  EXPECT_EQ(mutex_number("x-lock--1000000000"), -1'000'000'000);
  EXPECT_EQ(mutex_number("x-lock--000000005"), -5) << "ten, with the sign";
  EXPECT_EQ(mutex_number("x__lock__-2147483647"), -INT32_MAX);
  EXPECT_EQ(mutex_number("x-lock-0000000000"), 0);
}

TEST(contender_name, f46_f47_whatever_stands_before_the_marker_the_number_comes_back) {
  std::mt19937 random(46);  // NOLINT: the same names every time
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789-_.ABC lock";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::uniform_int_distribution<std::size_t> length(0, 60);
  std::uniform_int_distribution<std::int32_t> number(INT32_MIN, INT32_MAX);
  std::uniform_int_distribution<int> shift(0, 31);
  for (int round = 0; round < 50'000; ++round) {
    std::string prefix;
    for (std::size_t left = length(random); left > 0; --left) {
      prefix += letters[letter(random)];
    }
    const std::int32_t wanted = number(random) >> shift(random);
    const std::string marker = round % 2 == 0 ? "-lock-" : "__lock__";
    const std::string name = prefix + marker + digits_of(wanted);
    ASSERT_EQ(mutex_number(name), wanted) << name;
  }
}

TEST(contender_name, f49_no_text_makes_it_crash_or_read_beyond_its_end) {
  std::mt19937 random(49);  // NOLINT
  const std::string letters = "0123456789-_lockreadwtpm";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::uniform_int_distribution<std::size_t> length(0, 24);
  std::size_t contenders = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string name;
    for (std::size_t left = length(random); left > 0; --left) {
      name += letters[letter(random)];
    }
    const std::string exact(name.begin(), name.end());
    contenders += parse_contender_name(exact).has_value() ? 1 : 0;
  }
  EXPECT_LT(contenders, 100U) << "hardly ever a contender by chance";
}

}  // namespace
}  // namespace zklock::recipes
