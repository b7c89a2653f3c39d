#include "recipes/contender.hpp"

namespace zklock::recipes {
namespace {

node_terms terms_of(const any_turn& one, const acquire_spec& wanted) {
  return std::visit([&wanted](const auto& turn) { return turn.terms(wanted); }, one);
}

contender_parts parts_of(const contender_id& id, const acquire_spec& wanted, bool one_try, bool enlisted,
                         const limit_node& known) {
  any_turn turn = turn_of(wanted, one_try);
  const node_terms terms = terms_of(turn, wanted);
  const bool makes_lock_node = terms.lock_node_data.has_value();
  node_life life(contender_prefix(wanted.kind, id, wanted.permits, wanted.as), makes_lock_node, enlisted);
  return {std::move(turn), std::move(life),
          queue_round(terms.reads_limit, wanted.below, terms.limit ? limit_node{.limit = terms.limit} : known)};
}

}  // namespace

contender::contender(const contender_id& id, const acquire_spec& wanted, bool one_try, bool created_in_transaction,
                     const limit_node& known)
    : spec_(wanted), parts_(parts_of(id, wanted, one_try, created_in_transaction, known)) {}

const session_queue no_others;

action_list contender::resume(const contender_event& what, const session_queue& beside) {
  action_list out;
  if (parts_.life.now() != node_life::state::finished) {
    route(parts_, what, beside, out);
  }
  return out;
}

contender::state contender::now() const noexcept {
  switch (parts_.life.now()) {
    case node_life::state::idle: return state::idle;
    case node_life::state::entering: return state::entering;
    case node_life::state::unsettled: return state::unsettled;
    case node_life::state::searching: return state::searching;
    case node_life::state::settling: return state::settling;
    case node_life::state::entered:
    case node_life::state::missing: break;
    case node_life::state::held: return state::granted;
    case node_life::state::removing: return state::removing;
    case node_life::state::unremoved: return state::unremoved;
    case node_life::state::finished: return state::finished;
  }
  switch (parts_.round.now()) {
    case queue_round::state::idle: break;
    case queue_round::state::asked: return state::listing;
    case queue_round::state::asked_with_watches: return state::watching;
    case queue_round::state::interrupted: return state::interrupted;
  }
  switch (std::visit([](const auto& turn) { return turn.is_at(); }, parts_.turn)) {
    case turn_state::resting: break;
    case turn_state::storing: return state::storing;
    case turn_state::watching: return state::watching;
    case turn_state::waiting: return state::waiting;
  }
  return state::listing;
}

contender_mode contender::mode() const noexcept {
  return std::visit([](const auto& turn) { return turn.mode(); }, parts_.turn);
}

std::string_view contender::predecessor() const noexcept {
  return std::visit(
      [](const auto& turn) -> std::string_view {
        if constexpr (requires { turn.predecessor(); }) {
          return turn.predecessor();
        } else {
          return {};
        }
      },
      parts_.turn);
}

bool contender::stands_in_rows() const noexcept {
  return std::visit([](const auto& turn) { return recipes::stands_in_rows<std::remove_cvref_t<decltype(turn)>>; },
                    parts_.turn);
}

bool contender::is_exclusive() const noexcept { return recipes::is_exclusive(parts_.turn); }

bool contender::reads_by_now() const noexcept {
  return mode() == contender_mode::read && marks_of(parts_.turn) == marking::done;
}

bool contender::has_node() const noexcept { return parts_.life.has_node(); }

bool contender::waits_behind(std::string_view other) const noexcept {
  return std::visit(
      [other](const auto& turn) {
        if constexpr (requires { turn.waits_behind(other); }) {
          return turn.waits_behind(other);
        } else {
          return false;
        }
      },
      parts_.turn);
}

bool contender::needs_own_watch() const noexcept {
  return !is_granted() && std::visit(
                              [](const auto& turn) {
                                if constexpr (requires { turn.needs_own_watch(); }) {
                                  return turn.needs_own_watch();
                                } else {
                                  return true;
                                }
                              },
                              parts_.turn);
}

bool contender::limit_agreed() const noexcept {
  return std::visit(
      [this](const auto& turn) {
        if constexpr (requires { turn.agreed(); }) {
          return turn.agreed();
        } else {
          return spec_.agreed;
        }
      },
      parts_.turn);
}

node_terms contender::terms() const { return terms_of(parts_.turn, spec_); }

bool contender::node_in_doubt() const noexcept { return may_be_replaced() && marks_of(parts_.turn) != marking::asked; }

bool contender::needs_connection() const noexcept {
  const state is = now();
  return parts_.life.waits_for_connection() || is == state::interrupted ||
         (is == state::granted && marks_of(parts_.turn) == marking::owed);
}

bool contender::at_rest() const noexcept {
  const state is = now();
  const marking marks = marks_of(parts_.turn);
  return is == state::waiting || (is == state::granted && (marks == marking::none || marks == marking::done));
}

}  // namespace zklock::recipes
