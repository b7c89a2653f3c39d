#include "src/operations/lock_node_watch.hpp"

#include <utility>

#include "src/operations/contender_operation.hpp"

namespace zklock::operations {
void lock_node_watch::watch(const std::string& lock_node, std::uint64_t contender, engine::out& wants) {
  wants.call(number(), [this, lock_node, contender](engine::out& its) {
    // Under a tag of its own: an answer to a question of before is not one to this.
    if (const auto before = by_lock_node_.find(lock_node); before != by_lock_node_.end()) {
      its.forget_watch(before->second);
      forget(before->second);
      if (recipes::session_queue* const queue = nodes_.find_queue(lock_node)) {
        queue->lose_watch();
      }
    }
    const engine::tag as = ++last_;
    by_lock_node_[lock_node] = as;
    by_tag_[as] = {lock_node, contender};
    if (its.share_of_watches() < share_at_most) {
      its.exists_and_watch(as, its.full(lock_node));
    } else {
      watch_refused(as, its);
      its.request(as, client::request::exists{its.full(lock_node), client::no_watch});
    }
  });
}

void lock_node_watch::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const auto found = by_tag_.find(as);
  if (found == by_tag_.end()) {
    return;  // of a connection that is closed
  }
  const recipes::event::lock_node_watched what{answer.code, answer.stat.czxid};
  if (contender_operation* const asks = nodes_.find(std::exchange(found->second.contender, 0))) {
    wants.call(asks->number(), [asks, what](engine::out& its) { asks->dispatch(what, its); });
  }
  recipes::session_queue* const queue = nodes_.find_queue(found->second.lock_node);
  if (queue != nullptr && what.code == client::code::ok && !found->second.refused) {
    queue->watch_lock_node(what.lock_node);
    return;
  }
  wants.forget_watch(as);  // of a lock node that is not there it would stand
  forget(as);
}

void lock_node_watch::forget(engine::tag as) {
  if (const auto gone = by_tag_.extract(as); !gone.empty()) {
    by_lock_node_.erase(gone.mapped().lock_node);
  }
}

void lock_node_watch::watch_fired(engine::tag as, client::node_event, engine::out&) {
  const auto found = by_tag_.find(as);
  if (found == by_tag_.end()) {
    return;
  }
  if (recipes::session_queue* const queue = nodes_.find_queue(found->second.lock_node)) {
    queue->lose_watch();
  }
  forget(as);
}

void lock_node_watch::watch_refused(engine::tag as, engine::out& wants) {
  const auto found = by_tag_.find(as);
  if (found == by_tag_.end()) {
    return;
  }
  watched& one = found->second;
  one.refused = true;
  if (!std::exchange(told_of_no_room_, true)) {
    wants.log({log_level::warning,
               "no room to watch " + wants.full(one.lock_node) +
                   " beside all that the session watches: a lock that is taken again costs a request more",
               one.lock_node});
  }
}

void lock_node_watch::make_room(engine::out& wants) {
  while (nodes_.keeps_too_many()) {
    const auto gone = by_lock_node_.extract(nodes_.drop_kept());
    if (!gone.empty()) {
      const engine::tag as = gone.mapped();
      by_tag_.erase(as);
      wants.call(number(), [as](engine::out& its) { its.forget_watch(as); });
    }
  }
}

void lock_node_watch::connection_closed(engine::out&) {
  nodes_.lose_lock_node_watches();
  by_tag_.clear();
  by_lock_node_.clear();
}

void lock_node_watch::session_over(const engine::session_end&, engine::out&) { nodes_.forget_last_alone(); }

}  // namespace zklock::operations
