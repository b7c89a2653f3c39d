#include "src/api/watched_slot.hpp"

#include <utility>

#include "src/errors/error_of.hpp"

namespace zklock::detail {
namespace {

value_view::state state_of(recipes::followed_node::value known) {
  using value = recipes::followed_node::value;
  switch (known) {
    case value::unknown: return value_view::state::unknown;
    case value::present: return value_view::state::present;
    case value::absent: return value_view::state::absent;
    case value::refused: return value_view::state::refused;
  }
  return value_view::state::unknown;
}

}  // namespace

void watched_slot::seen(const operations::node_report& what, engine::out& wants) {
  value_view next;
  next.is = state_of(what.known);
  if (what.known == recipes::followed_node::value::present) {
    next.node = node_data{what.data, what.stat.version, what.stat.czxid, what.stat.mzxid};
  } else if (what.known == recipes::followed_node::value::refused) {
    next.error = error_of(what.why);
  }
  next.current = what.current;
  next.as_of = boot_clock::time_point(what.as_of);
  show(std::move(next), value_observer_name, wants);
}

}  // namespace zklock::detail
