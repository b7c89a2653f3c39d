#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/crowd_calls.hpp"

namespace zklock::operations {

/// Lists the children of lock nodes for those contenders of one session that share a list: one shared list at a time of each
/// lock node. A contender that asks while one is under way shares the next one, since that one may be older than its node.
/// While a crowd is being told what makes its contenders ask, the list waits for the last of them.
/// Lives as long as the session object.
///
/// Invariant: a contender is served by a list that was sent after it has asked.
class queue_lists final : public engine::operation {
 public:
  explicit queue_lists(crowd_calls& tells) noexcept : crowds_(tells) {}

  /// The answer comes to that contender as `listed`.
  void ask(const std::string& lock_node, std::uint64_t contender, engine::out& wants);

  void begin(engine::out&) override {}
  void connection_closed(engine::out&) override;
  void timer(engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override {
    return put_off_.empty() ? std::nullopt : std::optional(since_);
  }
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure&, engine::out&) override {}

 private:
  struct list {
    std::string lock_node;
    std::vector<std::uint64_t> contenders{};  ///< that it serves
    std::vector<std::uint64_t> later{};       ///< that share the next one
    bool sent = false;
  };
  void begin_list(list&& next, engine::out& wants);
  void send_behind_crowds(engine::tag as, engine::out& wants);
  void send(engine::tag as, engine::out& wants);

  crowd_calls& crowds_;
  engine::tag last_ = 0;
  std::unordered_map<engine::tag, list> under_way_;
  std::unordered_map<std::string, engine::tag> by_lock_node_;
  std::vector<engine::tag> put_off_;  ///< until all have been told what happens to all
  engine::instant since_{0};
};

}  // namespace zklock::operations
