#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/engine/operation.hpp"
#include "src/engine/out.hpp"
#include "src/operations/request_pace.hpp"
#include "src/operations/seen_queue.hpp"

namespace zklock::operations {

/// The head of a lock's queue, and how long the rest is.
struct queue_report {
  bool current = false;                   ///< there is a connection, and on it the queue was listed
  recipes::code why = recipes::code::ok;  ///< of a refusal: the children are hidden
  bool complete = false;                  ///< all of `first` was read
  std::vector<recipes::seen_contender> first;
  std::size_t holders = 0;
  std::size_t waiters = 0;
  std::optional<recipes::permit_limit> limit;
  std::uint64_t grants = 0;  ///< seen since the begin
};

/// Who is told, on the session's strand.
class queue_listener {
 public:
  virtual ~queue_listener() = default;
  virtual void seen(const queue_report& what, engine::out& wants) = 0;
  /// Nothing is seen any more.
  virtual void over(std::error_code why, engine::out& wants) = 0;
};

/// Follows the queue of one lock, of any recipe and layout, until it is stopped; across outages and sessions.
///
/// - *Requests*: at most four in any second (request_pace), whatever happens to the lock. Lists have a watch: one list a
///   change, and one a second. Of Curator's semaphore there are three lists. Else a node is read once, when it has come among the
///   first that are shown; again if it has changed, which is watched where it matters: writers and permits, and the lock
///   node's data where there are permits. The others are only counted, however many there are.
/// - *A quiet lock* costs no request. Where there is no lock node, its creation is watched.
class follow_queue final : public engine::operation {
 public:
  /// `path`: the user's; `shown`: how many of the first contenders are read.
  follow_queue(std::string path, std::size_t shown, std::shared_ptr<queue_listener> told);

  void show(std::size_t shown, engine::out& wants);

  void begin(engine::out& wants) override;
  void connected(engine::out& wants) override;
  void disconnected(engine::out& wants) override;
  void connection_closed(engine::out& wants) override { disconnected(wants); }
  void session_over(const engine::session_end&, engine::out& wants) override;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) override;
  void watch_fired(engine::tag as, client::node_event event, engine::out& wants) override;
  void watch_refused(engine::tag as, engine::out& wants) override;
  void timer(engine::out& wants) override { go_on(wants); }
  void closed(std::error_code, engine::out& wants) override;
  void stop(const detail::failure& why, engine::out& wants) override;
  [[nodiscard]] std::optional<engine::instant> due() const override { return due_; }

 private:
  struct list {
    std::string_view below;
    bool wanted = false;
    bool under_way = false;
    bool absent = false;         ///< it was no node
    engine::instant free_at{0};  ///< when the next one may be sent
  };
  struct node {
    engine::tag as;
    bool under_way = true;
  };

  void go_on(engine::out& wants);
  [[nodiscard]] bool send_next(engine::out& wants);
  [[nodiscard]] bool send_list(engine::out& wants);
  [[nodiscard]] bool read_next(engine::out& wants);
  [[nodiscard]] std::optional<engine::instant> next_due(engine::instant now) const;
  [[nodiscard]] std::span<const recipes::seen_contender> first() const;
  [[nodiscard]] const recipes::seen_contender* first_unread() const;
  [[nodiscard]] bool knows_holders() const;
  void list_answered(list& of, const client::reply_view& answer, engine::out& wants);
  void node_answered(engine::tag as, const client::reply_view& answer);
  void forget_gone_nodes(engine::out& wants);
  void report(engine::out& wants);

  const std::string path_;
  std::size_t shown_;
  const std::shared_ptr<queue_listener> told_;
  seen_queue seen_;
  request_pace pace_;
  std::array<list, 3> lists_;  ///< their places are their tags
  bool path_wanted_ = false;
  bool limit_wanted_ = true;
  bool limit_under_way_ = false;
  bool unwatched_ = false;  ///< there was no room for a watch: what it would tell is asked for
  bool current_ = false;
  recipes::code why_ = recipes::code::ok;
  std::map<std::string, node> nodes_;  ///< that were asked for, by name
  engine::tag last_tag_;
  std::optional<engine::instant> due_;
};

}  // namespace zklock::operations
