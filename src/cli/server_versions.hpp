#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

/// Of a ZooKeeper server.
struct server_version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const server_version&) const = default;
};
[[nodiscard]] std::string to_text(const server_version& version);

/// A known fault of servers that matters to locks. docs/guide/server_versions.md has the same table.
struct server_fault {
  std::string_view ticket;                ///< "ZOOKEEPER-4643"
  std::string_view what;                  ///< one line
  server_version since{};                 ///< earlier ones do not have it
  std::span<const server_version> fixed;  ///< the first ones without it, of each branch; a later branch has it no more
};
[[nodiscard]] std::span<const server_fault> server_faults() noexcept;
[[nodiscard]] bool has_fault(const server_version& version, const server_fault& fault) noexcept;

/// Of what a server answers to `srvr`: "Zookeeper version: 3.8.0-5a02a05e…".
[[nodiscard]] std::optional<server_version> parse_server_version(std::string_view answer);

/// "host:port" of each server of a list that the library takes.
[[nodiscard]] std::vector<std::string> addresses_of(std::string_view servers);
struct server_answer {
  bool reached = false;
  std::optional<server_version> version{};  ///< nothing: not in time, not allowed there, or it is no ZooKeeper
};
/// Asks `srvr` over plain TCP. To resolve the name takes as long as that takes.
[[nodiscard]] server_answer ask_version(const std::string& address, std::chrono::milliseconds limit);

}  // namespace zklock::cli
