#pragma once

#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {

/// A program with a handle of its own.
class program_with_a_handle {
 public:
  program_with_a_handle(const std::string& servers, std::chrono::milliseconds timeout)
      : handle_(zookeeper_init(servers.c_str(), watch, static_cast<int>(timeout.count()), nullptr, this,
                               ZOO_NO_LOG_CLIENTENV)) {}
  program_with_a_handle(const program_with_a_handle&) = delete;
  program_with_a_handle& operator=(const program_with_a_handle&) = delete;
  ~program_with_a_handle() { zookeeper_close(handle_); }

  [[nodiscard]] zhandle_t* handle() const { return handle_; }
  [[nodiscard]] std::int64_t session_id() const { return zoo_client_id(handle_)->client_id; }
  [[nodiscard]] bool reaches(int state) const {
    return eventually([&] { return zoo_state(handle_) == state; });
  }
  /// How often its own watcher was told of a connection.
  [[nodiscard]] int connections_told() const { return connections_told_; }
  [[nodiscard]] bool usable() const { return zoo_exists(handle_, "/", 0, nullptr) == ZOK; }

 private:
  static void watch(zhandle_t*, int type, int state, const char*, void* context) {
    if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) {
      ++static_cast<program_with_a_handle*>(context)->connections_told_;
    }
  }

  std::atomic<int> connections_told_ = 0;
  zhandle_t* const handle_;
};

/// A program opens a handle, through a proxy, which tests adopt.
class an_adopted_handle : public on_a_server {
 protected:
  void SetUp() override {
    (void)server_.create(full("/lock"));  // the program's chroot is the program's affair
    start();
  }
  void TearDown() override {
    expect_nothing_left();  // while the handle still stands
    adopted_.reset();
    programs_.clear();
    on_a_server::TearDown();
  }

  program_with_a_handle& start(std::chrono::milliseconds timeout = 10s, const std::string& below = "") {
    programs_.push_back(std::make_unique<program_with_a_handle>(way_.address() + root_ + below, timeout));
    EXPECT_TRUE(programs_.back()->reaches(ZOO_CONNECTED_STATE));
    return *programs_.back();
  }
  [[nodiscard]] program_with_a_handle& theirs() { return *programs_.back(); }
  session& adopt_it(session_options options = {}, const handle_details& details = {}) {
    adopted_.reset(new session(adopt(theirs().handle(), std::move(options), details)));
    return *adopted_;
  }

  proxy& way_ = new_proxy();
  std::vector<std::unique_ptr<program_with_a_handle>> programs_;
  std::unique_ptr<session> adopted_;
};

}  // namespace zklock::test
