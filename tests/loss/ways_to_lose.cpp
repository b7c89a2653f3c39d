#include <algorithm>
#include <stdexcept>

#include "tests/integration/inspector.hpp"
#include "tests/loss/deadline_schedules.hpp"
#include "tests/loss/trial.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;

const auto default_timeout = session_options{}.timeout;

std::function<void(trial&)> set(proxy_mode mode) {
  return [mode](trial& here) { here.way_of_holder().set_mode(mode); };
}
// What was held would be delivered, late: packets that are lost are not.
void lose_what_was_held(trial& here) {
  here.way_of_holder().cut_now();
  here.way_of_holder().set_mode(proxy_mode::pass);
}
void stop_victim(trial& here) { here.servers().own().stop(here.victim()); }
void continue_victim(trial& here) { here.servers().own().cont(here.victim()); }
void kill_victim(trial& here) { here.servers().own().kill(here.victim()); }
void restart_victim(trial& here) { here.servers().own().restart(here.victim()); }

// Meanwhile the holder's client must not take it back: then the server would drop what it is asked, and not say why.
void take_the_session_over_and_close_it(trial& here) {
  here.way_of_holder().set_mode(proxy_mode::refuse);
  test_support::expire_session(here.servers().port(here.holders_server()), here.way_of_holder().last_session());
  here.way_of_holder().set_mode(proxy_mode::pass);
}
void remove_the_node(trial& here) { inspector(here.servers().all_but(here.victim())).remove(here.node()); }
void close_the_session(trial& here) { here.holders_session().close(); }

proxy& link_to_leader(trial& here) {
  return here.servers().own().quorum_link(here.holders_server(), here.servers().leader());
}
// The point of it: what is read there looks well.
void cut_follower_from_leader(trial& here) {
  inspector at_the_follower("127.0.0.1:" + std::to_string(here.servers().port(here.holders_server())));
  here.expect(at_the_follower.look(here.node()).has_value(), "the follower does not know the node");
  link_to_leader(here).set_mode(proxy_mode::hold);
  here.expect(at_the_follower.look(here.node()).has_value(), "the follower that was cut off does not answer reads");
}
void join_follower_to_leader(trial& here) { link_to_leader(here).set_mode(proxy_mode::pass); }

}  // namespace

test_support::zookeeper_options servers_for(const way_to_lose& way) {
  return {.servers = way.where == place::own_server || way.where == place::shared_server ? 1U : 3U,
          .tick_time = way.tick,
          .quorum_links = way.where == place::linked_servers,
          .sync_limit = way.sync_limit};
}

const std::vector<way_to_lose>& ways_to_lose() {
  static const std::vector<way_to_lose> all{
      // ---- the connection
      {.key = "cut",
       .name = "connection cut, for good",
       .may_be_told = {loss_reason::deadline_passed},
       .fault = set(proxy_mode::cut),
       .heal = set(proxy_mode::pass)},
      {.key = "silence",
       .name = "both directions silent (packets lost)",
       .may_be_told = {loss_reason::deadline_passed},
       .fault = set(proxy_mode::hold),
       .heal = lose_what_was_held},
      {.key = "requests_lost",
       .name = "client → server lost",
       .may_be_told = {loss_reason::deadline_passed},
       .fault = set(proxy_mode::hold_requests),
       .heal = lose_what_was_held},
      {.key = "replies_lost",
       .name = "server → client lost",
       .may_be_told = {loss_reason::deadline_passed},
       .fault = set(proxy_mode::hold_replies),
       .heal = lose_what_was_held},
      {.key = "cut_and_healed",
       .name = "connection cut, healed after T/4",
       .healed = healing::in_time,
       .fault = set(proxy_mode::cut),
       .heal = set(proxy_mode::pass)},
      // ---- the client
      {.key = "process_stopped",
       .name = "holder's process stopped past its session",
       .whole_process = true,
       .may_be_told = {loss_reason::deadline_passed, loss_reason::session_expired},
       .fault = {}},
      {.key = "closed",
       .name = "`session.close()`",
       .may_be_told = {loss_reason::session_closed},
       .fault = close_the_session},
      // ---- an operator with power over the servers
      {.key = "expired",
       .name = "session ended by an operator",
       .by_force = true,
       .may_be_told = {loss_reason::session_expired},
       .fault = take_the_session_over_and_close_it},
      {.key = "removed",
       .name = "node removed by an operator",
       .by_force = true,
       .may_be_told = {loss_reason::node_removed},
       .fault = remove_the_node},
      // ---- the only server
      {.key = "only_server_stopped",
       .name = "only server frozen until after the loss",
       .where = place::own_server,
       .healed = healing::after_the_loss,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = stop_victim,
       .heal = continue_victim},
      {.key = "restarted",
       .name = "only server killed and restarted",
       .where = place::own_server,
       .timeout = default_timeout,
       .may_survive = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = restart_victim},
      // ---- one of three servers
      {.key = "follower_stopped",
       .name = "holder's follower frozen",
       .where = place::three_servers,
       .timeout = default_timeout,
       .fault = stop_victim,
       .heal = continue_victim},
      {.key = "follower_killed",
       .name = "holder's follower killed",
       .where = place::three_servers,
       .timeout = default_timeout,
       .fault = kill_victim,
       .heal = restart_victim},
      {.key = "leader_killed",
       .name = "leader killed, holder on a follower",
       .where = place::three_servers,
       .timeout = default_timeout,
       .victim = seat::leader,
       .fault = kill_victim,
       .heal = restart_victim},
      {.key = "own_leader_killed",
       .name = "leader killed, holder on it",
       .where = place::three_servers,
       .timeout = default_timeout,
       .at = seat::leader,
       .victim = seat::leader,
       .fault = kill_victim,
       .heal = restart_victim},
      {.key = "leader_stopped",
       .name = "leader frozen, holder on a follower",
       .where = place::three_servers,
       .timeout = default_timeout,
       .victim = seat::leader,
       .may_survive = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = stop_victim,
       .heal = continue_victim},
      {.key = "own_leader_stopped",
       .name = "leader frozen, holder on it",
       .where = place::three_servers,
       .timeout = default_timeout,
       .at = seat::leader,
       .victim = seat::leader,
       .may_survive = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = stop_victim,
       .heal = continue_victim},
      // ---- a server that deceives
      {.key = "follower_cut_off",
       .name = "follower cut off from its leader, still answering reads; no other server in reach",
       .where = place::linked_servers,
       .no_other_server = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = cut_follower_from_leader,
       .heal = join_follower_to_leader},
      {.key = "follower_killed_at_the_grant",
       .name = "follower killed right behind the granting answer, after an idle spell; no other server in reach",
       .where = place::linked_servers,
       .no_other_server = true,
       .at_the_grant = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = kill_victim,
       .heal = restart_victim},
      // ---- servers that end the session earlier than was to be expected
      {.key = "timeout_lowered",
       .name = "a rolling restart lowers maxSessionTimeout to 2 s, then the connection is cut",
       .where = place::three_servers,
       .timeout = high_session_timeout,
       .no_other_server = true,
       .may_be_told = {loss_reason::deadline_passed},
       .arrange = lower_the_timeouts_of_the_other_follower,
       .prepare = move_to_the_other_follower,
       .fault = set(proxy_mode::cut),
       .heal = set(proxy_mode::pass)},
      {.key = "timeout_raised",
       .name = "a rolling restart raises minSessionTimeout to 8 s, then the connection is cut and the leader killed",
       .where = place::three_servers,
       .timeout = low_session_timeout,
       .victim = seat::leader,
       .no_other_server = true,
       .may_be_told = {loss_reason::deadline_passed},
       .tick_is_told = true,
       .arrange = raise_the_timeouts_of_the_other_follower,
       .prepare = move_to_the_other_follower,
       .fault = cut_the_holder_and_kill_the_leader,
       .heal = let_the_holder_through_and_restart_the_leader},
      {.key = "slow_link",
       .name = "requests delayed for 0.63 T; the follower is killed right behind its answers; no other server in reach",
       .where = place::three_servers,
       .no_other_server = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = delay_requests_and_kill_the_follower,
       .heal = restart_victim},
      {.key = "short_timeout",
       .name = "T of 3.4 to 3.9 ticks; the follower is killed before it tells its leader of the holder; no other "
               "server in reach",
       .where = place::linked_servers,
       .timeout = 1700ms,
       .no_other_server = true,
       .may_be_told = {loss_reason::deadline_passed},
       .tick_is_told = true,
       .arrange = fit_the_timeout_to_the_ticks,
       .fault = kill_the_follower_before_it_tells_its_leader,
       .heal = restart_victim},
      {.key = "short_timeout_and_margin",
       .name = "the same, with a margin of 1 ms",
       .where = place::linked_servers,
       .timeout = 1700ms,
       .no_other_server = true,
       .margin = 1ms,
       .may_be_told = {loss_reason::deadline_passed},
       .tick_is_told = true,
       .arrange = fit_the_timeout_to_the_ticks,
       .fault = kill_the_follower_before_it_tells_its_leader,
       .heal = restart_victim},
      {.key = "leader_deposed",
       .name =
           "leader deposed and unaware of it, holder on it: one follower restarted, the other one's connection reset, "
           "the leader hears of neither (syncLimit 10); no other server in reach",
       .where = place::linked_servers,
       .timeout = 3s,
       .sync_limit = 10,
       .at = seat::leader,
       .victim = seat::leader,
       .no_other_server = true,
       .heartbeats_only = true,
       .may_be_told = {loss_reason::deadline_passed},
       .fault = depose_the_leader_silently,
       .heal = tell_the_deposed_leader},
  };
  return all;
}

const way_to_lose& way_named(std::string_view key) {
  const auto found = std::ranges::find(ways_to_lose(), key, &way_to_lose::key);
  if (found == ways_to_lose().end()) {
    throw std::invalid_argument("no such way: " + std::string(key));
  }
  return *found;
}

}  // namespace zklock::test
