#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <zklock/clock.hpp>

/// What a worker writes down, a line each, and the judge reads. Instants are of CLOCK_BOOTTIME, which all processes share.
namespace zklock::soak {

using instant = boot_clock::time_point;
using std::chrono::nanoseconds;

/// Counts the attempts of a process.
using attempt_number = std::uint64_t;
/// Counts the session objects of a process.
using session_number = std::uint64_t;

struct attempt_began {
  attempt_number attempt = 0;
  std::string lock{};
  std::string style{};  ///< which of the ways to acquire
  instant at{};
  nanoseconds limit{-1};  ///< negative: none
  session_number session = 0;
};
/// The call has returned. `overrun`: how long after its limit (or after the stop request); `excused`: how much of that the
/// whole process stood still.
struct attempt_ended {
  attempt_number attempt = 0;
  std::string outcome{};  ///< "granted", "not-in-time", or the error's name
  instant at{};
  nanoseconds overrun{0};
  nanoseconds excused{0};
};
/// held() has said yes for the first time, to a question that was asked after `asked`; it was `at` when the answer was there.
struct held_first {
  attempt_number attempt = 0;
  std::int64_t token = 0;
  std::string node{};  ///< below the chroot
  instant asked{};
  instant at{};
};
/// held() has said yes again, to a question that was asked after `at`.
struct held_still {
  attempt_number attempt = 0;
  instant at{};
};
struct loss_seen {
  attempt_number attempt = 0;
  std::string reason{};
  instant at{};
};
/// About to write `base + 1` to the lock's store. Without a write_ended behind it: it is unknown whether it was done.
struct write_begun {
  attempt_number attempt = 0;
  std::int64_t token = 0;
  std::int64_t base = 0;
};
struct write_ended {
  attempt_number attempt = 0;
  bool accepted = false;
};
struct read_refused {
  attempt_number attempt = 0;
};
struct released {
  attempt_number attempt = 0;
  std::string outcome{};
  instant at{};
};
/// The program is about to close a session object of its own: from here on, calls in it may say so.
struct session_closing {
  session_number session = 0;
};
/// A session object was closed, or made anew; how long that took.
struct session_renewed {
  nanoseconds took{0};
};
/// The worker itself has seen what must not be.
struct wrong {
  attempt_number attempt = 0;
  std::string what{};  ///< may have spaces
};
/// Every thread rests: no attempt is under way, nothing is held. The session is open.
struct at_rest {
  instant at{};
};

using event = std::variant<attempt_began, attempt_ended, held_first, held_still, loss_seen, write_begun, write_ended,
                           read_refused, released, session_closing, session_renewed, wrong, at_rest>;

/// One line, with its end.
[[nodiscard]] std::string to_line(const event& what);
/// Nothing when the line is none of these.
[[nodiscard]] std::optional<event> parse(std::string_view line);

}  // namespace zklock::soak
