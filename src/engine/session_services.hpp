#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/engine/current_session.hpp"
#include "src/engine/deadline_keeper.hpp"
#include "src/engine/operation_table.hpp"
#include "src/engine/session_config.hpp"
#include "src/engine/wire.hpp"

namespace zklock::engine {

/// What the operations get of their session: its facts, and what they want done on the wire, with the deadline, and in the
/// world. All of it outlives this.
class session_services final : public operation_table::host {
 public:
  session_services(const detail::session_config& config, const current_session& session, wire& servers,
                   deadline_keeper& deadline, environment& world) noexcept
      : config_(config), session_(session), wire_(servers), deadline_(deadline), world_(world) {}

  [[nodiscard]] session_facts facts(instant now) override;
  operation_table::event apply(std::uint64_t operation, any_wish&& what, instant now) override;
  void forget(std::uint64_t operation) override;

  // ---- heartbeats
  void send_beat(heartbeat::request_kind kind, instant now);
  void beat_if_due(instant now);
  /// None is due from now on.
  void stop_beats() noexcept { beats_ = false; }
  [[nodiscard]] std::optional<instant> beat_due() const;

 private:
  void beat(instant now) { send_beat(deadline_.next_kind(session_.is_connected(), now), now); }
  operation_table::event await_cover(std::uint64_t operation, instant now);

  const detail::session_config& config_;
  const current_session& session_;
  wire& wire_;
  deadline_keeper& deadline_;
  environment& world_;
  bool containers_ = true;  ///< the servers know containers
  bool beats_ = true;
};

}  // namespace zklock::engine
