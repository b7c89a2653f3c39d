#include "bench/common/peer_main.hpp"

#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>

#include "bench/common/workloads.hpp"

namespace bench {
namespace {

void print(const char* name, const std::string& value) {
  std::string quoted;
  for (const char one : value) {
    quoted += one == '"' || one == '\\' || one == '\n' ? '\'' : one;
  }
  std::printf("{\"%s\":\"%s\"}\n", name, quoted.c_str());
  std::fflush(stdout);
}

}  // namespace

int peer_main(lock_library& library) {
  using workload = void (*)(lock_library&, const command&);
  const std::map<std::string, workload> workloads{
      {"cycle", cycle}, {"reentry", reentry}, {"hand_over", hand_over}, {"queue", queue}};
  for (std::string line; std::getline(std::cin, line);) {
    const command what = command::parse(line);
    const auto found = workloads.find(what.name());
    if (what.name() == "rest") {
      print("resting", "yes");
    } else if (found == workloads.end()) {
      print("unsupported", what.name());
    } else {
      try {
        found->second(library, what);
      } catch (const unsupported& missing) {
        print("unsupported", missing.what());
      } catch (const std::exception& failure) {
        print("error", failure.what());
        std::fflush(stdout);
        std::_Exit(1);  // threads of the workload may still wait
      }
    }
  }
  return 0;
}

}  // namespace bench
