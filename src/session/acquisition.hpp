#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "recipes/code.hpp"
#include "recipes/contender.hpp"
#include "src/engine/failure.hpp"
#include "src/engine/hold.hpp"
#include "src/engine/retry_pace.hpp"
#include "src/operations/lock_target.hpp"

namespace zklock::detail {

/// What is wanted of one lock.
struct wanted_part {
  std::shared_ptr<const lock_target> target;
  recipes::claim claim{};
};

/// One call to acquire, until it is answered: exactly once, by granted() or refused(). Made by the caller, kept alive by
/// both sides. Its members are the session's business, on its strand.
class acquisition {
 public:
  /// `whole`: the parts are those of a multi-lock, be it one. Otherwise there is one.
  acquisition(std::vector<wanted_part> wanted, bool whole, bool one_try, std::optional<instant> limit)
      : parts(std::move(wanted)), of_multi_lock(whole), once(one_try), until(limit), agreed(parts.size(), false) {}
  acquisition(const acquisition&) = delete;
  acquisition& operator=(const acquisition&) = delete;
  virtual ~acquisition() = default;

  /// Of a multi-lock: the whole hold, which has the parts' holds.
  virtual void granted(std::shared_ptr<hold> proof) noexcept = 0;
  virtual void refused(failure why) noexcept = 0;

  const std::vector<wanted_part> parts;
  const bool of_multi_lock;
  const bool once;                     ///< do not wait behind anybody
  const std::optional<instant> until;  ///< nothing: no limit
  bool abandoned = false;              ///< perhaps before the session has it: the lock object has gone
  std::uint64_t contender = 0;         ///< the one (or the group) that stands for it now; 0 when it is answered
  bool queue_seen = false;             ///< by one of its contenders
  bool lock_nodes_missing = false;     ///< one of its transactions has found it so
  retry_pace pace;                     ///< of the contender that stood for it before
  std::vector<bool> agreed;            ///< by part: its claim was compared with the semaphore's limit
};

/// Who waits for the confirmation of a release. Answered exactly once.
class release_listener {
 public:
  virtual ~release_listener() = default;
  virtual void released(std::error_code result, recipes::code answer) noexcept = 0;
};

}  // namespace zklock::detail
