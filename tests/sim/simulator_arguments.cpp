#include "tests/sim/simulator_arguments.hpp"

#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/sim/digests.hpp"

namespace zklock::sim {

const char* const help =
    "zklock_simulator: runs the library's state machines and session logic on a model of a ZooKeeper ensemble.\n"
    "\n"
    "  --exhaustive            two contenders, each fault at every step, every schedule up to equivalence\n"
    "    --scenario NAME         only this scenario\n"
    "    --fault NAME            only this kind of fault\n"
    "    --full                  without bounds: hours\n"
    "    --deviations N          at most N departures from the first choice, besides the fault\n"
    "    --schedules N           at most N schedules of each fault, on each target and for each time\n"
    "    --share I/N             each N-th of these scenarios, from the I-th on; each share has to meet every kind of "
    "fault\n"
    "  --random                up to eight contenders, many faults, by lot\n"
    "    --seed N                first seed (default 1)\n"
    "    --runs N                how many (default 1; with digests all that have one)\n"
    "    --seconds N             stop after so long, too\n"
    "    --followed              others stand for election, observe, follow a value and change it; mutexes\n"
    "                          hand over, and may be kept; no digests\n"
    "    --trace                 print the timeline of each run\n"
    "  --replay SCHEDULE --scenario NAME --fault NAME --target N --lasts MILLISECONDS\n"
    "                          the timeline of one schedule, as a failing exploration has printed it\n"
    "  --exhaustive and --random\n"
    "    --slice N               a task of a session tells so few operations what happens to many; no digests\n"
    "    --digests FILE          compare what was seen with the digests in FILE\n"
    "    --write-digests FILE    write those of what was run into FILE, and keep the others\n"
    "\n"
    "Exit status: 0 nothing found, 1 a checker has reported a violation, 2 bad usage or an empty exploration, 3 a "
    "digest "
    "differs.\n";

namespace {

bool number(const char* text, std::uint64_t& out) {
  char* end = nullptr;
  out = std::strtoull(text, &end, 10);
  return end != text && *end == '\0' && *text != '-';
}

/// "1/2" is the first of two.
bool parse_share(const char* text, arguments& out) {
  const char* slash = std::strchr(text, '/');
  std::uint64_t which = 0, of = 0;
  if (slash == nullptr || !number(std::string(text, slash).c_str(), which) || !number(slash + 1, of) || which == 0 ||
      which > of) {
    return false;
  }
  out.share = which - 1;
  out.shares = of;
  return true;
}

/// Of other bounds, or of a part of a block, no digest is committed.
bool may_have_digests(const arguments& with) {
  if (!with.digests && !with.write_digests) {
    return true;
  }
  const bool as_planned = with.slice == 0 && !with.followed && !with.replay && !with.full && !with.deviations &&
                          !with.schedules && !with.seconds;
  const bool whole_blocks = with.seed % seeds_of_block == 1 && with.runs.value_or(seeds_planned) % seeds_of_block == 0;
  return as_planned && whole_blocks && !(with.digests && with.write_digests);
}

}  // namespace

bool parse(int argc, char** argv, arguments& out) {
  const std::map<std::string, bool*> flags{{"--exhaustive", &out.exhaustive},
                                           {"--random", &out.random},
                                           {"--full", &out.full},
                                           {"--trace", &out.trace},
                                           {"--followed", &out.followed}};
  const std::map<std::string, std::optional<std::string>*> texts{{"--scenario", &out.scenario},
                                                                 {"--fault", &out.fault},
                                                                 {"--replay", &out.replay},
                                                                 {"--digests", &out.digests},
                                                                 {"--write-digests", &out.write_digests}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const auto flag = flags.find(name); flag != flags.end()) {
      *flag->second = true;
      continue;
    }
    if (i + 1 == argc) {
      return false;
    }
    const char* value = argv[++i];
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = value;
      continue;
    }
    if (name == "--share") {
      if (!parse_share(value, out)) {
        return false;
      }
      continue;
    }
    std::uint64_t read = 0;
    if (!number(value, read)) {
      return false;
    }
    if (name == "--seed")
      out.seed = read;
    else if (name == "--runs")
      out.runs = read;
    else if (name == "--seconds")
      out.seconds = static_cast<double>(read);
    else if (name == "--lasts")
      out.lasts = std::chrono::milliseconds(read);
    else if (name == "--slice")
      out.slice = static_cast<std::size_t>(read);
    else if (name == "--target")
      out.target = static_cast<int>(read);
    else if (name == "--deviations")
      out.deviations = static_cast<int>(read);
    else if (name == "--schedules")
      out.schedules = read;
    else
      return false;
  }
  return (out.exhaustive || out.random || out.replay) && may_have_digests(out);
}

}  // namespace zklock::sim
