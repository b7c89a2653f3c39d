#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <cstddef>
#include <string>
#include <system_error>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {

/// With two nodes to write to: /config, and a log, whose lines are children.
class a_guarded_write : public on_a_server {
 protected:
  void SetUp() override {
    (void)server_.create(full("/config"));
    (void)server_.create(full("/log"));
  }
  /// Adds a line to the log.
  static std::error_code append(session& by, const grant& guard) {
    std::error_code ec;
    by.transaction().guarded_by(guard).create("/log/n-", {}, create_mode::persistent_sequential).commit(ec);
    return ec;
  }
  [[nodiscard]] std::size_t log_length() { return server_.children(full("/log")).size(); }
  [[nodiscard]] int version_of(const std::string& path) { return server_.look(full(path))->version; }
};

}  // namespace zklock::test
