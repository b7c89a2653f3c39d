#pragma once

#include <cstdint>

#include "recipes/acquire_spec.hpp"
#include "recipes/code.hpp"
#include "recipes/names_view.hpp"
#include "recipes/node_name.hpp"
#include "recipes/permit_limit.hpp"
#include "recipes/queue_index.hpp"
#include "recipes/session_queue.hpp"
#include "recipes/watch.hpp"

namespace zklock::recipes {

/// The own node.
struct own_node {
  numbered_name name{};  ///< empty until it is known
  watch watched = watch::none;
  heap_text becomes{};     ///< the node that may stand in its place by now; empty: none
  std::int64_t czxid = 0;  ///< 0: not known

  bool operator==(const own_node&) const = default;
};

/// All answers of one look at the queue.
struct round_answers {
  code failure = code::ok;  ///< the first answer that is none; then the others count for nothing
  names_view children{};
  const queue_index* index = nullptr;     ///< see event::listed
  std::int64_t changed = 0;               ///< see event::listed
  std::int64_t lock_node = 0;             ///< see event::listed
  limit_node limit{};                     ///< what the lock node has said last, if the recipe has a limit
  bool limit_stale = false;               ///< the limit was written after it was read: the look has to be repeated
  bool mixed_beside = false;              ///< contenders of another recipe stand beside the lock node
  bool children_watched = false;          ///< a watch stands on the children
  bool watched = false;                   ///< a watch stands on whatever the recipe looks at
  const session_queue* beside = nullptr;  ///< the contenders of this session
};

/// What a part of a contender wants done next. At the most one thing: each part decides once for each event.
struct decision {
  enum class kind : std::uint8_t {
    wait,               ///< nothing: an answer or an event is to come
    watch_predecessor,  ///< wait, with a watch on the predecessor; none on the lock node. On the own node later
    watch_both,         ///< the same, and on the own node at once
    watch_own,          ///< wait, with a watch on the own node
    watch_own_later,    ///< wait, with a watch on the own node from T/12 on
    look_at_own,        ///< the same, but the node is asked for also if it is watched
    look,               ///< look at the queue
    look_with_watches,  ///< the same, with watches on what is looked at
    look_later,         ///< look when there is a connection
    decide,             ///< the own node stands: what does the round say?
    pass,               ///< the lock is held
    refuse,             ///< answer the caller, and remove the node if there is one
    start_over,         ///< this contender is void
    lose,               ///< the hold is lost
    remove,             ///< remove the node
    finish,             ///< nothing is left on the server
    become_reader,      ///< a request is sent that may put its reader in the own node's place
    became_reader,      ///< it did
    stays_writer,       ///< it did not
  };
  kind is = kind::wait;
  refusal why = refusal::none;
  recipes::code with = recipes::code::ok;

  bool operator==(const decision&) const = default;
};

[[nodiscard]] constexpr decision refuse(refusal why, code with = code::ok) noexcept {
  return {decision::kind::refuse, why, with};
}

/// What a turn is at, when no look at the queue is under way.
enum class turn_state : std::uint8_t {
  resting,   ///< nothing
  storing,   ///< a limit is being stored
  watching,  ///< watches are being set
  waiting,   ///< the watches stand
};

}  // namespace zklock::recipes
