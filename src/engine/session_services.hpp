#pragma once

#include <cstdint>
#include <optional>

#include "src/engine/current_session.hpp"
#include "src/engine/deadline_keeper.hpp"
#include "src/engine/out.hpp"
#include "src/engine/session_config.hpp"
#include "src/engine/session_proof.hpp"
#include "src/engine/wire.hpp"

namespace zklock::engine {

/// The engine's own requests.
inline constexpr tag of_beat = 0;
inline constexpr tag of_attempt = 1;
inline constexpr tag of_proof = 2;

/// What the operations get of their session: its facts, the wire, the deadline, and the world. All of it outlives this.
class session_services {
 public:
  session_services(const detail::session_config& config, const current_session& session, wire& servers,
                   deadline_keeper& deadline, environment& world) noexcept
      : config_(config), session_(session), wire_(servers), deadline_(deadline), world_(world) {}

  [[nodiscard]] session_facts facts(instant now) const;
  [[nodiscard]] wire& servers() noexcept { return wire_; }
  [[nodiscard]] deadline_keeper& deadline() noexcept { return deadline_; }
  [[nodiscard]] environment& world() noexcept { return world_; }

  /// Whether the local deadline is; if not, this operation waits for that.
  [[nodiscard]] bool is_ahead(std::uint64_t operation, instant now);
  /// Whether session_facts::current; if not, all are told once it is.
  [[nodiscard]] bool ask_for_proof(instant now);
  [[nodiscard]] session_proof& proof() noexcept { return proof_; }
  void send_proof(instant now);
  /// The servers know no containers.
  void note_no_containers() noexcept { containers_ = false; }
  /// It has ended: its watches, its wait for the deadline. Its number is no other operation's, unless that one replaces it.
  void forget(std::uint64_t operation);

  // ---- heartbeats
  void send_beat(heartbeat::request_kind kind, instant now);
  void beat_if_due(instant now);
  /// None is due from now on.
  void stop_beats() noexcept { beats_ = false; }
  [[nodiscard]] std::optional<instant> beat_due() const;

 private:
  void beat(instant now) { send_beat(deadline_.next_kind(session_.is_connected(), now), now); }

  const detail::session_config& config_;
  const current_session& session_;
  wire& wire_;
  deadline_keeper& deadline_;
  environment& world_;
  session_proof proof_;
  bool containers_ = true;  ///< the servers know containers
  bool beats_ = true;
};

}  // namespace zklock::engine
