// Counts what each recipe costs, and writes the page that says so, or checks it.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/costs/situation.hpp"

namespace {

constexpr int differs = 1;
constexpr int bad_usage = 2;

std::string content_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc == 3 ? argv[1] : "";
  if (argc != 1 && how != "--write" && how != "--check") {
    std::cerr << "usage: zklock_cost_table [--write FILE | --check FILE]\n";
    return bad_usage;
  }
  const std::string text = zklock::costs::page(zklock::costs::situations());
  if (argc == 1) {
    std::cout << text;
  } else if (how == "--write") {
    std::ofstream(argv[2]) << text;
  } else if (content_of(argv[2]) != text) {
    std::cerr << argv[2] << " differs from what is counted; write it anew with: zklock_cost_table --write " << argv[2]
              << "\n";
    return differs;
  }
  return 0;
}
