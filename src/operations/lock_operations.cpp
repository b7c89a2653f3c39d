#include "src/operations/lock_operations.hpp"

#include <zklock/error.hpp>

namespace zklock::operations {

lock_operations::lock_operations(engine::session_engine& session) : session_(session) {
  session_.begin(nodes_.watch, engine::instant{0});
  session_.begin(nodes_.lists, engine::instant{0});
}

void lock_operations::begin_acquire(const std::shared_ptr<acquire>& wanted, engine::instant now) {
  wanted->use(nodes_);
  session_.begin(wanted, now);
}

void lock_operations::begin_transaction(const std::shared_ptr<transaction>& wanted, engine::instant now) {
  wanted->look_up_guards_in(nodes_.registry);
  session_.begin(wanted, now);
}

contender* lock_operations::holder_of(const detail::hold& one) const {
  contender* const found = nodes_.registry.find(one.contender());
  return found != nullptr && found->hold().get() == &one ? found : nullptr;
}

void lock_operations::release(const std::shared_ptr<detail::hold>& given_back,
                              const std::shared_ptr<release_receiver>& caller, engine::instant now) {
  session_.check_deadline(now);
  contender* const holder = holder_of(*given_back);
  if (holder == nullptr) {
    if (caller) {
      caller->complete({errc::lost});
    }
    session_.call(0, now, [](engine::operation&, engine::out&) {});  // what the deadline has ended may begin again
    return;
  }
  session_.call(holder->number(), now,
                [holder, &caller](engine::operation&, engine::out& wants) { holder->release_hold(caller, wants); });
}

void lock_operations::downgrade(const std::shared_ptr<detail::hold>& writing, engine::instant now) {
  if (contender* const holder = holder_of(*writing)) {
    session_.call(holder->number(), now, [holder](engine::operation&, engine::out& wants) {
      holder->dispatch(recipes::event::downgrade{}, wants);
    });
  }
}

const recipes::contender* lock_operations::find_contender(std::uint64_t number) const {
  const contender* const found = nodes_.registry.find(number);
  return found == nullptr ? nullptr : &found->machine();
}

}  // namespace zklock::operations
