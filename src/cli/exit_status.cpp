#include "src/cli/exit_status.hpp"

#include <zklock/error.hpp>

namespace zklock::cli::exit_status {

int of(const std::error_code& ec) noexcept {
  const bool bad_value = ec == errc::invalid_path || ec == errc::invalid_server_list || ec == errc::invalid_option;
  if (ec.category() == std::generic_category() || ec.category() == std::system_category()) {
    return internal_error;
  }
  return bad_value ? bad_usage : unavailable;
}

}  // namespace zklock::cli::exit_status
