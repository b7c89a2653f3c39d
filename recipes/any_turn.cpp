#include "recipes/any_turn.hpp"

#include <type_traits>

namespace zklock::recipes {
namespace {

/// Calls `use` with the type of turn that takes the spec.
template <class Turn, class... Others, class Use>
auto with_turn(std::type_identity<std::variant<Turn, Others...>>, const acquire_spec& wanted, Use use) {
  if constexpr (sizeof...(Others) > 0) {
    if (!Turn::takes(wanted)) {
      return with_turn(std::type_identity<std::variant<Others...>>(), wanted, use);
    }
  }
  return use(std::type_identity<Turn>());
}

constexpr std::type_identity<any_turn> all;

}  // namespace

any_turn turn_of(const acquire_spec& wanted, bool one_try) {
  return with_turn(all, wanted, [&]<class Turn>(std::type_identity<Turn>) -> any_turn {
    if constexpr (std::is_constructible_v<Turn, const acquire_spec&, bool>) {
      return Turn(wanted, one_try);
    } else {
      return Turn(one_try);
    }
  });
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

void add_places_of(const place& first, place_plan& to) {
  with_turn(all, first.spec, [&]<class Turn>(std::type_identity<Turn>) {
    if constexpr (requires { Turn::add_places(first, to); }) {
      Turn::add_places(first, to);
    } else {
      to.places.push_back(first);
    }
  });
}

}  // namespace zklock::recipes
