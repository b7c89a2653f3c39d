#include "src/cli/outcome.hpp"

#include <csignal>

#include "src/cli/exit_status.hpp"

namespace zklock::cli {

outcome run_facts::conclude() const {
  if (failed) return {.status = *failed};
  if (lock_lost) return {.status = exit_status::lock_lost};
  if (!how || rest_ended_for_guardian) return {.status = exit_status::internal_error};
  if (!how->by_signal) return {.status = how->number, .of_command = true};
  outcome result{.status = exit_status::signal_base + how->number, .of_command = true};
  if (how->number == SIGINT || how->number == SIGQUIT) {
    result.interrupted_by = how->number;
    result.group_has_not_heard = group_has_not_heard;
  }
  return result;
}

bool run_facts::stands_again(bool again) const {
  // From the terminal, which COMMAND has; or that has gone.
  const bool interrupted =
      how && how->by_signal && (how->number == SIGINT || how->number == SIGQUIT || how->number == SIGHUP);
  if (failed || !all_gone || asked_to_end) return false;
  if (lock_lost && !at_its_bound) return true;
  return again && !interrupted;
}

}  // namespace zklock::cli
