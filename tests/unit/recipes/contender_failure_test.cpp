#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "tests/unit/recipes/all_codes.hpp"
#include "tests/unit/recipes/told_contender.hpp"

/// Each way through the machine, replayed with each return code at each step in turn.
namespace zklock::recipes::words {
namespace {

/// What happens to the one request that fails.
struct failure {
  std::size_t step = 0;  ///< the request that fails, counted from 0
  code with = code::ok;
  bool applied = false;  ///< of an unknown outcome: the server has done it
  bool cut = false;      ///< the connection goes with it, and what was sent behind it
};

struct scenario {
  std::string name;
  std::vector<std::string> before = {};  ///< contenders that stand there first, the next to go last
  bool lock_node_there = true;
  bool one_try = false;
  std::optional<std::size_t> stop_at = {};  ///< the caller stops before this request is answered
  bool stop_when_waiting = false;
};

/// One contender, a lock node, and requests that are answered in their order. Predecessors go as soon as it waits.
class small_world {
 public:
  small_world(const scenario& plays, std::optional<failure> fails)
      : plays_(plays),
        fails_(fails),
        lock_node_(plays.lock_node_there),
        children_(plays.before),
        machine_(own_id, {}, plays.one_try) {}

  void run() {
    tell(event::connected{});
    for (int turn = 0; turn < 200 && machine_.now() != contender::state::finished; ++turn) {
      if (!requests_.empty()) {
        answer_next();
      } else if (machine_.needs_connection()) {
        tell(event::connected{});
      } else if (machine_.now() == contender::state::waiting && plays_.stop_when_waiting && !stopped_) {
        stop();
      } else if (machine_.now() == contender::state::waiting) {
        predecessor_goes();
      } else if (machine_.now() == contender::state::granted) {
        tell(looked_after_ ? contender_event(event::release{}) : contender_event(event::look_after_own{}));
        looked_after_ = true;
      }
    }
  }

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] const contender& machine() const { return machine_; }
  [[nodiscard]] std::size_t count(action what) const {
    return static_cast<std::size_t>(std::count(log_.begin(), log_.end(), what));
  }
  [[nodiscard]] const std::vector<action>& log() const { return log_; }
  [[nodiscard]] std::size_t own_nodes() const {
    return static_cast<std::size_t>(std::count_if(
        children_.begin(), children_.end(), [](const std::string& child) { return child.starts_with(own_id.text()); }));
  }
  [[nodiscard]] std::size_t most_own_nodes() const { return most_own_nodes_; }
  [[nodiscard]] bool watches() const { return own_watch_ || predecessor_watch_; }
  [[nodiscard]] bool session_over() const { return session_over_; }
  [[nodiscard]] std::optional<action> failed_request() const { return failed_request_; }
  [[nodiscard]] std::string story() const {
    std::string text = plays_.name + ":";
    for (const action one : log_) {
      text += " " + std::string(word_of(one));
    }
    return text;
  }

 private:
  void tell(const contender_event& what) {
    for (const action one : machine_.resume(what)) {
      log_.push_back(one);
      switch (one) {
        case action::forget_predecessor: predecessor_watch_ = false; break;
        case action::forget_own: own_watch_ = false; break;
        case action::grant:
        case action::refuse:
        case action::lose:
        case action::start_over:
        case action::finish: break;
        default: requests_.push_back({one, predecessor_name(one)}); break;
      }
    }
  }

  std::string predecessor_name(action one) const {
    return one == action::watch_predecessor ? machine_.predecessor() : std::string();
  }

  void stop() {
    if (machine_.now() == contender::state::granted) {
      return;  // the caller has its grant, and gives that back instead
    }
    stopped_ = true;
    tell(event::stop{refusal::not_in_time});
  }

  void predecessor_goes() {
    const std::string leaves = children_.front() == machine_.own() ? std::string() : machine_.predecessor();
    std::erase(children_, leaves);
    ASSERT_TRUE(predecessor_watch_) << "waits without a watch: " << story();
    predecessor_watch_ = false;
    tell(event::predecessor_gone{});
  }

  void answer_next() {
    const auto [what, predecessor] = requests_.front();
    requests_.pop_front();
    const std::size_t step = steps_++;
    if (plays_.stop_at == step) {
      stop();
    }
    if (fails_ && fails_->step == step) {
      failed_request_ = what;
      fail(what, predecessor);
    } else {
      tell_answer(what, code::ok, predecessor, true);
    }
    most_own_nodes_ = std::max(most_own_nodes_, own_nodes());
  }

  void fail(action what, const std::string& predecessor) {
    const outcome meaning = classify(fails_->with);
    if (meaning == outcome::session_over) {  // told before the replies, which then find nobody
      session_over_ = true;
      requests_.clear();
      own_watch_ = predecessor_watch_ = false;
      std::erase_if(children_, [](const std::string& child) { return child.starts_with(own_id.text()); });
      tell(event::session_over{});
      return;
    }
    if (fails_->with == code::no_node) {
      make_it_true(what, predecessor);
    }
    if (fails_->cut) {
      tell(event::disconnected{});
    }
    tell_answer(what, fails_->with, predecessor, meaning == outcome::unknown && fails_->applied);
    while (fails_->cut && !requests_.empty()) {
      const auto [next, its_predecessor] = requests_.front();
      requests_.pop_front();
      tell_answer(next, fails_->with, its_predecessor, false);
    }
  }

  /// "No node" is a statement about the world: somebody has removed it just before.
  void make_it_true(action what, const std::string& predecessor) {
    switch (what) {
      case action::watch_predecessor: std::erase(children_, predecessor); break;
      case action::watch_own:
      case action::remove_own: std::erase(children_, machine_.own()); break;
      case action::create_own:
      case action::list:
        lock_node_ = false;
        children_.clear();
        break;
      default: break;
    }
  }

  /// Applies the request, and answers it with `with`; an "ok" becomes what the server finds.
  void tell_answer(action what, code with, const std::string& predecessor, bool apply) {
    switch (what) {
      case action::make_lock_node:
        lock_node_ = lock_node_ || apply;
        tell(event::lock_node_made{with});
        break;
      case action::create_own: tell(event::created{create(apply, with), created_name_, created_token}); break;
      case action::sync: tell(event::synced{with}); break;
      case action::list: list(with); break;
      case action::watch_own: {
        const bool there = own_nodes() > 0;
        const code answer = with == code::ok && !there ? code::no_node : with;
        own_watch_ = own_watch_ || answer == code::ok;
        tell(event::own_watched{answer, found_token, true});
        break;
      }
      case action::watch_predecessor: {
        const bool there = std::find(children_.begin(), children_.end(), predecessor) != children_.end();
        const code answer = with == code::ok && !there ? code::no_node : with;
        predecessor_watch_ = predecessor_watch_ || answer == code::ok;
        tell(event::predecessor_watched{answer});
        break;
      }
      case action::remove_own: {
        const bool there = own_nodes() > 0;
        if (apply) {
          std::erase(children_, machine_.own());
        }
        tell(event::removed{with == code::ok && !there ? code::no_node : with});
        break;
      }
      default: FAIL() << "no request: " << word_of(what);
    }
  }

  code create(bool apply, code with) {
    created_name_.clear();
    if (with == code::ok && !lock_node_) {
      return code::no_node;
    }
    if (apply && lock_node_) {
      created_name_ = machine_.prefix() + "000000000" + std::to_string(5 + created_++);
      children_.push_back(created_name_);
    }
    return with;
  }

  void list(code with) {
    if (with == code::ok && !lock_node_) {
      with = code::no_node;
    }
    const std::vector<std::string> seen = with == code::ok ? children_ : std::vector<std::string>();
    tell(event::listed{with, seen});
  }

  struct request {
    action what;
    std::string predecessor;
  };
  const scenario& plays_;
  const std::optional<failure> fails_;
  bool lock_node_;
  std::vector<std::string> children_;
  contender machine_;
  std::deque<request> requests_;
  std::vector<action> log_;
  std::string created_name_;
  int created_ = 0;
  std::size_t steps_ = 0;
  std::size_t most_own_nodes_ = 0;
  std::optional<action> failed_request_;
  bool own_watch_ = false;
  bool predecessor_watch_ = false;
  bool looked_after_ = false;
  bool stopped_ = false;
  bool session_over_ = false;
};

std::vector<scenario> happy_paths() {
  return {{.name = "alone"},
          {.name = "the first use of the path", .lock_node_there = false},
          {.name = "behind one", .before = {nearest_name}},
          {.name = "behind two", .before = {farther_name, nearest_name}},
          {.name = "one try, free", .one_try = true}};
}

std::vector<scenario> ways_out() {
  std::vector<scenario> several{
      {.name = "one try, taken", .before = {nearest_name}, .one_try = true},
      {.name = "limit passes while waiting", .before = {nearest_name}, .stop_when_waiting = true}};
  for (std::size_t step = 0; step < 6; ++step) {
    several.push_back(
        {.name = "stopped before answer " + std::to_string(step), .before = {nearest_name}, .stop_at = step});
    several.push_back({.name = "stopped before answer " + std::to_string(step) + ", first use",
                       .lock_node_there = false,
                       .stop_at = step});
  }
  return several;
}

/// All failures of one step.
std::vector<failure> failures_at(std::size_t step) {
  std::vector<failure> several;
  for (const code with : all_codes) {
    if (with == code::ok) {
      continue;
    }
    for (const bool applied : {false, true}) {
      for (const bool cut : {false, true}) {
        const bool unknown = classify(with) == outcome::unknown;
        if ((!applied && !cut) || unknown) {
          several.push_back({step, with, applied, cut});
        }
      }
    }
  }
  return several;
}

std::size_t steps_of(const scenario& plays) {
  small_world world(plays, std::nullopt);
  world.run();
  EXPECT_EQ(world.machine().now(), contender::state::finished) << world.story();
  return world.steps();
}

/// Replays with each failure at each step, and hands each run to `check`.
template <class Check>
std::size_t replay(const std::vector<scenario>& several, Check check) {
  std::size_t runs = 0;
  for (const scenario& plays : several) {
    const std::size_t steps = steps_of(plays);
    for (std::size_t step = 0; step < steps; ++step) {
      for (const failure& fails : failures_at(step)) {
        SCOPED_TRACE(std::string(name(fails.with)) + " at step " + std::to_string(step) +
                     (fails.applied ? ", applied" : "") + (fails.cut ? ", cut" : ""));
        small_world world(plays, fails);
        world.run();
        SCOPED_TRACE(world.story());
        check(world, fails);
        ++runs;
      }
    }
  }
  return runs;
}

bool removal_was_forbidden(const small_world& world, const failure& fails) {
  return world.failed_request() == action::remove_own && classify(fails.with) == outcome::not_done;
}

void expect_an_end_in_order(const small_world& world, const failure&) {
  ASSERT_EQ(world.machine().now(), contender::state::finished) << "stuck";
  EXPECT_EQ(world.count(action::finish), 1U);
  EXPECT_EQ(world.log().back(), action::finish) << "finish comes last";
  const std::size_t answers =
      world.count(action::grant) + world.count(action::refuse) + world.count(action::start_over);
  EXPECT_EQ(answers, 1U) << "answered once";
  EXPECT_LE(world.count(action::lose), world.count(action::grant));
}

void expect_nothing_left(const small_world& world, const failure& fails) {
  EXPECT_LE(world.most_own_nodes(), 1U) << "two nodes with one id";
  EXPECT_FALSE(world.watches()) << "a watch is left";
  if (removal_was_forbidden(world, fails)) {
    EXPECT_EQ(world.machine().refused_with(), fails.with == code::no_node ? code::ok : fails.with);
  } else {
    EXPECT_EQ(world.own_nodes(), 0U) << "an orphan";
  }
}

TEST(contender_failure, the_happy_paths_take_the_round_trips_that_they_should) {
  std::vector<std::size_t> steps;
  for (const scenario& plays : happy_paths()) {
    steps.push_back(steps_of(plays));
  }
  // create, list, [watch both, per hand-over list and watch], watch own (asked by the test), remove
  EXPECT_EQ(steps, (std::vector<std::size_t>{4, 7, 5, 7, 4}));
}

TEST(contender_failure, f03_each_code_at_each_step_ends_in_order_and_is_answered_once) {
  const std::size_t runs = replay(happy_paths(), expect_an_end_in_order) + replay(ways_out(), expect_an_end_in_order);
  EXPECT_GT(runs, 1500U);
  RecordProperty("runs", static_cast<int>(runs));
}

TEST(contender_failure, f03_each_code_at_each_step_leaves_no_node_and_no_watch) {
  EXPECT_GT(replay(happy_paths(), expect_nothing_left) + replay(ways_out(), expect_nothing_left), 1500U);
}

TEST(contender_failure, f05_an_unknown_or_repeatable_outcome_at_any_step_still_leads_to_the_grant) {
  replay(happy_paths(), [](const small_world& world, const failure& fails) {
    const outcome meaning = classify(fails.with);
    if (meaning == outcome::unknown || meaning == outcome::retry) {
      EXPECT_EQ(world.count(action::grant), 1U);
      EXPECT_EQ(world.count(action::lose), 0U);
    }
  });
}

TEST(contender_failure, a_session_that_ends_at_any_step_is_told_as_such) {
  replay(happy_paths(), [](const small_world& world, const failure&) {
    if (world.session_over()) {
      const bool was_granted = world.count(action::grant) == 1;
      const bool gave_back = world.failed_request() == action::remove_own;
      EXPECT_EQ(world.count(action::start_over), was_granted ? 0U : 1U);
      EXPECT_EQ(world.count(action::lose), was_granted && !gave_back ? 1U : 0U);
    }
  });
}

TEST(contender_failure, a_refusal_before_the_grant_carries_the_servers_code) {
  replay(happy_paths(), [](const small_world& world, const failure& fails) {
    if (world.count(action::refuse) == 1 && world.machine().why_refused() == refusal::server_error) {
      EXPECT_EQ(world.machine().refused_with(), fails.with);
      EXPECT_EQ(classify(fails.with), outcome::not_done);
    }
  });
}

TEST(contender_failure, f29_whoever_was_stopped_is_not_granted_afterwards) {
  replay(ways_out(), [](const small_world& world, const failure&) {
    const auto& log = world.log();
    const auto refused = std::find(log.begin(), log.end(), action::refuse);
    EXPECT_EQ(std::find(refused, log.end(), action::grant), log.end());
  });
}

}  // namespace
}  // namespace zklock::recipes::words
