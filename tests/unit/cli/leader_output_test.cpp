#include "src/cli/leader_output.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include <zklock/error.hpp>

namespace zklock::cli {
namespace {

leader_view leader_of(std::string data) {
  leader_view one;
  one.is = leader_view::state::present;
  one.token = {0x1234};
  one.data = std::move(data);
  one.node = "/l/x-lock-0000000001";
  one.session_id = 7;
  one.current = true;
  return one;
}

TEST(a_leaders_line, has_its_token_and_what_it_says_of_itself) {
  const terminal_characters ascii("C");
  leader_view one = leader_of("10.0.0.1:80");
  EXPECT_EQ(as_line(one, ascii), "z0000000000001234-000  \"10.0.0.1:80\"\n");
  one.current = false;
  EXPECT_EQ(as_line(one, ascii), "z0000000000001234-000  \"10.0.0.1:80\"  (not current)\n");
  one.hidden = true;
  one.data.clear();
  EXPECT_EQ(as_line(one, ascii), "z0000000000001234-000  hidden  (not current)\n");
}

TEST(a_leaders_line, speaks_to_no_terminal_whatever_it_says_of_itself) {
  const terminal_characters ascii("C");
  EXPECT_EQ(as_line(leader_of("\x1b[2J\n\xff\"none"), ascii),
            "z0000000000001234-000  \"\\x1b[2J\\x0a\\xff\\\"none\"\n");
}

TEST(a_leaders_line, says_that_nobody_leads_and_why_it_cannot_be_told) {
  const terminal_characters ascii("C");
  leader_view one;
  EXPECT_EQ(as_line(one, ascii), "unknown  (not current)\n");
  one.current = true;
  one.is = leader_view::state::none;
  EXPECT_EQ(as_line(one, ascii), "none\n");
  one.is = leader_view::state::refused;
  one.error = errc::wrong_recipe;
  EXPECT_EQ(as_line(one, ascii), "refused: " + make_error_code(errc::wrong_recipe).message() + "\n");
}

TEST(a_leaders_object, is_one_line_of_ascii) {
  const std::string line = as_json_line(leader_of("\xff\n\xc3\xa9"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  for (const char each : line.substr(0, line.size() - 1)) {
    EXPECT_TRUE(each >= 0x20 && each < 0x7f) << line;
  }
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object["state"], "present");
  EXPECT_EQ(object["token"], "z0000000000001234-000");
  EXPECT_EQ(object["data"], "\xEF\xBF\xBD\n\xc3\xa9");
  EXPECT_EQ(object["node"], "/l/x-lock-0000000001");
  EXPECT_EQ(object["session"], 7);
  EXPECT_EQ(object["current"], true);
  EXPECT_TRUE(object["error"].is_null());
  const auto none = nlohmann::json::parse(as_json_line({.is = leader_view::state::none}));
  EXPECT_EQ(none["state"], "none");
  EXPECT_TRUE(none["token"].is_null() && none["data"].is_null() && none["node"].is_null());
  EXPECT_EQ(none["current"], false);
}

}  // namespace
}  // namespace zklock::cli
