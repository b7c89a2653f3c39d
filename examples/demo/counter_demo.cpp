// Processes increment a number in a store, under a lock, while one of them is killed and one is frozen. See
// scripts/demo.
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>

#include "examples/demo/crew.hpp"
#include "examples/demo/options.hpp"
#include "examples/demo/performance.hpp"

namespace {

constexpr int bad_usage = 64;

}  // namespace

int main(int argc, char** argv) try {
  const demo::options chosen = demo::parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (chosen.help) {
    demo::print_usage(std::cout);
    return EXIT_SUCCESS;
  }
  const bool well = chosen.with_lock ? demo::perform_with_lock(chosen) : demo::perform_without_lock(chosen);
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const demo::usage_error& error) {
  std::cerr << "counter_demo: " << error.what() << '\n';
  demo::print_usage(std::cerr);
  return bad_usage;
} catch (const demo::interrupted& signal) {
  std::cerr << "counter_demo: interrupted\n";
  return 128 + signal.number;
} catch (const std::exception& error) {
  std::cerr << "counter_demo: " << error.what() << '\n';
  return EXIT_FAILURE;
}
