// Credentials that the C client does not take at once. The program has a zoo_add_auth of its own in front of the library's.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <atomic>
#include <string>

#include "tests/integration/c_client_fixture.hpp"

namespace zklock::client {
namespace {

// As between two attempts to connect: so many calls more.
std::atomic<int> refused_calls = 0;

class late_credentials : public test::c_client {
 protected:
  void TearDown() override {
    refused_calls = 0;
    c_client::TearDown();
  }
  const parameters bob{.auth_scheme = "digest", .auth_credentials = "bob:secret"};
  const acl creator{{31, "auth", ""}};
};

TEST_F(late_credentials, f75_between_two_attempts_are_there_before_the_first_request) {
  refused_calls = 1;
  test::linked one(connect, bob);
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  EXPECT_EQ(refused_calls, 0);
  EXPECT_EQ(one.answer(request::create{root + "/mine", "", create_mode::ephemeral, creator}).code, code::ok);
  EXPECT_EQ(own.answer(request::get{root + "/mine"}).code, code::no_auth);
}

TEST_F(late_credentials, f75_keep_back_each_request_until_they_are_given) {
  refused_calls = 1'000;
  test::linked one(connect, bob);
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  const request::create open_to_all{root + "/node", "", create_mode::ephemeral};
  EXPECT_EQ(one.answer(open_to_all).code, code::connection_loss);
  EXPECT_EQ(one.answer(request::multi{{request::create{open_to_all}}}).code, code::connection_loss);
  EXPECT_EQ(own.answer(request::get{root + "/node"}).code, code::no_node);
  refused_calls = 0;
  EXPECT_EQ(one.answer(open_to_all).code, code::ok);
}

// Each attempt fails at once: some of these handles are between two attempts when they are made.
TEST_F(late_credentials, f75_of_a_handle_without_a_server_are_no_error) {
  for (int i = 0; i < 300; ++i) {
    EXPECT_NO_THROW(test::linked("127.0.0.1:1", bob)) << i;
  }
}

TEST_F(late_credentials, f75_beside_closed_ports_reach_the_server_that_is_there) {
  for (int i = 0; i < 20; ++i) {
    test::linked one("127.0.0.1:1,127.0.0.1:2," + connect, bob);
    ASSERT_TRUE(one.told.wait_state(connection_state::connected)) << i;
    ASSERT_EQ(one.answer(request::create{root + "/mine", "", create_mode::ephemeral, creator}).code, code::ok) << i;
    ASSERT_EQ(one.answer(request::remove{root + "/mine"}).code, code::ok) << i;
  }
}

}  // namespace
}  // namespace zklock::client

int zoo_add_auth(zhandle_t* handle, const char* scheme, const char* text, int size, void_completion_t done,
                 const void* context) {
  static const auto real = reinterpret_cast<decltype(&zoo_add_auth)>(dlsym(RTLD_NEXT, "zoo_add_auth"));
  if (zklock::client::refused_calls > 0) {
    --zklock::client::refused_calls;
    return ZINVALIDSTATE;
  }
  return real(handle, scheme, text, size, done, context);
}
