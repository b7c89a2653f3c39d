#include "src/operations/nodes.hpp"

#include <algorithm>
#include <utility>

#include "src/operations/contender_operation.hpp"

namespace zklock::operations {

std::uint64_t nodes::number_of::operator()(const node_link& one) const noexcept {
  return static_cast<const contender_operation&>(one).number();
}

void nodes::add(contender_operation& one) { contenders_.insert(contenders_.end(), one); }

void nodes::remove(contender_operation& one) { one.node_link::unlink(); }

void nodes::for_each(const std::function<void(const contender_operation&)>& use) const {
  for (const node_link& one : contenders_) {
    use(static_cast<const contender_operation&>(one));
  }
}

/// Most often one of the last: holds are nested.
void nodes::remove_holder(const contender_operation& one) noexcept {
  if (const auto found = std::find(holders_.rbegin(), holders_.rend(), &one); found != holders_.rend()) {
    *found = holders_.back();
    holders_.pop_back();
  }
}

std::size_t nodes::size() const noexcept { return contenders_.size(); }

contender_operation* nodes::find(std::uint64_t number) const {
  const auto found = contenders_.find(number);
  return found == contenders_.end() ? nullptr : &static_cast<contender_operation&>(*found);
}

recipes::session_queue& nodes::enter_queue(const std::string& lock_node) {
  auto found = queues_.find(lock_node);
  if (found == queues_.end() && !spare_.empty()) {
    spare_.key() = lock_node;
    found = queues_.insert(std::move(spare_)).position;
  } else if (found == queues_.end()) {
    found = queues_.try_emplace(lock_node).first;
  }
  shared_queue& one = found->second;
  if (one.is_linked()) {
    kept_.erase(kept_.iterator_to(one));
  }
  one.lock_node = &found->first;
  ++one.users;
  return one.queue;
}

void nodes::leave_queue(const std::string& lock_node) {
  shared_queue& one = queues_.find(lock_node)->second;
  if (--one.users != 0) {
    return;
  }
  one.reported_at = detail::instant::min();
  if (one.queue.knows_last_alone() || one.queue.has_watch()) {
    kept_.push_back(one);
  } else {
    drop(lock_node);
  }
}

void nodes::drop(const std::string& lock_node) {
  spare_ = queues_.extract(lock_node);
  spare_.mapped().queue.forget_last_alone();
  spare_.mapped().queue.lose_watch();
}

recipes::session_queue* nodes::find_queue(const std::string& lock_node) {
  const auto found = queues_.find(lock_node);
  return found == queues_.end() ? nullptr : &found->second.queue;
}

std::string nodes::drop_kept() {
  std::string lock_node = *kept_.front().lock_node;
  kept_.pop_front();
  drop(lock_node);
  return lock_node;
}

void nodes::forget_last_alone() {
  for (auto& [lock_node, one] : queues_) {
    one.queue.forget_last_alone();
  }
  while (!kept_.empty()) {
    drop_kept();
  }
}

void nodes::lose_lock_node_watches() {
  for (auto& [lock_node, one] : queues_) {
    one.queue.lose_watch();
  }
}

bool nodes::may_report(const std::string& lock_node, detail::instant now, std::chrono::nanoseconds interval) {
  const auto found = queues_.find(lock_node);
  if (found == queues_.end() ||
      (found->second.reported_at > detail::instant::min() && now - found->second.reported_at < interval)) {
    return false;
  }
  found->second.reported_at = now;
  return true;
}

std::shared_ptr<void> nodes::keep_queue(const std::string& lock_node) {
  return {&enter_queue(lock_node), [this, lock_node](void*) { leave_queue(lock_node); }};
}

contender_operation* nodes::first_holder(const std::string& lock_node, detail::instant now) const {
  const auto found = queues_.find(lock_node);
  const recipes::session_queue::entry* const first = found == queues_.end() ? nullptr : found->second.queue.first();
  contender_operation* const one = first != nullptr ? find(first->number) : nullptr;
  return one != nullptr && one->hold() != nullptr && one->hold()->held_at(now) ? one : nullptr;
}

bool nodes::node_in_doubt(const detail::hold& one) const {
  const contender_operation* const stands = find(one.contender());
  return stands != nullptr && stands->machine().node_in_doubt();
}

bool nodes::was_node_of(const detail::hold& one, const std::string& node) const {
  contender_operation* const stands = find(one.contender());
  if (stands == nullptr) {
    return true;  // it has ended, and its node with it
  }
  return stands->requests().was_own(node, stands->machine());
}

void nodes::look_after(const detail::hold& one, engine::out& wants) const {
  if (contender_operation* const stands = find(one.contender())) {
    wants.call(stands->number(),
               [stands](engine::out& its) { stands->dispatch(recipes::event::look_after_own{}, its); });
  }
}

}  // namespace zklock::operations
