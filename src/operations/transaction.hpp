#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/guarded_multi.hpp"
#include "src/operations/nodes.hpp"
#include "src/operations/receiver.hpp"

namespace zklock::operations {

/// Nothing was applied if `failure` has an error, unless that is errc::outcome_unknown.
struct transaction_result {
  std::vector<client::part_result> results;  ///< of each operation; the paths of created nodes are the user's
  detail::transaction_failure failure{};
};

/// Commits a transaction: sent at once or not at all, since a caller that waits for a connection with a write in hand
/// writes later than it believes; and never sent again. It is answered when its connection goes, at the latest.
class transaction final : public engine::operation {
 public:
  /// The operations' paths are the user's.
  transaction(std::vector<std::shared_ptr<detail::hold>> guards, std::vector<client::request::operation> operations,
              std::shared_ptr<receiver<transaction_result>> told);
  /// Before it is begun.
  void look_up_guards_in(const nodes& known) noexcept { nodes_ = &known; }

  void begin(engine::out& wants) override;
  void connection_closed(engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 private:
  [[nodiscard]] std::optional<detail::transaction_failure> failure_of_guards(const engine::out& wants) const;
  [[nodiscard]] bool in_doubt(const detail::hold& guard) const;
  [[nodiscard]] bool stands_on_another_node(const detail::transaction_failure& why, detail::instant now) const;
  bool asks_for_session(const client::reply_view& answer, const detail::transaction_failure& why, engine::out& wants);
  void fail(const detail::transaction_failure& why, engine::out& wants);

  std::vector<std::shared_ptr<detail::hold>> guards_;
  std::vector<client::request::operation> operations_;
  std::shared_ptr<receiver<transaction_result>> told_;
  const nodes* nodes_ = nullptr;                         ///< set before it is begun
  std::vector<std::shared_ptr<detail::hold>> guard_of_;  ///< each check's; of a multi-lock its parts
  std::vector<std::string> checked_;                     ///< the node that stood for each of these, below the root
  bool sent_ = false;
  std::optional<detail::transaction_failure> in_question_;  ///< told unless the session turns out to live
  std::size_t first_failed_ = 0;                            ///< then that of this operation
};

}  // namespace zklock::operations
