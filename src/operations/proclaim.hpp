#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/proclamation.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/engine/retry_timer.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

/// What a leader says of itself by its node: of one term. The session's strand alone changes it.
struct proclamations {
  struct caller {
    std::uint64_t number;
    std::shared_ptr<receiver<detail::failure>> told;
  };
  std::shared_ptr<detail::hold> of;
  recipes::proclamation says{};
  std::vector<caller> callers{};
  bool driven = false;  ///< some operation is under way for all of them
};

/// Writes data to the node of a hold: recipes::proclamation. The first that comes does it for those that come meanwhile. It
/// ends with the hold at the latest: errc::lost.
class proclaim final : public engine::operation {
 public:
  proclaim(std::shared_ptr<proclamations> among, std::string data, std::shared_ptr<receiver<detail::failure>> told)
      : among_(std::move(among)), data_(std::move(data)), told_(std::move(told)) {}

  void begin(engine::out& wants) override;
  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override;
  void connection_closed(engine::out& wants) override { disconnected(wants); }
  void session_over(const engine::session_end&, engine::out& wants) override;
  void reply(engine::tag, const client::reply_view& answer, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void closed(std::error_code why, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  void send(engine::out& wants);
  void tell(const detail::failure& why, engine::out& wants);

  const std::shared_ptr<proclamations> among_;
  std::string data_;
  std::shared_ptr<receiver<detail::failure>> told_;
  engine::retry_timer retry_;
};

}  // namespace zklock::operations
