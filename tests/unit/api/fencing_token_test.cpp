#include <zklock/fencing_token.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace zklock {
namespace {

constexpr std::int64_t last_numbered_czxid = (INT64_C(1) << 53) - 1;

TEST(a_fencing_token, is_told_as_text_of_a_fixed_length) {
  EXPECT_EQ(to_string(fencing_token{}), "z0000000000000000-000");
  EXPECT_EQ(to_string(fencing_token{0x500000011}), "z0000000500000011-000");
  EXPECT_EQ(to_string(fencing_token{0x500000011, 1023}), "z0000000500000011-3ff");
  EXPECT_EQ(to_string(fencing_token{INT64_MAX, 1}), "z7fffffffffffffff-001");
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
    ASSERT_EQ(to_string(one).size(), 21U);
  }
}

// ---- what reads numbers takes no text for one (F200)

/// 0x12194e: without the letter in front "12194e-000" and "12194e-001" are 12194 and 1219.4.
constexpr std::array<fencing_token, 9> in_order{
    {{}, {0, 1}, {0x10}, {0x12194e}, {0x12194e, 1}, {0x12194f}, {0x1e1}, {0x500000011, 1023}, {INT64_MAX, 1023}}};

std::vector<std::string> texts_in_order() {
  std::vector<fencing_token> tokens(in_order.begin(), in_order.end());
  std::ranges::sort(tokens);
  std::vector<std::string> texts;
  for (const fencing_token& one : tokens) {
    texts.push_back(to_string(one));
  }
  return texts;
}

/// What the program says to the texts, which are its last arguments; nothing if it is not there.
std::optional<std::string> said_by(const std::string& program, const std::string& option, const std::string& script) {
  std::string line =
      "command -v " + program + " >/dev/null || exit 127; exec " + program + option + " '" + script + "'";
  for (const std::string& text : texts_in_order()) {
    line += " " + text;
  }
  FILE* const out = popen((line + " 2>&1").c_str(), "r");
  std::string said;
  for (int letter = std::fgetc(out); letter != EOF; letter = std::fgetc(out)) {
    said += static_cast<char>(letter);
  }
  const int status = pclose(out);
  return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? std::nullopt : std::optional(said);
}

TEST(a_fencing_token, f200_as_text_is_no_number_to_the_c_library) {
  for (const std::string& text : texts_in_order()) {
    char* end = nullptr;
    EXPECT_EQ(std::strtod(text.c_str(), &end), 0.0) << text;
    EXPECT_EQ(end, text.c_str()) << "strtod() has taken a part of " << text;
    for (const int base : {0, 10, 16}) {
      EXPECT_EQ(std::strtoll(text.c_str(), &end, base), 0) << text;
      EXPECT_EQ(end, text.c_str()) << "strtoll() has taken a part of " << text;
    }
  }
}

/// What split() makes of an input is compared as numbers where it looks like numbers.
TEST(a_fencing_token, f200_as_text_is_compared_as_text_by_awk) {
  const auto said = said_by("awk", "", R"awk(
    BEGIN {
      for (i = 1; i < ARGC; ++i) {
        line = line " " ARGV[i]
      }
      count = split(line, text, " ")
      for (i = 1; i <= count; ++i) {
        wrong += text[i] + 0 != 0
        for (j = 1; j < i; ++j) {
          unordered += !(text[j] < text[i]) || text[j] == text[i]
          ++pairs
        }
      }
      print pairs, wrong + 0, unordered + 0
    })awk");
  EXPECT_EQ(said, "36 0 0\n");
}

TEST(a_fencing_token, f200_as_text_is_no_number_to_python_and_in_sqlite) {
  const auto said = said_by("python3", " -c", R"python(
import decimal, fractions, sqlite3, sys
texts, wrong = sys.argv[1:], []
for text in texts:
    for parse in (float, int, complex, decimal.Decimal, fractions.Fraction, lambda t: int(t, 0), lambda t: int(t, 16)):
        try:
            wrong.append((text, parse(text)))
        except (ValueError, decimal.InvalidOperation):
            pass
store = sqlite3.connect(":memory:")
store.execute("create table marks (number numeric, whole integer, inexact real)")
store.executemany("insert into marks values (?, ?, ?)", [(text, text, text) for text in reversed(texts)])
for column in ("number", "whole", "inexact"):
    found = [row[0] for row in store.execute(f"select {column} from marks order by {column}")]
    if found != texts:
        wrong.append((column, found))
print(len(texts), wrong)
)python");
  EXPECT_EQ(said, "9 []\n");
}

TEST(a_fencing_token, f200_as_text_is_no_number_to_javascript_and_php) {
  const auto in_javascript =
      said_by("node", " -e",
              "const t = process.argv.slice(1);"
              "console.log(t.length, t.filter(x => !Number.isNaN(Number(x)) || !Number.isNaN(parseFloat(x))))");
  const auto in_php = said_by(
      "php", " -r",
      "$t = array_slice($argv, 1); $wrong = array_filter($t, \"is_numeric\");"
      "for ($i = 1; $i < count($t); ++$i) { if (!($t[$i - 1] < $t[$i]) || $t[$i - 1] == $t[$i]) $wrong[] = $t[$i]; }"
      "echo count($t), count($wrong);");
  if (!in_javascript && !in_php) {
    GTEST_SKIP() << "neither node nor php is there";
  }
  EXPECT_EQ(in_javascript.value_or("9 []\n"), "9 []\n");
  EXPECT_EQ(in_php.value_or("90"), "90");
}

static_assert(fencing_token{1, 5} < fencing_token{2, 0} && fencing_token{2, 0} < fencing_token{2, 1});
static_assert(fencing_token{3, 4}.number() == 3 * 1024 + 4);

}  // namespace
}  // namespace zklock
