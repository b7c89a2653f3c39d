#include "src/cli/terminal_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace zklock::cli {
namespace {

using namespace std::string_literals;

constexpr std::size_t plenty = 1'000;

std::string in_utf8(std::string_view bytes, std::size_t columns_max = plenty) {
  static const terminal_characters characters("C.UTF-8");
  return shown(bytes, characters, columns_max).text;
}

std::string in_ascii(std::string_view bytes) {
  static const terminal_characters characters("C");
  return shown(bytes, characters, plenty).text;
}

TEST(terminal_text, shows_plain_text_as_it_is) {
  EXPECT_EQ(in_utf8("nightly import #3 ~"), "nightly import #3 ~");
  EXPECT_EQ(in_utf8("N\u00e4chtlicher L\u00e4ufer \u4e2d\u6587 \u0436"),
            "N\u00e4chtlicher L\u00e4ufer \u4e2d\u6587 \u0436");
}

TEST(terminal_text, f51_shows_controls_as_their_bytes) {
  EXPECT_EQ(in_utf8("a\x1b[2Jb\r\n\t\a\0c\x7f"s), "a\\x1b[2Jb\\x0d\\x0a\\x09\\x07\\x00c\\x7f");
}

TEST(terminal_text, f51_shows_c1_controls_as_their_bytes_raw_and_in_utf8) {
  EXPECT_EQ(in_utf8("\x9b"
                    "31m"),
            "\\x9b31m");
  EXPECT_EQ(in_utf8("\xc2\x9b"
                    "31m\xc2\x85"),
            "\\xc2\\x9b31m\\xc2\\x85");
  for (int byte = 0x80; byte < 0xA0; ++byte) {
    EXPECT_EQ(in_utf8(std::string("\xc2") + static_cast<char>(byte)).substr(0, 6), "\\xc2\\x");
  }
}

TEST(terminal_text, f51_shows_marks_of_direction_and_what_has_no_width_as_their_bytes) {
  for (const char* one : {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",     "\u2067", "\u2068",
                          "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u200d",     "\ufeff", "\u2028",
                          "\u2029", "\u00ad", "\u0301", "\u20dd", "\ufe0f", "\U000e0041", "\ue000", "\ufffe"}) {
    EXPECT_EQ(in_utf8(one).substr(0, 2), "\\x") << in_ascii(one);
    EXPECT_EQ(in_utf8(one), in_ascii(one));
  }
}

TEST(terminal_text, f51_shows_blanks_but_the_space_as_their_bytes) {
  for (const char* one : {"\u00a0", "\u1680", "\u2000", "\u2003", "\u200a", "\u202f", "\u205f", "\u2800", "\u3000",
                          "\u3164", "\u115f", "\u1160", "\uffa0", "\U0001d159"}) {
    EXPECT_EQ(in_utf8(one), in_ascii(one));
  }
  EXPECT_EQ(in_utf8("evil\u00a0\u00a04711"), "evil\\xc2\\xa0\\xc2\\xa04711");
}

TEST(terminal_text, f51_shows_letters_that_are_written_from_right_to_left_as_their_bytes) {
  for (const char* one : {"\u05d0", "\u0627", "\u0710", "\u0780", "\u07ca", "\u0800", "\u08a0", "\ufb1d", "\ufdf2",
                          "\ufe8d", "\U00010800", "\U00010d00", "\U0001e900", "\U0001ee00"}) {
    EXPECT_EQ(in_utf8(one), in_ascii(one));
  }
}

TEST(terminal_text, f51_shows_invalid_utf8_as_its_bytes) {
  EXPECT_EQ(in_utf8("\xff\xfe\x80"), "\\xff\\xfe\\x80");
  EXPECT_EQ(in_utf8("a\xc3"), "a\\xc3") << "cut short";
  EXPECT_EQ(in_utf8("\xc3z"), "\\xc3z");
  EXPECT_EQ(in_utf8("\xc0\x9b"), "\\xc0\\x9b") << "too long a form";
  EXPECT_EQ(in_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(in_utf8("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last character";
}

TEST(terminal_text, shows_ascii_alone_where_the_locale_is_not_utf8) {
  EXPECT_EQ(in_ascii("L\u00e4ufer"), "L\\xc3\\xa4ufer");
  const terminal_characters none("no-such-locale");
  EXPECT_EQ(shown("\u00e4", none, plenty).text, "\\xc3\\xa4");
}

TEST(terminal_text, knows_how_many_columns_it_takes) {
  const terminal_characters characters("C.UTF-8");
  EXPECT_EQ(shown("abc", characters, plenty).columns, 3U);
  EXPECT_EQ(shown("\u00e4\u4e2d", characters, plenty).columns, 3U) << "a Chinese character takes two";
  EXPECT_EQ(shown("\x1b", characters, plenty).columns, 4U);
}

TEST(terminal_text, f51_of_a_long_text_is_cut_visibly_and_between_characters) {
  EXPECT_EQ(in_utf8("1234567890", 10), "1234567890");
  EXPECT_EQ(in_utf8("12345678901", 10), "1234567...");
  EXPECT_EQ(in_utf8("123456\u4e2d\u4e2d\u4e2d", 10), "123456...");
  EXPECT_EQ(in_utf8("12345\x1b\x1b", 10), "12345...") << "an escape is not cut in two";
  EXPECT_EQ(in_utf8("12345", 4), "1...");
  EXPECT_EQ(in_utf8(std::string(1'000'000, '\x1b'), 11), "\\x1b\\x1b...");
}

TEST(terminal_text, f51_between_quotation_marks_cannot_seem_to_end) {
  const terminal_characters characters("C.UTF-8");
  EXPECT_EQ(quoted("nightly", characters, plenty).text, "\"nightly\"");
  EXPECT_EQ(quoted("a\" 0 \\", characters, plenty).text, "\"a\\\" 0 \\\\\"");
  EXPECT_EQ(quoted("a\x1b\"", characters, plenty).text, "\"a\\x1b\\\"\"");
  EXPECT_EQ(quoted("1234567890\"", characters, 10).text, "\"1234567...\"");
}

/// Nothing but printable ASCII comes out in an ASCII locale; in another, what comes out goes in again unchanged.
TEST(terminal_text, f51_of_any_bytes_is_harmless_and_within_its_columns) {
  const terminal_characters ascii("C");
  const terminal_characters utf8("C.UTF-8");
  std::mt19937 chance(51);
  for (int run = 0; run < 20'000; ++run) {
    std::string noise;
    for (auto size = chance() % 40; size > 0; --size) {
      noise += static_cast<char>(chance() % 3 == 0 ? 0xC2 + chance() % 0x30 : chance() % 256);
    }
    const terminal_text plain = shown(noise, ascii, 30);
    ASSERT_EQ(plain.text.size(), plain.columns);
    ASSERT_LE(plain.columns, 30U);
    for (const char letter : plain.text) {
      ASSERT_TRUE(letter >= 0x20 && letter < 0x7F) << plain.text;
    }
    const terminal_text rich = shown(noise, utf8, plenty);
    ASSERT_EQ(shown(rich.text, utf8, plenty).text, rich.text);
    ASSERT_EQ(shown(rich.text, utf8, plenty).columns, rich.columns);
  }
}

}  // namespace
}  // namespace zklock::cli
