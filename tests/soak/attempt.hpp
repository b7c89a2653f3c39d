#pragma once

#include <zklock/zklock.hpp>

#include <atomic>
#include <optional>
#include <string>

#include "tests/soak/event_log.hpp"
#include "tests/soak/lot.hpp"
#include "tests/soak/planted.hpp"
#include "tests/soak/standstill.hpp"

namespace zklock::soak {

/// What all threads of a worker share.
struct desk {
  const event_log& log;
  const standstill& stood;
  planted does = planted::nothing;
  std::atomic<attempt_number>& attempts;
};

/// What an acquisition has come to.
struct acquired {
  attempt_number attempt = 0;
  bool by_lock = false;  ///< through lock() or try_lock_for(): unlock() gives it back
  grant taken{};         ///< of one count, when the lock was granted and not lost at once
  bool granted = false;
};

/// Acquires in one of the ways that there are, drawn by lot, and writes down how it went.
[[nodiscard]] acquired acquire_somehow(recursive_mutex& lock, session_number in, lot& draws, const desk& on);

}  // namespace zklock::soak
