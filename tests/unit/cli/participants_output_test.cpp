#include "src/cli/participants_output.hpp"

#include <gtest/gtest.h>
#include <locale.h>  // NOLINT(modernize-deprecated-headers): newlocale() is POSIX's
#include <wchar.h>   // NOLINT(modernize-deprecated-headers): wcswidth() too

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace zklock::cli {
namespace {

using namespace std::chrono;
using json = nlohmann::json;

std::string table(const std::vector<participant>& queue, const char* locale = "C.UTF-8",
                  std::optional<std::int64_t> limit = {}) {
  return as_table(queue, limit, table_form::whole, terminal_characters(locale));
}

std::string narrow_table(const std::vector<participant>& queue, std::optional<std::int64_t> limit = {}) {
  return as_table(queue, limit, table_form::narrow, terminal_characters("C.UTF-8"));
}

json read_back(const std::vector<participant>& queue, std::optional<std::int64_t> limit = {}) {
  const std::string text = as_json(queue, limit);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char one) {
    return one == '\n' || (one >= 0x20 && one < 0x7F);
  })) << text;
  return json::parse(text);
}

participant holder() {
  participant one;
  one.state = participant_state::held;
  one.node = "/locks/orders/0fd3-lock-0000000017";
  one.token = {4294967299};
  one.host = "worker-3";
  one.pid = 4711;
  one.owner = 12;
  one.label = "nightly import";
  one.since = sys_days(2026y / November / 21) + 2h + 10min + 15s;
  return one;
}

participant wanting(std::uint32_t permits) {
  participant one;
  one.kind = participant_kind::permits;
  one.permits = permits;
  one.node = "/locks/pool/permit-0fd3-" + std::to_string(permits) + "-0000000003";
  return one;
}

participant stranger(std::string label) {
  participant one;
  one.position = 1;
  one.node = "/locks/orders/x__lock__0000000018";
  one.label = std::move(label);
  return one;
}

std::string in_utf8(char32_t one) {
  const auto byte = [one](unsigned mark, unsigned shift) {
    return static_cast<char>(mark | ((one >> shift) & (mark == 0x80 ? 0x3FU : 0xFFU)));
  };
  if (one < 0x80) return {byte(0, 0)};
  if (one < 0x800) return {byte(0xC0, 6), byte(0x80, 0)};
  if (one < 0x10000) return {byte(0xE0, 12), byte(0x80, 6), byte(0x80, 0)};
  return {byte(0xF0, 18), byte(0x80, 12), byte(0x80, 6), byte(0x80, 0)};
}

/// Of a terminal in a UTF-8 locale, by that locale's word.
std::size_t columns_in(const std::string& text) {
  const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(utf8);
  std::wstring characters(text.size() + 1, L'\0');
  const std::size_t size = std::mbstowcs(characters.data(), text.c_str(), characters.size());
  EXPECT_NE(size, static_cast<std::size_t>(-1)) << text;
  const int columns = size > text.size() ? -1 : wcswidth(characters.data(), size);
  EXPECT_GE(columns, 0) << text;
  uselocale(before);
  freelocale(utf8);
  return static_cast<std::size_t>(columns);
}

TEST(a_queue_as_table, has_a_line_for_each_and_titles_above_its_columns) {
  EXPECT_EQ(table({holder(), stranger("")}),
            "STATE    SINCE                 HOST       PID  LABEL             KIND   TOKEN                  NODE\n"
            "held     2026-11-21T02:10:15Z  worker-3  4711  \"nightly import\"  mutex  z0000000100000003-000  "
            "/locks/orders/0fd3-lock-0000000017\n"
            "waiting  -                     -            -  -                 mutex  -                      "
            "/locks/orders/x__lock__0000000018\n");
}

TEST(a_queue_as_table, narrow_has_no_node_and_no_kind_that_says_nothing) {
  EXPECT_EQ(narrow_table({holder(), stranger("")}),
            "STATE    SINCE                 HOST       PID  LABEL\n"
            "held     2026-11-21T02:10:15Z  worker-3  4711  \"nightly import\"\n"
            "waiting  -                     -            -  -\n");
  EXPECT_EQ(narrow_table({wanting(3), wanting(12)}, 8),
            "STATE    SINCE  HOST  PID  LABEL  PERMITS\n"
            "waiting  -      -       -  -          3/8\n"
            "waiting  -      -       -  -         12/8\n");
  participant reader = stranger("");
  reader.kind = participant_kind::read;
  EXPECT_EQ(narrow_table({reader, reader}),
            "STATE    SINCE  HOST  PID  LABEL  KIND\n"
            "waiting  -      -       -  -      read\n"
            "waiting  -      -       -  -      read\n");
}

TEST(a_queue_as_table, narrow_cuts_host_and_label_to_fit_80_columns) {
  participant far = holder();
  far.host = "ip-10-0-12-7.eu-west-1.compute.internal";
  EXPECT_EQ(narrow_table({far}),
            "STATE  SINCE                 HOST                          PID  LABEL\n"
            "held   2026-11-21T02:10:15Z  ip-10-0-12-7.eu-west-1.c...  4711  \"nightly import\"\n");
}

/// Of the longest that each may be, too.
TEST(a_queue_as_table, f51_narrow_fits_80_columns_whatever_participants_say) {
  std::mt19937 chance(51);
  const auto noise = [&chance] { return std::string(chance() % 80, static_cast<char>(0x20 + chance() % 0x60)); };
  for (int run = 0; run < 500; ++run) {
    participant one = wanting(1'000'000);
    one.host = noise();
    one.label = noise();
    one.pid = 2'147'483'647;
    one.since = sys_seconds{};
    participant other = holder();
    other.label = noise();
    std::istringstream lines(narrow_table({one, other}, 1'000'000));
    for (std::string line; std::getline(lines, line);) {
      ASSERT_LE(columns_in(line), 80U) << line;
    }
  }
}

TEST(a_queue_as_table, shows_permits_and_the_limit_where_a_participant_wants_permits) {
  const std::vector<participant> queue{wanting(3), holder(), wanting(12)};
  EXPECT_EQ(narrow_table(queue, 8),
            "STATE    SINCE                 HOST       PID  LABEL            KIND     PERMITS\n"
            "waiting  -                     -            -  -                permits      3/8\n"
            "held     2026-11-21T02:10:15Z  worker-3  4711  \"nightly im...\"  mutex          -\n"
            "waiting  -                     -            -  -                permits     12/8\n");
  EXPECT_NE(table({wanting(3)}).find("  permits        3  -      /locks"), std::string::npos)
      << "the limit is not known";
}

TEST(a_queue_as_table, of_readers_and_writers_says_what_each_of_them_is) {
  participant one = stranger("");
  one.kind = participant_kind::read;
  participant other = stranger("");
  other.kind = participant_kind::write;
  const std::string text = table({one, other});
  EXPECT_NE(text.find("  read   -      /locks"), std::string::npos) << text;
  EXPECT_NE(text.find("  write  -      /locks"), std::string::npos) << text;
}

TEST(a_queue_as_table, says_of_a_holder_that_it_may_be_idle_or_is_asked_to_let_go) {
  participant one = holder();
  one.may_be_idle = true;
  EXPECT_NE(table({one}).find("\nheld? "), std::string::npos) << table({one});
  one.revocation_requested = true;
  EXPECT_NE(table({one}).find("\nasked "), std::string::npos) << table({one});
  one.state = participant_state::waiting;
  EXPECT_NE(table({one}).find("\nwaiting "), std::string::npos) << table({one});
}

TEST(a_queue_as_table, says_the_layout_where_a_participant_stands_in_curators) {
  participant native = wanting(3);
  native.layout = layout::native;
  EXPECT_EQ(table({native}).find("LAYOUT"), std::string::npos);
  participant lease = wanting(1);
  lease.layout = layout::curator;
  lease.node = "/l/leases/x";
  lease.label = "10.0.0.9";
  participant in_line = lease;
  in_line.permits = 0;
  in_line.node = "/l/locks/y";
  EXPECT_EQ(table({lease, in_line, stranger("")}, "C.UTF-8", 8),
            "STATE    SINCE  HOST  PID  LABEL       KIND     PERMITS  LAYOUT   TOKEN  NODE\n"
            "waiting  -      -       -  \"10.0.0.9\"  permits        1  curator  -      /l/leases/x\n"
            "waiting  -      -       -  \"10.0.0.9\"  permits        -  curator  -      /l/locks/y\n"
            "waiting  -      -       -  -           mutex          -  -        -      "
            "/locks/orders/x__lock__0000000018\n")
      << "the limit is for native permits";
}

TEST(a_queue_as_table, of_no_participants_is_nothing) { EXPECT_EQ(table({}), ""); }

TEST(a_queue_as_table, stays_aligned_beside_wide_characters) {
  const std::string text = table({holder(), stranger("\u4e2d\u6587 \u00e4")});
  EXPECT_NE(text.find("\"\u4e2d\u6587 \u00e4\"          mutex  "), std::string::npos) << text;  // 8 of 16 columns
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
  EXPECT_NE(text.find("  \"x\\\"  2001-01-01T00:00:00Z\\x0d\\x80\"  mutex  "), std::string::npos) << text;
  EXPECT_NE(text.find("  /l/\\xe2\\x80\\xae\\x20\\x1b-lock-0000000001\n"), std::string::npos) << text;
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
    const std::size_t kind = text.find("KIND");
    const std::string_view view = text;
    for (std::size_t start = text.find('\n') + 1; start < text.size(); start = text.find('\n', start) + 1) {
      ASSERT_TRUE(view.substr(start).starts_with("waiting  1970-01-01T00:00:00Z  ")) << text;
      ASSERT_EQ(view.substr(start + kind, 14), "mutex  -      ") << text;
    }
    ASSERT_EQ(read_back(queue).size(), 5U);
  }
}

TEST(a_queue_as_table, f51_has_no_column_that_a_participant_has_made_of_blanks) {
  participant evil = holder();
  evil.host = "evil\u00a0\u00a0\u00a04711\u3000\"root\"";
  EXPECT_NE(table({evil}).find("  evil\\xc2\\xa0\\xc2\\xa0\\xc2\\xa04711\\xe3\\x80\\x80\"root\"  "), std::string::npos);
}

/// The same where most characters are shown as they are.
TEST(a_queue_as_table, f51_of_any_characters_keeps_lines_and_columns_in_a_utf8_locale) {
  std::mt19937 chance(51);
  const auto noise = [&chance] {
    std::string text;
    for (auto size = chance() % 30; size > 0; --size) {
      constexpr std::array<char32_t, 4> ends{0x80, 0x1000, 0x10000, 0x20000};
      text += in_utf8(static_cast<char32_t>(1 + chance() % (ends[chance() % ends.size()] - 1)));
    }
    return text;
  };
  const std::array<std::string, 10> unwanted{"\u00a0", "\u1680", "\u2003", "\u2800", "\u3000",
                                             "\u3164", "\u115f", "\uffa0", "\u05d0", "\u0627"};
  const std::regex eight_columns(R"((held|waiting) +\S+  \S+ +[0-9-]+  (".*"|-) +mutex  [0-9z-]+ +\S+)");
  for (int run = 0; run < 500; ++run) {
    participant one = stranger(noise());
    one.host = "h" + noise() + unwanted[chance() % unwanted.size()];
    one.node += noise() + unwanted[chance() % unwanted.size()];
    one.since = sys_seconds{};
    std::istringstream lines(table({holder(), one}));
    std::string line;
    std::getline(lines, line);
    const std::size_t node = columns_in(line.substr(0, line.find("NODE")));
    for (const char* since : {"held     2026-11-21T02:10:15Z  ", "waiting  1970-01-01T00:00:00Z  "}) {
      std::getline(lines, line);
      ASSERT_TRUE(line.starts_with(since)) << line;
      ASSERT_TRUE(std::regex_match(line, eight_columns)) << line;
      ASSERT_TRUE(std::ranges::none_of(unwanted, [&](const auto& bytes) { return line.find(bytes) != line.npos; }))
          << line;
      ASSERT_EQ(columns_in(line.substr(0, line.rfind("/locks/orders/"))), node) << line;
    }
    ASSERT_FALSE(std::getline(lines, line)) << line;
  }
}

TEST(a_queue_as_json, is_an_array_of_objects_with_all_that_is_known) {
  const json all = read_back({holder(), stranger("")});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], (json{{"position", 0},
                          {"state", "held"},
                          {"kind", "mutex"},
                          {"permits", nullptr},
                          {"limit", nullptr},
                          {"layout", nullptr},
                          {"node", "/locks/orders/0fd3-lock-0000000017"},
                          {"token", "z0000000100000003-000"},
                          {"host", "worker-3"},
                          {"pid", 4711},
                          {"owner", 12},
                          {"label", "nightly import"},
                          {"since", "2026-11-21T02:10:15Z"},
                          {"revocation_requested", false},
                          {"may_be_idle", false}}));
  EXPECT_EQ(all[1]["state"], "waiting");
  for (const char* unknown : {"token", "host", "pid", "owner", "label", "since"}) {
    EXPECT_TRUE(all[1].at(unknown).is_null()) << unknown;
  }
}

TEST(a_queue_as_json, has_permits_and_limit_only_of_participants_that_want_permits) {
  const json all = read_back({wanting(3), holder()}, 8);
  EXPECT_EQ(all[0]["kind"], "permits");
  EXPECT_EQ(all[0]["permits"], 3);
  EXPECT_EQ(all[0]["limit"], 8);
  EXPECT_TRUE(all[1]["permits"].is_null());
  EXPECT_TRUE(all[1]["limit"].is_null());
  EXPECT_TRUE(read_back({wanting(3)})[0]["limit"].is_null());
}

TEST(a_queue_as_json, has_the_layout_of_all_but_mutexes_and_no_limit_of_leases) {
  participant lease = wanting(1);
  lease.layout = layout::curator;
  participant in_line = wanting(0);
  in_line.layout = layout::curator;
  participant native = wanting(2);
  native.layout = layout::native;
  const json all = read_back({lease, in_line, native, holder()}, 8);
  EXPECT_EQ(all[0]["layout"], "curator");
  EXPECT_EQ(all[0]["permits"], 1);
  EXPECT_TRUE(all[0]["limit"].is_null());
  EXPECT_TRUE(all[1]["permits"].is_null()) << "it does not say";
  EXPECT_EQ(all[2]["layout"], "native");
  EXPECT_EQ(all[2]["limit"], 8);
  EXPECT_TRUE(all[3]["layout"].is_null());
}

TEST(a_queue_as_json, of_no_participants_is_an_empty_array) { EXPECT_EQ(as_json({}, 8), "[]\n"); }

listed_lock listed(std::string path, std::vector<participant> queue, std::optional<std::int64_t> limit = {}) {
  return {std::move(path), {}, std::move(queue), limit};
}

TEST(locks_as_tables, have_a_line_with_the_path_above_each_and_an_empty_one_between) {
  const std::vector<listed_lock> locks{listed("/a", {holder()}), listed("/b", {wanting(3)}, 8)};
  EXPECT_EQ(as_table(locks, table_form::whole, terminal_characters("C")),
            "/a\n" + table({holder()}, "C") + "\n/b\n" + table({wanting(3)}, "C", 8));
  EXPECT_EQ(as_table(std::vector<listed_lock>{}, table_form::whole, terminal_characters("C")), "");
}

TEST(locks_as_tables, leave_out_what_could_not_be_read) {
  const listed_lock hidden{"/a", make_error_code(errc::permission_denied), {}, {}};
  EXPECT_EQ(as_table(std::vector<listed_lock>{hidden}, table_form::whole, terminal_characters("C")), "");
  EXPECT_EQ(
      as_table(std::vector<listed_lock>{hidden, listed("/b", {holder()})}, table_form::whole, terminal_characters("C")),
      "/b\n" + table({holder()}, "C"));
}

TEST(locks_as_tables, f51_have_paths_of_one_harmless_word_and_of_any_length) {
  const std::string path = "/a \u202e\xff" + std::string(500, 'x');
  EXPECT_EQ(path_text(path, terminal_characters("C.UTF-8")), "/a\\x20\\xe2\\x80\\xae\\xff" + std::string(500, 'x'));
}

TEST(locks_as_json, are_an_array_of_paths_errors_and_participants) {
  const std::vector<listed_lock> locks{listed("/a\xff", {wanting(3)}, 8),
                                       {"/b", make_error_code(errc::permission_denied), {}, {}}};
  const json all = json::parse(as_json(locks));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["path"], "/a\ufffd");
  EXPECT_TRUE(all[0]["error"].is_null());
  EXPECT_EQ(all[0]["participants"], read_back({wanting(3)}, 8));
  EXPECT_EQ(all[1], (json{{"path", "/b"}, {"error", "an access list forbids it"}, {"participants", json::array()}}));
  EXPECT_EQ(as_json(std::vector<listed_lock>{}), "[]\n");
}

TEST(a_queue_as_json, f51_is_valid_whatever_participants_say) {
  const std::string text("\x1b[1m\n\"\\\0\u202e\u00e4\U0001f512", 17);
  EXPECT_EQ(read_back({stranger(text)})[0]["label"], text) << "what is UTF-8 comes back as it was";
  EXPECT_EQ(read_back({stranger("a\xff\xc3")})[0]["label"], "a\ufffd\ufffd");
}

}  // namespace
}  // namespace zklock::cli
