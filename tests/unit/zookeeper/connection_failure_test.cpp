#include "src/zookeeper/connection_failure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zklock::client {
namespace {

std::string text_of(std::string_view line) { return connection_failure_of(line).text; }

/// Of a server that could not be reached.
failed_attempt failed(const std::string& server, const std::string& why) { return {server + ": " + why, server}; }

TEST(a_connection_failure, a_line_of_a_failed_connection_says_where_and_why) {
  EXPECT_EQ(text_of("x:ZOO_ERROR@handle_socket_error_msg@2014: Socket 127.0.0.1:2181 zk retcode=-4, "
                    "errno=111(Connection refused): server refused to accept the client"),
            "127.0.0.1:2181: Connection refused");
  for (const std::string_view other : {"", "Socket ", "Socket a zk retcode=-4", "Socket a zk retcode=-4, errno=1(x",
                                       "errno=111(Connection refused): Socket a", "session establishment complete"}) {
    EXPECT_EQ(text_of(other), "") << other;
  }
}

TEST(a_connection_failure, f196_a_server_that_closes_is_a_reason_too) {
  EXPECT_EQ(text_of("x:ZOO_ERROR@check_events@3011: Socket 127.0.0.1:2181 zk retcode=-4, errno=112(Host is "
                    "down): failed while receiving a server response"),
            "127.0.0.1:2181: the server closed the connection");
  EXPECT_EQ(text_of("x:ZOO_ERROR@check_events@3011: Socket ::1:2181 zk retcode=-4, errno=104(Connection "
                    "reset by peer): failed while receiving a server response"),
            "::1:2181: Connection reset by peer");
}

TEST(a_connection_failure, a_refusal_of_another_kind_is_told_in_the_c_clients_words) {
  EXPECT_EQ(text_of("x:ZOO_ERROR@check_events@3011: Socket 127.0.0.1:2181 zk retcode=-124, errno=115("
                    "Operation now in progress): session closed by server, SASL is required"),
            "127.0.0.1:2181: session closed by server, SASL is required");
}

TEST(a_connection_failure, the_last_failed_connection_is_remembered_until_a_server_is_reached) {
  connection_failure met;
  met.note(failed("10.0.0.1:2181", "Connection refused"));
  met.note(failed("10.0.0.2:2181", "Connection timed out"));
  EXPECT_EQ(met.text(), "10.0.0.2:2181: Connection timed out");
  met.forget();
  EXPECT_EQ(met.text(), "");
}

TEST(a_connection_failure, is_told_once_for_each_server_until_a_server_is_reached) {
  connection_failure met;
  EXPECT_TRUE(met.note(failed("10.0.0.1:2181", "the server closed the connection")));
  EXPECT_TRUE(met.note(failed("::1:2181", "Connection refused")));
  EXPECT_FALSE(met.note(failed("10.0.0.1:2181", "Connection refused")));
  EXPECT_FALSE(met.note(failed("::1:2181", "Connection refused")));
  met.forget();
  EXPECT_TRUE(met.note(failed("10.0.0.1:2181", "Connection refused")));
}

TEST(a_connection_failure, in_the_servers_words_is_told_also_behind_one_of_the_connection) {
  const auto line = [](const std::string& what) { return connection_failure_of("Socket a:1 zk retcode=" + what); };
  const failed_attempt refused = line("-4, errno=111(Connection refused): server refused to accept the client");
  const failed_attempt asked_for_sasl = line("-124, errno=0(Success): session closed by server, SASL is required\n");
  EXPECT_EQ(asked_for_sasl.text, "a:1: session closed by server, SASL is required");
  EXPECT_EQ(line("-1, errno=24(Too many open files): socket() call failed").text, "a:1: Too many open files");
  connection_failure met;
  EXPECT_TRUE(met.note(refused));
  EXPECT_TRUE(met.note(asked_for_sasl));
  EXPECT_FALSE(met.note(refused));
  EXPECT_FALSE(met.note(asked_for_sasl));
}

TEST(a_connection_failure, of_a_handle_that_only_looks_is_not_told) {
  connection_failure met(true);
  EXPECT_FALSE(met.note(failed("10.0.0.1:2181", "Connection refused")));
  EXPECT_EQ(met.text(), "10.0.0.1:2181: Connection refused");
}

}  // namespace
}  // namespace zklock::client
