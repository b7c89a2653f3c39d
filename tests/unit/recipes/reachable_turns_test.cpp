#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "recipes/any_turn.hpp"
#include "recipes/curator_read_write_lock.hpp"
#include "recipes/curator_semaphore.hpp"
#include "recipes/mutex.hpp"
#include "recipes/read_write_lock.hpp"
#include "recipes/semaphore.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// The turn of each recipe, by itself: told what a contender tells it.
namespace zklock::recipes::words {
namespace {

constexpr permit_limit four{4, 4};

/// As much of the contender around a turn as says what it can be told: a round with or without watches is under way, the turn
/// decides by events, the lock is held, or all is over.
enum class phase : std::uint8_t { looking, looking_with_watches, turn, held, over };

template <class Turn>
struct contender_at {
  std::optional<Turn> turn;  ///< nothing: all is over
  phase is = phase::looking;
  watch own = watch::none;
  bool marked = false;  ///< a mark is unanswered

  bool operator==(const contender_at&) const = default;
};

/// `decided`: it is what a round has led to.
template <class Turn>
void follow(contender_at<Turn>& one, const decision& next, bool decided, action_list& out) {
  using kind = decision::kind;
  switch (next.is) {
    case kind::watch_both:
    case kind::watch_own: one.own = one.own == watch::none ? watch::asked : one.own; [[fallthrough]];
    case kind::watch_predecessor:
    case kind::watch_own_later:
    case kind::wait: one.is = decided ? phase::turn : one.is; break;
    case kind::look_at_own: one.own = watch::asked; break;
    case kind::look:
    case kind::look_later: one.is = phase::looking; break;
    case kind::look_with_watches: one.is = phase::looking_with_watches; break;
    case kind::pass:
      one.is = phase::held;
      one.turn->drop(out);
      one.turn->granted(out);
      break;
    case kind::become_reader:
    case kind::became_reader:
    case kind::stays_writer: break;
    default:  // nothing is said to it any more
      one.turn->drop(out);
      one = {.turn = std::nullopt, .is = phase::over};
      return;
  }
  for (const action asked : out) {
    one.marked |= asked == action::mark_own || asked == action::replace_with_reader;
  }
}

template <class Turn>
class turn_inputs {
 public:
  using at = contender_at<Turn>;
  using input = typename state_space<at>::input;
  using condition = std::function<bool(const at&)>;

  explicit turn_inputs(const acquire_spec& of) : spec_(of) {}

  void add_event(const std::string& word, const condition& when) {
    add(
        word,
        [word, of = spec_](at& one, action_list& out) {
          const own_node own{.name = own_name_of(of), .watched = one.own};
          const auto told = [&](const auto& what) {
            using event_type = std::decay_t<decltype(what)>;
            if constexpr (can_be_told<event_type>) {
              return one.turn->on(what, own, out);
            } else {
              return decision{};
            }
          };
          return std::visit(told, event_of(word, of));
        },
        when);
  }
  void add_decision(const std::string& list, const round_answers& answers, const condition& when) {
    add(
        list,
        [list, answers, of = spec_](at& one, action_list& out) {
          round_answers all = answers;
          all.children = std::get<event::listed>(event_of(list, of)).children;
          all.children_watched = one.is == phase::looking_with_watches;
          all.watched = all.children_watched && !answers.limit_stale;
          const own_node own{.name = own_name_of(of), .watched = one.own};
          return one.turn->decide(all, own, out);
        },
        when);
    if (answers.limit.limit != four || answers.limit_stale || answers.mixed_beside) {
      all_.back().word += answers.limit_stale    ? "/limit_changed"
                          : answers.mixed_beside ? "/mixed_beside"
                          : answers.limit.limit  ? "/another_limit"
                          : answers.limit.empty  ? "/no_permit_limit"
                                                 : "/nonsense";
    }
  }
  /// A list, or the numbers in a row, that show a contender of its session before it: that of `behind_one`.
  void add_list_of_own_session(const condition& when) {
    add(
        "listed:behind_ours",
        [of = spec_](at& one, action_list& out) {
          Turn asked(false);
          const auto seen = std::get<event::listed>(event_of("listed:behind_one", of));
          const own_node own{.name = own_name_of(of), .watched = one.own};
          action_list nothing;
          static_cast<void>(asked.decide({.children = seen.children}, own, nothing));
          return one.turn->follow_own_session(asked.predecessor(), out);
        },
        when);
  }
  void add(const std::string& word, const std::function<decision(at&, action_list&)>& tell, const condition& when) {
    all_.push_back({word,
                    [tell, word](at& one) {
                      action_list out;
                      const decision next = tell(one, out);
                      follow(one, next, word.starts_with("listed:"), out);
                      return word_of(next, out);
                    },
                    when});
  }
  [[nodiscard]] const std::vector<input>& all() const { return all_; }

 private:
  template <class Event>
  static constexpr bool can_be_told = !std::is_same_v<Event, event::listed>;

  acquire_spec spec_;
  std::vector<input> all_;
};

template <class Turn>
std::string description_of(const contender_at<Turn>& one) {
  static const char* const phases[] = {"looking", "looking with watches", "", "held", "over"};
  static const char* const turns[] = {"resting", "storing", "watching", "waiting"};
  static const char* const watches[] = {"", ", own asked", ", own watched"};
  static const char* const marks[] = {"", ", mark asked", ", mark owed", ", mark sought", ", marked"};
  if (!one.turn) {
    return phases[static_cast<int>(one.is)];
  }
  std::string text =
      one.is == phase::turn ? turns[static_cast<int>(one.turn->is_at())] : phases[static_cast<int>(one.is)];
  text += watches[static_cast<int>(one.own)];
  text += marks[static_cast<int>(one.turn->marks())];
  if constexpr (requires { one.turn->agreed(); }) {
    text += one.turn->agreed() ? ", limit agreed" : "";
  }
  return text;
}

/// Of `behind_two`, when the first one has gone.
std::vector<std::string> nearest_left(const acquire_spec& of) {
  std::vector<std::string> children;
  const auto both = std::get<event::listed>(event_of("listed:behind_two", of));
  for (const std::string_view child : both.children) {
    const auto parsed = parse_contender_name(child);
    if (parsed && parsed->sequence.value > 1) {
      children.emplace_back(child);
    }
  }
  return children;
}

template <class Turn>
state_space<contender_at<Turn>> space_of_turn(const Turn& turn, const acquire_spec& of,
                                              const std::vector<std::string>& lists) {
  using at = contender_at<Turn>;
  turn_inputs<Turn> inputs(of);
  const auto looking = [](const at& one) { return one.is == phase::looking || one.is == phase::looking_with_watches; };
  const auto at_turn = [](const at& one) { return one.is == phase::turn; };
  const auto not_over = [](const at& one) { return one.is != phase::over; };
  const auto held = [](const at& one) { return one.is == phase::held; };
  const auto marked = [](const at& one) { return one.is == phase::held && one.marked; };
  const bool permits = of.kind == contender_kind::permit;
  const limit_node known{.limit = four};
  for (const std::string& list : lists) {
    inputs.add_decision("listed:" + list, {.limit = known}, looking);
  }
  inputs.add(
      "listed:nearest_left",
      [of](at& one, action_list& out) {
        std::vector<std::string> children = nearest_left(of);
        const own_node own{.name = own_name_of(of), .watched = one.own};
        return one.turn->decide({.children = children, .limit = {four}}, own, out);
      },
      [looking, two = !nearest_left(of).empty()](const at& one) { return two && looking(one); });
  if constexpr (stands_in_rows<std::remove_cvref_t<decltype(turn)>>) {
    if (!turn.one_try()) {
      inputs.add_list_of_own_session(looking);
    }
  }
  if (of.below) {
    inputs.add_decision("listed:first", {.limit = known, .mixed_beside = true}, looking);
  }
  if (permits) {
    inputs.add_decision("listed:next", {.limit = known, .limit_stale = true}, looking);
    inputs.add_decision("listed:first", {.limit = {.empty = true}}, looking);
    inputs.add_decision("listed:mixed", {.limit = {.empty = true}}, looking);
    inputs.add_decision("listed:first", {}, looking);
    inputs.add_decision("listed:next", {.limit = {.limit = permit_limit{1, 4}}}, looking);
    for (const char* const word : {"limit_stored:ok", "limit_stored:bad_version", "limit_stored:loss",
                                   "limit_stored:no_node", "limit_stored:no_auth"}) {
      inputs.add_event(word, at_turn);
    }
  }
  for (const std::string& word : split("ok ours marked loss no_node no_auth")) {
    inputs.add_event("predecessor_watched:" + word, at_turn);
  }
  for (const std::string& word : split("ok loss no_node no_auth")) {
    const code answer = std::get<event::own_watched>(event_of("own_watched:" + word)).code;
    inputs.add(
        "own_watched:" + word,
        [answer](at& one, action_list& out) {
          one.own = answered(answer);
          const event::own_watched told{answer, found_token, true};
          const std::string reader = one.is == phase::held ? "the reader in its place" : "";
          const own_node own{.name = own_name, .watched = one.own, .becomes = reader};
          return one.turn->on(told, own, out);
        },
        [](const at& one) {
          const bool sought = one.is == phase::held && one.turn->marks() == marking::sought;
          return (one.is == phase::turn || sought) && one.own == watch::asked;
        });
    inputs.add_event("synced:" + word, held);
  }
  const auto of_own_watch = [&inputs](const std::string& word, const auto& what) {
    inputs.add(
        word,
        [what](at& one, action_list& out) {
          one.own = watch::none;
          const own_node own{.name = own_name, .watched = one.own};
          return one.turn->on(what, own, out);
        },
        [](const at& one) { return one.is == phase::turn && one.own == watch::set; });
  };
  of_own_watch("own_gone", event::own_gone{});
  of_own_watch("own_changed", event::own_changed{});
  for (const char* const word : {"predecessor_gone", "predecessor_changed"}) {
    inputs.add_event(word, not_over);
  }
  for (const char* const word :
       {"children_changed", "limit_changed", "passed_on", "predecessor_left", "look_after_own"}) {
    inputs.add_event(word, at_turn);
  }
  inputs.add_event("downgrade", held);
  inputs.add_event("connected", held);
  for (const std::string& word : split("ok loss throttled no_node no_auth exists")) {
    const code answer = std::get<event::removed>(event_of("removed:" + word)).code;
    inputs.add(
        "marked:" + word,
        [answer](at& one, action_list& out) {
          one.marked = false;
          const own_node own{.name = own_name, .watched = one.own};
          return one.turn->on(event::marked{answer}, own, out);
        },
        marked);
  }
  inputs.add(
      "disturbed",
      [](at& one, action_list&) {
        one.turn->disturbed();
        return decision{};
      },
      at_turn);
  return {{{"new", {turn}}}, inputs.all(), description_of<Turn>};
}

acquire_spec spec_of(contender_kind kind, layout as = layout::native) { return {.kind = kind, .as = as}; }

const std::vector<std::string> lists = split("first behind_one behind_two absent tied foreign");

TEST(reachable_values, of_a_mutex_turn) {
  const acquire_spec of = spec_of(contender_kind::mutex);
  expect_as_in_table(space_of_turn(mutex_turn(false), of, lists), "mutex_turn.txt");
  expect_as_in_table(space_of_turn(mutex_turn(true), of, lists), "mutex_turn_one_try.txt");
}

TEST(reachable_values, of_a_read_turn) {
  const acquire_spec of = spec_of(contender_kind::read);
  expect_as_in_table(space_of_turn(read_turn(false), of, lists), "read_turn.txt");
  expect_as_in_table(space_of_turn(read_turn(true), of, lists), "read_turn_one_try.txt");
}

TEST(reachable_values, of_a_write_turn) {
  expect_as_in_table(space_of_turn(write_turn(false), spec_of(contender_kind::write), lists), "write_turn.txt");
}

TEST(reachable_values, of_a_curator_read_turn) {
  expect_as_in_table(space_of_turn(curator_read_turn(false), spec_of(contender_kind::read, layout::curator), lists),
                     "curator_read_turn.txt");
}

TEST(reachable_values, of_a_curator_write_turn) {
  expect_as_in_table(space_of_turn(curator_write_turn(false), spec_of(contender_kind::write, layout::curator), lists),
                     "curator_write_turn.txt");
}

TEST(reachable_values, of_a_permit_turn) {
  const std::vector<std::string> of_permits = split("first followed next behind_two absent tied foreign");
  expect_as_in_table(space_of_turn(permit_turn(two_of_four, false), two_of_four, of_permits), "permit_turn.txt");
  expect_as_in_table(space_of_turn(permit_turn(two_of_four, true), two_of_four, of_permits), "permit_turn_one_try.txt");
}

TEST(reachable_values, of_a_lease_turn) {
  expect_as_in_table(space_of_turn(lease_turn(false), lease_of_four, split("first next absent")), "lease_turn.txt");
}

}  // namespace
}  // namespace zklock::recipes::words
