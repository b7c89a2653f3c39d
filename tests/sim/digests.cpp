#include "tests/sim/digests.hpp"

#include <cstdio>
#include <istream>
#include <ostream>
#include <string_view>

#include "tests/sim/exploration_plan.hpp"

namespace zklock::sim {
namespace {

constexpr std::string_view equals = " = ";
constexpr std::string_view heading =
    "# What the simulator has seen the core do: see \"Digests\" in CONTRIBUTING.md.\n"
    "# A digest changes only in a commit that does nothing else, with the reason.\n";

}  // namespace

std::string cell_of(const scenario& plays, trouble_kind kind) { return plays.name + ": " + std::string(name(kind)); }

std::string digest_of(std::uint64_t seen) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(seen));
  return text;
}

std::string digest_of(std::uint64_t struck, std::uint64_t quiet, std::uint64_t seen) {
  return std::to_string(struck) + " struck, " + std::to_string(quiet) + " quiet, " + digest_of(seen);
}

std::string block_of(std::uint64_t seed) {
  char text[40];
  const std::uint64_t first = (seed - 1) / seeds_of_block * seeds_of_block + 1;
  std::snprintf(text, sizeof text, "random: seeds from %05llu", static_cast<unsigned long long>(first));
  return text;
}

std::set<std::string> planned() {
  std::set<std::string> all;
  for (const scenario& plays : exhaustive_scenarios()) {
    for (int k = 0; k < trouble_kinds; ++k) {
      const auto kind = static_cast<trouble_kind>(k);
      if (concerns(plays, kind)) {
        all.insert(cell_of(plays, kind));
      }
    }
  }
  for (std::uint64_t seed = 1; seed <= seeds_planned; seed += seeds_of_block) {
    all.insert(block_of(seed));
  }
  return all;
}

std::optional<digests> parse_digests(std::istream& from) {
  digests all;
  for (std::string line; std::getline(from, line);) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::size_t at = line.find(equals);
    if (at == std::string::npos || !all.emplace(line.substr(0, at), line.substr(at + equals.size())).second) {
      return std::nullopt;
    }
  }
  return all;
}

void write_all(std::ostream& to, const digests& what) {
  to << heading;
  for (const auto& [run, seen] : what) {
    to << run << equals << seen << '\n';
  }
}

digests renewed(const digests& committed, const digests& seen) {
  digests all = committed;
  for (const auto& [run, digest] : seen) {
    all[run] = digest;
  }
  const std::set<std::string> plan = planned();
  std::erase_if(all, [&plan](const auto& one) { return !plan.contains(one.first); });
  return all;
}

std::vector<std::string> differences(const digests& committed, const digests& seen) {
  std::vector<std::string> all;
  const std::set<std::string> plan = planned();
  for (const std::string& run : plan) {
    if (!committed.contains(run)) {
      all.push_back(run + ": has no digest");
    }
  }
  for (const auto& [run, digest] : committed) {
    if (!plan.contains(run)) {
      all.push_back(run + ": has a digest, and no run");
    } else if (const auto found = seen.find(run); found != seen.end() && found->second != digest) {
      all.push_back(run + ": expected " + digest + ", got " + found->second);
    }
  }
  return all;
}

}  // namespace zklock::sim
