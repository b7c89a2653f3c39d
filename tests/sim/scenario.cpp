#include "tests/sim/scenario.hpp"

#include <algorithm>

namespace zklock::sim {
namespace {

using kind = user_action::kind;

/// Shorter than any timer of session, client or servers.
constexpr instant short_limit = std::chrono::milliseconds(1);

std::vector<scenario> two_contenders() {
  const user_action acquire{kind::acquire};
  const user_action release{kind::release};
  const user_action drop{kind::drop};
  std::vector<scenario> out;
  out.push_back({.name = "acquire", .programs = {{acquire, release}, {acquire, drop}}});
  out.push_back({.name = "first-use", .programs = {{acquire, release}, {acquire, release}}, .lock_node_there = false});
  out.push_back({.name = "time-out",
                 .programs = {{acquire, release}, {{kind::acquire, short_limit}, release}},
                 .done_before = {1, 0}});
  out.push_back({.name = "one-try", .programs = {{acquire, release}, {{kind::try_once}, release}}});
  out.push_back({.name = "abandon",
                 .programs = {{acquire, release}, {acquire, {kind::abandon}, release}},
                 .done_before = {1, 0}});
  out.push_back(
      {.name = "release", .programs = {{acquire, release, acquire, drop}, {acquire, drop}}, .done_before = {1, 1}});
  out.push_back({.name = "re-entry",
                 .programs = {{acquire, {kind::reenter}, drop, release}, {acquire, release}},
                 .done_before = {1, 0}});
  out.push_back({.name = "write",
                 .programs = {{acquire, {kind::write}, release}, {acquire, {kind::write}, drop}},
                 .done_before = {1, 0}});
  // the first one stays, so that the other waits on when its node is removed
  out.push_back({.name = "wait-on",
                 .programs = {{acquire, {kind::rest, std::chrono::seconds(14)}, release}, {acquire, release}},
                 .done_before = {1, 1},
                 .deviations = 1});
  out.push_back({.name = "look", .programs = {{acquire, drop}, {{kind::list_participants}}}, .done_before = {1, 0}});
  return out;
}

/// The client of the first program is with the leader, the other's with a follower.
std::vector<scenario> on_three_servers() {
  std::vector<scenario> out;
  for (const scenario& one : two_contenders()) {
    if (one.name == "acquire" || one.name == "time-out" || one.name == "abandon" || one.name == "release" ||
        one.name == "re-entry" || one.name == "write" || one.name == "look") {
      out.push_back(one);
      out.back().name += "-on-three";
      out.back().servers = 3;
    }
  }
  return out;
}

user_action acquires(std::vector<want> what) { return {kind::acquire, std::nullopt, std::move(what)}; }
user_action sets_limit(std::uint32_t to) { return {kind::set_limit, std::nullopt, {{}}, to}; }

/// Three contenders of one read/write lock.
std::vector<scenario> readers_and_writers() {
  const std::vector<lock_plan> locks{{.kind = recipe::shared}};
  const user_action read = acquires({{0, detail::side::read}});
  const user_action write = acquires({{0, detail::side::write}});
  const user_action read_too{kind::reenter, std::nullopt, {{0, detail::side::read}}};
  const user_action drop{kind::drop};
  const user_action release{kind::release};
  std::vector<scenario> out;
  out.push_back({.name = "read-write", .programs = {{read, drop}, {write, drop}, {read, drop}}, .locks = locks});
  out.push_back({.name = "write-release",
                 .programs = {{write, drop}, {read, drop}, {read, drop}},
                 .done_before = {1, 1, 1},
                 .locks = locks});
  out.push_back({.name = "downgrade",
                 .programs = {{write, {kind::downgrade}, release}, {write, drop}, {read, drop}},
                 .done_before = {1, 0, 0},
                 .locks = locks});
  out.push_back({.name = "downgrade-to-reader",
                 .programs = {{write, {kind::downgrade}, drop}, {read, drop}, {write, drop}},
                 .done_before = {1, 1, 0},
                 .locks = locks});
  out.push_back({.name = "unlock-write",
                 .programs = {{write, read_too, {kind::drop_first}, {kind::write}, drop}, {read, drop}, {write, drop}},
                 .done_before = {2, 1, 0},
                 .locks = locks});
  out.push_back(
      {.name = "revoke-write",
       .programs = {{write, {kind::revoke}, {kind::write}, {kind::revoke}, {kind::downgrade}, {kind::write}, drop},
                    {write, drop},
                    {read, drop}},
       .done_before = {1, 1, 1},
       .locks = locks});
  // No writer waits between the two: the downgrade lets the reader in at once.
  out.push_back({.name = "revoke-downgrade",
                 .programs = {{write, {kind::revoke}, {kind::write}, {kind::downgrade}, drop}, {read, drop}},
                 .done_before = {1, 1},
                 .locks = locks});
  out.push_back({.name = "revoke-unlock",
                 .programs = {{write, read_too, {kind::revoke}, {kind::write}, {kind::drop_first}, {kind::write}, drop},
                              {read, drop}},
                 .done_before = {2, 1},
                 .locks = locks});
  return out;
}

/// Jobs of one process, some on one thread, and for which owner they acquire.
std::vector<scenario> jobs_of_one_process() {
  const auto acquires_for = [](detail::owner_number owner, detail::side side = detail::side::whole) {
    user_action what = acquires({{0, side}});
    what.owner = owner;
    return what;
  };
  constexpr detail::owner_number job = 101;
  const user_action drop{kind::drop};
  const std::vector<lock_plan> shared{{.kind = recipe::shared}};
  std::vector<scenario> out;
  out.push_back({.name = "two-calls-of-one-owner",
                 .programs = {{acquires_for(job), drop}, {acquires_for(job), drop}, {{kind::acquire}, drop}},
                 .thread_of = {-1, 0, -1}});
  out.push_back({.name = "grant-under-a-lock-of-its-thread",
                 .programs = {{{kind::acquire}, drop}, {acquires_for(detail::no_owner), drop}},
                 .thread_of = {-1, 0}});
  out.push_back({.name = "read-under-a-write-grant-of-its-thread",
                 .programs = {{acquires_for(detail::no_owner, detail::side::write), drop},
                              {acquires_for(detail::no_owner, detail::side::read), drop}},
                 .thread_of = {-1, 0},
                 .locks = shared});
  return out;
}

std::vector<scenario> users_of_permits() {
  const auto semaphore = [](std::uint32_t limit, bool asserted) {
    return std::vector<lock_plan>{{.kind = recipe::semaphore, .limit = limit, .asserted = asserted}};
  };
  const user_action one = acquires({{0, detail::side::permits, 1}});
  const user_action two = acquires({{0, detail::side::permits, 2}});
  const user_action drop{kind::drop};
  std::vector<scenario> out;
  out.push_back({.name = "two-of-two", .programs = {{two, drop}, {two, drop}}, .locks = semaphore(2, true)});
  out.push_back({.name = "two-of-two-first-use",
                 .programs = {{two, drop}, {two, drop}},
                 .locks = semaphore(2, true),
                 .lock_node_there = false});
  out.push_back({.name = "four-users",
                 .programs = {{one, drop}, {one, drop}, {one, drop}, {one, drop}},
                 .done_before = {1, 1, 1, 1},
                 .locks = semaphore(2, true)});
  // with a deviation it would take as long as all the others of permits together; three-users-limit is explored with one
  out.push_back({.name = "four-users-limit",
                 .programs = {{one, drop}, {one, drop}, {one, drop}, {one, drop}, {sets_limit(1), sets_limit(2)}},
                 .done_before = {1, 1, 1, 0, 0},
                 .locks = semaphore(2, false),
                 .deviations = 0});
  out.push_back({.name = "three-users-limit",
                 .programs = {{one, drop}, {one, drop}, {one, drop}, {sets_limit(1), sets_limit(2)}},
                 .done_before = {1, 1, 1, 0},
                 .locks = semaphore(2, false)});
  // one of them stays, so that a permit which is free meanwhile is seen
  const user_action stay{kind::rest, std::chrono::seconds(14)};
  out.push_back({.name = "one-stays",
                 .programs = {{one, drop}, {one, stay, drop}, {one, drop}},
                 .done_before = {1, 1, 1},
                 .locks = semaphore(2, true)});
  // the same: one-stays is explored with one
  out.push_back({.name = "one-stays-of-two",
                 .programs = {{one, drop}, {one, drop}, {one, stay, drop}, {one, stay, drop}},
                 .done_before = {1, 1, 0, 0},
                 .locks = semaphore(2, true),
                 .deviations = 0});
  out.push_back({.name = "one-stays-limit-lowered",
                 .programs = {{one, drop}, {one, drop}, {one, stay, drop}, {one, drop}, {sets_limit(2)}},
                 .done_before = {1, 1, 1, 0, 1},
                 .locks = semaphore(3, false)});
  // its second acquisition goes by the limit that the first one has read, unless it was written since
  out.push_back({.name = "one-comes-again-limit-lowered",
                 .programs = {{one, drop, one, drop}, {one, drop}, {sets_limit(1)}},
                 .done_before = {1, 1, 0},
                 .locks = semaphore(2, false)});
  out.push_back({.name = "three-holders-limit",
                 .programs = {{one, drop}, {one, drop}, {one, drop}, {one, drop}, {sets_limit(2)}},
                 .done_before = {1, 1, 1, 0, 0},
                 .locks = semaphore(3, false)});
  return out;
}

std::vector<scenario> multi_operations() {
  const std::vector<lock_plan> three{{.path = "/l"}, {.path = "/m"}, {.path = "/n"}};
  const user_action forth = acquires({{0}, {1}, {2}});
  const user_action back = acquires({{2}, {1}, {0}});
  const user_action drop{kind::drop};
  const user_action write{kind::write};
  std::vector<scenario> out;
  out.push_back({.name = "multi-lock", .programs = {{forth, drop}, {back, drop}}, .locks = three});
  out.push_back({.name = "multi-lock-crash", .programs = {{forth, {kind::crash}}, {back, drop}}, .locks = three});
  out.push_back({.name = "multi-lock-first-use",
                 .programs = {{acquires({{0}, {1}}), drop}, {acquires({{1}, {0}}), drop}},
                 .locks = {{.path = "/l"}, {.path = "/m"}},
                 .lock_node_there = false});
  out.push_back({.name = "multi-lock-write",
                 .programs = {{forth, write, drop}, {back, write, drop}},
                 .done_before = {1, 0},
                 .locks = three});
  out.push_back(
      {.name = "multi-lock-mixed",
       .programs = {{acquires({{0, detail::side::read}, {1, detail::side::permits, 2}}), drop},
                    {acquires({{1, detail::side::permits, 1}, {0, detail::side::write}}), drop}},
       .locks = {{.path = "/l", .kind = recipe::shared}, {.path = "/m", .kind = recipe::semaphore, .limit = 2}}});
  return out;
}

std::vector<scenario> in_curators_layout() {
  constexpr auto curator = recipes::layout::curator;
  const std::vector<lock_plan> shared{{.kind = recipe::shared, .layout = curator}};
  const auto semaphore = [](std::uint32_t limit) {
    return std::vector<lock_plan>{{.kind = recipe::semaphore, .limit = limit, .layout = curator}};
  };
  const user_action read = acquires({{0, detail::side::read}});
  const user_action write = acquires({{0, detail::side::write}});
  const user_action rest{kind::rest, std::chrono::seconds(1)};
  const user_action read_too{kind::reenter, std::nullopt, {{0, detail::side::read}}};
  const user_action one = acquires({{0, detail::side::permits, 1}});
  const user_action two = acquires({{0, detail::side::permits, 2}});
  const user_action both = acquires({{0}, {1}});
  const user_action drop{kind::drop};
  const user_action release{kind::release};
  std::vector<scenario> out;
  out.push_back(
      {.name = "curator-read-write", .programs = {{read, drop}, {write, drop}, {read, drop}}, .locks = shared});
  // the writer is in the queue already: it must not get in between the two nodes
  out.push_back({.name = "curator-downgrade",
                 .programs = {{write, {kind::downgrade}, release}, {write, drop}, {read, drop}},
                 .done_before = {1, 1, 0},
                 .locks = shared});
  out.push_back({.name = "curator-unlock-write",
                 .programs = {{write, read_too, {kind::drop_first}, {kind::write}, drop}, {write, drop}},
                 .done_before = {2, 0},
                 .locks = shared});
  out.push_back({.name = "curator-two-of-two", .programs = {{two, drop}, {two, drop}}, .locks = semaphore(2)});
  // with a deviation it would take as long as all the others of this layout together
  out.push_back({.name = "curator-two-of-two-first-use",
                 .programs = {{two, drop}, {two, drop}},
                 .locks = semaphore(2),
                 .lock_node_there = false,
                 .deviations = 0});
  out.push_back({.name = "curator-semaphore",
                 .programs = {{one, drop}, {one, drop}, {one, drop}},
                 .done_before = {1, 0, 0},
                 .locks = semaphore(1)});
  // held for longer than it takes to repeat a create that has failed alone
  out.push_back({.name = "curator-two-behind-one",
                 .programs = {{one, rest, drop}, {two, drop}},
                 .done_before = {1, 0},
                 .locks = semaphore(2)});
  out.push_back({.name = "curator-multi-lock",
                 .programs = {{both, drop}, {both, drop}},
                 .locks = {{.path = "/l", .layout = curator}, {.path = "/m", .layout = curator}},
                 .deviations = 2});
  const std::vector<lock_plan> mutex{{.layout = curator}};
  out.push_back({.name = "java-mutex",
                 .programs = {{{kind::acquire}, drop, {kind::acquire}, drop}},
                 .java = {{{kind::acquire}, drop, {kind::acquire}, drop}},
                 .locks = mutex});
  out.push_back({.name = "java-read-write",
                 .programs = {{read, drop, write, drop}},
                 .java = {{write, drop}, {read, drop}},
                 .locks = shared});
  out.push_back({.name = "java-waits-for-downgrade",
                 .programs = {{write, {kind::downgrade}, drop}},
                 .java = {{write, drop}, {read, drop}},
                 .done_before = {1, 1, 0},
                 .locks = shared,
                 .deviations = 2});
  out.push_back({.name = "java-downgrades",
                 .programs = {{write, drop}, {read, drop}},
                 .java = {{write, {kind::downgrade}, drop}},
                 .done_before = {0, 0, 1},
                 .locks = shared});
  out.push_back(
      {.name = "java-semaphore", .programs = {{two, drop}}, .java = {{one, drop}, {one, drop}}, .locks = semaphore(2)});
  return out;
}

/// One holder and one waiter on three servers, of which the first leads: how the instants of clients, followers and leader go
/// together. The hold lasts beyond what befalls it; there is one schedule of steps, and the fault at each of them.
std::vector<scenario> about_the_deadline() {
  const script holds{{kind::acquire}, {kind::rest, std::chrono::seconds(11)}, {kind::release}};
  const script waits{{kind::acquire}, {kind::release}};
  std::vector<scenario> out;
  const auto add = [&](std::string name, bool holder_leads) -> scenario& {
    scenario& made = out.emplace_back();
    made.name = std::move(name);
    if (holder_leads) {
      made.programs = {holds, waits};
      made.done_before = {1, 1};
    } else {  // the first one, which is with the leader, does nothing
      made.programs = {{}, holds, waits};
      made.done_before = {0, 1, 1};
    }
    made.servers = 3;
    made.sync_limit = 8;
    made.tick = std::chrono::milliseconds(1400);         // a relay takes longer than the margin,
    made.expiry_phase = std::chrono::milliseconds(299);  // and sessions end just after their time, often
    made.clients_stay = true;
    made.deviations = 0;
    made.about_deadline = true;
    return made;
  };
  add("hold-at-leader", true);
  add("hold-at-follower", false).clients_stay = false;
  scenario& killed = add("hold-then-killed", false);
  killed.followed_by = {{trouble_kind::follower_killed, 1}};
  killed.expiry_phase = std::chrono::milliseconds(800);       // just after the last pair but one was told
  scenario& reconnects = add("hold-cut-then-killed", false);  // what is slow begins with a connect
  reconnects.preceded_by = {{trouble_kind::connection_cut, 1}};
  reconnects.followed_by = {{trouble_kind::follower_killed, 1}};
  add("hold-then-untold", false).followed_by = {{trouble_kind::downlink_lost, 1}};
  for (const auto& [name, change] : {std::pair("hold-lowered-then-cut-off", trouble_kind::timeout_lowered),
                                     std::pair("hold-raised-then-cut-off", trouble_kind::timeout_raised)}) {
    scenario& one = add(name, false);
    one.suffered_before = {{change, 1}};
    one.followed_by = {{trouble_kind::uplink_lost, 1}};
  }
  return out;
}

/// One holds, one waits, and one is idle until later.
std::vector<scenario> about_return() {
  const user_action acquire{kind::acquire};
  const user_action release{kind::release};
  const user_action rest{kind::rest, std::chrono::seconds(20)};
  std::vector<scenario> out;
  for (const int servers : {1, 3}) {
    scenario made{
        .name = servers == 1 ? "back-after-long" : "back-after-long-on-three",
        .programs = {{acquire, rest, release}, {acquire, release}, {acquire, release, rest, acquire, release}}};
    made.done_before = {0, 0, 2};
    made.servers = servers;
    made.deviations = servers == 1 ? 1 : 0;
    made.about_return = true;
    out.push_back(made);
  }
  return out;
}

std::vector<scenario> all_of_them() {
  std::vector<scenario> out = two_contenders();
  for (scenario& one : on_three_servers()) {
    out.push_back(std::move(one));
  }
  for (const auto& several :
       {readers_and_writers(), jobs_of_one_process(), turns_in_one_process(), threads_of_one_session(),
        calls_of_one_owner(), bounded_holds(), users_of_permits(), multi_operations(), in_curators_layout()}) {
    for (const scenario& one : several) {
      out.push_back(one);
      out.back().deviations = one.deviations.value_or(1);
      if (one.name == "downgrade" || one.name == "two-of-two" || one.name == "multi-lock" ||
          one.name == "curator-downgrade" || one.name == "hand-over-write") {
        out.push_back(out.back());
        out.back().name += "-on-three";
        out.back().servers = 3;
      }
    }
  }
  for (scenario& one : cycles_of_one_session()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : kept_locks()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : followed_values()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : observed_elections()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : out) {
    one.beats_when_idle = false;
  }
  for (scenario& one : about_return()) {
    out.push_back(std::move(one));
  }
  for (scenario& one : about_the_deadline()) {
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

const std::vector<scenario>& exhaustive_scenarios() {
  static const std::vector<scenario> all = all_of_them();
  return all;
}

const scenario* find_scenario(std::string_view name) {
  const std::vector<scenario>& all = exhaustive_scenarios();
  const auto found = std::find_if(all.begin(), all.end(), [name](const scenario& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace zklock::sim
