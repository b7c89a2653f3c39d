#include "src/cli/watch_output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/cli/grants_in_a_minute.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;
using std::chrono::seconds;

const auto now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 28) + 4h + 40min;

participant contender(std::size_t position) {
  participant one;
  one.position = position;
  one.state = position == 0 ? participant_state::held : participant_state::waiting;
  one.node = "/locks/nightly/0fd3-lock-" + std::to_string(position);
  one.token = {static_cast<std::int64_t>(position + 1)};
  one.host = "worker-" + std::to_string(position);
  one.pid = 100 + static_cast<std::int64_t>(position);
  one.label = "import";
  one.since = now - 65s;
  return one;
}

watched_lock lock_with(std::size_t shown, std::size_t waiters) {
  watched_lock seen{.path = "/locks/nightly", .now = now};
  seen.queue.current = seen.queue.complete = true;
  seen.queue.holders = 1;
  seen.queue.waiters = waiters;
  for (std::size_t position = 0; position < shown; ++position) {
    seen.queue.first.push_back(contender(position));
  }
  return seen;
}

std::vector<std::string> lines_of(const watched_lock& seen, screen_size size, const char* locale = "C.UTF-8") {
  std::vector<std::string> lines;
  for (const terminal_text& one : screen_of(seen, size, terminal_characters(locale))) {
    EXPECT_LE(one.columns, size.columns) << one.text;
    lines.push_back(one.text);
  }
  EXPECT_LE(lines.size(), size.rows);
  return lines;
}

bool is_harmless(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char one) { return one >= 0x20 && one < 0x7F; });
}

TEST(a_screen_of_a_lock, has_its_counts_and_a_line_for_each_contender) {
  watched_lock seen = lock_with(3, 2);
  seen.grants = 12;
  const std::vector<std::string> expected{
      "2026-11-28T04:40:00Z  /locks/nightly",
      "1 holds it, 2 wait; 12 grants in the last minute",
      "",
      "STATE    KIND     AGE  HOST      PID  LABEL     NODE",
      "held     mutex  1m05s  worker-0  100  \"import\"  0fd3-lock-0",
      "waiting  mutex  1m05s  worker-1  101  \"import\"  0fd3-lock-1",
      "waiting  mutex  1m05s  worker-2  102  \"import\"  0fd3-lock-2",
  };
  EXPECT_EQ(lines_of(seen, {24, 80}), expected);
}

TEST(a_screen_of_a_lock, shows_as_many_as_fit_and_how_many_more_there_are) {
  const watched_lock seen = lock_with(20, 9'999);
  const auto lines = lines_of(seen, {24, 80});
  ASSERT_EQ(lines.size(), 24U);
  EXPECT_EQ(lines[1], "1 holds it, 9,999 wait; 0 grants in the last minute");
  EXPECT_TRUE(lines[22].starts_with("waiting  mutex  1m05s  worker-18")) << lines[22];
  EXPECT_EQ(lines[23], "and 9,981 more");
  EXPECT_EQ(room_for_contenders({24, 80}), 20U);
}

TEST(a_screen_of_a_lock, that_just_fits_needs_no_line_for_more) {
  const auto lines = lines_of(lock_with(20, 19), {24, 80});
  ASSERT_EQ(lines.size(), 24U);
  EXPECT_TRUE(lines[23].starts_with("waiting  mutex  1m05s  worker-19")) << lines[23];
}

TEST(a_screen_of_a_lock, fits_into_any_size) {
  for (const std::size_t rows : {1U, 2U, 3U, 4U, 5U, 6U, 24U, 200U}) {
    for (const std::size_t columns : {1U, 2U, 10U, 80U, 300U}) {
      for (const std::size_t shown : {0U, 1U, 5U}) {
        const auto lines =
            lines_of(lock_with(std::min(shown, room_for_contenders({rows, columns})), 100), {rows, columns});
        EXPECT_GE(lines.size(), std::min<std::size_t>(rows, 3));
      }
    }
  }
  EXPECT_EQ(lines_of(lock_with(1, 100), {5, 40}).back(), "and 101 more");
  EXPECT_TRUE(lines_of(lock_with(1, 0), {5, 40}).back().starts_with("held"));
}

TEST(a_screen_of_a_lock, of_an_unused_one_says_so) {
  watched_lock seen{.path = "/l", .now = now};
  seen.queue.current = seen.queue.complete = true;
  EXPECT_EQ(lines_of(seen, {24, 80})[1], "no client holds it, no client waits; 0 grants in the last minute");
}

TEST(a_screen_of_a_lock, says_when_no_server_is_in_reach_and_what_is_still_read) {
  watched_lock seen = lock_with(1, 0);
  seen.out_of_reach_for = 75s;
  EXPECT_EQ(lines_of(seen, {24, 80})[2], "no server in reach for 1m15s: so it was before");
  seen.out_of_reach_for.reset();
  seen.queue.complete = false;
  EXPECT_EQ(lines_of(seen, {24, 80})[2], "reading ...");
}

TEST(a_screen_of_a_lock, has_the_permits_of_a_semaphore_and_its_limit) {
  watched_lock seen = lock_with(1, 0);
  seen.queue.limit = 8;
  seen.queue.first[0].kind = participant_kind::permits;
  seen.queue.first[0].layout = layout::native;
  seen.queue.first[0].permits = 3;
  const auto lines = lines_of(seen, {24, 80});
  EXPECT_EQ(lines[1], "1 holds it, no client waits (limit 8); 0 grants in the last minute");
  EXPECT_TRUE(lines[4].starts_with("held   permits 3/8  1m05s")) << lines[4];
}

TEST(a_screen_of_a_lock, f51_is_not_garbled_by_what_participants_say) {
  watched_lock seen = lock_with(2, 1);
  seen.path = "/a \x1b[2J";
  participant& hostile = seen.queue.first[0];
  hostile.label = "\x1b[2J\x1b]0;owned\a" + std::string(2'000, '\x9b') + "\r\n";
  hostile.host = std::string("\0\xff\xe2\x80\xae", 5);
  hostile.node = seen.path + "/\x1b[1m-lock-1";
  hostile.since.reset();
  hostile.pid.reset();
  for (const screen_size size : {screen_size{24, 80}, screen_size{24, 300}, screen_size{6, 20}}) {
    for (const std::string& line : lines_of(seen, size)) {
      EXPECT_TRUE(is_harmless(line)) << line;
    }
  }
  EXPECT_TRUE(lines_of(seen, {24, 80})[4].starts_with("held     mutex      -  \\x00\\xff\\xe2\\x80\\xae"));
  const std::string line = as_line(seen, terminal_characters("C.UTF-8"));
  EXPECT_TRUE(is_harmless(line.substr(0, line.size() - 1))) << line;
}

TEST(a_drawing, writes_each_line_over_the_one_before_and_erases_what_is_behind) {
  const std::vector<terminal_text> screen{{"abc", 3}, {"de", 2}};
  EXPECT_EQ(drawing_of(screen, {3, 3}), "\x1b[Habc\r\nde\x1b[K\r\n\x1b[J");
  EXPECT_EQ(drawing_of(screen, {2, 3}), "\x1b[Habc\r\nde\x1b[K") << "a line break in the last line would scroll";
}

TEST(a_line_of_a_lock, has_the_time_the_counts_and_the_first_holder) {
  const terminal_characters characters("C");
  EXPECT_EQ(as_line(lock_with(3, 2), characters),
            "2026-11-28T04:40:00Z 1 holds it, 2 wait; 0 grants in the last minute; first: \"import\" (host "
            "\"worker-0\", process 100, since 2026-11-28T04:38:55Z), node /locks/nightly/0fd3-lock-0\n");
  watched_lock gone = lock_with(1, 0);
  gone.out_of_reach_for = 1s;
  EXPECT_EQ(as_line(gone, characters), "2026-11-28T04:40:00Z no server in reach\n");
}

TEST(a_line_of_a_lock, in_json_has_each_key_whatever_participants_say) {
  watched_lock seen = lock_with(1, 4);
  seen.grants = 7;
  seen.queue.first[0].label = "\xff\x1b\n";
  const std::string text = as_json_line(seen);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(is_harmless(text.substr(0, text.size() - 1))) << text;
  const json object = json::parse(text);
  EXPECT_EQ(object["time"], "2026-11-28T04:40:00Z");
  EXPECT_EQ(object["path"], "/locks/nightly");
  EXPECT_EQ(object["in_reach"], true);
  EXPECT_EQ(object["holders"], 1);
  EXPECT_EQ(object["waiters"], 4);
  EXPECT_EQ(object["grants_in_the_last_minute"], 7);
  ASSERT_EQ(object["first"].size(), 1U);
  EXPECT_EQ(object["first"][0]["host"], "worker-0");
  EXPECT_EQ(object["first"][0]["label"], "\xef\xbf\xbd\x1b\n");
}

TEST(an_age, has_its_two_largest_units_and_is_never_negative) {
  EXPECT_EQ(age_text(-5s), "0s");
  EXPECT_EQ(age_text(59s), "59s");
  EXPECT_EQ(age_text(60s), "1m00s");
  EXPECT_EQ(age_text(3599s), "59m59s");
  EXPECT_EQ(age_text(2h + 5min), "2h05m");
  EXPECT_EQ(age_text(std::chrono::hours(4 * 24 + 13)), "4d13h");
}

TEST(grants_in_a_minute, forgets_each_when_it_is_a_minute_old) {
  grants_in_a_minute counted;
  const grants_in_a_minute::instant begin{1'000s};
  EXPECT_EQ(counted.count(begin), 0U);
  counted.note(3, begin);
  counted.note(3, begin + 10s);
  counted.note(10, begin + 30s);
  EXPECT_EQ(counted.count(begin + 59s), 10U);
  EXPECT_EQ(counted.count(begin + 60s), 7U);
  EXPECT_EQ(counted.count(begin + 89s), 7U);
  EXPECT_EQ(counted.count(begin + 90s), 0U);
  counted.note(11, begin + 200s);
  EXPECT_EQ(counted.count(begin + 200s), 1U);
}

}  // namespace
}  // namespace zklock::cli
