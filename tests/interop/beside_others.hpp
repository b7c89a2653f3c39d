#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/interop/peer.hpp"

namespace zklock::test {

/// How long a peer's session outlives it, where that is not to be waited for.
inline constexpr auto long_session = 20s;
/// And where it is.
inline constexpr auto short_session = 3s;

/// A test whose locks are taken by other processes alone, of this library and of others.
class beside_others : public on_a_server {
 protected:
  using on_a_server::on_a_server;
  void TearDown() override;

  /// It is connected when this returns.
  peer& start(library one, std::chrono::milliseconds timeout = long_session, const std::string& label = {});
  /// Through a proxy: its session can be ended behind its back.
  peer& start_through(const proxy& way, library one);

  /// Its paths are below the test's root.
  [[nodiscard]] lock_at lock(const std::string& kind, const std::vector<std::string>& paths = {"/lock"}) const;

  /// Of all contenders below the root, in order of their names.
  [[nodiscard]] std::vector<std::string> nodes();
  /// The same, once no client is on the way to a permit of Curator's: a holder's way there goes on being cleared.
  [[nodiscard]] std::vector<std::string> held_nodes();
  /// Waits until there are more nodes than so many: a client has come.
  [[nodiscard]] bool more_than(std::size_t count) {
    return eventually([&] { return nodes().size() > count; });
  }
  /// Returns when it stands in the queue, and has no answer.
  void make_wait(peer& one, const lock_at& wanted);

 private:
  peer& started(std::unique_ptr<peer> one);

  std::vector<std::unique_ptr<peer>> peers_;
};

}  // namespace zklock::test
