#include "src/operations/queue_lists.hpp"

#include <utility>

#include "src/operations/contender.hpp"

namespace zklock::operations {

void queue_lists::ask(const std::string& lock_node, std::uint64_t contender, engine::out& wants) {
  wants.call(number(), [this, lock_node, contender](engine::out& its) {
    if (const auto found = by_lock_node_.find(lock_node); found != by_lock_node_.end()) {
      under_way_.at(found->second).later.push_back(contender);
    } else {
      send({lock_node, {contender}}, its);
    }
  });
}

void queue_lists::send(list&& next, engine::out& wants) {
  const engine::tag as = ++last_;
  by_lock_node_[next.lock_node] = as;
  wants.request(as, client::request::list{wants.full(next.lock_node), client::no_watch});
  under_way_.emplace(as, std::move(next));
}

void queue_lists::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const auto found = under_way_.find(as);
  if (found == under_way_.end()) {
    return;  // of a connection that is closed
  }
  list done = std::move(found->second);
  under_way_.erase(found);
  by_lock_node_.erase(done.lock_node);
  index_.reset();
  if (done.contenders.size() > 1 && answer.code == client::code::ok) {
    index_.emplace(answer.children);
  }
  // A view: for these calls alone.
  const recipes::event::listed listed{answer.code, answer.children, answer.stat.pzxid, answer.stat.mzxid,
                                      index_ ? &*index_ : nullptr};
  for (const std::uint64_t number : done.contenders) {
    if (contender* const one = nodes_.find(number)) {
      wants.call(number, [one, listed](engine::out& its) { one->dispatch(listed, its); });
    }
  }
  if (!done.later.empty()) {
    send({std::move(done.lock_node), std::move(done.later)}, wants);
  }
}

void queue_lists::connection_closed(engine::out&) {
  under_way_.clear();
  by_lock_node_.clear();
}

}  // namespace zklock::operations
