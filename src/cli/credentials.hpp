#pragma once

#include <string>

#include <zklock/options.hpp>

#include "src/cli/arguments.hpp"

namespace zklock::cli {

/// The credentials in a file: "user:password" in its first line, the only one. Throws usage_error when the file cannot be
/// read, when users other than its owner may read or write it, and when it contains something else. No message contains
/// what the file does.
[[nodiscard]] std::string read_credentials(const std::string& path);

/// The options with the credentials and the access list that the command line asks for. Throws as read_credentials().
[[nodiscard]] session_options with_access(const access_arguments& wanted, session_options options);

}  // namespace zklock::cli
