#include "src/testing/relay.hpp"

#include <type_traits>

namespace zklock::testing {

void relay::call::pass_on(client::observer& target) {
  std::visit(
      [&target]<class What>(What& told) {
        if constexpr (std::is_same_v<What, reply>) {
          target.on_reply(told.id, told.answer);
        } else if constexpr (std::is_same_v<What, node>) {
          target.on_node_event(told.id, told.event);
        } else if constexpr (std::is_same_v<What, closed>) {
          target.on_closed(told.confirmed);
        } else {
          target.on_session_event(told);
        }
      },
      what);
}

}  // namespace zklock::testing
