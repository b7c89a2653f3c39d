#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <zklock/participants.hpp>

#include "src/cli/findings.hpp"
#include "src/cli/server_versions.hpp"
#include "src/cli/terminal_text.hpp"

namespace zklock::cli {

struct seen_server {
  std::string address;
  server_answer says{};
};

/// All that `zklock doctor` has to say.
struct diagnosis {
  std::size_t locks = 0;
  std::size_t open_locks = 0;  ///< whose contenders anyone may remove
  std::size_t kept_locks = 0;  ///< whose only contender may be idle: lock_options::keep
  std::vector<finding> findings{};
  std::vector<listed_lock> hidden{};   ///< nodes that could not be read
  std::vector<std::string> missing{};  ///< of the PATHs
  std::vector<seen_server> servers{};

  [[nodiscard]] std::size_t count(finding::level level) const;
};

/// For people. What could not be read is not in it.
[[nodiscard]] std::string as_text(const diagnosis& all, const terminal_characters& characters);
/// One object, in ASCII, with the keys locks, open_locks, kept_locks, findings, hidden and servers.
[[nodiscard]] std::string as_json(const diagnosis& all);

}  // namespace zklock::cli
