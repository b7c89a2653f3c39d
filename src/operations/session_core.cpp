#include "src/operations/session_core.hpp"

#include <utility>

#include <zklock/error.hpp>

namespace zklock::detail {

session_core::session_core(session_config config, client::factory& servers, environment& world)
    : session_engine(std::move(config), servers, world) {
  begin_with_session(holder_watch_, instant{0});
}

void session_core::begin(const std::shared_ptr<operations::acquire>& wanted, instant now) {
  wanted->use(nodes_, *holder_watch_);
  session_engine::begin(wanted, now);
}

void session_core::begin(const std::shared_ptr<operations::transaction>& wanted, instant now) {
  wanted->look_up_guards_in(nodes_);
  session_engine::begin(wanted, now);
}

operations::contender* session_core::holder_of(const hold& one) const {
  operations::contender* const found = nodes_.find(one.contender());
  return found != nullptr && found->hold().get() == &one ? found : nullptr;
}

void session_core::release(const std::shared_ptr<hold>& given_back,
                           const std::shared_ptr<operations::release_receiver>& caller,
                           instant now) {
  check_deadline(now);
  operations::contender* const holder = holder_of(*given_back);
  if (holder == nullptr) {
    if (caller) {
      caller->complete({errc::lost});
    }
    call(0, now, {});  // what the deadline has ended may begin again
    return;
  }
  call(holder->number(), now,
       [holder, &caller](engine::operation&, engine::out& wants) { holder->give_back(caller, wants); });
}

void session_core::downgrade(const std::shared_ptr<hold>& writing, instant now) {
  if (operations::contender* const holder = holder_of(*writing)) {
    call(holder->number(), now, [holder](engine::operation&, engine::out& wants) {
      holder->tell(recipes::event::downgrade{}, wants);
    });
  }
}

const recipes::contender* session_core::find_contender(std::uint64_t number) const {
  const operations::contender* const found = nodes_.find(number);
  return found == nullptr ? nullptr : &found->machine();
}

}  // namespace zklock::detail
