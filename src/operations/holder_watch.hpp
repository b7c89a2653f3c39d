#pragma once

#include <cstdint>
#include <optional>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/nodes.hpp"
#include "src/operations/own_node_looks.hpp"

namespace zklock::operations {

/// Has holders and waiters watch their own nodes, or look at them where there is no room for a watch. Lives as long as the
/// session object.
class holder_watch final : public engine::operation {
 public:
  explicit holder_watch(const nodes& of) noexcept : nodes_(of) {}

  /// It has been granted, or its watch has fired: a shorter hold pays nothing for it (F13).
  void watch_soon(std::uint64_t holder, engine::out& wants);
  /// It has no watch: there was no room for one, or the request failed.
  void look_again(std::uint64_t holder, engine::out& wants);

  void begin(engine::out&) override {}
  void connected(engine::out&) override { connected_ = true; }
  void disconnected(engine::out&) override { connected_ = false; }
  void session_over(const engine::session_end&, engine::out&) override;
  void timer(engine::out& wants) override;
  void stop(const detail::failure&, engine::out&) override {}
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  [[nodiscard]] bool stands(std::uint64_t holder) const;

  const nodes& nodes_;
  detail::own_node_looks looks_;
  bool connected_ = false;
};

}  // namespace zklock::operations
