#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "src/cli/arguments.hpp"
#include "src/cli/doctor.hpp"
#include "src/cli/evict.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/ls.hpp"
#include "src/cli/observe.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/revoke.hpp"
#include "src/cli/run.hpp"
#include "src/cli/session_ending.hpp"
#include "src/cli/stand.hpp"
#include "src/cli/watch.hpp"

namespace {

/// Where the kernel keeps it: the arguments stand one behind the other.
std::span<char> command_line(int count, char** values) {
  char* end = count > 0 ? values[0] : nullptr;
  for (int index = 0; index < count && values[index] == end; ++index) {
    end += std::strlen(end) + 1;
  }
  return count > 0 ? std::span<char>(values[0], end) : std::span<char>();
}

int execute(int count, char** values) {
  using namespace zklock::cli;
  try {
    if (is_session_end(count, values)) {
      return end_session_of_stdin();
    }
    const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
    const invocation wanted =
        parse(arguments, {.connect = std::getenv("ZKLOCK_CONNECT"), .auth_file = std::getenv("ZKLOCK_AUTH_FILE")});
    if (const auto* asked = std::get_if<text_wanted>(&wanted)) {
      return std::fputs(asked->text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? exit_status::internal_error : 0;
    }
    if (const auto* asked = std::get_if<ls_arguments>(&wanted)) {
      return ls(*asked);
    }
    if (const auto* asked = std::get_if<watch_arguments>(&wanted)) {
      return watch(*asked);
    }
    if (const auto* asked = std::get_if<doctor_arguments>(&wanted)) {
      return doctor(*asked);
    }
    if (const auto* asked = std::get_if<evict_arguments>(&wanted)) {
      return evict(*asked);
    }
    if (const auto* asked = std::get_if<revoke_arguments>(&wanted)) {
      return revoke(*asked);
    }
    if (const auto* asked = std::get_if<observe_arguments>(&wanted)) {
      return observe(*asked);
    }
    if (const auto* asked = std::get_if<stand_arguments>(&wanted)) {
      return stand(*asked, command_line(count, values));
    }
    return run(std::get<run_arguments>(wanted), command_line(count, values));
  } catch (const usage_error& refused) {
    print_error(std::string(refused.what()) +
                "\nTry 'zklock --help', or --help behind run, ls, watch, doctor, evict, revoke or elect.");
    return exit_status::bad_usage;
  } catch (const std::exception& failure) {
    print_error(failure.what());
    return exit_status::internal_error;
  }
}

}  // namespace

int main(int count, char** values) {
  const int status = execute(count, values);
  zklock::cli::flush_errors();
  return status;
}
