#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/engine/connections.hpp"
#include "src/engine/ledger.hpp"
#include "src/engine/spare_texts.hpp"
#include "src/engine/watch_table.hpp"

namespace zklock::engine {

/// The way to the servers: what is sent on the current connection, and for which operation each answer and each watch event
/// comes back.
class wire {
 public:
  /// Each request that asks the leader is noted in `deadline`.
  wire(client::factory& servers, detail::environment& world, recipes::local_deadline& deadline) noexcept
      : connections_(servers, world), deadline_(deadline) {}

  [[nodiscard]] connections& handles() noexcept { return connections_; }
  [[nodiscard]] const connections& handles() const noexcept { return connections_; }
  [[nodiscard]] spare_texts& spares() noexcept { return spares_; }
  [[nodiscard]] bool is_adopted() const noexcept { return connections_.servers().adopted(); }

  /// All that goes to ZooKeeper goes through here, so that it is known which answer moves the deadline. `as`: what
  /// the ledger is to keep, without the request's number. Without a connection nothing is sent, and nothing is answered.
  void send(const ledger::entry& as, client::any_request&& what, instant now);
  /// False: there is no room for the watch, and the request is sent without it.
  bool watch(std::uint64_t owner, tag as, std::string path, watch_table::kind on, instant now);
  void forget_watch(std::uint64_t owner, tag as);
  /// What is under way is not answered to this owner any more.
  void forget_requests(std::uint64_t owner) { ledger_.forget(owner); }
  /// It has ended: its watches are.
  void forget(std::uint64_t owner);

  /// Nothing: it belongs to a session that is over.
  [[nodiscard]] std::optional<ledger::entry> answered(std::uint64_t generation, client::request_id id);
  /// Nothing: it is not expected (any more).
  [[nodiscard]] std::optional<watch_table::entry> fired(std::uint64_t generation, client::watch_id id);
  /// Of what is answered, or fires, next.
  [[nodiscard]] std::optional<std::uint64_t> owner_of_request(client::request_id id) const {
    return ledger_.owner_of(id);
  }
  [[nodiscard]] std::optional<std::uint64_t> owner_of_watch(client::watch_id id) const { return watches_.owner_of(id); }
  /// The session is over: no answer and no event of it comes any more.
  void clear() noexcept;

  [[nodiscard]] std::size_t watch_count() const noexcept { return watches_.size(); }
  [[nodiscard]] double share_of_watches() const noexcept { return watches_.share(); }

 private:
  void forget(const watch_table::entry& gone);

  connections connections_;
  ledger ledger_;
  spare_texts spares_;
  watch_table watches_;
  recipes::local_deadline& deadline_;
};

}  // namespace zklock::engine
