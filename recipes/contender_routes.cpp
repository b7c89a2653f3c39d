// Where each event of a contender goes.
#include <utility>

#include "recipes/contender.hpp"
#include "recipes/contender_wishes.hpp"

namespace zklock::recipes {
namespace {

using life = node_life::state;
using look_state = queue_round::state;

using wishes::answer;
using wishes::carry_out;
using wishes::decide;
using wishes::drop_watches;
using wishes::goes_without_list;
using wishes::look;
using wishes::without_list;

// ---- which part an event concerns -----------------------------------------------------------------------------------

template <class Event>
void to_turn(contender_parts& parts, const Event& what, const session_queue& beside, action_list& out) {
  carry_out(parts, std::visit([&](auto& turn) { return turn.on(what, parts.life.node(), out); }, parts.turn), beside,
            out);
}

/// A holder's turn has still to see to what its node says.
template <class Event>
void to_holder(contender_parts& parts, const Event& what, const session_queue& beside, action_list& out) {
  if (parts.life.now() == life::held) {
    to_turn(parts, what, beside, out);
  }
}

/// Whether the turn, and no look at the queue, decides what is next.
bool turn_is_on(const contender_parts& parts) {
  return parts.life.now() == life::entered && parts.round.now() == look_state::idle;
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
void on(contender_parts& parts, const event::connected& what, const session_queue& beside, action_list& out) {
  disturb(parts);
  if (parts.round.now() == look_state::interrupted) {
    look(parts, beside, out);
    return;
  }
  to_holder(parts, what, beside, out);
  const wish next = parts.life.connected(out);
  if (next.is != wish::kind::look || parts.life.now() != life::entering || !goes_without_list(parts, beside)) {
    carry_out(parts, next, beside, out);
  }
}
void on(contender_parts& parts, const event::disconnected&, const session_queue&, action_list&) { disturb(parts); }
void on(contender_parts& parts, const event::session_over&, const session_queue& beside, action_list& out) {
  action_list gone_with_the_session;
  drop_watches(parts, gone_with_the_session);
  carry_out(parts, {parts.life.now() == life::held ? wish::kind::lose : wish::kind::start_over}, beside, out);
}

// The node comes to be.
void on(contender_parts& parts, const event::enlisted&, const session_queue& beside, action_list& out) {
  carry_out(parts, parts.life.enlisted(), beside, out);
}
void on(contender_parts& parts, const event::lock_node_made& what, const session_queue&, action_list&) {
  parts.life.lock_node_made(what);
}
void on(contender_parts& parts, const event::created& what, const session_queue& beside, action_list& out) {
  if (parts.life.now() != life::entering) {
    return;
  }
  note_answer(parts, what.code);
  parts.life.created(what);
  if (!parts.round.under_way()) {
    const wish next = parts.life.entered(false, out);
    carry_out(parts, next.is == wish::kind::decide ? without_list(parts, beside, out) : next, beside, out);
  }
}
void on(contender_parts& parts, const event::synced& what, const session_queue& beside, action_list& out) {
  parts.life.synced(what);
  to_holder(parts, what, beside, out);
}

// A look at the queue. The list's answer is the last of it.
void on(contender_parts& parts, const event::siblings_listed& what, const session_queue&, action_list&) {
  parts.round.siblings_listed(what);
}
void on(contender_parts& parts, const event::limit_read& what, const session_queue&, action_list& out) {
  parts.round.read(what);
  drop_late_watches(parts, out);
}
void on(contender_parts& parts, const event::listed& what, const session_queue& beside, action_list& out) {
  note_answer(parts, what.code);
  const bool awaited = parts.round.under_way();
  const round_answers answers = parts.round.listed(what);
  wish next;
  switch (parts.life.now()) {
    case life::entering: next = parts.life.entered(answers.mixed_beside, out); break;
    case life::searching: next = parts.life.searched(what, out); break;
    case life::entered:
    case life::missing: next.is = awaited ? wish::kind::decide : wish::kind::wait; break;
    default: drop_late_watches(parts, out);
  }
  if (next.is == wish::kind::decide) {
    decide(parts, answers, beside, out);
  } else {
    carry_out(parts, next, beside, out);
  }
}

/// Only one that waits and knows its czxid is let in so: no answer is under way, and no bound is missed (F178).
void on(contender_parts& parts, const event::list_shown& what, const session_queue& beside, action_list& out) {
  if (turn_is_on(parts) && parts.life.node().czxid != 0 && parts.round.limit().written <= what.limit.written) {
    to_turn(parts, what, beside, out);
  }
}

// The own node.
void on(contender_parts& parts, const event::own_watched& what, const session_queue& beside, action_list& out) {
  const bool may_be_replaced = parts.life.now() == life::held && !parts.life.node().becomes.empty();
  const bool to_the_turn = turn_is_on(parts) || may_be_replaced;
  carry_out(parts, parts.life.own_watched(what), beside, out);
  if (to_the_turn) {
    to_turn(parts, what, beside, out);
  }
  drop_late_watches(parts, out);
}
void on(contender_parts& parts, const event::own_gone& what, const session_queue& beside, action_list& out) {
  const wish next = parts.life.own_gone();
  if (turn_is_on(parts)) {
    to_turn(parts, what, beside, out);
  } else if (parts.life.now() != life::entered && parts.life.now() != life::missing) {
    carry_out(parts, next, beside, out);
  } else if (parts.round.now() == look_state::asked_with_watches) {
    parts.life.miss();
  } else {
    carry_out(parts, {wish::kind::start_over}, beside, out);
  }
}
void on(contender_parts& parts, const event::own_changed& what, const session_queue& beside, action_list& out) {
  parts.life.own_changed();
  if (turn_is_on(parts)) {
    to_turn(parts, what, beside, out);
  }
}
void on(contender_parts& parts, const event::look_after_own& what, const session_queue& beside, action_list& out) {
  if (parts.life.now() == life::held && parts.life.node().becomes.empty()) {
    parts.life.watch_own(out);
  } else if (turn_is_on(parts)) {
    to_turn(parts, what, beside, out);
  }
}
void on(contender_parts& parts, const event::removed& what, const session_queue& beside, action_list& out) {
  heap_text successor = std::exchange(parts.successor, {});
  if (parts.life.now() == life::removing && what.of_successor) {
    parts.life.remove(out, true);  // nothing was removed: the successor's node is not there, or may not be asked for
    return;
  }
  if (what.code == code::ok && !successor.empty()) {
    parts.successor = std::move(successor);
    out.push(action::pass_on);
  }
  carry_out(parts, parts.life.removed(what, out), beside, out);
}

// The turn.
void on(contender_parts& parts, const event::predecessor_watched& what, const session_queue& beside, action_list& out) {
  if (parts.life.now() != life::removing) {
    to_turn(parts, what, beside, out);
  } else if (what.code == code::ok) {
    out.push(action::forget_predecessor);
  }
}
void on(contender_parts& parts, const event::predecessor_gone& what, const session_queue& beside, action_list& out) {
  to_turn(parts, what, beside, out);
}
void on(contender_parts& parts, const event::predecessor_changed& what, const session_queue& beside, action_list& out) {
  to_turn(parts, what, beside, out);
}
void on(contender_parts& parts, const event::passed_on& what, const session_queue& beside, action_list& out) {
  if (turn_is_on(parts)) {
    to_turn(parts, what, beside, out);
  }
}
void on(contender_parts& parts, const event::predecessor_left& what, const session_queue& beside, action_list& out) {
  if (turn_is_on(parts)) {
    to_turn(parts, what, beside, out);
  }
}
void on(contender_parts& parts, const event::children_changed& what, const session_queue& beside, action_list& out) {
  parts.round.children_changed();
  to_turn(parts, what, beside, out);
}
void on(contender_parts& parts, const event::limit_changed& what, const session_queue& beside, action_list& out) {
  parts.round.limit_changed();
  to_turn(parts, what, beside, out);
}
void on(contender_parts& parts, const event::limit_stored& what, const session_queue& beside, action_list& out) {
  to_turn(parts, what, beside, out);
}
void on(contender_parts& parts, const event::marked& what, const session_queue& beside, action_list& out) {
  to_holder(parts, what, beside, out);
  if (parts.life.now() == life::held && marks_of(parts.turn) == marking::done) {
    out.push(action::tell_of_mark);
  }
}
void on(contender_parts& parts, const event::downgrade& what, const session_queue& beside, action_list& out) {
  to_holder(parts, what, beside, out);
}

// The caller.
void on(contender_parts& parts, const event::stop& told, const session_queue& beside, action_list& out) {
  const bool created = parts.life.has_node() || parts.life.now() == life::idle;
  if (parts.life.unwanted()) {
    return;
  }
  if (created) {
    carry_out(parts, refuse(told.why), beside, out);
    return;
  }
  answer(parts, refuse(told.why), out);
  parts.life.unwant();  // the node, if there is one, has to be found before it can be removed
}
void on(contender_parts& parts, const event::release&, const session_queue& beside, action_list& out) {
  if (parts.life.now() == life::held) {
    carry_out(parts, {wish::kind::remove}, beside, out);
  }
}

}  // namespace

void route(contender_parts& parts, const contender_event& what, const session_queue& beside, action_list& out) {
  std::visit([&](const auto& one) { on(parts, one, beside, out); }, what);
}

}  // namespace zklock::recipes
