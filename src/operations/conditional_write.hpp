#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/followed_node.hpp"
#include "src/engine/retry_timer.hpp"
#include "src/operations/commit.hpp"
#include "src/operations/follow_node.hpp"

namespace zklock::operations {

/// Writes a node if it has the version that was read, and finds out what became of it where the answer is lost, by the node
/// as it is behind a quorum write (recipes::fate_of_write):
///
/// | fate          | without a guard | a guard excludes all others, and still stands |
/// |---------------|-----------------|-----------------------------------------------|
/// | not_applied   | version_mismatch| version_mismatch                              |
/// | looks_applied | outcome_unknown | applied                                       |
/// | unknown       | outcome_unknown | outcome_unknown                               |
///
/// Stands: by the servers' word, since whoever removes the guard's node lets the next holder in before this one is told. It is asked in the ZooKeeper session that has sent the write, or behind a server's word that
/// this one is over: else the write may still come (outcome_unknown).
class conditional_write final : public commit {
 public:
  struct write {
    std::string path;  ///< the user's
    std::string data;
    recipes::node_stat read;  ///< while the guards were held: else an equal write before that looks like this one
  };
  /// `shown`: is told of what was written. May be null.
  conditional_write(std::vector<std::shared_ptr<detail::hold>> guards, write what, engine::instant until,
                    std::shared_ptr<follow_node> shown, std::shared_ptr<receiver<transaction_result>> told);

  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override;
  void connection_closed(engine::out& wants) override;
  void session_over(const engine::session_end& end, engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void timer(engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  void closed(std::error_code, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override;

 private:
  void conclude(transaction_result&& with, engine::out& wants) override;
  void ask(engine::out& wants);
  void judge_unknown_write(const client::reply_view& answer, engine::out& wants);
  void ask_for_guards(const client::stat& written, engine::out& wants);
  void leave_unknown(engine::out& wants);

  const write what_;
  const engine::instant until_;
  const std::shared_ptr<follow_node> shown_;
  std::optional<transaction_result> unknown_;  ///< told, unless it is found out
  client::stat written_;                       ///< by this write, if its guards still stand
  engine::retry_timer retry_;
};

}  // namespace zklock::operations
