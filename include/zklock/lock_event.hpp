#pragma once

#include <zklock/config.hpp>  // first: it checks the compiler

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <zklock/fencing_token.hpp>
#include <zklock/loss.hpp>
#include <zklock/statistics.hpp>

namespace zklock {

namespace detail {
class lock_observation;
}

/// What becomes of one acquisition: see session::observe_locks(). Of a multi-lock each part is told by itself. Acquiring again
/// what its owner holds is not told.
struct lock_event {
  enum class happening : std::uint8_t {
    enqueued,  ///< it waits; not told of permits in Curator's layout
    granted,
    released,  ///< given back: its node goes from here on
    lost,
  };
  happening what = happening::enqueued;
  std::string path;  ///< of the lock, without the chroot
  std::string name;  ///< lock_options::name
  lock_kind kind = lock_kind::mutex;
  std::string label;        ///< in its node
  std::uint64_t owner = 0;  ///< owner::number(); 0: none
  fencing_token token{};    ///< from `granted` on
  std::size_t ahead = 0;    ///< of `enqueued`: contenders of its recipe before it in the list; 0: not known
  std::chrono::nanoseconds
      after{};  ///< granted: since the call, 0 if that began before the observer; released, lost: since the grant
  loss_reason reason = loss_reason::none;  ///< of `lost`
  std::chrono::system_clock::time_point at{};
  std::uint64_t dropped = 0;  ///< events of this session that were not told between the one before and this one
};

/// "enqueued", "granted" …
[[nodiscard]] ZKLOCK_EXPORT std::string_view to_string(lock_event::happening what) noexcept;

/// The registration of a function with session::observe_locks(). As session_observer.
class [[nodiscard]] ZKLOCK_EXPORT lock_observer {
 public:
  lock_observer() noexcept = default;
  lock_observer(lock_observer&& other) noexcept;
  lock_observer& operator=(lock_observer&& other) noexcept;
  ~lock_observer();

 private:
  friend class session;
  explicit lock_observer(std::shared_ptr<detail::lock_observation> of) noexcept : observation_(std::move(of)) {}

  std::shared_ptr<detail::lock_observation> observation_;
};

}  // namespace zklock
