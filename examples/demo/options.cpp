#include "examples/demo/options.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace demo {

namespace {

constexpr int workers_min = 3;  // one is killed, one is frozen, and one has to overtake it
constexpr int workers_max = 100;
constexpr long increments_max = 10'000;

template <class Number>
Number number(std::string_view option, std::string_view text, Number least, Number most) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || end != text.end() || value < least || value > most) {
    throw usage_error(std::string(option) + " takes a number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", not '" + std::string(text) + "'");
  }
  return value;
}

}  // namespace

options parse(std::span<char*> arguments) {
  options chosen;
  const char* servers = std::getenv("ZKLOCK_CONNECT");
  chosen.servers = servers != nullptr ? servers : "127.0.0.1:2181";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view option = arguments[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 == arguments.size()) throw usage_error(std::string(option) + " needs a value");
      return arguments[++i];
    };
    if (option == "--without-lock") {
      chosen.with_lock = false;
    } else if (option == "--workers") {
      chosen.workers = number(option, value(), workers_min, workers_max);
    } else if (option == "--increments") {
      chosen.increments = number(option, value(), 1L, increments_max);
    } else if (option == "--connect") {
      chosen.servers = value();
    } else if (option == "--help" || option == "-h") {
      chosen.help = true;
    } else {
      throw usage_error("unknown argument '" + std::string(option) + "'");
    }
  }
  return chosen;
}

void print_usage(std::ostream& out) {
  const options defaults;
  out << "usage: counter_demo [--without-lock] [--workers N] [--increments M] [--connect SERVERS]\n"
         "Each of N processes (default "
      << defaults.workers << ") increments a number M times (default " << defaults.increments
      << "). One of them is killed and one is frozen\nwhile it holds the lock. SERVERS defaults to $ZKLOCK_CONNECT, "
         "then 127.0.0.1:2181.\nExits 0 only if no increment was lost.\n";
}

}  // namespace demo
