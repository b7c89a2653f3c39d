#include "recipes/contender_data.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace zklock::recipes {
namespace {

using namespace std::chrono;
using namespace std::string_literals;

constexpr sys_seconds an_evening = sys_days(2026y / November / 21) + 2h + 10min + 15s;

TEST(contender_data, is_read_as_it_was_written) {
  const std::string data =
      contender_data(contender_mode::write, "worker-3", 4711, 12, "nightly import", "2026-11-21T02:10:15Z");
  const contender_description told = parse_contender_data(data);
  EXPECT_EQ(told, (contender_description{contender_mode::write, "worker-3", 4711, 12, "nightly import", an_evening}));
}

TEST(contender_data, without_a_label_has_none) {
  const std::string data = contender_data(contender_mode::write, "worker-3", 1, 0, "", "2026-11-21T02:10:15Z");
  EXPECT_EQ(parse_contender_data(data).label, "");
}

TEST(contender_data, without_owner_says_none) {
  const std::string data = contender_data(contender_mode::write, "h", 1, 0, "l", "2026-11-21T02:10:15Z");
  EXPECT_EQ(data.find("owner"), std::string::npos);
  EXPECT_EQ(parse_contender_data(data).owner, std::nullopt);
  EXPECT_EQ(parse_contender_data("mode=write\nowner=18446744073709551615\n").owner, UINT64_MAX);
  for (const char* wrong : {"", "-1", "x", "18446744073709551616", "1 "}) {
    EXPECT_EQ(parse_contender_data("mode=write\nowner=" + std::string(wrong) + "\n").owner, std::nullopt) << wrong;
  }
}

TEST(contender_data, keeps_every_label_that_is_let_through) {
  for (const std::string& label : {"a=b"s, " "s, "="s, "mode=read"s, "host=elsewhere"s, "\u202e\u0085"s, "\xff\x80"s,
                                   std::string(described_bytes_max, 'x')}) {
    const contender_description told =
        parse_contender_data(contender_data(contender_mode::write, "h", 7, 0, label, "2026-11-21T02:10:15Z"));
    EXPECT_EQ(told.label, label);
    EXPECT_EQ(told.host, "h");
    EXPECT_EQ(told.pid, 7);
    EXPECT_EQ(told.time, an_evening);
  }
}

// ---- what others have written --------------------------------------------------------------------------------------

TEST(contender_data, f51_that_is_empty_says_nothing) {
  EXPECT_EQ(parse_contender_data(""), contender_description{});
  EXPECT_EQ(parse_contender_data("mode=write"), contender_description{});
  EXPECT_EQ(parse_contender_data("mode=\n"), contender_description{});
}

TEST(contender_data, f51_of_another_library_is_all_label) {
  EXPECT_EQ(parse_contender_data("127.0.0.1").label, "127.0.0.1");
  EXPECT_EQ(parse_contender_data("host=h\npid=1\n"), (contender_description{.label = "host=h\npid=1\n"}));
  EXPECT_EQ(parse_contender_data("\0\x1b[2J\xff"s).label, "\0\x1b[2J\xff"s);
  EXPECT_EQ(parse_contender_data(" mode=write\nhost=h\n").host, "");
}

TEST(contender_data, f51_lines_that_are_not_known_are_passed_over) {
  const contender_description told =
      parse_contender_data("mode=later\n\n=\nno sign\nHost=no\nhost=h\ncolour=red\npid=2");
  EXPECT_EQ(told, (contender_description{.host = "h", .pid = 2}));
}

TEST(contender_data, f51_values_keep_every_byte_but_the_line_break) {
  const contender_description told = parse_contender_data("mode=write\nhost=a\0b\r\nlabel=\x1b[1m\xc3\n"s);
  EXPECT_EQ(told.host, "a\0b\r"s);
  EXPECT_EQ(told.label, "\x1b[1m\xc3");
}

TEST(contender_data, f51_a_pid_is_a_whole_number_or_none) {
  for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "1\r", "0x1", "1.5", "99999999999999999999", "one"}) {
    EXPECT_EQ(parse_contender_data("mode=write\npid=" + std::string(wrong) + "\n").pid, std::nullopt) << wrong;
  }
  EXPECT_EQ(parse_contender_data("mode=write\npid=9223372036854775807\n").pid, INT64_MAX);
}

TEST(contender_data, f51_a_time_is_exactly_ours_or_none) {
  for (const char* wrong : {"",
                            "now",
                            "2026-11-21",
                            "2026-11-21T02:10:15",
                            "2026-11-21T02:10:15z",
                            "2026-11-21 02:10:15Z",
                            "2026-13-21T02:10:15Z",
                            "2026-02-29T02:10:15Z",
                            "2026-11-00T02:10:15Z",
                            "2026-11-21T24:10:15Z",
                            "2026-11-21T02:60:15Z",
                            "2026-11-21T02:10:61Z",
                            "-026-11-21T02:10:15Z",
                            "2026-11-21T02:10:15Z ",
                            "20026-11-21T02:10:15Z",
                            "0000-01-01T00:00:00Z",
                            "1676-01-01T00:00:00Z",
                            "1969-12-31T23:59:59Z",
                            "2262-01-01T00:00:00Z",
                            "9999-12-31T23:59:59Z"}) {
    EXPECT_EQ(parse_contender_data("mode=write\ntime=" + std::string(wrong) + "\n").time, std::nullopt) << wrong;
  }
  EXPECT_EQ(parse_contender_data("mode=write\ntime=2024-02-29T00:00:00Z").time, sys_days(2024y / February / 29));
  EXPECT_EQ(parse_contender_data("mode=write\ntime=1970-01-01T00:00:00Z").time, sys_days(1970y / January / 1));
  EXPECT_EQ(parse_contender_data("mode=write\ntime=2261-12-31T00:00:00Z").time, sys_days(2261y / December / 31));
}

TEST(contender_data, f105_lines_behind_the_first_of_their_kind_forge_nothing) {
  const std::string honest = contender_data(contender_mode::write, "worker-3", 4711, 0, "l", "2026-11-21T02:10:15Z");
  const std::string forged = honest + "mode=read\nhost=other\npid=1\nlabel=other\ntime=1999-01-01T00:00:00Z\n";
  EXPECT_EQ(parse_contender_data(forged), parse_contender_data(honest));
}

TEST(contender_data, f51_long_texts_are_cut_visibly_and_between_characters) {
  const std::string full(described_bytes_max, 'x');
  EXPECT_EQ(parse_contender_data("mode=write\nhost=" + full + "y\nlabel=" + full).host, full + "\u2026");
  EXPECT_EQ(parse_contender_data("mode=write\nhost=" + full + "y\nlabel=" + full).label, full);
  EXPECT_EQ(parse_contender_data(std::string(1'000'000, 'x')).label, full + "\u2026");
  const std::string before(described_bytes_max - 1, 'x');
  EXPECT_EQ(parse_contender_data(before + "\u20ac!").label, before + "\u2026");
  EXPECT_EQ(parse_contender_data(std::string(1'000, '\x80')).label.size(), described_bytes_max - 3 + 3);
}

/// Random bytes, and our own data with random bytes put in: total, bounded, and what stands in front stays.
TEST(contender_data, f51_f105_of_any_bytes_is_read_and_what_stands_first_stays) {
  std::mt19937 chance(51);
  const std::string known = contender_data(contender_mode::write, "worker-3", 4711, 0, "l", "2026-11-21T02:10:15Z");
  const contender_description honest = parse_contender_data(known);
  constexpr std::string_view pieces[] = {"mode=", "host=", "pid=", "label=", "time=", "\n", "=", "\r", "\x1b", "4711"};
  for (int run = 0; run < 20'000; ++run) {
    std::string noise;
    for (auto size = chance() % 60; size > 0; --size) {
      noise += chance() % 2 == 0 ? std::string(1, static_cast<char>(chance() % 256))
                                 : std::string(pieces[chance() % std::size(pieces)]);
    }
    const contender_description told = parse_contender_data(noise);
    ASSERT_LE(told.host.size(), described_bytes_max + 3);
    ASSERT_LE(told.label.size(), described_bytes_max + 3);
    ASSERT_EQ(parse_contender_data(known + noise), honest) << noise;
    std::string struck = known;
    struck[chance() % struck.size()] = static_cast<char>(chance() % 256);
    static_cast<void>(parse_contender_data(struck));
  }
}

TEST(contender_data, f105_the_state_is_the_first_line_alone_and_anything_else_there_is_the_strictest) {
  using enum contender_mode;
  EXPECT_EQ(parse_contender_mode("mode=read\nhost=h\n"), read);
  EXPECT_EQ(parse_contender_mode("mode=read"), read);
  EXPECT_EQ(parse_contender_mode("mode=permit\n"), permit);
  EXPECT_EQ(parse_contender_mode("mode=granted\n"), granted);
  for (const char* const data : {"", "\n", "\nmode=read", "read", "mode=", "mode=later", "mode=reads", "mode=read ",
                                 " mode=read", "mode= read", "mode=READ", "Mode=read", "mode=read\r\n",
                                 "mode=read=", "mode=write\nmode=read\n", "host=h\nmode=read\n", "label=mode=read"}) {
    EXPECT_EQ(parse_contender_mode(data), write) << data;
  }
}

TEST(contender_data, f105_a_label_forges_no_state) {
  using enum contender_mode;
  for (const contender_mode mode : {write, read, permit, granted}) {
    for (const char* const label : {"mode=read", "mode=granted", "read", "=", "mode=write"}) {
      EXPECT_EQ(parse_contender_mode(contender_data(mode, label, 1, 0, label, label)), mode) << label;
    }
  }
}

TEST(contender_data, f53_a_new_state_keeps_the_rest) {
  using enum contender_mode;
  const std::string data = contender_data(write, "worker-3", 4711, 12, "nightly import", "2026-11-21T02:10:15Z");
  for (const contender_mode mode : {write, read, permit, granted}) {
    const std::string changed = with_mode(mode, data);
    EXPECT_EQ(parse_contender_mode(changed), mode);
    contender_description expected = parse_contender_data(data);
    expected.mode = mode;
    EXPECT_EQ(parse_contender_data(changed), expected);
    EXPECT_EQ(with_mode(write, changed), data);
  }
  EXPECT_EQ(with_mode(read, ""), "mode=read\n");
  EXPECT_EQ(with_mode(read, "mode=write"), "mode=read\n");
}

}  // namespace
}  // namespace zklock::recipes
