#include "src/operations/observed_lock.hpp"

#include <algorithm>
#include <utility>

#include "src/engine/meters.hpp"

namespace zklock::operations {
namespace {

lock_kind kind_of(const detail::lock_target& of, recipes::contender_kind kind) {
  const bool reads = kind == recipes::contender_kind::read;
  if (of.meter) {
    return of.meter->kind(reads);
  }
  switch (kind) {
    case recipes::contender_kind::read: return lock_kind::read;
    case recipes::contender_kind::write: return lock_kind::write;
    case recipes::contender_kind::permit:
    case recipes::contender_kind::lease: return lock_kind::permits;
    case recipes::contender_kind::latch: return lock_kind::election;
    default: return lock_kind::mutex;
  }
}

lock_event event_of(lock_event::happening what, const detail::lock_target& of, recipes::contender_kind kind,
                    std::uint64_t owner) {
  lock_event told;
  told.what = what;
  told.path = of.path;
  told.name = of.meter ? of.meter->name() : std::string();
  told.kind = kind_of(of, kind);
  told.label = of.label;
  told.owner = owner;
  return told;
}

lock_event event_of(lock_event::happening what, const detail::lock_target& of, recipes::contender_kind kind,
                    const detail::hold& held) {
  lock_event told = event_of(what, of, kind, held.owner());
  told.token = {held.token().czxid, held.token().turn};
  return told;
}

}  // namespace

void tell_enqueued(const detail::lock_target& of, recipes::contender_kind kind, std::uint64_t owner, std::size_t ahead,
                   const engine::out& wants) {
  detail::environment& world = *wants.session().world;
  if (world.observes_locks()) {
    lock_event told = event_of(lock_event::happening::enqueued, of, kind, owner);
    told.ahead = ahead;
    world.lock_changed(std::move(told));
  }
}

void tell_granted(const detail::lock_target& of, recipes::contender_kind kind, const detail::hold& held,
                  const grantee& to, const engine::out& wants) {
  detail::environment& world = *wants.session().world;
  if (world.observes_locks()) {
    lock_event told = event_of(lock_event::happening::granted, of, kind, held);
    told.owner = to.owner;
    told.after = to.asked.count() != 0 ? wants.session().now - to.asked : engine::instant{0};
    world.lock_changed(std::move(told));
  }
}

void tell_ended(const detail::lock_target& of, recipes::contender_kind kind, const detail::hold& was, loss_reason why,
                const engine::out& wants) {
  detail::environment& world = *wants.session().world;
  if (world.observes_locks()) {
    const bool lost = why != loss_reason::none;
    lock_event told = event_of(lost ? lock_event::happening::lost : lock_event::happening::released, of, kind, was);
    told.after = wants.session().now - was.since();
    told.reason = why;
    world.lock_changed(std::move(told));
  }
}

std::size_t count_ahead(const recipes::event::listed& list, std::string_view own) {
  const auto mine = recipes::parse_contender_name(own);
  const auto before = [&mine](std::string_view name) {
    const auto one = mine ? recipes::parse_contender_name(name) : std::nullopt;
    return one && recipes::of_one_recipe(*one, *mine) && one->sequence < mine->sequence;
  };
  return static_cast<std::size_t>(std::count_if(list.children.begin(), list.children.end(), before));
}

}  // namespace zklock::operations
