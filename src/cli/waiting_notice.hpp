#pragma once

#include <string>
#include <thread>

#include <zklock/session.hpp>

namespace zklock::cli {

/// Says on stderr for whom the lock at `path` is waited for, when it was waited for a moment: from the construction on,
/// until it is destroyed. Once.
class waiting_notice {
 public:
  waiting_notice(session& session, const std::string& path);

 private:
  std::jthread telling_;
};

}  // namespace zklock::cli
