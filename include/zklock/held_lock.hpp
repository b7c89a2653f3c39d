#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <cstdint>
#include <optional>
#include <string>

#include <zklock/clock.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/loss.hpp>
#include <zklock/queue.hpp>

namespace zklock {

/// What one owner, or one grant without owner, has of one lock: an entry of session::grants(). It shows the past.
struct held_lock {
  std::string path;                                 ///< of the lock
  std::string node;                                 ///< of its contender, without the prefix of the chroot
  participant_kind kind = participant_kind::mutex;  ///< `read`: also what was written before, and is downgraded
  std::uint32_t permits = 0;                        ///< 0: the lock is no semaphore
  fencing_token token{};
  std::optional<std::uint64_t> owner{};  ///< owner::number(), of a thread as well; empty: none
  std::uint64_t counts = 0;              ///< how often it was acquired, and not released
  boot_clock::time_point since{};        ///< the grant
  boot_clock::time_point valid_until{};  ///< as grant::valid_until()
  loss_reason lost = loss_reason::none;  ///< none: it is held
};

}  // namespace zklock
