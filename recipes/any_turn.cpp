#include "recipes/any_turn.hpp"

namespace zklock::recipes {

any_turn turn_of(const acquire_spec& wanted, bool one_try) {
  const bool curator = wanted.as == layout::curator;
  switch (wanted.kind) {
    case contender_kind::mutex:
    case contender_kind::latch:
    case contender_kind::foreign: break;
    case contender_kind::read: return curator ? any_turn(curator_read_turn(one_try)) : read_turn(one_try);
    case contender_kind::write: return curator ? any_turn(curator_write_turn(one_try)) : write_turn(one_try);
    case contender_kind::permit: return curator ? any_turn(lease_turn(one_try)) : permit_turn(wanted, one_try);
    case contender_kind::lease: return lease_turn(one_try);
  }
  return mutex_turn(one_try);
}

bool is_exclusive(const any_turn& one) noexcept {
  return std::visit(
      [](const auto& turn) {
        if constexpr (stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
          return turn.is_exclusive();
        } else {
          return false;
        }
      },
      one);
}

marking marks_of(const any_turn& one) noexcept {
  return std::visit([](const auto& turn) { return turn.marks(); }, one);
}

}  // namespace zklock::recipes
