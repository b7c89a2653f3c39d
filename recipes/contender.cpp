#include "recipes/contender.hpp"

#include <utility>

#include "recipes/assert.hpp"

namespace zklock::recipes {
namespace {

using node_is = node_life::state;
using round_is = queue_round::state;

}  // namespace

const session_queue no_others;

contender::contender(const contender_id& id, const acquire_spec& wanted, bool one_try, bool created_in_transaction,
                     const limit_node& known)
    : spec_(wanted),
      turn_(turn_of(wanted, one_try)),
      life_(contender_prefix(wanted.kind, id, wanted.permits, wanted.as), terms().makes_lock_node,
            created_in_transaction),
      round_(terms().reads_limit, wanted.below,
             terms().given_limit ? limit_node{.limit = terms().given_limit} : known) {}

action_list contender::resume(const contender_event& what, const session_queue& beside) {
  action_list out;
  if (life_.now() != node_is::finished) {
    std::visit([&](const auto& one) { on(one, beside, out); }, what);
  }
  ZKLOCK_ASSERT(!is_granted() || (!own().empty() && refused_because_ == refusal::none && !life_.unwanted()));
  ZKLOCK_ASSERT(!keeps_ || !is_granted() || knows_alone_);
  return out;
}

// ---- the parts ------------------------------------------------------------------------------------------------------

bool contender::turn_decides() const noexcept {
  return life_.now() == node_is::entered && round_.now() == round_is::idle;
}

template <class Event>
void contender::ask_turn(const Event& what, const session_queue& beside, action_list& out) {
  carry_out(std::visit([&](auto& turn) { return turn.on(what, life_.node(), out); }, turn_), beside, out);
}

template <class Event>
void contender::ask_turn_of_holder(const Event& what, const session_queue& beside, action_list& out) {
  if (life_.now() == node_is::held) {
    ask_turn(what, beside, out);
  }
}

void contender::disturb_turn() {
  std::visit([](auto& turn) { turn.disturbed(); }, turn_);
}

void contender::ask_queue(const session_queue& beside, action_list& out) {
  if (keeps_) {
    round_.look_with_watches(out);
  } else {
    round_.look(beside.list_under_way() ? action::share_list : action::list, out);
  }
}

// ---- events ---------------------------------------------------------------------------------------------------------

// The connection and the session.
void contender::on(const event::connected& what, const session_queue& beside, action_list& out) {
  disturb_turn();
  const bool awaited = std::exchange(lock_node_, lock_node_is::unasked) == lock_node_is::awaited;
  if (round_.now() == round_is::interrupted || (awaited && turn_decides())) {
    ask_queue(beside, out);
    return;
  }
  ask_turn_of_holder(what, beside, out);
  const decision next = life_.connected(out);
  const bool enters = next.is == decision::kind::look && life_.now() == node_is::entering;
  if (!enters || keeps_ || !(goes_by_number(beside, out) || goes_without_list(beside))) {
    carry_out(next, beside, out);
  }
}

void contender::on(const event::disconnected&, const session_queue&, action_list&) {
  disturb_turn();
  keeps_ = false;  // whoever came since then was told by no watch
}

void contender::on(const event::session_over&, const session_queue& beside, action_list& out) {
  action_list gone_with_the_session;
  drop_watches(gone_with_the_session);
  carry_out({life_.now() == node_is::held ? decision::kind::lose : decision::kind::start_over}, beside, out);
}

// The node comes to be.
void contender::on(const event::enlisted&, const session_queue& beside, action_list& out) {
  carry_out(life_.enlisted(), beside, out);
}

void contender::on(const event::lock_node_made& what, const session_queue&, action_list&) {
  life_.lock_node_made(what);
}

void contender::on(const event::created& what, const session_queue& beside, action_list& out) {
  if (life_.now() != node_is::entering) {
    return;
  }
  note_answer(what.code);
  life_.created(what);
  in_row_ = what.code == code::ok && beside.in_row(life_.node().name);
  if (!round_.under_way()) {
    const decision next = life_.entered(false, out);
    carry_out(next.is == decision::kind::decide ? decide_without_list(beside, out) : next, beside, out);
  }
}

void contender::on(const event::synced& what, const session_queue& beside, action_list& out) {
  life_.synced(what);
  ask_turn_of_holder(what, beside, out);
}

// A look at the queue. The list's answer is the last of it.
void contender::on(const event::siblings_listed& what, const session_queue&, action_list&) {
  round_.siblings_listed(what);
}

void contender::on(const event::limit_read& what, const session_queue&, action_list& out) {
  round_.read(what);
  drop_late_watches(out);
}

void contender::on(const event::listed& what, const session_queue& beside, action_list& out) {
  note_answer(what.code);
  const bool awaited = round_.under_way();
  const round_answers answers = round_.listed(what);
  decision next;
  switch (life_.now()) {
    case node_is::entering: next = life_.entered(answers.mixed_beside, out); break;
    case node_is::searching: next = life_.searched(what, out); break;
    case node_is::entered:
    case node_is::missing: next.is = awaited ? decision::kind::decide : decision::kind::wait; break;
    default: drop_late_watches(out);
  }
  carry_out(next.is == decision::kind::decide ? decide(answers, beside, out) : next, beside, out);
}

/// Only one that waits and knows its czxid is let in so: no answer is under way, and no bound is missed (F178).
void contender::on(const event::list_shown& what, const session_queue& beside, action_list& out) {
  if (turn_decides() && life_.node().czxid != 0 && round_.limit().written <= what.limit.written) {
    ask_turn(what, beside, out);
  }
}

// The own node.
void contender::on(const event::own_watched& what, const session_queue& beside, action_list& out) {
  const bool may_be_replaced = life_.now() == node_is::held && !life_.node().becomes.empty();
  const bool to_the_turn = turn_decides() || may_be_replaced;
  carry_out(life_.own_watched(what), beside, out);
  if (to_the_turn) {
    ask_turn(what, beside, out);
  }
  drop_late_watches(out);
}

void contender::on(const event::own_gone& what, const session_queue& beside, action_list& out) {
  const decision next = life_.own_gone();
  if (turn_decides()) {
    ask_turn(what, beside, out);
  } else if (life_.now() != node_is::entered && life_.now() != node_is::missing) {
    carry_out(next, beside, out);
  } else if (round_.now() == round_is::asked_with_watches) {
    life_.miss();
  } else {
    carry_out({decision::kind::start_over}, beside, out);
  }
}

void contender::on(const event::own_changed& what, const session_queue& beside, action_list& out) {
  life_.own_changed();
  if (turn_decides()) {
    ask_turn(what, beside, out);
  }
}

void contender::on(const event::look_after_own& what, const session_queue& beside, action_list& out) {
  if (life_.now() == node_is::held && life_.node().becomes.empty()) {
    life_.watch_own(out);
  } else if (turn_decides()) {
    ask_turn(what, beside, out);
  }
}

void contender::on(const event::lock_node_watched& what, const session_queue& beside, action_list& out) {
  const bool awaited = std::exchange(lock_node_, lock_node_is::unasked) == lock_node_is::awaited;
  if (awaited && turn_decides()) {
    const std::int64_t alone_in = beside.alone_in(life_.node().name, token());
    const bool is_same = what.code == code::ok && alone_in != 0 && what.lock_node == alone_in;
    carry_out(is_same ? pass_alone(alone_in) : decision{decision::kind::look}, beside, out);
  }
}

void contender::on(const event::removed& what, const session_queue& beside, action_list& out) {
  removed_own_ = what.code == code::ok && life_.now() == node_is::removing;
  heap_text successor = std::exchange(successor_, {});
  if (life_.now() == node_is::removing && what.of_successor) {
    life_.remove(out, true);  // nothing was removed: the successor's node is not there, or may not be asked for
    return;
  }
  if (what.code == code::ok && !successor.empty()) {
    successor_ = std::move(successor);
    out.push(action::pass_on);
  }
  carry_out(life_.removed(what, out), beside, out);
}

// The turn.
void contender::on(const event::predecessor_watched& what, const session_queue& beside, action_list& out) {
  if (life_.now() != node_is::removing) {
    ask_turn(what, beside, out);
  } else if (what.code == code::ok) {
    out.push(action::forget_predecessor);
  }
}

void contender::on(const event::predecessor_gone& what, const session_queue& beside, action_list& out) {
  ask_turn(what, beside, out);
}

void contender::on(const event::predecessor_changed& what, const session_queue& beside, action_list& out) {
  ask_turn(what, beside, out);
}

void contender::on(const event::passed_on& what, const session_queue& beside, action_list& out) {
  if (turn_decides()) {
    ask_turn(what, beside, out);
  }
}

void contender::on(const event::predecessor_left& what, const session_queue& beside, action_list& out) {
  if (turn_decides()) {
    ask_turn(what, beside, out);
  }
}

void contender::on(const event::children_changed& what, const session_queue& beside, action_list& out) {
  round_.children_changed();
  if (life_.now() == node_is::held && keeps_) {
    keeps_ = false;
    in_row_ = false;  // others come, too
    out.push(action::tell_of_others);
  } else {
    ask_turn(what, beside, out);
  }
}

void contender::on(const event::limit_changed& what, const session_queue& beside, action_list& out) {
  round_.limit_changed();
  ask_turn(what, beside, out);
}

void contender::on(const event::limit_stored& what, const session_queue& beside, action_list& out) {
  ask_turn(what, beside, out);
}

void contender::on(const event::marked& what, const session_queue& beside, action_list& out) {
  ask_turn_of_holder(what, beside, out);
  if (life_.now() == node_is::held && marks_of(turn_) == marking::done) {
    out.push(action::tell_of_mark);
  }
}

void contender::on(const event::downgrade& what, const session_queue& beside, action_list& out) {
  ask_turn_of_holder(what, beside, out);
}

// The caller.
void contender::on(const event::stop& told, const session_queue& beside, action_list& out) {
  const bool created = life_.has_node() || life_.now() == node_is::idle;
  if (life_.unwanted()) {
    return;
  }
  if (created) {
    carry_out(refuse(told.why), beside, out);
    return;
  }
  answer(refuse(told.why), out);
  life_.unwant();  // the node, if there is one, has to be found before it can be removed
}

void contender::on(const event::release&, const session_queue& beside, action_list& out) {
  if (life_.now() == node_is::held) {
    carry_out({decision::kind::remove}, beside, out);
  }
}

// ---- what is decided by a list, or without one ----------------------------------------------------------------------

decision contender::decide(round_answers all, const session_queue& beside, action_list& out) {
  all.beside = &beside;
  const own_node& own = life_.node();
  decision next;
  switch (classify(all.failure)) {
    case outcome::done:
      next = life_.now() == node_is::missing
                 ? decision{decision::kind::start_over}
                 : std::visit([&](auto& turn) { return turn.decide(all, own, out); }, turn_);
      break;
    case outcome::not_done:
      next = all.failure == code::no_node ? decision{decision::kind::start_over}
                                          : refuse(refusal::server_error, all.failure);
      break;
    default: next.is = decision::kind::look_later;
  }
  if (next.is == decision::kind::refuse && next.why == refusal::not_in_time && spec_.kind != contender_kind::permit) {
    blocked_by_ = first_blocker(all.children, spec_, own.name);
  }
  if (next.is == decision::kind::pass && all.children.size() == 1) {
    bounds_.alone_at = all.changed;
    next = pass_alone(all.lock_node);
  }
  if (keeps_) {
    // Nobody has come and gone between the create and the watch: whoever comes is told by it.
    keeps_ =
        next.is == decision::kind::pass && all.children.size() == 1 && all.children_watched && all.changed == own.czxid;
  }
  if (own.czxid == 0 && bounds_.outnumbered_at == 0 && has_greater_number(view_of(all, own))) {
    bounds_.outnumbered_at = all.changed;
  }
  return next;
}

/// A permit asks for its limit, too; what stands below a lock's path, for what stands beside it.
bool contender::passes_alone() const noexcept {
  const bool counts = spec_.kind == contender_kind::permit || spec_.kind == contender_kind::lease;
  return !counts && !spec_.below;
}

bool contender::goes_by_number(const session_queue& beside, action_list& out) {
  const std::int64_t alone_in = passes_alone() ? beside.next_is_alone_in() : 0;
  if (alone_in != 0 && !beside.is_watched(alone_in)) {
    lock_node_ = lock_node_is::asked;
    out.push(action::watch_lock_node);
  }
  return alone_in != 0;
}

std::optional<decision> contender::decide_by_number(const session_queue& beside) {
  const std::int64_t alone_in = passes_alone() ? beside.alone_in(life_.node().name, token()) : 0;
  if (alone_in != 0 && beside.is_watched(alone_in)) {
    return pass_alone(alone_in);
  }
  if (alone_in != 0 && lock_node_ == lock_node_is::asked) {
    lock_node_ = lock_node_is::awaited;
    return decision{decision::kind::wait};
  }
  return std::nullopt;
}

decision contender::pass_alone(std::int64_t lock_node) noexcept {
  knows_alone_ = lock_node != 0 && life_.node().czxid != 0;
  bounds_ = knows_alone_ ? czxid_bounds{life_.node().czxid, lock_node} : bounds_;
  return {decision::kind::pass};
}

decision contender::decide_without_list(const session_queue& beside, action_list& out) {
  if (const std::optional<decision> known = decide_by_number(beside)) {
    return *known;
  }
  const own_node& own = life_.node();
  return std::visit(
      [&](auto& turn) -> decision {
        if constexpr (recipes::stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
          const contender* const before = beside.right_before(own.name);
          if (before != nullptr && numbered_by_one_leader(before->token(), {own.czxid})) {
            return turn.follow_own_session(before->own(), out);
          }
        }
        return {decision::kind::look};
      },
      turn_);
}

bool contender::goes_without_list(const session_queue& beside) const {
  return std::visit(
      [&](const auto& turn) {
        if constexpr (recipes::stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
          return !turn.one_try() && beside.ends_exclusively();
        } else {
          return false;
        }
      },
      turn_);
}

// ---- what becomes of a decision -------------------------------------------------------------------------------------

void contender::carry_out(const decision& next, const session_queue& beside, action_list& out) {
  using kind = decision::kind;
  switch (next.is) {
    case kind::wait:
    case kind::decide: break;
    case kind::watch_predecessor:
      in_row_ = false;  // others come, too
      round_.drop_watches(out);
      out.push(action::watch_predecessor);
      watch_own_later(out);
      break;
    case kind::watch_both:
      in_row_ = false;
      round_.drop_watches(out);
      out.push(action::watch_predecessor);
      life_.watch_own(out);
      break;
    case kind::watch_own_later: watch_own_later(out); break;
    case kind::look_at_own: life_.drop_watch(out); [[fallthrough]];
    case kind::watch_own: life_.watch_own(out); break;
    case kind::look: ask_queue(beside, out); break;
    case kind::look_with_watches: round_.look_with_watches(out); break;
    case kind::look_later: round_.interrupt(); break;
    case kind::pass: grant(out); break;
    case kind::refuse:
      answer(next, out);
      life_.has_node() ? remove(beside, out) : finish(out);
      break;
    case kind::start_over:
      drop_watches(out);
      if (!life_.unwanted()) {
        out.push(action::start_over);
      }
      finish(out);
      break;
    case kind::lose:
      drop_watches(out);
      out.push(action::lose);
      finish(out);
      break;
    case kind::remove: remove(beside, out); break;
    case kind::finish:
      refused_with_ = next.with == code::ok ? refused_with_ : next.with;
      finish(out);
      break;
    case kind::become_reader: life_.may_become(curator_reader_of(life_.node().name)); break;
    case kind::became_reader:
      life_.became_other(out);
      bounds_ = bounds();
      knows_alone_ = false;
      break;
    case kind::stays_writer:
      life_.may_become({});
      life_.watch_own(out);
      break;
  }
}

void contender::grant(action_list& out) {
  std::visit([&out](auto& turn) { turn.drop(out); }, turn_);
  if (!keeps_) {
    round_.end(out);
  }
  life_.hold();
  out.push(action::grant);
  std::visit([&out](auto& turn) { turn.granted(out); }, turn_);
}

void contender::answer(const decision& refused, action_list& out) {
  if (!life_.unwanted()) {
    refused_because_ = refused.why;
    refused_with_ = refused.with;
    if (blocked_by_.empty() && refused.why == refusal::not_in_time) {
      blocked_by_ = predecessor();
    }
    out.push(action::refuse);
  }
}

/// A contender of the session that waits right behind an exclusive holder has the turn with the removal: one transaction
/// proves that both nodes stood.
void contender::remove(const session_queue& beside, action_list& out) {
  drop_watches(out);
  held_alone_ = held_alone_ || (life_.now() == node_is::held && is_exclusive());
  const auto* const next = held_alone_ ? beside.first_behind(life_.node().name) : nullptr;
  successor_ = next == nullptr ? heap_text() : heap_text(next->machine->own());
  life_.remove(out);
}

void contender::finish(action_list& out) {
  life_.finish();
  out.push(action::finish);
}

void contender::note_answer(code with) noexcept {
  const outcome what = classify(with);
  queue_seen_ = queue_seen_ || what == outcome::done || what == outcome::not_done;
}

void contender::watch_own_later(action_list& out) {
  if (life_.node().watched == watch::none) {
    out.push(action::watch_own_later);
  }
}

void contender::drop_watches(action_list& out) {
  drop_turn_watches(out);
  life_.drop_watch(out);
}

void contender::drop_turn_watches(action_list& out) {
  std::visit([&out](auto& turn) { turn.drop(out); }, turn_);
  round_.end(out);
}

void contender::drop_late_watches(action_list& out) {
  if (life_.now() == node_is::removing) {
    drop_watches(out);
  }
}

// ---- what is asked of it --------------------------------------------------------------------------------------------

turn_state contender::turn() const noexcept {
  return std::visit([](const auto& turn) { return turn.is_at(); }, turn_);
}

bool contender::is_waiting() const noexcept { return turn_decides() && turn() == turn_state::waiting; }

contender_mode contender::mode() const noexcept {
  return std::visit([](const auto& turn) { return turn.mode(); }, turn_);
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
      turn_);
}

bool contender::stands_in_rows() const noexcept {
  return std::visit([](const auto& turn) { return recipes::stands_in_rows<std::remove_cvref_t<decltype(turn)>>; },
                    turn_);
}

bool contender::is_exclusive() const noexcept { return recipes::is_exclusive(turn_); }

bool contender::excludes(const acquire_spec& other) const noexcept {
  return is_granted() && holds_alone(spec_.kind) && mode() == contender_mode::write &&
         of_one_recipe(spec_.kind, other.kind) && (spec_.kind == contender_kind::mutex || spec_.as == other.as);
}

std::optional<session_queue::alone> contender::leaves_alone() const {
  const bool leaves = life_.now() == node_is::removing || life_.now() == node_is::finished;
  const auto name = leaves && knows_alone_ ? parse_contender_name(own()) : std::nullopt;
  return name ? std::optional<session_queue::alone>(
                    {name->sequence.value, {bounds_.alone_at}, bounds_.outnumbered_at, in_row_})
              : std::nullopt;
}

std::optional<session_queue::alone> contender::left_alone() const {
  return removed_own_ ? leaves_alone() : std::nullopt;
}

std::optional<std::string_view> contender::blocked_by() const noexcept {
  const bool known =
      refused_because_ == refusal::not_in_time && (spec_.kind == contender_kind::permit || !blocked_by_.empty());
  return known ? std::optional<std::string_view>(blocked_by_) : std::nullopt;
}

bool contender::reads_by_now() const noexcept {
  return mode() == contender_mode::read && marks_of(turn_) == marking::done;
}

bool contender::has_node() const noexcept { return life_.has_node(); }

bool contender::waits_behind(std::string_view other) const noexcept {
  return std::visit(
      [other](const auto& turn) {
        if constexpr (requires { turn.waits_behind(other); }) {
          return turn.waits_behind(other);
        } else {
          return false;
        }
      },
      turn_);
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
                              turn_);
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
      turn_);
}

node_terms contender::terms() const noexcept {
  return std::visit([this](const auto& turn) { return turn.terms(spec_); }, turn_);
}

std::string contender::lock_node_data() const {
  const auto stored = terms().stored_limit;
  return stored ? limit_data(*stored) : std::string();
}

bool contender::node_in_doubt() const noexcept { return may_be_replaced() && marks_of(turn_) != marking::asked; }

bool contender::needs_connection() const noexcept {
  const bool look_interrupted =
      (life_.now() == node_is::entered || life_.now() == node_is::missing) && round_.now() == round_is::interrupted;
  return life_.waits_for_connection() || look_interrupted || (is_granted() && marks_of(turn_) == marking::owed);
}

bool contender::at_rest() const noexcept {
  const marking marks = marks_of(turn_);
  return is_waiting() || (is_granted() && (marks == marking::none || marks == marking::done));
}

}  // namespace zklock::recipes
