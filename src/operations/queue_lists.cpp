#include "src/operations/queue_lists.hpp"

#include <algorithm>
#include <utility>

#include "src/operations/contender_operation.hpp"
#include "src/operations/shown_list.hpp"

namespace zklock::operations {
namespace {

/// In the order in which they have asked.
crowd_calls::crowd crowd_of(std::vector<std::uint64_t>&& contenders, std::shared_ptr<const shown_list> list) {
  return {[all = std::move(contenders), told = std::size_t{0}](std::size_t most) mutable {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(told);
            const auto last = first + static_cast<std::ptrdiff_t>(std::min(most, all.size() - told));
            told += static_cast<std::size_t>(last - first);
            return std::vector<std::uint64_t>(first, last);
          },
          [list = std::move(list)](contender_operation& one, engine::out& its) { one.dispatch(list->event(), its); }};
}

}  // namespace

void queue_lists::ask(const std::string& lock_node, std::uint64_t contender, engine::out& wants) {
  wants.call(number(), [this, lock_node, contender](engine::out& its) {
    const auto found = by_lock_node_.find(lock_node);
    if (found == by_lock_node_.end()) {
      begin_list({lock_node, {contender}}, its);
    } else if (list& next = under_way_.at(found->second); next.sent) {
      next.later.push_back(contender);
    } else {
      next.contenders.push_back(contender);
    }
  });
}

void queue_lists::begin_list(list&& next, engine::out& wants) {
  const engine::tag as = ++last_;
  by_lock_node_[next.lock_node] = as;
  under_way_.emplace(as, std::move(next));
  if (wants.session().telling_many) {
    put_off_.push_back(as);
    since_ = wants.session().now;
  } else {
    send_behind_crowds(as, wants);
  }
}

/// Behind what makes many contenders look, there is one list for all of them.
void queue_lists::timer(engine::out& wants) {
  if (!wants.session().telling_many) {
    for (const engine::tag as : std::exchange(put_off_, {})) {
      send_behind_crowds(as, wants);
    }
  }
}

void queue_lists::send_behind_crowds(engine::tag as, engine::out& wants) {
  if (!crowds_.has_left()) {
    send(as, wants);
    return;
  }
  crowds_.call_behind(
      [this, as](engine::out& its) { its.call(number(), [this, as](engine::out& mine) { send(as, mine); }); }, wants);
}

void queue_lists::send(engine::tag as, engine::out& wants) {
  if (const auto found = under_way_.find(as); found != under_way_.end()) {  // else its connection is closed
    found->second.sent = true;
    wants.request(as, client::request::list{wants.full(found->second.lock_node), client::no_watch});
  }
}

void queue_lists::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  const auto found = under_way_.find(as);
  if (found == under_way_.end()) {
    return;  // of a connection that is closed
  }
  list done = std::move(found->second);
  under_way_.erase(found);
  by_lock_node_.erase(done.lock_node);
  const bool in_slices = done.contenders.size() >= wants.session().slice;
  const recipes::event::listed listed{answer.code,       answer.children, answer.stat.pzxid,
                                      answer.stat.mzxid, nullptr,         answer.stat.czxid};
  crowds_.tell(crowd_of(std::move(done.contenders), std::make_shared<const shown_list>(listed, in_slices)), wants);
  if (!done.later.empty()) {
    begin_list({std::move(done.lock_node), std::move(done.later)}, wants);
  }
}

void queue_lists::connection_closed(engine::out&) {
  under_way_.clear();
  by_lock_node_.clear();
  put_off_.clear();
}

}  // namespace zklock::operations
