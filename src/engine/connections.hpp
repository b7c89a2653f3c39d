#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "recipes/local_deadline.hpp"
#include "src/engine/environment.hpp"
#include "src/port/client.hpp"

namespace zklock::engine {

using recipes::instant;

/// The connection objects of one session object, one after the other: each has a generation, and one at the most is the
/// current one. Of those before it the close is under way, or still to come.
/// Beside it there may be a newcomer (recipes::refusal_check).
class connections {
 public:
  connections(client::factory& servers, detail::environment& world) noexcept : servers_(&servers), world_(world) {}

  /// The next generation. Throws what client::factory::open throws; then there is no current one.
  void open(const client::parameters& with);
  /// From the next open() on.
  void use(client::factory& servers) noexcept { servers_ = &servers; }
  [[nodiscard]] const client::factory& servers() const noexcept { return *servers_; }

  /// Null: there is none.
  [[nodiscard]] client::connection* current() const noexcept { return current_.get(); }
  [[nodiscard]] bool is_current(std::uint64_t generation) const noexcept {
    return current_ && generation == generation_;
  }
  [[nodiscard]] bool is_latest(std::uint64_t generation) const noexcept { return generation == generation_; }

  /// Beside the current one: asks whether the servers take newcomers. One at the most. False: none is to be had.
  bool open_newcomer(const client::parameters& with, std::string_view last_server);
  /// Null: there is none.
  [[nodiscard]] client::connection* newcomer() const noexcept { return newcomer_.get(); }
  [[nodiscard]] bool is_newcomer(std::uint64_t generation) const noexcept {
    return newcomer_ && generation == newcomer_generation_;
  }
  /// It is closed now. Nothing if there is none.
  void retire_newcomer();

  /// The current one is to be closed: now, or at that instant. There is none then.
  void retire(std::optional<instant> close_at);
  /// Closes those that are due. That ends their sessions, and lets the next client in.
  void close_due(instant until);
  [[nodiscard]] std::optional<instant> next_close() const;
  /// It is closed, and is disposed of. False: it is not known.
  bool closed(std::uint64_t generation);
  [[nodiscard]] std::size_t closing() const noexcept { return closing_.size(); }

 private:
  client::factory* servers_;  ///< never null
  detail::environment& world_;
  std::uint64_t last_generation_ = 0;
  std::uint64_t generation_ = 0;  ///< of the current one, or of the last that was
  std::unique_ptr<client::connection> current_;
  std::uint64_t newcomer_generation_ = 0;
  std::unique_ptr<client::connection> newcomer_;
  std::unordered_map<std::uint64_t, std::unique_ptr<client::connection>> closing_;  ///< by generation
  std::multimap<instant, std::uint64_t> lingering_;  ///< generations in `closing_`, whose close is still to come
};

}  // namespace zklock::engine
