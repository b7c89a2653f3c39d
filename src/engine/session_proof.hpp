#pragma once

#include <utility>

namespace zklock::engine {

/// Whether what operations know of nodes is current.
///
/// A server with local sessions may serve a new session an older state than an earlier one has seen, until it has answered
/// a quorum write of it. On a further connection of a session a server tells what its watches have missed, before it answers
/// anything.
class session_proof {
 public:
  /// A quorum write of this session was answered.
  [[nodiscard]] bool of_session() const noexcept { return session_; }
  /// And something on this connection.
  [[nodiscard]] bool of_connection() const noexcept { return session_ && connection_; }

  void connected(bool new_session) noexcept {
    disconnected();
    session_ = session_ && !new_session;
  }
  void disconnected() noexcept { connection_ = asked_ = false; }
  void session_over() noexcept { session_ = connection_ = asked_ = wanted_ = false; }

  /// Some operation waits for it. Whether it is to be asked for: nothing is under way for it.
  [[nodiscard]] bool ask() noexcept {
    wanted_ = true;
    return !std::exchange(asked_, true);
  }
  /// An answer of the leader's has come. Whether those that wait are to be told.
  [[nodiscard]] bool answered(bool write) noexcept {
    session_ = session_ || write;
    connection_ = true;
    return session_ && std::exchange(wanted_, false);
  }

 private:
  bool session_ = false;
  bool connection_ = false;
  bool asked_ = false;   ///< on this connection
  bool wanted_ = false;  ///< some operation waits
};

}  // namespace zklock::engine
