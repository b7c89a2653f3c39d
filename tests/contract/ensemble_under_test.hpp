#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/port/client.hpp"

namespace zklock::contract {

/// What the contract's tests need of an ensemble besides the port: one server, and faults on demand. Clients are
/// numbered; each has a network of its own.
class ensemble_under_test {
 public:
  virtual ~ensemble_under_test() = default;

  [[nodiscard]] virtual std::shared_ptr<client::factory> clients(int client) = 0;

  virtual void cut(int client) = 0;                ///< resets the connection; the client may come back
  virtual void refuse(int client) = 0;             ///< the same, and resets new ones
  virtual void hold(int client) = 0;               ///< silence, both ways, for new connections as well
  virtual void hold_replies(int client) = 0;       ///< silence from the server
  virtual void restore(int client) = 0;            ///< what was held moves on
  virtual void lose_next_request(int client) = 0;  ///< not executed; the connection is cut in its place
  virtual void lose_next_reply(int client) = 0;    ///< executed; the connection is cut in place of the reply
  virtual void expire_session(int client) = 0;     ///< returns when the server has done it
  virtual void take_over_session(int client) = 0;  ///< another client connects with its id, and goes away again

  // Only of servers of one test's own.
  virtual void freeze() = 0;
  virtual void thaw() = 0;
  virtual void restart() = 0;
  /// The number of the next sequential child of `path` ("/unique-name"). Restarts the server.
  virtual void set_sequence_counter(const std::string& path, std::int32_t next) = 0;
  /// Has the empty containers deleted that are due; they may go a little later.
  virtual void reap_containers() = 0;
};

/// What a test asks of the server that it runs on.
enum class server_kind : std::uint8_t {
  shared,  ///< leaves it as it was
  own,     ///< stops it, restarts it, or has its containers reaped often
};

[[nodiscard]] std::unique_ptr<ensemble_under_test> make_real_ensemble(server_kind kind);
[[nodiscard]] std::unique_ptr<ensemble_under_test> make_fake_ensemble();

}  // namespace zklock::contract
