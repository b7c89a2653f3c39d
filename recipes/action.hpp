#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>

namespace zklock::recipes {

/// What a contender wants done. Each request is answered by exactly one event, in the order of the requests.
enum class action : std::uint8_t {
  make_lock_node,     ///< create the lock node and what is missing above it       -> lock_node_made
  create_own,         ///< create the node `prefix()`, ephemeral and sequential    -> created
  sync,               ///< a write that changes nothing: it asks the quorum, too      -> synced
  list,               ///< list the lock node's children                           -> listed
  share_list,         ///< the same, with other contenders of the session          -> listed
  watch_lock_node,    ///< `exists` with a watch on the lock node, for the session  -> lock_node_watched
  list_siblings,      ///< list the children of the lock node's parent             -> siblings_listed
  watch_own,          ///< get with a watch on `own()`                             -> own_watched
  watch_predecessor,  ///< get with a watch on `predecessor()`                     -> predecessor_watched
  read_limit,         ///< get the lock node                                       -> limit_read
  store_limit,  ///< create the `limit_keeper`, which is not answered, and set the lock node's data to the wanted limit,
                ///< if its version is still that of `limit()`               -> limit_stored
  watch_limit,  ///< get with a watch on the lock node                       -> limit_read
  watch_children,       ///< list with a watch on the lock node                      -> listed
  mark_own,             ///< set the own node's data: `mode()`                       -> marked
  replace_with_reader,  ///< in one transaction create the reader of `own()`, ephemeral, and remove `own()` -> marked
  forget_limit,         ///< drop the watch that the last watch_limit has set
  forget_children,      ///< drop the watch that the last watch_children has set
  forget_predecessor,   ///< drop the watch that the last watch_predecessor has set
  forget_own,           ///< drop the watch that the last watch_own has set
  watch_own_later,      ///< from T/12 on the own node is to be watched: look_after_own comes then
  remove_own,  ///< remove the node `own()`, in one transaction with a check of `successor()`, if there is one -> removed
  tell_of_mark,  ///< tell those of this session that wait behind it: `predecessor_watched`, with `mode()`
  show_list,  ///< show the list to those of this session that stand behind it, until it lets one not in: `list_shown`
  warn_of_others,  ///< tell the user that contenders of another recipe stand behind `own()`: they do not wait for it
  pass_on,         ///< tell `successor()` that it has the turn: `passed_on`
  tell_of_others,  ///< of a holder that `keeps()`: another client may want the lock, or its node is gone
  grant,           ///< the lock is held, with `token()`
  refuse,          ///< answer the caller: `why_refused()`
  lose,            ///< the hold is lost: the own node is gone
  start_over,      ///< this contender is void; try with a new one, if there is time left
  finish,          ///< nothing of this contender is left on the server: drop it
};

/// A few actions, in the order in which they are to be done. No allocation.
class action_list {
 public:
  static constexpr std::size_t capacity = 8;

  action_list() = default;
  template <class... Actions>
  explicit action_list(Actions... several) {
    (push(several), ...);
  }
  /// Throws std::exception when it is full: what has been pushed stays.
  void push(action one) { items_.push_back(one); }
  [[nodiscard]] const action* begin() const noexcept { return items_.data(); }
  [[nodiscard]] const action* end() const noexcept { return items_.data() + items_.size(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }

 private:
  boost::container::static_vector<action, capacity> items_;
};

}  // namespace zklock::recipes
