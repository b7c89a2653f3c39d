#pragma once

#include <functional>
#include <optional>
#include <string>

#include <zklock/queue.hpp>
#include <zklock/session.hpp>

#include "src/cli/arguments.hpp"
#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

/// A contender, and the lock that it holds or waits for.
struct contender_at_lock {
  participant is;
  std::string lock;
};

/// Above a node. "": it stands at the root.
[[nodiscard]] std::string parent_of(const std::string& path);

/// Whose node that is. Nothing: no contender's. Throws zklock::error.
[[nodiscard]] std::optional<contender_at_lock> find_contender(session& in, const std::string& node);

/// In two lines: the node; whose it is, of which lock.
/// For a PATH at which there is no lock: nothing, or whose node it may be by its name.
[[nodiscard]] std::string contender_hint(const std::string& path, const terminal_characters& characters);
[[nodiscard]] std::string describe(const contender_at_lock& one, const terminal_characters& characters);

/// Does that in a session, and returns the exit status that it returns, or that of the failure, which it prints.
[[nodiscard]] int in_session_at(const std::string& node, const std::string& servers, const access_arguments& access,
                                bool verbose, const std::function<int(session&)>& what);

/// Prints why, and returns the exit status.
[[nodiscard]] int leave_alone(const std::string& why);

}  // namespace zklock::cli
