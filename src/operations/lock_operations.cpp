#include "src/operations/lock_operations.hpp"

#include <zklock/error.hpp>

#include "src/operations/hand_over.hpp"

namespace zklock::operations {

lock_operations::lock_operations(engine::session_engine& session) : session_(session) {
  session_.begin(nodes_.watch, engine::instant{0});
  session_.begin(nodes_.lists, engine::instant{0});
  session_.begin(nodes_.lock_nodes, engine::instant{0});
  session_.begin(nodes_.crowds, engine::instant{0});
}

void lock_operations::begin_acquire(const std::shared_ptr<acquire>& wanted, engine::instant now) {
  wanted->use(nodes_);
  session_.begin(wanted, now);
}

void lock_operations::begin_transaction(const std::shared_ptr<commit>& wanted, engine::instant now) {
  wanted->use(nodes_.registry, nodes_.commits);
  session_.begin(wanted, now);
}

contender_operation* lock_operations::holder_of(const detail::hold& one) const {
  contender_operation* const found = nodes_.registry.find(one.contender());
  return found != nullptr && found->hold().get() == &one ? found : nullptr;
}

hand_over* lock_operations::turns_of(const detail::hold& one) const {
  const auto found = nodes_.turns.find(one.contender());
  return found == nodes_.turns.end() || holder_of(one) == nullptr ? nullptr : found->second;
}

void lock_operations::release(const std::shared_ptr<detail::hold>& given_back,
                              const std::shared_ptr<release_receiver>& caller, engine::instant now) {
  check_bound(*given_back, now);
  if (hand_over* const passing = turns_of(*given_back); passing != nullptr && passing->would_pass(now)) {
    session_.call(passing->number(), now,
                  [passing, &caller](engine::operation&, engine::out& wants) { passing->release(caller, wants); });
    session_.check_deadline(now);  // not before: the next turn asks for it where it begins
    session_.call(0, now, [](engine::operation&, engine::out&) {});
    return;
  }
  session_.check_deadline(now);
  contender_operation* const holder = holder_of(*given_back);
  if (holder == nullptr) {
    if (caller) {
      caller->complete({errc::lost});
    }
    session_.call(0, now, [](engine::operation&, engine::out&) {});  // what the deadline has ended may begin again
    return;
  }
  if (hand_over* const last = turns_of(*given_back)) {
    session_.call(last->number(), now,
                  [last, &caller](engine::operation&, engine::out& wants) { last->release(caller, wants); });
    return;
  }
  session_.call(holder->number(), now,
                [holder, &caller](engine::operation&, engine::out& wants) { holder->release_hold(caller, wants); });
}

/// Before anything else is done with it: what is over is not handed on.
void lock_operations::check_bound(const detail::hold& one, engine::instant now) {
  if (contender_operation* const holder = one.bounded() ? holder_of(one) : nullptr; holder != nullptr) {
    session_.call(holder->number(), now,
                  [holder](engine::operation&, engine::out& wants) { holder->check_bound(wants); });
  }
}

void lock_operations::downgrade(const std::shared_ptr<detail::hold>& writing, engine::instant now) {
  check_bound(*writing, now);
  contender_operation* const holder = holder_of(*writing);
  if (holder == nullptr) {
    return;
  }
  hand_over* const turns = turns_of(*writing);
  const std::uint64_t number = turns != nullptr ? turns->number() : 0;
  session_.call(holder->number(), now, [holder](engine::operation&, engine::out& wants) {
    holder->dispatch(recipes::event::downgrade{}, wants);
  });
  if (turns != nullptr) {
    session_.call(number, now, [turns](engine::operation&, engine::out& wants) { turns->end(wants); });
  }
}

const recipes::contender* lock_operations::find_contender(std::uint64_t number) const {
  const contender_operation* const found = nodes_.registry.find(number);
  return found == nullptr ? nullptr : &found->machine();
}

}  // namespace zklock::operations
