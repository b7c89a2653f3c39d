#include "src/operations/holder_watch.hpp"

#include "src/operations/contender.hpp"

namespace zklock::operations {
namespace {

/// Until a holder's own node is watched, or asked for again.
constexpr int looks_per_timeout = 12;

engine::instant interval(const engine::out& wants) { return wants.session().timeout / looks_per_timeout; }

}  // namespace

void holder_watch::watch_soon(std::uint64_t holder, engine::out& wants) {
  wants.call(number(), [this, holder](engine::out& its) {
    looks_.once(holder, its.session().now + interval(its), [this](std::uint64_t one) { return stands(one); });
  });
}

void holder_watch::look_again(std::uint64_t holder, engine::out& wants) {
  wants.call(number(), [this, holder](engine::out& its) { looks_.in_turn(holder, its.session().now + interval(its)); });
}

void holder_watch::session_over(const engine::session_end&, engine::out&) {
  connected_ = false;
  looks_.clear();
}

void holder_watch::timer(engine::out& wants) {
  const auto standing = [this](std::uint64_t one) { return stands(one); };
  for (std::size_t looks = 0; looks < wants.session().slice; ++looks) {
    const auto next = looks_.take(wants.session().now, interval(wants), standing);
    if (!next) {
      return;
    }
    contender* const holder = nodes_.find(*next);
    wants.call(*next, [holder](engine::out& its) { holder->dispatch(recipes::event::look_after_own{}, its); });
  }
}

bool holder_watch::stands(std::uint64_t holder) const { return nodes_.find(holder) != nullptr; }

std::optional<engine::instant> holder_watch::due() const { return connected_ ? looks_.due() : std::nullopt; }

}  // namespace zklock::operations
