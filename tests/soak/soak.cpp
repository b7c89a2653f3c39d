// Random faults on three real servers, while six processes contend for locks and write to stores under their tokens.
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tests/soak/director.hpp"
#include "tests/soak/planted.hpp"

namespace {

using zklock::soak::soak_options;

constexpr int bad_usage = 64;
constexpr int not_run = 70;

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void print_usage(std::ostream& out) {
  out << "usage: zklock_soak [--time SECONDS] [--seed N] [--directory DIR]\n"
         "Runs for so long (default: 1800), and says what it has found. The same seed draws the same plan of faults; "
         "when\n"
         "they come, and what they meet, is the machine's affair. Logs go to a directory below the one for temporary "
         "files,\n"
         "which stays if anything was found. Exit status: 0 nothing was found, 1 something was, 70 it could not be "
         "run.\n";
}

std::uint64_t number(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) throw usage_error(option + " takes a number, not '" + text + "'");
  return value;
}

soak_options parse(std::span<char*> arguments) {
  soak_options options;
  options.stage.seed = std::random_device()() % 1'000'000;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string option = arguments[i];
    if (option == "--help") {
      print_usage(std::cout);
      std::exit(0);
    }
    if (i + 1 == arguments.size()) throw usage_error("unknown argument, or one without its value: '" + option + "'");
    const std::string value = arguments[i + 1];
    if (option == "--time") {
      options.time = std::chrono::seconds(number(option, value));
    } else if (option == "--seed") {
      options.stage.seed = number(option, value);
    } else if (option == "--directory") {
      options.stage.directory = value;
    } else if (option == "--planted" && zklock::soak::planted_by_name(value)) {  // for the tests of the soak itself
      options.stage.planted = value;
    } else {
      throw usage_error("unknown argument: '" + option + " " + value + "'");
    }
  }
  return options;
}

std::filesystem::path new_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "zklock-soak-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  return name;
}

int run(soak_options options) {
  const bool own_directory = options.stage.directory.empty();
  if (own_directory) options.stage.directory = new_directory();
  std::cout << "Soaking for " << options.time.count() / 1'000 << " s, seed " << options.stage.seed << ", logs in "
            << options.stage.directory.string() << std::endl;
  spdlog::basic_logger_mt("zklock", (options.stage.directory / "director.library").string());
  if (!zklock::soak::director(options).run()) return 1;
  if (own_directory) std::filesystem::remove_all(options.stage.directory);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::signal(SIGPIPE, SIG_IGN);  // a worker that has gone
  return run(parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
} catch (const usage_error& error) {
  std::cerr << "zklock_soak: " << error.what() << '\n';
  print_usage(std::cerr);
  return bad_usage;
} catch (const std::exception& error) {
  std::cerr << "zklock_soak: " << error.what() << std::endl;
  return not_run;
}
