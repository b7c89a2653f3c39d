#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {

/// A lock at /lock, at which tests put nodes of other clients.
class asked_for_its_queue : public on_a_server {
 protected:
  /// A node at /lock with this data, whose name begins so. Returns the path that sessions here know it by.
  std::string put(const std::string& prefix, const std::string& data, const client::acl& acl = {client::acl_entry{}}) {
    if (!server_.look(full("/lock"))) {
      (void)server_.create(full("/lock"));
    }
    const client::reply made = server_.ask(client::request::create{full("/lock/" + prefix), data, sequential, acl});
    EXPECT_EQ(made.code, client::code::ok);
    return made.name.substr(root_.size());
  }
  /// `count` contenders that say nothing, many in one request.
  void put_many(int count) {
    (void)server_.create(full("/lock"));
    for (int made = 0; made < count;) {
      client::request::multi several;
      for (int part = 0; part < 500 && made < count; ++part, ++made) {
        several.operations.emplace_back(
            client::request::create{full("/lock/x-lock-"), "", sequential, {client::acl_entry{}}});
      }
      ASSERT_EQ(server_.ask(std::move(several)).code, client::code::ok);
    }
  }
  [[nodiscard]] static std::vector<std::string> nodes_of(const std::vector<participant>& queue) {
    std::vector<std::string> nodes;
    for (const participant& one : queue) {
      nodes.push_back(one.node);
    }
    return nodes;
  }
  static constexpr lock_options patient{.label = {}, .acl = {}, .try_time_limit = patience};

 private:
  static constexpr auto sequential = client::create_mode::persistent_sequential;
};

}  // namespace zklock::test
