// Where each event of a contender goes, and what becomes of what its parts want.
#include "recipes/contender.hpp"

namespace zklock::recipes {
namespace {

using life = node_life::state;
using look = queue_round::state;

// ---- what the parts want --------------------------------------------------------------------------------------------

void drop_turn_watches(contender_parts& parts, action_list& out) {
  std::visit([&out](auto& turn) { turn.drop(out); }, parts.turn);
  parts.round.end(out);
}

void drop_watches(contender_parts& parts, action_list& out) {
  drop_turn_watches(parts, out);
  parts.life.drop_watch(out);
}

void grant(contender_parts& parts, action_list& out) {
  drop_turn_watches(parts, out);
  parts.life.hold();
  out.push(action::grant);
  std::visit([&out](auto& turn) { turn.granted(out); }, parts.turn);
}

/// The caller has one answer.
void answer(contender_parts& parts, const wish& refused, action_list& out) {
  if (!parts.life.unwanted()) {
    parts.refused_because = refused.why;
    parts.refused_with = refused.with;
    out.push(action::refuse);
  }
}

void finish(contender_parts& parts, action_list& out) {
  parts.life.finish();
  out.push(action::finish);
}

void remove(contender_parts& parts, action_list& out) {
  drop_watches(parts, out);
  parts.life.remove(out);
}

bool has_node(const contender_parts& parts) {
  switch (parts.life.now()) {
    case life::settling:
    case life::entered:
    case life::missing:
    case life::held: return true;
    default: return false;
  }
}

void carry_out(contender_parts& parts, const wish& next, action_list& out) {
  using kind = wish::kind;
  switch (next.is) {
    case kind::wait:
    case kind::decide: break;
    case kind::watch_predecessor:
      parts.round.drop_watches(out);
      out.push(action::watch_predecessor);
      parts.life.watch_own(out);
      break;
    case kind::look_at_own: parts.life.drop_watch(out); [[fallthrough]];
    case kind::watch_own: parts.life.watch_own(out); break;
    case kind::look: parts.round.look(out); break;
    case kind::look_with_watches: parts.round.look_with_watches(out); break;
    case kind::look_later: parts.round.interrupt(); break;
    case kind::pass: grant(parts, out); break;
    case kind::refuse:
      answer(parts, next, out);
      has_node(parts) ? remove(parts, out) : finish(parts, out);
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
    case kind::remove: remove(parts, out); break;
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

/// The look at the queue has ended, and the own node is known.
void decide(contender_parts& parts, const round_answers& all, action_list& out) {
  wish next;
  switch (classify(all.failure)) {
    case outcome::done:
      next = parts.life.now() == life::missing
                 ? wish{wish::kind::start_over}
                 : std::visit([&](auto& turn) { return turn.decide(all, parts.life.node(), out); }, parts.turn);
      break;
    case outcome::not_done:
      next = all.failure == code::no_node ? wish{wish::kind::start_over} : refuse(refusal::server_error, all.failure);
      break;
    default: next.is = wish::kind::look_later;
  }
  carry_out(parts, next, out);
}

// ---- which part an event concerns -----------------------------------------------------------------------------------

template <class Event>
void to_turn(contender_parts& parts, const Event& what, action_list& out) {
  carry_out(parts, std::visit([&](auto& turn) { return turn.on(what, parts.life.node(), out); }, parts.turn), out);
}

/// A holder's turn has still to see to what its node says.
template <class Event>
void to_holder(contender_parts& parts, const Event& what, action_list& out) {
  if (parts.life.now() == life::held) {
    to_turn(parts, what, out);
  }
}

/// Whether the turn, and no look at the queue, decides what is next.
bool turn_is_on(const contender_parts& parts) {
  return parts.life.now() == life::entered && parts.round.now() == look::idle;
}

void disturb(contender_parts& parts) {
  std::visit([](auto& turn) { turn.disturbed(); }, parts.turn);
}

void note_answer(contender_parts& parts, code with) {
  const outcome what = classify(with);
  parts.queue_seen = parts.queue_seen || what == outcome::done || what == outcome::not_done;
}

/// A watch that comes up while the node is being removed is not wanted.
void drop_late_watches(contender_parts& parts, action_list& out) {
  if (parts.life.now() == life::removing) {
    drop_watches(parts, out);
  }
}

// The connection and the session.
void on(contender_parts& parts, const event::connected& what, action_list& out) {
  disturb(parts);
  if (parts.round.now() == look::interrupted) {
    parts.round.look(out);
    return;
  }
  to_holder(parts, what, out);
  carry_out(parts, parts.life.connected(out), out);
}
void on(contender_parts& parts, const event::disconnected&, action_list&) { disturb(parts); }
void on(contender_parts& parts, const event::session_over&, action_list& out) {
  action_list gone_with_the_session;
  drop_watches(parts, gone_with_the_session);
  carry_out(parts, {parts.life.now() == life::held ? wish::kind::lose : wish::kind::start_over}, out);
}

// The node comes to be.
void on(contender_parts& parts, const event::enlisted&, action_list& out) {
  carry_out(parts, parts.life.enlisted(), out);
}
void on(contender_parts& parts, const event::lock_node_made& what, action_list&) { parts.life.lock_node_made(what); }
void on(contender_parts& parts, const event::created& what, action_list&) {
  if (parts.life.now() == life::entering) {
    note_answer(parts, what.code);
    parts.life.created(what);
  }
}
void on(contender_parts& parts, const event::synced& what, action_list& out) {
  parts.life.synced(what);
  to_holder(parts, what, out);
}

// A look at the queue. The list's answer is the last of it.
void on(contender_parts& parts, const event::siblings_listed& what, action_list&) { parts.round.siblings_listed(what); }
void on(contender_parts& parts, const event::limit_read& what, action_list& out) {
  parts.round.read(what);
  drop_late_watches(parts, out);
}
void on(contender_parts& parts, const event::listed& what, action_list& out) {
  note_answer(parts, what.code);
  const bool awaited = parts.round.under_way();
  const round_answers all = parts.round.listed(what);
  wish next;
  switch (parts.life.now()) {
    case life::entering: next = parts.life.entered(all.mixed_beside, out); break;
    case life::searching: next = parts.life.searched(what, out); break;
    case life::entered:
    case life::missing: next.is = awaited ? wish::kind::decide : wish::kind::wait; break;
    default: drop_late_watches(parts, out);
  }
  if (next.is == wish::kind::decide) {
    decide(parts, all, out);
  } else {
    carry_out(parts, next, out);
  }
}

// The own node.
void on(contender_parts& parts, const event::own_watched& what, action_list& out) {
  const bool may_be_replaced = parts.life.now() == life::held && !parts.life.node().becomes.empty();
  const bool to_the_turn = turn_is_on(parts) || may_be_replaced;
  carry_out(parts, parts.life.own_watched(what), out);
  if (to_the_turn) {
    to_turn(parts, what, out);
  }
  drop_late_watches(parts, out);
}
void on(contender_parts& parts, const event::own_gone& what, action_list& out) {
  const wish next = parts.life.own_gone();
  if (turn_is_on(parts)) {
    to_turn(parts, what, out);
  } else if (parts.life.now() != life::entered && parts.life.now() != life::missing) {
    carry_out(parts, next, out);
  } else if (parts.round.now() == look::asked_with_watches) {
    parts.life.miss();
  } else {
    carry_out(parts, {wish::kind::start_over}, out);
  }
}
void on(contender_parts& parts, const event::own_changed& what, action_list& out) {
  parts.life.own_changed();
  if (turn_is_on(parts)) {
    to_turn(parts, what, out);
  }
}
void on(contender_parts& parts, const event::look_after_own&, action_list& out) {
  if (parts.life.now() == life::held && parts.life.node().becomes.empty()) {
    parts.life.watch_own(out);
  }
}
void on(contender_parts& parts, const event::removed& what, action_list& out) {
  carry_out(parts, parts.life.removed(what, out), out);
}

// The turn.
void on(contender_parts& parts, const event::predecessor_watched& what, action_list& out) {
  if (parts.life.now() != life::removing) {
    to_turn(parts, what, out);
  } else if (what.code == code::ok) {
    out.push(action::forget_predecessor);
  }
}
void on(contender_parts& parts, const event::predecessor_gone& what, action_list& out) { to_turn(parts, what, out); }
void on(contender_parts& parts, const event::predecessor_changed& what, action_list& out) { to_turn(parts, what, out); }
void on(contender_parts& parts, const event::children_changed& what, action_list& out) {
  parts.round.children_changed();
  to_turn(parts, what, out);
}
void on(contender_parts& parts, const event::limit_changed& what, action_list& out) {
  parts.round.limit_changed();
  to_turn(parts, what, out);
}
void on(contender_parts& parts, const event::limit_stored& what, action_list& out) { to_turn(parts, what, out); }
void on(contender_parts& parts, const event::marked& what, action_list& out) { to_holder(parts, what, out); }
void on(contender_parts& parts, const event::downgrade& what, action_list& out) { to_holder(parts, what, out); }

// The caller.
void on(contender_parts& parts, const event::stop& told, action_list& out) {
  const bool created = has_node(parts) || parts.life.now() == life::idle;
  if (parts.life.unwanted()) {
    return;
  }
  if (created) {
    carry_out(parts, refuse(told.why), out);
    return;
  }
  answer(parts, refuse(told.why), out);
  parts.life.unwant();  // the node, if there is one, has to be found before it can be removed
}
void on(contender_parts& parts, const event::release&, action_list& out) {
  if (parts.life.now() == life::held) {
    carry_out(parts, {wish::kind::remove}, out);
  }
}

}  // namespace

void route(contender_parts& parts, const contender_event& what, action_list& out) {
  std::visit([&](const auto& one) { on(parts, one, out); }, what);
}

}  // namespace zklock::recipes
