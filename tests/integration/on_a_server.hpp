#pragma once

#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/integration/inspector.hpp"
#include "tests/support/call_site.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/zookeeper_frames.hpp"

namespace zklock::test {

using namespace std::chrono_literals;
namespace opcode = test_support::opcode;
using test_support::eventually;
using test_support::proxy;
using test_support::proxy_mode;
using test_support::reply_frame;
using test_support::request_frame;
using test_support::verdict;

/// How long a test waits for what has to come: it costs a failing test alone.
inline constexpr auto patience = 30s;

/// The user and password that inspect what an access list hides from others.
inline constexpr const char* credentials = "bob:pw";

/// Does it in a thread of its own. The future waits for its end.
template <class What>
[[nodiscard]] auto in_a_thread(What&& what) {
  return std::async(std::launch::async, std::forward<What>(what));
}

/// Waits as long as a test is patient. Empty if it was not granted.
[[nodiscard]] inline grant acquire_patiently(recursive_mutex& lock) {
  std::error_code ec;
  grant got = lock.try_acquire_for(patience, ec);
  EXPECT_FALSE(ec) << ec.message();
  return got;
}

template <class T>
[[nodiscard]] bool ready(const std::future<T>& answer, std::chrono::milliseconds limit = patience) {
  return answer.wait_for(limit) == std::future_status::ready;
}

/// Hooks on a proxy that refer to what stands above them: they go before it.
class hooks {
 public:
  explicit hooks(proxy& way, std::function<verdict(const request_frame&)> on_request,
                 std::function<verdict(const reply_frame&)> on_reply = {})
      : way_(way) {
    way_.on_request(std::move(on_request));
    way_.on_reply(std::move(on_reply));
  }
  hooks(const hooks&) = delete;
  hooks& operator=(const hooks&) = delete;
  ~hooks() {
    way_.on_request({});
    way_.on_reply({});
  }

 private:
  proxy& way_;
};

/// A test with a random chroot of its own on a server. The sessions and proxies that it opens here outlive its body: at
/// the end, with them still open, no contender and no watch may be left below the chroot, but those on lock nodes.
class on_a_server : public ::testing::Test {
 protected:
  on_a_server() : on_a_server(test_support::shared_zookeeper()) {}
  /// Of several addresses the first is inspected.
  explicit on_a_server(const std::string& address);
  void TearDown() override;

  [[nodiscard]] session& open(session_options options = {});
  [[nodiscard]] session& open_through(const proxy& way, session_options options = {});
  [[nodiscard]] session& open_at(const std::string& addresses, session_options options = {});
  [[nodiscard]] proxy& new_proxy();
  /// Ends the session that goes through `way`, behind its client's back. It learns of that when it passes again.
  void expire_behind(proxy& way);

  /// The whole path of what the sessions here call `path`.
  [[nodiscard]] std::string full(const std::string& path) const { return root_ + path; }
  [[nodiscard]] std::vector<std::string> contenders(const std::string& path = "/lock");
  [[nodiscard]] bool queue_grows_to(std::size_t size, const std::string& path = "/lock");
  /// Waits for it in a thread of its own. Returns when it stands in the queue, which then has this size.
  [[nodiscard]] std::future<grant> queue_up(recursive_mutex& lock, std::size_t size,
                                            test_support::call_site where = test_support::call_site::current());
  /// Those of which the server knows, below the chroot: one line each.
  [[nodiscard]] std::vector<std::string> watched_paths() const;
  /// `path`: the whole one, as the server has it.
  [[nodiscard]] bool is_watched(std::string_view path) const;
  /// The lock node of a semaphore stays, and with it the servers' side of what a first waiter watched of its data,
  /// until it changes or the session ends (a client can only forget its own side). Here it changes, which must not
  /// disturb any client.
  void touch_lock_node(const std::string& path);
  /// Waits until no contender and no watch is left; says what is otherwise.
  void expect_nothing_left();

  const std::uint16_t port_;
  const std::string root_;
  inspector server_;

 private:
  std::vector<std::unique_ptr<proxy>> proxies_;
  std::vector<std::unique_ptr<session>> sessions_;
};

}  // namespace zklock::test
