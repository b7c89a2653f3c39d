#include "recipes/read_write_lock.hpp"

#include "recipes/contender.hpp"

namespace zklock::recipes {

acquire_spec spec_to_read(acquire_spec in) noexcept {
  in.kind = contender_kind::read;
  return in;
}

acquire_spec spec_to_write(acquire_spec in) noexcept {
  in.kind = contender_kind::write;
  return in;
}

verdict read_policy(const queue_view& seen) { return look_at(seen, conflicts::unmarked_writers); }

verdict write_policy(const queue_view& seen) { return look_at(seen, conflicts::all); }

decision read_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  verdict seen = read_policy(view_of(round, own, behind_.let_pass()));
  const session_queue::entry* const before = round.beside == nullptr ? nullptr : round.beside->find(seen.predecessor);
  if (before != nullptr && before->machine->reads_by_now()) {  // of this session: nothing has to be asked
    seen = read_policy(view_of(round, own, seen.predecessor));
  }
  if (const auto at_once = unless_it_waits(seen, round, one_try_ && before != nullptr)) {
    return *at_once;
  }
  return follow(seen, round, own, out);
}

decision read_turn::on(const event::predecessor_watched& told, const own_node& own, action_list&) {
  return unless_one_try(behind_.watched({told.code, told.mode == contender_mode::read, told.same_session}, own));
}

/// Whether a writer before it is one still, a reader can tell from its data alone: one try reads that, too.
decision read_turn::unless_one_try(const decision& next) const noexcept {
  const bool waits = next.is == decision::kind::wait && behind_.now() == predecessor_watch::state::waiting;
  return one_try_ && waits ? refuse(refusal::not_in_time) : next;
}

decision write_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = write_policy(view_of(round, own));
  if (const auto at_once = unless_it_waits(seen, round, one_try_)) {
    return *at_once;
  }
  return follow(seen, round, own, out);
}

decision write_turn::on(const event::downgrade&, const own_node&, action_list& out) {
  downgraded_.begin(out);
  return {};
}

decision write_turn::on(const event::marked& told, const own_node&, action_list&) {
  return downgraded_.answered(told.code);
}

decision write_turn::on(const event::connected&, const own_node&, action_list& out) {
  downgraded_.connected(out);
  return {};
}

}  // namespace zklock::recipes
