#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "recipes/acquire_spec.hpp"
#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/names_view.hpp"
#include "recipes/permit_limit.hpp"
#include "recipes/queue_index.hpp"

namespace zklock::recipes {

/// What happens to a contender. Codes and names come from replies; nothing else comes in.
namespace event {

struct connected {};     ///< there is a connection (again), in the session this contender lives in
struct enlisted {};      ///< by another: the transaction that creates its node has been sent
struct disconnected {};  ///< the connection was lost; the session may live
struct session_over {};  ///< the session is over, and its nodes with it
/// `without_root`: not even the topmost part has a parent: the handle's chroot is not there.
struct lock_node_made {
  recipes::code code;
  bool without_root = false;
};
struct created {
  recipes::code code;
  std::string_view name;
  fencing_token token;
};  ///< name without directory; token 0: not told
struct synced {
  recipes::code code;
};
/// `changed`: the lock node's pzxid, the transaction that last made or removed a child. `written`: see limit_read. `index`: of
/// the children, if the list is shared; null: it serves this one alone. `lock_node`: its czxid, which tells it from one that
/// is made anew in its place.
struct listed {
  recipes::code code;
  names_view children;
  std::int64_t changed = 0;
  std::int64_t written = 0;
  const queue_index* index = nullptr;
  std::int64_t lock_node = 0;
};
/// A list that has let in one that stands before this contender, in its session. `limit`: as of that list.
struct list_shown {
  listed list;
  limit_node limit;
};
/// What stands beside the lock node, under the same parent.
struct siblings_listed {
  recipes::code code;
  names_view children;
};
/// The lock node's data. `written`: its mzxid, the transaction that last wrote them.
struct limit_read {
  recipes::code code;
  std::string_view data;
  std::int32_t version = 0;
  std::int64_t written = 0;
};
/// `exists` with a watch on the lock node. `lock_node`: see listed.
struct lock_node_watched {
  recipes::code code;
  std::int64_t lock_node = 0;
};
struct limit_stored {
  recipes::code code;
};
struct marked {
  recipes::code code;
};
/// `owned`: the node's ephemeralOwner is the session this contender lives in.
struct own_watched {
  recipes::code code;
  fencing_token token;
  bool owned;
};
struct predecessor_watched {
  recipes::code code;
  bool same_session = false;  ///< its ephemeralOwner is the session this contender lives in
  contender_mode mode = contender_mode::write;
};
/// `of_successor`: nothing was removed, and the code is of the check of `successor()`.
struct removed {
  recipes::code code;
  bool of_successor = false;
};
/// The predecessor, a contender of this session, was held exclusively; its removal was answered `ok`, and the own node stood.
struct passed_on {};
/// The predecessor, a contender of this session, has left in another way.
struct predecessor_left {};
struct own_gone {};     ///< the watch on the own node: it was deleted
struct own_changed {};  ///< the watch on the own node: its data were set
struct predecessor_gone {};
struct predecessor_changed {};
struct children_changed {};  ///< the watch on the lock node's children
struct limit_changed {};     ///< the watch on the lock node's data
struct downgrade {};         ///< a write lock's holder goes on as a reader
struct stop {
  refusal why;
};                         ///< from the caller, which is answered at once
struct release {};         ///< the grant is given back
struct look_after_own {};  ///< a holder, or a waiter, watches its own node from now on (F12, F13)

}  // namespace event

using contender_event =
    std::variant<event::connected, event::enlisted, event::disconnected, event::session_over, event::lock_node_made,
                 event::created, event::synced, event::listed, event::list_shown, event::siblings_listed,
                 event::limit_read, event::limit_stored, event::marked, event::own_watched, event::predecessor_watched,
                 event::removed, event::passed_on, event::predecessor_left, event::own_gone, event::own_changed,
                 event::predecessor_gone, event::predecessor_changed, event::children_changed, event::limit_changed,
                 event::stop, event::release, event::look_after_own, event::downgrade, event::lock_node_watched>;

/// What the answer says of the own node: one that belongs to another session is not the own one.
[[nodiscard]] constexpr code own_result(const event::own_watched& answer) noexcept {
  return answer.code == code::ok && !answer.owned ? code::no_node : answer.code;
}

}  // namespace zklock::recipes
