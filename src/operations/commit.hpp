#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "recipes/code.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/nodes.hpp"
#include "src/operations/receiver.hpp"
#include "src/port/client.hpp"

namespace zklock::operations {

/// Why a transaction was not confirmed, and which of its parts is to blame.
struct transaction_failure {
  enum class at : std::uint8_t {
    whole,      ///< none of them
    guard,      ///< `lock` names it
    operation,  ///< `place` counts the user's operations
  };
  std::error_code ec;
  recipes::code answer = recipes::code::ok;  ///< ZooKeeper's, behind the error
  at part = at::whole;
  std::size_t place = 0;
  std::string lock = {};  ///< its path; of a multi-lock's part, that part's
};

/// Nothing was applied if `failure` has an error, unless that is errc::outcome_unknown.
struct transaction_result {
  std::vector<client::part_result> results;  ///< of each operation; the paths of created nodes are the user's
  transaction_failure failure{};
};

class commit;

/// The transactions of one session of which one was refused since another client had set a guard's node, until it is
/// answered, and those behind it that share a guard: all are sent in the order of their beginning, as without that client.
class commits_in_order {
 public:
  void enter(commit& one);
  /// Those whose turn has come are sent.
  void leave(const commit& one, engine::out& wants);
  [[nodiscard]] bool has_turn(const commit& one) const;

 private:
  std::vector<commit*> all_;
};

/// Commits a transaction: sent at once or not at all, since a caller that waits for a connection with a write in hand
/// writes later than it believes; and sent again only where it was refused for a guard's node that another client had set, which
/// ended nothing. It is answered when its connection goes, at the latest.
class commit : public engine::operation {
 public:
  /// The operations' paths are the user's.
  commit(std::vector<std::shared_ptr<detail::hold>> guards, std::vector<client::request::operation> operations,
         std::shared_ptr<receiver<transaction_result>> told);
  /// Before it is begun.
  void use(const nodes& known, commits_in_order& among) noexcept {
    nodes_ = &known;
    among_ = &among;
  }
  /// For commits_in_order.
  [[nodiscard]] bool shares_guard_with(const commit& other) const;
  [[nodiscard]] bool waits() const noexcept { return waits_; }
  void on_turn(engine::out& wants);

  void begin(engine::out& wants) override;
  void connection_closed(engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;

 protected:
  /// What became of it. Tells the caller, and ends the operation.
  virtual void conclude(transaction_result&& with, engine::out& wants);
  /// Whether what it is guarded by is held now.
  [[nodiscard]] bool guards_hold(engine::instant now) const;
  /// Whether one of them excludes every other hold of its lock: a mutex's, a writer's.
  [[nodiscard]] bool is_guarded_exclusively() const;
  /// A server's word is known of what was sent: it will not be applied any more.
  void note_answered() noexcept;
  /// Whether the servers still have the nodes that it stands on, once it was sent.
  [[nodiscard]] client::request::multi checks_of_guards(const std::string& root) const;

 private:
  /// First a check of every node that the guards stand on, then the operations.
  [[nodiscard]] client::request::multi guarded_operations(const std::string& root);
  [[nodiscard]] std::optional<transaction_failure> failure_of_guards(const engine::out& wants) const;
  [[nodiscard]] bool in_doubt(const detail::hold& guard) const;
  /// That was exclusive when the transaction was sent, and is not any more.
  [[nodiscard]] std::optional<transaction_failure> downgraded_guard() const;
  [[nodiscard]] bool stands_on_another_node(const transaction_failure& why, detail::instant now) const;
  /// If they hold still.
  void send(engine::out& wants);
  bool asks_for_changed_guard(transaction_failure& why, engine::out& wants);
  void changed_guard_seen(const client::reply_view& answer, engine::out& wants);
  bool asks_for_session(const client::reply_view& answer, const transaction_failure& why, engine::out& wants);
  void fail(const transaction_failure& why, engine::out& wants);
  /// Its answer is known, or that there is none: those behind it may be sent.
  void end(transaction_result&& with, engine::out& wants);

  std::vector<std::shared_ptr<detail::hold>> guards_;
  std::vector<client::request::operation> operations_;
  std::shared_ptr<receiver<transaction_result>> told_;
  const nodes* nodes_ = nullptr;  ///< both set before it is begun
  commits_in_order* among_ = nullptr;
  std::vector<std::shared_ptr<detail::hold>> guard_of_;  ///< each check's; of a multi-lock its parts
  std::vector<std::string> checked_;                     ///< the node that stood for each of these, below the root
  std::vector<bool> excluded_;                           ///< when the caller committed: which of these were exclusive
  bool sent_ = false;
  bool waits_ = false;  ///< for those before it
  detail::instant sent_until_{};
  std::optional<transaction_failure>
      in_question_;               ///< told unless the session turns out to live, or the guard to stand
  int times_changed_ = 0;         ///< a guard's node, between two checks
  std::size_t first_failed_ = 0;  ///< then that of this operation
};

}  // namespace zklock::operations
