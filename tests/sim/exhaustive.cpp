#include "tests/sim/exhaustive.hpp"

#include <algorithm>

#include "tests/sim/mixed.hpp"
#include "tests/sim/simulation.hpp"

namespace zklock::sim {
namespace {

/// A state on the path that is being explored.
struct junction {
  std::vector<choice> options;       ///< all that could happen, in order
  std::vector<std::uint16_t> tried;  ///< which of them are to be tried, in order
  std::size_t at = 0;                ///< in `tried`
  std::vector<choice> asleep;        ///< explored from an equivalent state
  int deviations = 0;                ///< on the way here
};

bool contains(const std::vector<choice>& several, const choice& one) {
  return std::find(several.begin(), several.end(), one) != several.end();
}

class explorer {
 public:
  explorer(const scenario& plays, const trouble& fault, const bounds& within)
      : plays_(plays), fault_(fault), within_(within) {}

  exploration run() {
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
    simulation world(plays_);
    world.allow(fault_);
    for (const junction& one : path_) {
      world.perform(one.options[one.tried[one.at]]);
    }
    result_.steps += path_.size();
    for (;;) {
      junction next;
      world.choices(next.options);
      if (next.options.empty()) {
        ++(world.struck() ? result_.schedules : result_.quiet);
        result_.digest += mixed(world.judges().seen().value());
        result_.untold += world.judges().excused_by_untold_timeout() ? 1U : 0U;
        if (world.found()) {
          result_.found = world.found();
          for (const junction& one : path_) {
            result_.failing.push_back(one.tried[one.at]);
          }
        }
        return;
      }
      fall_asleep(next);
      plan(next, world.struck());
      if (next.tried.empty()) {
        ++result_.cut_short;
        return;
      }
      world.perform(next.options[next.tried.front()]);
      ++result_.steps;
      path_.push_back(std::move(next));
    }
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
      if (independent(one, taken) && contains(next.options, one)) {
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

  const scenario& plays_;
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
