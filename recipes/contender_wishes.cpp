#include "recipes/contender_wishes.hpp"

namespace zklock::recipes::wishes {
namespace {

using life = node_life::state;

void drop_turn_watches(contender_parts& parts, action_list& out) {
  std::visit([&out](auto& turn) { turn.drop(out); }, parts.turn);
  parts.round.end(out);
}

}  // namespace

void drop_watches(contender_parts& parts, action_list& out) {
  drop_turn_watches(parts, out);
  parts.life.drop_watch(out);
}

void answer(contender_parts& parts, const wish& refused, action_list& out) {
  if (!parts.life.unwanted()) {
    parts.refused_because = refused.why;
    parts.refused_with = refused.with;
    out.push(action::refuse);
  }
}

namespace {

void grant(contender_parts& parts, action_list& out) {
  drop_turn_watches(parts, out);
  parts.life.hold();
  out.push(action::grant);
  std::visit([&out](auto& turn) { turn.granted(out); }, parts.turn);
}

void finish(contender_parts& parts, action_list& out) {
  parts.life.finish();
  out.push(action::finish);
}

/// A contender of the session that waits right behind an exclusive holder has the turn with the removal: one transaction
/// proves that both nodes stood.
void remove(contender_parts& parts, const session_queue& beside, action_list& out) {
  drop_watches(parts, out);
  parts.held_alone = parts.held_alone || (parts.life.now() == life::held && is_exclusive(parts.turn));
  const auto* const next = parts.held_alone ? beside.first_behind(parts.life.node().name) : nullptr;
  parts.successor = next == nullptr ? heap_text() : heap_text(next->machine->own());
  parts.life.remove(out);
}

void watch_own_later(const contender_parts& parts, action_list& out) {
  if (parts.life.node().watched == watch::none) {
    out.push(action::watch_own_later);
  }
}

}  // namespace

void look(contender_parts& parts, const session_queue& beside, action_list& out) {
  parts.round.look(beside.list_under_way() ? action::share_list : action::list, out);
}

void carry_out(contender_parts& parts, const wish& next, const session_queue& beside, action_list& out) {
  using kind = wish::kind;
  switch (next.is) {
    case kind::wait:
    case kind::decide: break;
    case kind::watch_predecessor:
      parts.round.drop_watches(out);
      out.push(action::watch_predecessor);
      watch_own_later(parts, out);
      break;
    case kind::watch_both:
      parts.round.drop_watches(out);
      out.push(action::watch_predecessor);
      parts.life.watch_own(out);
      break;
    case kind::watch_own_later: watch_own_later(parts, out); break;
    case kind::look_at_own: parts.life.drop_watch(out); [[fallthrough]];
    case kind::watch_own: parts.life.watch_own(out); break;
    case kind::look: look(parts, beside, out); break;
    case kind::look_with_watches: parts.round.look_with_watches(out); break;
    case kind::look_later: parts.round.interrupt(); break;
    case kind::pass: grant(parts, out); break;
    case kind::refuse:
      answer(parts, next, out);
      parts.life.has_node() ? remove(parts, beside, out) : finish(parts, out);
      break;
    case kind::start_over:
      drop_watches(parts, out);
      if (!parts.life.unwanted()) {
        out.push(action::start_over);
      }
      finish(parts, out);
      break;
    case kind::lose:
      drop_watches(parts, out);
      out.push(action::lose);
      finish(parts, out);
      break;
    case kind::remove: remove(parts, beside, out); break;
    case kind::finish:
      parts.refused_with = next.with == code::ok ? parts.refused_with : next.with;
      finish(parts, out);
      break;
    case kind::become_reader: parts.life.may_become(curator_reader_of(parts.life.node().name)); break;
    case kind::became_reader: parts.life.became_other(out); break;
    case kind::stays_writer:
      parts.life.may_become({});
      parts.life.watch_own(out);
      break;
  }
}

void decide(contender_parts& parts, round_answers all, const session_queue& beside, action_list& out) {
  all.beside = &beside;
  const own_node& own = parts.life.node();
  wish next;
  switch (classify(all.failure)) {
    case outcome::done:
      next = parts.life.now() == life::missing
                 ? wish{wish::kind::start_over}
                 : std::visit([&](auto& turn) { return turn.decide(all, own, out); }, parts.turn);
      break;
    case outcome::not_done:
      next = all.failure == code::no_node ? wish{wish::kind::start_over} : refuse(refusal::server_error, all.failure);
      break;
    default: next.is = wish::kind::look_later;
  }
  if (next.is == wish::kind::pass && all.children.size() == 1) {
    parts.bounds.alone_at = all.changed;
  }
  if (own.czxid == 0 && parts.bounds.outnumbered_at == 0 && has_greater_number(view_of(all, own))) {
    parts.bounds.outnumbered_at = all.changed;
  }
  carry_out(parts, next, beside, out);
}

wish without_list(contender_parts& parts, const session_queue& beside, action_list& out) {
  const own_node& own = parts.life.node();
  return std::visit(
      [&](auto& turn) -> wish {
        if constexpr (stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
          const contender* const before = beside.right_before(own.name);
          if (before != nullptr && numbered_by_one_leader(before->token(), {own.czxid})) {
            return turn.follow_own_session(before->own(), out);
          }
        }
        return {wish::kind::look};
      },
      parts.turn);
}

bool goes_without_list(const contender_parts& parts, const session_queue& beside) {
  return std::visit(
      [&](const auto& turn) {
        if constexpr (stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
          return !turn.one_try() && beside.ends_exclusively();
        } else {
          return false;
        }
      },
      parts.turn);
}

}  // namespace zklock::recipes::wishes
