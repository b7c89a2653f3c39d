#include "src/zookeeper/connection_failure.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace zklock::client {
namespace {

TEST(a_connection_failure, a_line_of_a_failed_connection_says_where_and_why) {
  EXPECT_EQ(connection_failure_of("x:ZOO_ERROR@handle_socket_error_msg@2014: Socket 127.0.0.1:2181 zk retcode=-4, "
                                  "errno=111(Connection refused): server refused to accept the client"),
            "127.0.0.1:2181: Connection refused");
  for (const std::string_view other : {"", "Socket ", "Socket a zk retcode=-4", "Socket a zk retcode=-4, errno=1(x",
                                       "errno=111(Connection refused): Socket a", "session establishment complete"}) {
    EXPECT_EQ(connection_failure_of(other), "") << other;
  }
}

TEST(a_connection_failure, f196_a_server_that_closes_is_a_reason_too) {
  EXPECT_EQ(
      connection_failure_of("x:ZOO_ERROR@check_events@3011: Socket 127.0.0.1:2181 zk retcode=-4, errno=112(Host is "
                            "down): failed while receiving a server response"),
      "127.0.0.1:2181: the server closed the connection");
  EXPECT_EQ(connection_failure_of("x:ZOO_ERROR@check_events@3011: Socket ::1:2181 zk retcode=-4, errno=104(Connection "
                                  "reset by peer): failed while receiving a server response"),
            "::1:2181: Connection reset by peer");
}

TEST(a_connection_failure, the_last_failed_connection_is_remembered_until_a_server_is_reached) {
  connection_failure met;
  met.note("Socket 10.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused it");
  met.note("Socket 10.0.0.2:2181 zk retcode=-7, errno=110(Connection timed out): connection to it timed out");
  met.note("session establishment complete");
  EXPECT_EQ(met.text(), "10.0.0.2:2181: Connection timed out");
  met.forget();
  EXPECT_EQ(met.text(), "");
}

}  // namespace
}  // namespace zklock::client
