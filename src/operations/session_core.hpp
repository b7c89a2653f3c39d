#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/engine/session_engine.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/holder_watch.hpp"
#include "src/operations/nodes.hpp"
#include "src/operations/transaction.hpp"

namespace zklock::detail {

/// A session's engine, and what locks ask of it.
class session_core final : public engine::session_engine {
 public:
  session_core(session_config config, client::factory& servers, environment& world);

  using session_engine::begin;
  void begin(const std::shared_ptr<operations::acquire>& wanted, instant now);
  void begin(const std::shared_ptr<operations::transaction>& wanted, instant now);
  /// Gives a hold back (of a multi-lock: one of its parts): the removal is queued, and repeated until done. `caller` may be
  /// null.
  void release(const std::shared_ptr<hold>& given_back,
               const std::shared_ptr<operations::release_receiver>& caller, instant now);
  /// A write lock's hold goes on as a read lock's: told to the servers, and repeated until done.
  void downgrade(const std::shared_ptr<hold>& writing, instant now);

  // ---- for tests and checkers
  [[nodiscard]] std::size_t contender_count() const noexcept { return nodes_.size(); }
  [[nodiscard]] const recipes::contender* find_contender(std::uint64_t number) const;

 private:
  [[nodiscard]] operations::contender* holder_of(const hold& one) const;

  operations::nodes nodes_;
  const std::shared_ptr<operations::holder_watch> holder_watch_ = std::make_shared<operations::holder_watch>(nodes_);
};

}  // namespace zklock::detail
