#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <iosfwd>
#include <span>

#include <zklock/statistics.hpp>

namespace zklock {

/// Writes the statistics as Prometheus scrapes them (text format 0.0.4), each metric once for all sessions. The label `session`
/// is session_statistics::session: give each another one. Metrics: docs/guide/operating.md.
ZKLOCK_EXPORT void write_prometheus(std::ostream& to, std::span<const session_statistics> of);
inline void write_prometheus(std::ostream& to, const session_statistics& of) {
  write_prometheus(to, std::span(&of, 1));
}

}  // namespace zklock
