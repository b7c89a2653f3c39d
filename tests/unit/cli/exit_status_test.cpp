#include "src/cli/exit_status.hpp"

#include <cerrno>
#include <system_error>

#include <gtest/gtest.h>
#include <zklock/error.hpp>

namespace zklock::cli {
namespace {

TEST(exit_status_test, a_value_that_is_wrong_is_bad_usage) {
  for (const errc wrong : {errc::invalid_path, errc::invalid_server_list, errc::invalid_option}) {
    EXPECT_EQ(exit_status::of(make_error_code(wrong)), exit_status::bad_usage) << make_error_code(wrong).message();
  }
}

TEST(exit_status_test, what_the_servers_refuse_is_unavailable) {
  for (const errc refused : {errc::not_connected, errc::permission_denied, errc::session_expired}) {
    EXPECT_EQ(exit_status::of(make_error_code(refused)), exit_status::unavailable);
  }
}

TEST(exit_status_test, what_the_machine_refuses_is_an_internal_error) {
  EXPECT_EQ(exit_status::of(std::error_code(EAGAIN, std::system_category())), exit_status::internal_error);
  EXPECT_EQ(exit_status::of(std::make_error_code(std::errc::resource_unavailable_try_again)),
            exit_status::internal_error);
}

}  // namespace
}  // namespace zklock::cli
