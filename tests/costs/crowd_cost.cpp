// What a crowd of one session costs it, each by each: zklock_crowd_cost [NAME [MEMBERS...]]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tests/costs/crowd.hpp"

int main(int argc, char** argv) try {
  using namespace zklock::costs;
  std::vector<std::size_t> sizes;
  for (int i = 2; i < argc; ++i) {
    sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  }
  if (sizes.empty()) {
    sizes = {10, 500, 1'000, 2'000, 4'000};
  }
  std::printf("%-18s %7s %10s %12s %11s %10s %9s %9s\n", "crowd", "members", "requests", "names parsed", "calls",
              "task names", "task calls", "CPU ms");
  for (const crowd_does what : all_crowds()) {
    if (argc > 1 && std::string_view(argv[1]) != "all" && std::string_view(argv[1]) != name_of(what)) {
      continue;
    }
    for (const std::size_t members : sizes) {
      const meter found = measure_crowd(what, members);
      std::uint64_t requests = 0;
      for (const std::uint64_t each : found.requests) {
        requests += each;
      }
      std::printf("%-18s %7zu %10zu %12zu %11zu %10zu %9zu %9.1f\n", name_of(what), members, requests,
                  found.effort.names, found.effort.calls, found.task_max.names, found.task_max.calls,
                  std::chrono::duration<double, std::milli>(found.processor_time).count());
      std::fflush(stdout);
    }
  }
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
