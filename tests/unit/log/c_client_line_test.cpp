#include "src/log/c_client_line.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "src/log/log.hpp"

namespace zklock::log {
namespace {

using namespace std::chrono_literals;

TEST(c_client_log, takes_level_and_text_from_a_line) {
  const auto parsed =
      parse_c_client_line("2024-01-31 10:00:00,123:4711(0x7f00):ZOO_ERROR@handle_socket_error_msg@2014: refused, a@b");
  EXPECT_EQ(parsed.level, log_level::error);
  EXPECT_EQ(parsed.text, "handle_socket_error_msg@2014: refused, a@b");
  EXPECT_EQ(parse_c_client_line("x:ZOO_ERROR@f@1: t\n\n").text, "f@1: t");
  EXPECT_EQ(parse_c_client_line("x:ZOO_WARN@f@1: t").level, log_level::warning);
  EXPECT_EQ(parse_c_client_line("x:ZOO_INFO@f@1: t").level, log_level::info);
  EXPECT_EQ(parse_c_client_line("x:ZOO_DEBUG@f@1: t").level, log_level::debug);
}

TEST(c_client_log, a_line_that_looks_otherwise_comes_back_whole_as_a_warning) {
  for (const std::string_view line : {"", "hello", "x:ZOO_", "x:ZOO_ERROR no mark"}) {
    const auto parsed = parse_c_client_line(line);
    EXPECT_EQ(parsed.level, log_level::warning);
    EXPECT_EQ(parsed.text, line);
  }
}

TEST(c_client_log, what_the_library_says_itself_or_is_no_error_is_off_by_default) {
  const auto level = [](const char* line, c_client_news news = c_client_news::its_own) {
    return level_of(parse_c_client_line(line), news);
  };
  EXPECT_EQ(level("x:ZOO_ERROR@check_events@1: unexpected server response"), log_level::error);
  EXPECT_EQ(level("x:ZOO_ERROR@f@1: Socket a:1 zk retcode=-4"), log_level::error) << "of a session that is not known";
  EXPECT_EQ(level("x:ZOO_ERROR@f@1: Socket a:1 zk retcode=-4", c_client_news::told), log_level::debug);
  EXPECT_EQ(level("x:ZOO_ERROR@f@1: Authentication scheme digest failed. Connection closed."), log_level::debug);
  EXPECT_EQ(level("x:ZOO_ERROR@f@1: sessionId=0x1 has expired."), log_level::debug);
  EXPECT_EQ(level("x:ZOO_WARN@f@1: Delaying connection after exhaustively trying all servers"), log_level::debug);
  EXPECT_EQ(level("x:ZOO_INFO@f@1: initiated connection to server"), log_level::debug);
}

TEST(c_client_log, a_burst_is_admitted_then_so_many_a_second) {
  line_limit limit(2, 3);
  auto now = 1h;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(limit.ask(now).admitted);
  }
  EXPECT_FALSE(limit.ask(now).admitted);
  EXPECT_FALSE(limit.ask(now + 499ms).admitted);
  const auto next = limit.ask(now + 500ms);
  EXPECT_TRUE(next.admitted);
  EXPECT_EQ(next.suppressed, 2U);
  EXPECT_FALSE(limit.ask(now + 500ms).admitted);
}

TEST(c_client_log, a_long_silence_saves_up_no_more_than_a_burst) {
  line_limit limit(1000, 3);
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    admitted += limit.ask(24h).admitted ? 1 : 0;
  }
  EXPECT_EQ(admitted, 3);
}

TEST(c_client_log, a_flood_in_the_programs_logger_is_cut_and_keeps_no_error_away) {
  std::ostringstream out;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(out);
  spdlog::drop("zklock");
  const auto logger = std::make_shared<spdlog::logger>("zklock", sink);
  logger->set_level(spdlog::level::debug);
  spdlog::register_logger(logger);
  write(log_level::error, "lock /a: {} is no format");
  for (int i = 0; i < 1000; ++i) {
    write_c_client_line("2024-01-31 10:00:00,123:1(0x1):ZOO_WARN@f@1: an outage", c_client_news::its_own);
  }
  write_c_client_line("2024-01-31 10:00:00,123:1(0x1):ZOO_ERROR@f@1: no memory", c_client_news::its_own);
  spdlog::drop("zklock");

  const std::string text = out.str();
  EXPECT_NE(text.find("[zklock] [error] lock /a: {} is no format"), std::string::npos) << text;
  EXPECT_NE(text.find("[zklock] [debug] c client: f@1: an outage"), std::string::npos) << text;
  EXPECT_NE(text.find("[zklock] [error] c client: f@1: no memory"), std::string::npos) << text;
  EXPECT_LT(text.size(), 1000U * 50U);
}

}  // namespace
}  // namespace zklock::log
