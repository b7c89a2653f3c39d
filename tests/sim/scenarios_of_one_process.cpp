// Several threads of one process at one lock: they take turns with one contender, or stand behind each other.
#include "tests/sim/scenario.hpp"

namespace zklock::sim {
namespace {

using kind = user_action::kind;

/// Shorter than any timer of session, client or servers.
constexpr instant short_limit = std::chrono::milliseconds(1);

user_action acquires(std::vector<want> what) { return {kind::acquire, std::nullopt, std::move(what)}; }

}  // namespace

/// Threads of one process whose acquisitions take turns, and a client elsewhere.
std::vector<scenario> turns_in_one_process() {
  const auto plan = [](std::uint32_t turns, instant time = std::chrono::minutes(1), recipe of = recipe::mutex) {
    return std::vector<lock_plan>{{.kind = of, .hand_over = recipes::turn_bounds{turns, time}}};
  };
  const user_action acquire{kind::acquire};
  const user_action release{kind::release};
  const user_action drop{kind::drop};
  const user_action write{kind::write};
  const user_action as_writer = acquires({{0, detail::side::write}});
  const auto rest = [](instant time) { return user_action{kind::rest, time}; };
  std::vector<scenario> out;
  out.push_back({.name = "hand-over",
                 .programs = {{acquire, release}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = {-1, 0, -1},
                 .locks = plan(2),
                 .deviations = 2});
  out.push_back({.name = "hand-over-bound",
                 .programs = {{acquire, drop}, {acquire, release}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 1, 0},
                 .thread_of = {-1, 0, 0, -1},
                 .locks = plan(2),
                 .deviations = 2});
  // longer than turns may take
  out.push_back({.name = "hand-over-late",
                 .programs = {{acquire, rest(std::chrono::milliseconds(50)), drop}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 1},
                 .thread_of = {-1, 0, -1},
                 .locks = plan(100, std::chrono::milliseconds(50)),
                 .deviations = 2});
  // until the holder watches its own node
  out.push_back({.name = "hand-over-loss",
                 .programs = {{acquire, rest(std::chrono::seconds(1)), release}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 1},
                 .thread_of = {-1, 0, 0},
                 .locks = plan(100),
                 .deviations = 2});
  out.push_back(
      {.name = "hand-over-abandon",
       .programs = {{acquire, release}, {acquire, {kind::abandon}, release}, {{kind::acquire, short_limit}, drop}},
       .done_before = {1, 0, 0},
       .thread_of = {-1, 0, 0},
       .locks = plan(100),
       .deviations = 2});
  out.push_back({.name = "hand-over-one-try",
                 .programs = {{{kind::try_once}, release}, {acquire, drop}, {acquire, release}},
                 .thread_of = {-1, 0, -1},
                 .locks = plan(100)});
  out.push_back({.name = "hand-over-write",
                 .programs = {{acquire, write, drop}, {acquire, write, drop}, {acquire, write, drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = {-1, 0, -1},
                 .locks = plan(100)});
  out.push_back({.name = "hand-over-downgrade",
                 .programs = {{as_writer, {kind::downgrade}, drop}, {as_writer, drop}, {as_writer, drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = {-1, 0, -1},
                 .locks = plan(100, std::chrono::minutes(1), recipe::shared)});
  return out;
}

/// Two calls of one owner on one lock object, in one process, and a client elsewhere that holds.
std::vector<scenario> calls_of_one_owner() {
  constexpr detail::owner_number job = 1000;
  const auto own = [](kind what, std::optional<instant> time = {}) { return user_action{what, time, {}, 0, job}; };
  const user_action acquire{kind::acquire};
  const user_action drop{kind::drop};
  const user_action abandon{kind::abandon};
  const std::vector<int> threads{-1, -1, 1};
  std::vector<scenario> out;
  out.push_back({.name = "owner-twice",
                 .programs = {{acquire, drop}, {own(kind::acquire), drop}, {own(kind::acquire_behind), drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = threads,
                 .deviations = 2});
  out.push_back({.name = "owner-twice-abandon",
                 .programs = {{acquire, drop},
                              {own(kind::acquire), abandon, drop},
                              {own(kind::acquire_behind), abandon, drop, own(kind::acquire_behind), drop}},
                 .done_before = {1, 1, 1},
                 .thread_of = threads,
                 .deviations = 2});
  out.push_back({.name = "owner-twice-in-time",
                 .programs = {{acquire, {kind::rest, std::chrono::seconds(1)}, drop},
                              {own(kind::acquire), drop},
                              {own(kind::acquire_behind, std::chrono::milliseconds(500)), drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = threads,
                 .deviations = 2});
  out.push_back(
      {.name = "owner-twice-closed",
       .programs = {{acquire, drop}, {own(kind::acquire), {kind::close}, drop}, {own(kind::acquire_behind), drop}},
       .done_before = {1, 1, 1},
       .thread_of = threads,
       .deviations = 1});
  return out;
}

/// Holds with a bound of a second, and a client elsewhere that waits. A rest of a second ends where the bound does.
std::vector<scenario> bounded_holds() {
  constexpr instant bound = std::chrono::seconds(1);
  const user_action acquire{kind::acquire};
  const user_action drop{kind::drop};
  const user_action release{kind::release};
  const user_action write = acquires({{0, detail::side::write}});
  const user_action read = acquires({{0, detail::side::read}});
  const auto rest = [](int ms) { return user_action{kind::rest, std::chrono::milliseconds(ms)}; };
  const auto extend = [](int ms) { return user_action{kind::extend, std::chrono::milliseconds(ms)}; };
  const std::vector<lock_plan> one{{.max_hold = bound}};
  std::vector<scenario> out;
  out.push_back({.name = "bound",
                 .programs = {{acquire, rest(1000), release}, {acquire, drop}},
                 .done_before = {1, 0},
                 .locks = one,
                 .deviations = 2});
  out.push_back({.name = "bound-extend",
                 .programs = {{acquire, rest(500), extend(1000), rest(1000), extend(1000), drop}, {acquire, drop}},
                 .done_before = {1, 0},
                 .locks = one,
                 .deviations = 2});
  out.push_back(
      {.name = "bound-reenter",
       .programs = {{acquire, rest(500), {kind::reenter}, rest(500), {kind::write}, drop, drop}, {acquire, drop}},
       .done_before = {1, 0},
       .locks = one,
       .deviations = 2});
  out.push_back({.name = "bound-downgrade",
                 .programs = {{write, rest(500), {kind::downgrade}, rest(500), drop}, {read, drop}, {write, drop}},
                 .done_before = {1, 0, 0},
                 .locks = {{.kind = recipe::shared, .max_hold = bound}},
                 .deviations = 1});
  out.push_back({.name = "bound-parts",
                 .programs = {{acquires({{0}, {1}}), rest(1000), drop}, {acquires({{0}}), drop}},
                 .done_before = {1, 0},
                 .locks = {{}, {.path = "/m", .max_hold = bound}},
                 .deviations = 2});
  out.push_back({.name = "bound-turns",
                 .programs = {{acquire, rest(1000), drop}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = {-1, 0, -1},
                 .locks = {{.hand_over = recipes::turn_bounds{100, std::chrono::minutes(1)}, .max_hold = bound}},
                 .deviations = 2});
  return out;
}

/// Contenders of one session in a row, and one of another session.
std::vector<scenario> threads_of_one_session() {
  const user_action acquire{kind::acquire};
  const user_action drop{kind::drop};
  const user_action release{kind::release};
  const std::vector<lock_plan> shared{{.kind = recipe::shared}};
  const user_action read = acquires({{0, detail::side::read}});
  const user_action write = acquires({{0, detail::side::write}});
  std::vector<scenario> out;
  out.push_back(
      {.name = "row", .programs = {{acquire, drop}, {acquire, drop}, {acquire, drop}}, .thread_of = {-1, 0, -1}});
  out.push_back({.name = "row-release",
                 .programs = {{acquire, release}, {acquire, release}, {acquire, drop}, {acquire, drop}},
                 .done_before = {1, 1, 1, 1},
                 .thread_of = {-1, 0, 0, -1}});
  out.push_back({.name = "row-abandon",
                 .programs = {{acquire, drop}, {acquire, {kind::abandon}, drop}, {acquire, drop}},
                 .done_before = {1, 1, 1},
                 .thread_of = {-1, 0, 0}});
  out.push_back(
      {.name = "row-wait-on",
       .programs = {{acquire, {kind::rest, std::chrono::seconds(14)}, drop}, {acquire, drop}, {acquire, drop}},
       .done_before = {1, 1, 1},
       .thread_of = {-1, 0, -1},
       .deviations = 0});
  // shorter than T/12: the removal of a node is not noticed before
  const user_action rest{kind::rest, std::chrono::milliseconds(100)};
  const user_action longer{kind::rest, std::chrono::seconds(1)};
  out.push_back({.name = "row-made-anew",
                 .programs = {{acquire, rest, drop}, {acquire, longer, drop}, {acquire, longer, drop}},
                 .done_before = {1, 0, 0},
                 .thread_of = {-1, -1, 0}});
  out.push_back({.name = "row-of-readers",
                 .programs = {{write, drop}, {read, drop}, {read, drop}, {write, drop}},
                 .done_before = {1, 1, 1, 0},
                 .thread_of = {-1, 0, 0, -1},
                 .locks = shared});
  out.push_back({.name = "row-of-lists",
                 .programs = {{read, drop}, {read, drop}, {read, drop}},
                 .thread_of = {-1, 0, 0},
                 .locks = shared});
  out.push_back({.name = "row-downgrade",
                 .programs = {{write, {kind::downgrade}, drop}, {read, drop}, {write, drop}},
                 .done_before = {1, 1, 0},
                 .thread_of = {-1, 0, 0},
                 .locks = shared});
  // two permits come free at once: two of three fit
  const user_action one = acquires({{0, detail::side::permits, 1}});
  out.push_back(
      {.name = "row-of-permits",
       .programs = {{acquires({{0, detail::side::permits, 2}}), release}, {one, drop}, {one, drop}, {one, drop}},
       .done_before = {1, 1, 1, 1},
       .thread_of = {-1, -1, 1, 1},
       .locks = {{.kind = recipe::semaphore, .limit = 2}}});
  return out;
}

/// One that takes its lock again and again, and was alone so far: its number tells it that it still is.
std::vector<scenario> cycles_of_one_session() {
  const user_action acquire{kind::acquire};
  const user_action release{kind::release};
  const user_action drop{kind::drop};
  const user_action read = acquires({{0, detail::side::read}});
  const user_action write = acquires({{0, detail::side::write}});
  std::vector<scenario> out;
  // it asks whether the lock node is the same one
  out.push_back({.name = "cycles-second",
                 .programs = {{acquire, {kind::rest, std::chrono::seconds(1)}, drop}, {acquire, drop, acquire, drop}},
                 .done_before = {0, 2},
                 .about_numbers = true,
                 .deviations = 2});
  // a watch says so
  out.push_back({.name = "cycles",
                 .programs = {{acquire, drop, acquire, drop, acquire, release}, {acquire, drop, acquire, drop}},
                 .done_before = {4, 0},
                 .about_numbers = true,
                 .deviations = 2});
  out.push_back({.name = "cycles-on-three",
                 .programs = {{acquire, drop, acquire, drop, acquire, drop}, {acquire, drop}},
                 .done_before = {4, 0},
                 .servers = 3});
  out.push_back({.name = "cycles-one-try",
                 .programs = {{acquire, drop, acquire, drop, {kind::try_once}, release}, {{kind::try_once}, drop}},
                 .done_before = {4, 0},
                 .about_numbers = true,
                 .deviations = 2});
  out.push_back({.name = "cycles-abandon",
                 .programs = {{acquire, drop, acquire, {kind::abandon}, drop, acquire, drop}, {acquire, drop}},
                 .done_before = {2, 0},
                 .about_numbers = true,
                 .deviations = 1});
  out.push_back(
      {.name = "cycles-write",
       .programs = {{acquire, drop, acquire, drop, acquire, {kind::write}, drop}, {acquire, {kind::write}, drop}},
       .done_before = {4, 0},
       .about_numbers = true,
       .deviations = 1});
  out.push_back({.name = "cycles-of-two-threads",
                 .programs = {{acquire, drop, acquire, drop, acquire, drop}, {acquire, drop}, {acquire, drop}},
                 .done_before = {4, 0, 0},
                 .thread_of = {-1, 0, -1},
                 .about_numbers = true,
                 .deviations = 1});
  // the second was not alone
  out.push_back({.name = "cycles-read-write",
                 .programs = {{read, drop}, {read, drop, write, drop}},
                 .done_before = {1, 1},
                 .locks = {{.kind = recipe::shared}},
                 .about_numbers = true,
                 .deviations = 2});
  return out;
}

/// One whose node stays between its holds, until another client comes.
std::vector<scenario> kept_locks() {
  constexpr instant idle = std::chrono::milliseconds(10);
  const std::vector<lock_plan> plan{{.hand_over = recipes::turn_bounds{2, std::chrono::minutes(1), idle}}};
  const user_action acquire{kind::acquire};
  const user_action release{kind::release};
  const user_action drop{kind::drop};
  const user_action write{kind::write};
  const user_action past_idle{kind::rest, idle * 2};
  std::vector<scenario> out;
  out.push_back({.name = "keep",
                 .programs = {{acquire, drop, acquire, drop, acquire, drop, acquire, release}, {acquire, drop}},
                 .done_before = {4, 0},
                 .locks = plan,
                 .deviations = 2});
  out.push_back({.name = "keep-on-three",
                 .programs = {{acquire, drop, acquire, drop, acquire, drop, acquire, drop}, {acquire, drop}},
                 .done_before = {4, 0},
                 .locks = plan,
                 .servers = 3});
  out.push_back({.name = "keep-idle",
                 .programs = {{acquire, drop, acquire, drop, past_idle, acquire, release}, {acquire, drop}},
                 .done_before = {4, 0},
                 .locks = plan,
                 .deviations = 2});
  // until the holder watches its own node
  out.push_back({.name = "keep-loss",
                 .programs = {{acquire, drop, acquire, drop, acquire, {kind::rest, std::chrono::seconds(1)}, drop},
                              {acquire, drop}},
                 .done_before = {5, 0},
                 .locks = plan,
                 .deviations = 2});
  out.push_back(
      {.name = "keep-write",
       .programs = {{acquire, drop, acquire, drop, acquire, write, drop, acquire, write, drop}, {acquire, write, drop}},
       .done_before = {4, 0},
       .locks = plan,
       .deviations = 1});
  out.push_back({.name = "keep-one-try",
                 .programs = {{acquire, drop, acquire, drop, {kind::try_once}, drop, {kind::try_once}, release},
                              {{kind::try_once}, drop, acquire, drop}},
                 .done_before = {4, 0},
                 .locks = plan,
                 .deviations = 1});
  out.push_back(
      {.name = "keep-abandon",
       .programs = {{acquire, drop, acquire, drop, acquire, {kind::abandon}, drop, acquire, release}, {acquire, drop}},
       .done_before = {4, 0},
       .locks = plan,
       .deviations = 1});
  out.push_back(
      {.name = "keep-of-two-threads",
       .programs = {{acquire, drop, acquire, drop, acquire, drop}, {acquire, drop, acquire, drop}, {acquire, drop}},
       .done_before = {4, 0, 0},
       .thread_of = {-1, 0, -1},
       .locks = plan,
       .deviations = 1});
  return out;
}

}  // namespace zklock::sim
