#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "src/port/client.hpp"
#include "tests/sim/checkers.hpp"

namespace zklock::sim {

/// Passes everything on between one client's session and the model, and tells the checkers of requests and watches, the
/// transcript of all that passes.
class observed_factory final : public client::factory {
 public:
  observed_factory(int client, std::shared_ptr<client::factory> servers, checkers& told)
      : client_(client), servers_(std::move(servers)), told_(told) {}

  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override;
  std::unique_ptr<client::connection> open_newcomer(const client::parameters& with, client::observer& to,
                                                    std::string_view last_server) override;
  bool last_attempt_was_closed() const override { return servers_->last_attempt_was_closed(); }
  std::size_t attempts_per_round() const override { return servers_->attempts_per_round(); }
  bool adopted() const noexcept override { return false; }
  std::size_t server_count() const noexcept override { return servers_->server_count(); }
  std::string describe() const override { return servers_->describe(); }

  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }

 private:
  friend class observed_connection;

  const int client_;
  const std::shared_ptr<client::factory> servers_;
  checkers& told_;
  std::uint64_t requests_ = 0;
  std::uint64_t opened_ = 0;
  class observed_connection* heard_ = nullptr;  ///< the latest; an older one may linger, and nothing is heard of it
};

}  // namespace zklock::sim
