#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "recipes/any_turn.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/state_space.hpp"

/// The turns of all recipes, told what a contender tells them.
namespace zklock::recipes::words {
namespace {

/// A turn, and as much of the contender around it as says what it can be told: a round with or without watches is under way,
/// the turn decides by events, the lock is held, or all is over.
struct contender_at {
  enum class phase : std::uint8_t { looking, looking_with_watches, turn, held, over };
  any_turn turn;
  phase is = phase::looking;
  watch own = watch::none;
  bool marked = false;  ///< a mark is unanswered

  bool operator==(const contender_at&) const = default;
};

using phase = contender_at::phase;

/// `decided`: it is what a round has led to.
void follow(contender_at& one, const wish& next, bool decided, action_list& out) {
  using kind = wish::kind;
  switch (next.is) {
    case kind::watch_predecessor:
    case kind::watch_own: one.own = one.own == watch::none ? watch::asked : one.own; [[fallthrough]];
    case kind::wait: one.is = decided ? phase::turn : one.is; break;
    case kind::look:
    case kind::look_later: one.is = phase::looking; break;
    case kind::look_with_watches: one.is = phase::looking_with_watches; break;
    case kind::pass:
      one.is = phase::held;
      std::visit([&out](auto& turn) { turn.drop(out); }, one.turn);
      std::visit([&out](auto& turn) { turn.granted(out); }, one.turn);
      break;
    case kind::become_reader:
    case kind::became_reader:
    case kind::stays_writer: break;
    default:  // nothing is said to it any more
      std::visit([&out](auto& turn) { turn.drop(out); }, one.turn);
      one = {.turn = lease_turn(false), .is = phase::over};
      return;
  }
  for (const action asked : out) {
    one.marked |= asked == action::mark_own || asked == action::go_on_as_reader;
  }
}

class turn_inputs {
 public:
  using input = state_space<contender_at>::input;
  using condition = std::function<bool(const contender_at&)>;

  explicit turn_inputs(const claim& of) : claim_(of) {}

  void add_event(const std::string& word, const condition& when) {
    add(
        word,
        [word, of = claim_](contender_at& one, action_list& out) {
          const own_node own{.name = own_name_of(of), .watched = one.own};
          const auto told = [&](const auto& what) {
            using event_type = std::decay_t<decltype(what)>;
            if constexpr (can_be_told<event_type>) {
              return std::visit([&](auto& turn) { return turn.on(what, own, out); }, one.turn);
            } else {
              return wish{};
            }
          };
          return std::visit(told, event_of(word, of));
        },
        when);
  }
  void add_decision(const std::string& list, const round_answers& answers, const condition& when) {
    add(
        list,
        [list, answers, of = claim_](contender_at& one, action_list& out) {
          round_answers all = answers;
          all.children = std::get<event::listed>(event_of(list, of)).children;
          all.watched = one.is == phase::looking_with_watches && !answers.limit_stale;
          const own_node own{.name = own_name_of(of), .watched = one.own};
          return std::visit([&](auto& turn) { return turn.decide(all, own, out); }, one.turn);
        },
        when);
    if (answers.limit.limit != four || answers.limit_stale || answers.mixed_beside) {
      all_.back().word += answers.limit_stale    ? "/limit_changed"
                          : answers.mixed_beside ? "/mixed_beside"
                          : answers.limit.limit  ? "/another_limit"
                          : answers.limit.empty  ? "/no_limit"
                                                 : "/nonsense";
    }
  }
  void add(const std::string& word, const std::function<wish(contender_at&, action_list&)>& tell,
           const condition& when) {
    all_.push_back({word,
                    [tell, word](contender_at& one) {
                      action_list out;
                      const wish next = tell(one, out);
                      follow(one, next, word.starts_with("listed:"), out);
                      return std::to_string(static_cast<int>(next.is)) + "/" +
                             std::to_string(static_cast<int>(next.why)) + "/" +
                             std::to_string(static_cast<int>(next.with)) + " " + word_of(out);
                    },
                    when});
  }
  [[nodiscard]] const std::vector<input>& all() const { return all_; }

  static constexpr permit_limit four{4, 4};

 private:
  template <class Event>
  static constexpr bool can_be_told = !std::is_same_v<Event, event::listed>;

  claim claim_;
  std::vector<input> all_;
};

std::string description_of(const contender_at& one) {
  static const char* const phases[] = {"looking", "looking with watches", "", "held", "over"};
  static const char* const turns[] = {"resting", "storing", "watching", "waiting"};
  static const char* const watches[] = {"", ", own asked", ", own watched"};
  static const char* const marks[] = {"", ", mark asked", ", mark owed", ", marked"};
  const int at = static_cast<int>(std::visit([](const auto& turn) { return turn.is_at(); }, one.turn));
  const int mark = static_cast<int>(std::visit([](const auto& turn) { return turn.marks(); }, one.turn));
  const auto* const permits = std::get_if<permit_turn>(&one.turn);
  return (one.is == phase::turn ? turns[at] : phases[static_cast<int>(one.is)]) +
         std::string(watches[static_cast<int>(one.own)]) + marks[mark] +
         (permits != nullptr && permits->agreed() ? ", limit agreed" : "");
}

/// Of `behind_two`, when the first one has gone.
std::vector<std::string> nearest_left(const claim& of) {
  std::vector<std::string> children;
  const auto both = std::get<event::listed>(event_of("listed:behind_two", of));
  for (const std::string& child : both.children) {
    const auto parsed = parse_contender_name(child);
    if (parsed && parsed->sequence.value > 1) {
      children.push_back(child);
    }
  }
  return children;
}

state_space<contender_at> space_of_turn(const claim& of, bool one_try, const std::vector<std::string>& lists) {
  turn_inputs inputs(of);
  const auto looking = [](const contender_at& one) {
    return one.is == phase::looking || one.is == phase::looking_with_watches;
  };
  const auto at_turn = [](const contender_at& one) { return one.is == phase::turn; };
  const auto not_over = [](const contender_at& one) { return one.is != phase::over; };
  const auto held = [](const contender_at& one) { return one.is == phase::held; };
  const auto marked = [](const contender_at& one) { return one.is == phase::held && one.marked; };
  const bool permits = of.kind == contender_kind::permit;
  const limit_node known{.limit = turn_inputs::four};
  for (const std::string& list : lists) {
    inputs.add_decision("listed:" + list, {.limit = known}, looking);
  }
  inputs.add(
      "listed:nearest_left",
      [of](contender_at& one, action_list& out) {
        std::vector<std::string> children = nearest_left(of);
        const own_node own{.name = own_name_of(of), .watched = one.own};
        return std::visit(
            [&](auto& turn) { return turn.decide({.children = children, .limit = {turn_inputs::four}}, own, out); },
            one.turn);
      },
      [looking, two = !nearest_left(of).empty()](const contender_at& one) { return two && looking(one); });
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
        [answer](contender_at& one, action_list& out) {
          one.own = answered(answer);
          const event::own_watched told{answer, found_token, true};
          const own_node own{.name = own_name, .watched = one.own};
          return std::visit([&](auto& turn) { return turn.on(told, own, out); }, one.turn);
        },
        [](const contender_at& one) { return one.is == phase::turn && one.own == watch::asked; });
  }
  const auto of_own_watch = [&inputs](const std::string& word, const auto& what) {
    inputs.add(
        word,
        [what](contender_at& one, action_list& out) {
          one.own = watch::none;
          const own_node own{.name = own_name, .watched = one.own};
          return std::visit([&](auto& turn) { return turn.on(what, own, out); }, one.turn);
        },
        [](const contender_at& one) { return one.is == phase::turn && one.own == watch::set; });
  };
  of_own_watch("own_gone", event::own_gone{});
  of_own_watch("own_changed", event::own_changed{});
  for (const char* const word : {"predecessor_gone", "predecessor_changed"}) {
    inputs.add_event(word, not_over);
  }
  for (const char* const word : {"children_changed", "limit_changed"}) {
    inputs.add_event(word, at_turn);
  }
  inputs.add_event("downgrade", held);
  inputs.add_event("connected", held);
  for (const std::string& word : split("ok loss throttled no_node no_auth exists")) {
    const code answer = std::get<event::removed>(event_of("removed:" + word)).code;
    inputs.add(
        "marked:" + word,
        [answer](contender_at& one, action_list& out) {
          one.marked = false;
          const own_node own{.name = own_name, .watched = one.own};
          return std::visit([&](auto& turn) { return turn.on(event::marked{answer}, own, out); }, one.turn);
        },
        marked);
  }
  inputs.add(
      "disturbed",
      [](contender_at& one, action_list&) {
        std::visit([](auto& turn) { turn.disturbed(); }, one.turn);
        return wish{};
      },
      at_turn);
  return {{{"new", {turn_of(of, one_try)}}}, inputs.all(), description_of};
}

claim claim_of(contender_kind kind, layout as = layout::native) { return {.kind = kind, .as = as}; }

const std::vector<std::string> lists = split("first behind_one behind_two absent tied foreign");

TEST(reachable_values, of_a_mutex_turn) {
  expect_as_in_table(space_of_turn(claim_of(contender_kind::mutex), false, lists), "mutex_turn.txt");
  expect_as_in_table(space_of_turn(claim_of(contender_kind::mutex), true, lists), "mutex_turn_one_try.txt");
}

TEST(reachable_values, of_a_read_turn) {
  expect_as_in_table(space_of_turn(claim_of(contender_kind::read), false, lists), "read_turn.txt");
  expect_as_in_table(space_of_turn(claim_of(contender_kind::read), true, lists), "read_turn_one_try.txt");
}

TEST(reachable_values, of_a_write_turn) {
  expect_as_in_table(space_of_turn(claim_of(contender_kind::write), false, lists), "write_turn.txt");
}

TEST(reachable_values, of_a_curator_read_turn) {
  expect_as_in_table(space_of_turn(claim_of(contender_kind::read, layout::curator), false, lists),
                     "curator_read_turn.txt");
}

TEST(reachable_values, of_a_curator_write_turn) {
  expect_as_in_table(space_of_turn(claim_of(contender_kind::write, layout::curator), false, lists),
                     "curator_write_turn.txt");
}

TEST(reachable_values, of_a_permit_turn) {
  const std::vector<std::string> of_permits = split("first followed next behind_two absent tied foreign");
  expect_as_in_table(space_of_turn(two_of_four, false, of_permits), "permit_turn.txt");
  expect_as_in_table(space_of_turn(two_of_four, true, of_permits), "permit_turn_one_try.txt");
}

TEST(reachable_values, of_a_lease_turn) {
  expect_as_in_table(space_of_turn(lease_of_four, false, split("first next absent")), "lease_turn.txt");
}

}  // namespace
}  // namespace zklock::recipes::words
