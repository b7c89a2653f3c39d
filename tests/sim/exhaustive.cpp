#include "tests/sim/exhaustive.hpp"

#include <algorithm>

#include <zklock/error.hpp>

#include "tests/sim/mixed.hpp"
#include "tests/sim/simulation.hpp"
#include "tests/sim/world_memory.hpp"

namespace zklock::sim {
namespace {

/// A state on the path that is being explored.
struct junction {
  std::vector<choice> options;       ///< all that could happen, in order
  std::vector<std::uint16_t> tried;  ///< which of them are to be tried, in order
  std::size_t at = 0;                ///< in `tried`
  std::vector<choice> asleep;        ///< explored from an equivalent state
  int deviations = 0;                ///< on the way here
  bool copied = false;               ///< the world, as it is here: while more than one of `tried` is left
};

bool contains(const std::vector<choice>& several, const choice& one) {
  return std::find(several.begin(), several.end(), one) != several.end();
}

/// The world that is being explored, in a memory of its own where there is one.
class explored_world {
 public:
  explored_world(const scenario& plays, const trouble& fault) : plays_(plays), fault_(fault) {}
  explored_world(const explored_world&) = delete;
  explored_world& operator=(const explored_world&) = delete;
  ~explored_world() { end(); }

  /// In ordinary memory, and for nothing but this: what a process makes but once is not to be made in a world's memory.
  void play_once() {
    (void)error_category();
    simulation once(plays_);
    once.allow(fault_);
    once.run_to_end();
  }

  void begin() {
    end();
    const world_memory::inside inside;
    made_ = new things(plays_);
    made_->world.allow(fault_);
  }

  void perform(const choice& what) {
    const world_memory::inside inside;
    made_->world.perform(what);
  }
  void choices(std::vector<choice>& out) {
    {
      const world_memory::inside inside;
      made_->world.choices(made_->options);
    }
    out = made_->options;
  }
  simulation* operator->() { return &made_->world; }

 private:
  struct things {
    explicit things(const scenario& plays) : world(plays) {}
    simulation world;
    std::vector<choice> options;
  };

  void end() {
    delete made_;
    made_ = nullptr;
    world_memory::clear();  // nothing is left in it
  }

  const scenario& plays_;
  const trouble fault_;
  things* made_ = nullptr;
};

class explorer {
 public:
  explorer(const scenario& plays, const trouble& fault, const bounds& within)
      : world_(plays, fault),
        strikes_elsewhere_(!plays.preceded_by.empty() || !plays.followed_by.empty()),
        fault_(fault),
        within_(within) {}

  exploration run() {
    world_.play_once();
    do {
      run_one();
      if (result_.found) {
        break;
      }
      if (within_.schedules && result_.schedules + result_.quiet >= *within_.schedules) {
        result_.complete = result_.complete && !step_back();
        break;
      }
    } while (step_back());
    return std::move(result_);
  }

 private:
  void run_one() {
    go_to_last_junction();
    for (;;) {
      junction next;
      world_.choices(next.options);
      if (next.options.empty()) {
        ++(world_->struck() ? result_.schedules : result_.quiet);
        result_.digest += mixed(world_->judges().seen().value());
        result_.untold += world_->judges().excused_by_untold_timeout() ? 1U : 0U;
        if (world_->found()) {
          result_.found = world_->found();
          for (const junction& one : path_) {
            result_.failing.push_back(one.tried[one.at]);
          }
        }
        return;
      }
      fall_asleep(next);
      plan(next, world_->struck());
      if (next.tried.empty()) {
        ++result_.cut_short;
        return;
      }
      if (next.tried.size() > 1 && world_memory::exists()) {
        world_memory::copy();
        next.copied = true;
      }
      path_.push_back(std::move(next));
      take_step(path_.back());
    }
  }

  /// With its choice made: from there where its world was copied, else from the beginning.
  void go_to_last_junction() {
    if (path_.empty() || !path_.back().copied) {
      world_.begin();
      std::for_each(path_.begin(), path_.end(), [this](const junction& one) { take_step(one); });
      return;
    }
    junction& last = path_.back();
    world_memory::put_back();
    if (last.at + 1 == last.tried.size()) {
      world_memory::drop_copy();
      last.copied = false;
    }
    take_step(last);
  }

  void take_step(const junction& from) {
    world_.perform(from.options[from.tried[from.at]]);
    ++result_.steps;
  }

  /// Whatever slept, or was tried before, and is independent of the step that led here sleeps on.
  void fall_asleep(junction& next) {
    if (path_.empty()) {
      return;
    }
    const junction& last = path_.back();
    const choice& taken = last.options[last.tried[last.at]];
    next.deviations = last.deviations + cost(last);
    const auto keep = [&](const choice& one) {
      const bool fault = one.what == choice::kind::fault || taken.what == choice::kind::fault;
      if (independent(one, taken) && !(fault && strikes_elsewhere_) && contains(next.options, one)) {
        next.asleep.push_back(one);
      }
    };
    for (const choice& one : last.asleep) {
      keep(one);
    }
    for (std::size_t i = 0; i < last.at; ++i) {
      keep(last.options[last.tried[i]]);
    }
  }

  static int cost(const junction& one) {
    const bool free = one.at == 0 || one.options[one.tried[one.at]].what == choice::kind::fault;
    return free ? 0 : 1;
  }

  void plan(junction& next, bool struck) {
    const std::optional<int> client = client_that_goes_first(next, struck);
    for (std::size_t i = 0; i < next.options.size(); ++i) {
      const choice& one = next.options[i];
      const bool now = !client || one.what == choice::kind::fault || (one.on_client_side() && one.side() == *client);
      if (!now || contains(next.asleep, one)) {
        continue;
      }
      const bool free = next.tried.empty() || one.what == choice::kind::fault;
      if (!free && within_.deviations && next.deviations >= *within_.deviations) {
        result_.complete = false;
        continue;
      }
      next.tried.push_back(static_cast<std::uint16_t>(i));
    }
  }

  /// A client that can hear something or be woken, while nothing that is yet to come, a fault included, can make a
  /// difference to that: its side goes first, alone.
  std::optional<int> client_that_goes_first(const junction& next, bool struck) const {
    for (const choice& one : next.options) {
      const bool hears = one.what == choice::kind::model ? one.step.kind == testing::step_kind::deliver
                                                         : one.what == choice::kind::timer;
      if (!hears) {
        continue;
      }
      const int client = one.side();
      const bool fault_matters = !struck && fault_.kind != trouble_kind::none &&
                                 !leaves_client_side_alone(fault_.kind) &&
                                 !(hits_client(fault_.kind) && fault_.target != client);
      const bool chooses = std::any_of(next.options.begin(), next.options.end(), [client](const choice& other) {
        return other.side() == client && (other.what == choice::kind::act || other.what == choice::kind::limit);
      });
      if (!fault_matters && !chooses) {
        return client;
      }
    }
    return std::nullopt;
  }

  /// To the last junction with something left to try. False: there is none.
  bool step_back() {
    while (!path_.empty()) {
      if (++path_.back().at < path_.back().tried.size()) {
        return true;
      }
      path_.pop_back();
    }
    return false;
  }

  explored_world world_;
  const bool strikes_elsewhere_;  ///< the fault, with those that go with it
  const trouble fault_;
  const bounds within_;
  std::vector<junction> path_;
  exploration result_;
};

}  // namespace

exploration explore(const scenario& plays, const trouble& fault, const bounds& within) {
  return explorer(plays, fault, within).run();
}

std::vector<std::string> replay(const scenario& plays, const trouble& fault, const schedule& steps,
                                std::optional<violation>& found) {
  std::vector<std::string> lines;
  simulation world(plays);
  world.allow(fault);
  world.write_timeline(&lines);
  std::vector<choice> options;
  for (const std::uint16_t taken : steps) {
    world.choices(options);
    if (taken >= options.size()) {
      break;
    }
    world.perform(options[taken]);
  }
  world.run_to_end();
  found = world.found();
  return lines;
}

std::string text(const schedule& steps) {
  std::string out;
  for (const std::uint16_t one : steps) {
    out += (out.empty() ? "" : ".") + std::to_string(one);
  }
  return out;
}

std::optional<schedule> parse_schedule(const std::string& text) {
  schedule out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('.', at), text.size());
    const std::string part = text.substr(at, end - at);
    if (part.empty() || part.size() > 4 || part.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    out.push_back(static_cast<std::uint16_t>(std::stoi(part)));
    at = end + 1;
  }
  return out;
}

}  // namespace zklock::sim
