// The simulator's program: explores, draws by lot, replays. See --help.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "tests/sim/digest.hpp"
#include "tests/sim/digests.hpp"
#include "tests/sim/exhaustive.hpp"
#include "tests/sim/exploration_plan.hpp"
#include "tests/sim/program.hpp"
#include "tests/sim/random_run.hpp"
#include "tests/sim/simulator_arguments.hpp"

namespace {

using namespace zklock::sim;

constexpr int exit_violation = 1;
constexpr int exit_usage = 2;
constexpr int exit_digest = 3;

void print(const std::vector<std::string>& timeline) {
  for (const std::string& line : timeline) {
    std::printf("%s\n", line.c_str());
  }
}

void print(const violation& found) { std::printf("VIOLATION %s: %s\n", found.checker.c_str(), found.what.c_str()); }

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

constexpr const char* known_limitation =
    "%lu with a grant beside a holder whose server has lowered its timeout and could not tell it: a known limitation\n";

// ---- exhaustive -----------------------------------------------------------------------------------------------------

int report_failure(const scenario& plays, const trouble& fault, const exploration& done, const char* program) {
  std::optional<violation> again;
  print(replay(plays, fault, done.failing, again));
  print(*done.found);
  const auto lasts = std::chrono::duration_cast<std::chrono::milliseconds>(fault.lasts);
  std::printf("replay with: %s --replay %s --scenario %s --fault '%s' --target %d --lasts %ld\n", program,
              text(done.failing).c_str(), plays.name.c_str(), std::string(name(fault.kind)).c_str(), fault.target,
              static_cast<long>(lasts.count()));
  return exit_violation;
}

struct totals {
  std::uint64_t schedules = 0, steps = 0, untold = 0;
  bool empty_kind = false;
  std::array<std::uint64_t, trouble_kinds> of_kind{};
};

int explore_kind(const scenario& plays, trouble_kind kind, const arguments& with, totals& sum, digests& seen,
                 const char* program) {
  bounds within;
  if (!with.full) {
    within.deviations = with.deviations ? with.deviations : default_deviations(plays, kind);
  }
  within.schedules = with.schedules;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t struck = 0, quiet = 0;
  digest all;
  bool complete = true;
  for (int target = 0; target < targets_of(kind, plays); ++target) {
    for (const std::chrono::nanoseconds length : lengths_of(kind, plays)) {
      const trouble one{kind, target, length};
      const exploration done = explore(plays, one, within);
      struck += done.schedules;
      quiet += done.quiet;
      all.add(done.digest);
      sum.untold += done.untold;
      sum.steps += done.steps;
      complete = complete && done.complete;
      if (done.found) {
        return report_failure(plays, one, done, program);
      }
    }
  }
  seen[cell_of(plays, kind)] = digest_of(struck, quiet, all.value());
  const std::uint64_t schedules = kind == trouble_kind::none ? quiet : struck;
  sum.schedules += schedules;
  sum.of_kind[static_cast<std::size_t>(kind)] += schedules;
  // Whether a lock node is ever empty, so that it can be reaped, is the scenario's affair.
  sum.empty_kind = sum.empty_kind || (schedules == 0 && kind != trouble_kind::lock_node_reaped);
  const std::string bound = complete         ? "all"
                            : with.schedules ? "some"
                                             : "up to " + std::to_string(*within.deviations) + " deviations";
  std::printf("%-20s %-28s %10lu schedules  %-20s %6.1f s%s\n", plays.name.c_str(), std::string(name(kind)).c_str(),
              schedules, bound.c_str(), seconds_since(begin), schedules == 0 ? "  NONE" : "");
  std::fflush(stdout);
  return 0;
}

int run_exhaustive(const arguments& with, digests& seen, const char* program) {
  totals sum;
  const auto begin = std::chrono::steady_clock::now();
  std::size_t place = 0;
  for (const scenario& plays : exhaustive_scenarios()) {
    if ((with.scenario && *with.scenario != plays.name) || place++ % with.shares != with.share) {
      continue;
    }
    for (int k = 0; k < trouble_kinds; ++k) {
      const auto kind = static_cast<trouble_kind>(k);
      if ((with.fault && *with.fault != name(kind)) || !concerns(plays, kind)) {
        continue;
      }
      if (const int status = explore_kind(plays, kind, with, sum, seen, program); status != 0) {
        return status;
      }
    }
  }
  const bool everything = !with.scenario && !with.fault;
  for (int k = 0; everything && k < trouble_kinds; ++k) {
    const std::uint64_t schedules = sum.of_kind[static_cast<std::size_t>(k)];
    sum.empty_kind = sum.empty_kind || schedules == 0;
    std::printf("%-20s %-28s %10lu schedules%s\n", "all", std::string(name(static_cast<trouble_kind>(k))).c_str(),
                schedules, schedules == 0 ? "  NONE" : "");
  }
  std::printf("%lu schedules, %lu steps in %.1f s: no violation\n", sum.schedules, sum.steps, seconds_since(begin));
  std::printf(known_limitation, sum.untold);
  if (sum.schedules == 0 || sum.empty_kind) {
    std::printf("%s\n", sum.schedules == 0 ? "no schedule was explored" : "a kind of fault was never met");
    return exit_usage;
  }
  return 0;
}

// ---- by lot, and again ----------------------------------------------------------------------------------------------

/// So many runs have to meet every kind of fault.
constexpr std::uint64_t runs_for_each_kind = 1000;

int count_kinds(const std::array<std::uint64_t, trouble_kinds>& of_kind) {
  int status = 0;
  for (int k = 0; k < trouble_kinds; ++k) {
    const auto kind = static_cast<trouble_kind>(k);
    if (!is_drawn(kind)) {
      continue;
    }
    const std::uint64_t count = of_kind[static_cast<std::size_t>(k)];
    std::printf("%-28s %10lu times%s\n", std::string(name(kind)).c_str(), count, count == 0 ? "  NONE" : "");
    status = count == 0 ? exit_usage : status;
  }
  return status;
}

int run_random(const arguments& with, digests& seen, const char* program) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t steps = 0, grants = 0, faults = 0, runs = 0, untold = 0;
  std::array<std::uint64_t, trouble_kinds> of_kind{};
  const bool for_digests = with.digests || with.write_digests;
  const std::uint64_t runs_wanted = with.runs.value_or(for_digests ? seeds_planned : 1);
  digest block;
  for (; runs < runs_wanted && (!with.seconds || seconds_since(begin) < *with.seconds); ++runs) {
    const std::uint64_t seed = with.seed + runs;
    const random_result result = random_run(seed, with.trace, with.followed);
    steps += result.steps;
    grants += result.grants;
    faults += result.faults;
    untold += result.untold ? 1U : 0U;
    block.add(result.digest);
    if (seed % seeds_of_block == 0) {
      seen[block_of(seed)] = digest_of(std::exchange(block, {}).value());
    }
    for (std::size_t k = 0; k < of_kind.size(); ++k) {
      of_kind[k] += result.of_kind[k];
    }
    if (with.trace || result.found) {
      print(with.trace ? result.timeline : random_run(seed, true, with.followed).timeline);
      std::printf("digest of seed %lu: %s\n", seed, digest_of(result.digest).c_str());
    }
    if (result.found) {
      print(*result.found);
      std::printf("replay with: %s --random%s --seed %lu --trace\n", program, with.followed ? " --followed" : "", seed);
      return exit_violation;
    }
  }
  std::printf("%lu runs from seed %lu: %lu steps, %lu grants, %lu faults in %.1f s: no violation\n", runs, with.seed,
              steps, grants, faults, seconds_since(begin));
  std::printf(known_limitation, untold);
  return runs >= runs_for_each_kind ? count_kinds(of_kind) : 0;
}

int run_replay(const arguments& with) {
  const std::optional<schedule> steps = parse_schedule(*with.replay);
  const scenario* plays = with.scenario ? find_scenario(*with.scenario) : nullptr;
  if (!steps || plays == nullptr || with.target < 0) {
    std::fprintf(stderr,
                 "--replay needs a schedule, and --scenario with a name and --target with a number that exist\n");
    return exit_usage;
  }
  trouble fault{trouble_kind::none, with.target, with.lasts};
  for (int k = 0; k < trouble_kinds; ++k) {
    if (with.fault && *with.fault == name(static_cast<trouble_kind>(k))) {
      fault.kind = static_cast<trouble_kind>(k);
    }
  }
  std::optional<violation> found;
  print(replay(*plays, fault, *steps, found));
  if (found) {
    print(*found);
    return exit_violation;
  }
  return 0;
}

// ---- digests --------------------------------------------------------------------------------------------------------

int write_digests(const std::string& path, const digests& seen) {
  digests before;
  if (std::ifstream file(path); file) {
    const std::optional<digests> read = parse_digests(file);
    if (!read) {
      std::fprintf(stderr, "%s: not a file of digests\n", path.c_str());
      return exit_usage;
    }
    before = *read;
  }
  std::ofstream file(path);
  write_all(file, renewed(before, seen));
  if (!file.flush()) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    return exit_usage;
  }
  std::printf("%zu digests written\n", seen.size());
  return 0;
}

int compare_digests(const std::string& path, const digests& seen) {
  std::ifstream file(path);
  const std::optional<digests> committed = file ? parse_digests(file) : std::nullopt;
  if (!committed) {
    std::fprintf(stderr, "%s: not a file of digests\n", path.c_str());
    return exit_usage;
  }
  const std::vector<std::string> different = differences(*committed, seen);
  for (const std::string& one : different) {
    std::printf("DIGEST %s\n", one.c_str());
  }
  std::printf("%zu digests compared: %zu differences\n", seen.size(), different.size());
  return different.empty() ? 0 : exit_digest;
}

int run(const arguments& with, const char* program) {
  digests seen;
  int status = with.exhaustive ? run_exhaustive(with, seen, program) : 0;
  if (status == 0 && with.random) {
    status = run_random(with, seen, program);
  }
  if (status == 0 && with.write_digests) {
    status = write_digests(*with.write_digests, seen);
  }
  return status == 0 && with.digests ? compare_digests(*with.digests, seen) : status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(help, stdout);
    return 0;
  }
  arguments with;
  if (!parse(argc, argv, with)) {
    std::fputs(help, stderr);
    return exit_usage;
  }
  if (with.slice != 0) {
    slice_of_programs = with.slice;
  }
  return with.replay ? run_replay(with) : run(with, argv[0]);
}
