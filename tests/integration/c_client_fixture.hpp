#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "src/zookeeper/c_client.hpp"
#include "tests/integration/recorder.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::test {

inline std::string random_node() {
  std::random_device device;
  return "/c_client-" + std::to_string(device()) + std::to_string(device());
}

/// A connection with its observer, closed at the end.
struct linked {
  explicit linked(const std::string& servers, client::parameters with = {})
      : linked(client::c_client_factory(client::server_list::parse(servers)), std::move(with)) {}
  explicit linked(const std::shared_ptr<client::factory>& from, client::parameters with = {})
      : to(from->open(with, told)) {}
  linked(const linked&) = delete;
  linked& operator=(const linked&) = delete;
  ~linked() {
    if (!closed) {
      (void)close();
    }
  }

  client::request_id ask(client::any_request what) {
    const client::request_id id = ++last;
    to->submit(id, std::move(what));
    return id;
  }
  client::reply answer(client::any_request what) { return told.reply_to(ask(std::move(what))); }
  std::optional<bool> close() {
    closed = true;
    to->close();
    return told.wait_closed();
  }

  recorder told;
  std::unique_ptr<client::connection> to;
  std::atomic<client::request_id> last = 0;
  bool closed = false;
};

/// A node of the test's own on the shared server, removed with its children at the end.
class c_client : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(own.answer(client::request::create{root, "", client::create_mode::persistent}).code, client::code::ok);
  }
  void TearDown() override {
    for (const std::string& child : own.answer(client::request::list{root}).children) {
      (void)own.ask(client::request::remove{root + "/" + child});
    }
    EXPECT_EQ(own.answer(client::request::remove{root}).code, client::code::ok);
  }

  // Cut off meanwhile, or the client would take the session back.
  void expire(test_support::proxy& between) const {
    between.set_mode(test_support::proxy_mode::cut);
    test_support::expire_session(port, between.last_session());
    between.set_mode(test_support::proxy_mode::pass);
  }

  std::string connect = test_support::shared_zookeeper();
  std::uint16_t port = test_support::ports_of(connect).front();
  std::string root = random_node();
  linked own{connect};
};

}  // namespace zklock::test
