#include "recipes/curator_read_write_lock.hpp"

#include "recipes/read_write_lock.hpp"

namespace zklock::recipes {

decision curator_read_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = read_policy(view_of(round, own));
  if (const auto at_once = unless_it_waits(seen, round, one_try_)) {
    return *at_once;
  }
  return behind_.follow(seen.predecessor, false, own, out);
}

decision curator_read_turn::on(const event::predecessor_watched& told, const own_node& own, action_list&) {
  return behind_.watched({.code = told.code}, own);
}

decision curator_write_turn::decide(const round_answers& round, const own_node& own, action_list& out) {
  const verdict seen = write_policy(view_of(round, own));
  if (const auto at_once = unless_it_waits(seen, round, one_try_)) {
    return *at_once;
  }
  return behind_.follow(seen.predecessor, false, own, out);
}

decision curator_write_turn::on(const event::predecessor_watched& told, const own_node& own, action_list&) {
  return behind_.watched({.code = told.code}, own);
}

decision curator_write_turn::on(const event::downgrade&, const own_node&, action_list& out) {
  return downgraded_.begin(out);
}

decision curator_write_turn::on(const event::marked& told, const own_node&, action_list&) {
  return downgraded_.answered(told.code);
}

decision curator_write_turn::on(const event::synced& told, const own_node&, action_list&) {
  return downgraded_.sync_answered(told.code);
}

decision curator_write_turn::on(const event::own_watched& told, const own_node& own, action_list& out) {
  return own.becomes.empty() ? behind_.on(told, own) : downgraded_.looked(own_result(told), out);
}

decision curator_write_turn::on(const event::connected&, const own_node&, action_list& out) {
  return downgraded_.connected(out);
}

}  // namespace zklock::recipes
