#include <zklock/held_lock.hpp>
#include <zklock/session.hpp>

#include <utility>

#include <zklock/error.hpp>
#include <zklock/owner.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/boot_now.hpp"
#include "src/api/count_release.hpp"
#include "src/threads/strand.hpp"

namespace zklock {
namespace {

participant_kind kind_of(detail::side of) {
  switch (of) {
    case detail::side::read: return participant_kind::read;
    case detail::side::write: return participant_kind::write;
    case detail::side::permits: return participant_kind::permits;
    case detail::side::whole: break;
  }
  return participant_kind::mutex;
}

held_lock shown(const detail::lock_owners::possession& one) {
  held_lock told;
  static_cast<void>(one.held->held_at(detail::boot_now()));  // asks the clock as well
  told.path = one.held->path();
  told.node = one.held->node();
  told.kind = kind_of(one.of);
  told.permits = one.of == detail::side::permits ? one.permits : 0;
  told.token = {one.held->token().czxid, one.held->token().turn};
  if (one.owner != detail::no_owner) {
    told.owner = one.owner;
  }
  told.counts = one.counts;
  told.since = boot_clock::time_point(one.held->since());
  told.valid_until = boot_clock::time_point(one.held->valid_until());
  told.lost = one.held->why_lost();
  return told;
}

}  // namespace

std::vector<held_lock> session::grants() const {
  if (impl_->forked()) {
    throw error(errc::forked, "grants", impl_->servers());
  }
  std::vector<held_lock> all;
  for (const auto& lock : impl_->locks()) {
    if (lock->has_parts()) {
      continue;  // its parts' are theirs
    }
    for (const auto& one : lock->list()) {
      all.push_back(shown(one));
    }
  }
  return all;
}

std::vector<held_lock> session::release_all(const owner& of) {
  const std::shared_ptr<detail::session_impl> kept = impl_;
  if (kept->forked()) {
    throw error(errc::forked, "release_all", kept->servers());
  }
  std::vector<held_lock> lost;
  const detail::own_tasks_only leaving_others;  // it may be an event loop's thread
  for (const auto& lock : kept->locks()) {      // multi-locks first: they give their parts back
    for (const auto& one : lock->release_all(of.number())) {
      held_lock told = shown(one);
      detail::follow_up(*kept, *lock, one.held, one.left, nullptr);
      if (told.lost != loss_reason::none) {
        lost.push_back(std::move(told));
      }
    }
  }
  return lost;
}

}  // namespace zklock
