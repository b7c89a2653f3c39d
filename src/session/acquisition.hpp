#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "recipes/code.hpp"
#include "recipes/queue.hpp"
#include "src/client/client.hpp"
#include "src/session/hold.hpp"

namespace zklock::detail {

/// A lock node as the session needs it. Immutable; shared by the lock object and its acquisitions.
struct lock_target {
  std::string path;   ///< as the user named it
  std::string label;  ///< for people: in the contenders' data
  client::acl acl;    ///< of the contenders and of what has to be made above them
  recipes::queue_policy policy = recipes::mutex_policy;
};

/// One call to acquire, until it is answered: exactly once, by granted() or refused(). Made by the caller, kept alive by
/// both sides. Its members are the session's business, on its strand.
class acquisition {
 public:
  acquisition(std::shared_ptr<const lock_target> lock, bool one_try, std::optional<instant> limit)
      : target(std::move(lock)), once(one_try), until(limit) {}
  acquisition(const acquisition&) = delete;
  acquisition& operator=(const acquisition&) = delete;
  virtual ~acquisition() = default;

  virtual void granted(std::shared_ptr<hold> proof) noexcept = 0;
  /// No error: not in time, and the queue was seen. `answer` is ZooKeeper's code behind an error, or ok.
  virtual void refused(std::error_code why, recipes::code answer) noexcept = 0;

  const std::shared_ptr<const lock_target> target;
  const bool once;                     ///< do not wait behind anybody
  const std::optional<instant> until;  ///< nothing: no limit
  std::uint64_t contender = 0;         ///< the one that stands for it now; 0 when it is answered
  bool queue_seen = false;             ///< by one of its contenders
};

/// Who waits for the confirmation of a release. Answered exactly once.
class release_listener {
 public:
  virtual ~release_listener() = default;
  virtual void released(std::error_code result, recipes::code answer) noexcept = 0;
};

}  // namespace zklock::detail
