#include "src/cli/queue_listing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace zklock::cli {
namespace {

using namespace std::chrono;
using json = nlohmann::json;

std::string table(const std::vector<participant>& queue, const char* locale = "C.UTF-8") {
  return as_table(queue, terminal_characters(locale));
}

json read_back(const std::vector<participant>& queue) {
  const std::string text = as_json(queue);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char one) {
    return one == '\n' || (one >= 0x20 && one < 0x7F);
  })) << text;
  return json::parse(text);
}

participant holder() {
  participant one;
  one.standing = standing::held;
  one.node = "/locks/orders/0fd3-lock-0000000017";
  one.token = {4294967299};
  one.host = "worker-3";
  one.pid = 4711;
  one.label = "nightly import";
  one.since = sys_days(2026y / November / 21) + 2h + 10min + 15s;
  return one;
}

participant stranger(std::string label) {
  participant one;
  one.position = 1;
  one.node = "/locks/orders/x__lock__0000000018";
  one.label = std::move(label);
  return one;
}

TEST(a_queue_as_table, has_a_line_for_each_and_titles_above_its_columns) {
  EXPECT_EQ(table({holder(), stranger("")}),
            "POSITION  STANDING  KIND   NODE                                     TOKEN  HOST       PID  LABEL          "
            "   SINCE\n"
            "       0  held      mutex  /locks/orders/0fd3-lock-0000000017  4294967299  worker-3  4711  \"nightly "
            "import\"  2026-11-21T02:10:15Z\n"
            "       1  waiting   mutex  /locks/orders/x__lock__0000000018            -  -            -  -              "
            "   -\n");
}

TEST(a_queue_as_table, of_nobody_is_nothing) { EXPECT_EQ(table({}), ""); }

TEST(a_queue_as_table, stays_aligned_beside_wide_characters) {
  const std::string text = table({holder(), stranger("\u4e2d\u6587 \u00e4")});
  EXPECT_NE(text.find("\"\u4e2d\u6587 \u00e4\"          -\n"), std::string::npos) << text;  // 8 of 16 columns
}

TEST(a_queue_as_table, f51_is_not_garbled_by_what_participants_say) {
  participant evil = holder();
  evil.host = "h  0  held\n\x1b[2J\u202e\xc2\x9b";
  evil.label = "x\"  2001-01-01T00:00:00Z\r\x80";
  evil.node = "/l/\u202e \x1b-lock-0000000001";
  const std::string text = table({evil});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_NE(text.find("  h\\x20\\x200\\x20\\x20held\\x0a\\x1b[2J\\xe2\\x80\\xae\\xc2\\x9b  "), std::string::npos)
      << text;
  EXPECT_NE(text.find("  \"x\\\"  2001-01-01T00:00:00Z\\x0d\\x80\"  2026-11-21"), std::string::npos) << text;
  EXPECT_NE(text.find("  /l/\\xe2\\x80\\xae\\x20\\x1b-lock-0000000001  "), std::string::npos) << text;
}

TEST(a_queue_as_table, f51_shows_long_texts_cut) {
  const std::string text = table({stranger(std::string(200, 'x'))});
  EXPECT_NE(text.find("\"" + std::string(57, 'x') + "...\""), std::string::npos) << text;
}

/// Every line has the same columns, whatever stands in them.
TEST(a_queue_as_table, f51_of_any_bytes_keeps_lines_and_columns) {
  std::mt19937 chance(51);
  const auto noise = [&chance] {
    std::string bytes;
    for (auto size = chance() % 80; size > 0; --size) {
      bytes += static_cast<char>(chance() % 256);
    }
    return bytes;
  };
  for (int run = 0; run < 500; ++run) {
    std::vector<participant> queue;
    for (std::size_t place = 0; place < 5; ++place) {
      participant one = stranger(noise());
      one.position = place;
      one.host = noise();
      one.node += noise();
      one.since = sys_seconds{};
      queue.push_back(one);
    }
    const std::string text = table(queue, "C");
    ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
    const std::size_t since = text.find("SINCE");
    const std::string_view view = text;
    for (std::size_t start = text.find('\n') + 1; start < text.size(); start = text.find('\n', start) + 1) {
      ASSERT_EQ(view.substr(start + since, 21), "1970-01-01T00:00:00Z\n") << text;
    }
    ASSERT_EQ(read_back(queue).size(), 5U);
  }
}

TEST(a_queue_as_json, is_an_array_of_objects_with_all_that_is_known) {
  const json all = read_back({holder(), stranger("")});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], (json{{"position", 0},
                          {"standing", "held"},
                          {"kind", "mutex"},
                          {"node", "/locks/orders/0fd3-lock-0000000017"},
                          {"token", 4294967299},
                          {"host", "worker-3"},
                          {"pid", 4711},
                          {"label", "nightly import"},
                          {"since", "2026-11-21T02:10:15Z"}}));
  EXPECT_EQ(all[1]["standing"], "waiting");
  for (const char* unknown : {"token", "host", "pid", "label", "since"}) {
    EXPECT_TRUE(all[1].at(unknown).is_null()) << unknown;
  }
}

TEST(a_queue_as_json, of_nobody_is_an_empty_array) { EXPECT_EQ(as_json({}), "[]\n"); }

TEST(a_queue_as_json, f51_is_valid_whatever_participants_say) {
  const std::string text("\x1b[1m\n\"\\\0\u202e\u00e4\U0001f512", 19);
  EXPECT_EQ(read_back({stranger(text)})[0]["label"], text) << "what is UTF-8 comes back as it was";
  EXPECT_EQ(read_back({stranger("a\xff\xc3")})[0]["label"], "a\ufffd\ufffd");
}

}  // namespace
}  // namespace zklock::cli
