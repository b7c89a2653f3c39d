#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/permit_limit.hpp"
#include "src/client/client.hpp"
#include "src/session/acquisition.hpp"

namespace zklock::detail {

/// What a reading has seen of one contender.
struct seen_contender {
  std::string name;
  std::int64_t czxid = 0;  ///< 0: the server does not tell
  recipes::contender_description told;
  recipes::contender_kind kind = recipes::contender_kind::mutex;
  std::uint32_t permits = 0;  ///< that it wants of a semaphore
  bool holds = false;         ///< by its place, and by its mark
};

/// One reading of a lock's queue, in one connection: a sync and the list behind it, so that the list is not older than
/// the question (F04), and the lock node's data where permits may stand; then each contender's node, a few at a time. Nodes
/// that go meanwhile are left out (F51).
class queue_reading {
 public:
  enum class state : std::uint8_t {
    under_way,
    complete,
    interrupted,  ///< has to begin again, when there is a connection
    refused,      ///< by a server; beginning again would not help
  };
  struct look {
    std::size_t place;
    bool whole;  ///< with its data; otherwise its stat alone, which no access list hides
  };

  /// Of the recipe that `recipe` is a kind of; nothing: of every recipe.
  explicit queue_reading(std::optional<recipes::contender_kind> recipe) : recipe_(recipe) {}

  // ---- what comes back
  void synced(client::code answer);
  void listed(client::reply&& answer);
  void limit_read(const client::reply& answer);
  void looked(std::size_t place, const client::reply& answer);

  [[nodiscard]] bool wants_limit() const noexcept { return !recipe_ || *recipe_ == recipes::contender_kind::permit; }
  /// The next node to ask for. Nothing: as many are under way as may be, or there are no more.
  std::optional<look> next_look();
  [[nodiscard]] const std::string& name(std::size_t place) const { return queue_[place].name; }

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] client::code failure() const noexcept { return failure_; }
  /// Complete: the queue, the first first.
  [[nodiscard]] std::vector<seen_contender> take();
  /// Complete: of a semaphore. Nothing: the lock node does not say, or not to us.
  [[nodiscard]] const std::optional<recipes::permit_limit>& limit() const noexcept { return limit_; }

 private:
  enum class knowledge : std::uint8_t { none, hidden, gone, all };
  void fail(client::code answer);
  void settle();

  const std::optional<recipes::contender_kind> recipe_;
  std::optional<recipes::permit_limit> limit_;
  state state_ = state::under_way;
  client::code failure_ = client::code::ok;
  bool listed_ = false;
  std::vector<seen_contender> queue_;
  std::vector<knowledge> known_;     ///< of each in `queue_`
  std::vector<std::size_t> hidden_;  ///< whose data an access list hides: their stat is to be asked for
  std::size_t next_ = 0;             ///< the first that has not been asked for
  std::size_t under_way_ = 0;
};

/// One call that asks who holds and waits, until it is answered: exactly once, by seen() or refused(). Made by the caller,
/// kept alive by both sides. Its members are the session's business, on its strand.
class inspection {
 public:
  /// Of the recipe that `kind` is one of; nothing: of every recipe.
  inspection(std::shared_ptr<const lock_target> lock, instant limit,
             std::optional<recipes::contender_kind> kind = recipes::contender_kind::mutex)
      : target(std::move(lock)), until(limit), recipe(kind) {}
  inspection(const inspection&) = delete;
  inspection& operator=(const inspection&) = delete;
  virtual ~inspection() = default;

  /// `permits` says by then how many there are.
  virtual void seen(std::vector<seen_contender> queue) noexcept = 0;
  /// `answer` is ZooKeeper's code behind the error, or ok.
  virtual void refused(std::error_code why, recipes::code answer) noexcept = 0;

  const std::shared_ptr<const lock_target> target;
  const instant until;
  const std::optional<recipes::contender_kind> recipe;
  std::optional<recipes::permit_limit> permits;  ///< of a semaphore, once it is seen
  std::uint64_t number = 0;  ///< new for each reading, so that answers to an interrupted one find nobody; 0: answered
  std::optional<queue_reading> reading;  ///< nothing while there is no connection, or until `retry_at`
  std::optional<instant> retry_at;
};

}  // namespace zklock::detail
