#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <zklock/queue.hpp>
#include <zklock/session.hpp>

#include "src/api/latest_view.hpp"
#include "src/api/session_impl.hpp"
#include "src/operations/follow_queue.hpp"

namespace zklock::detail {

/// The head of a lock's queue, as it was seen last.
struct queue_head {
  bool current = false;     ///< false: not listed yet, or no server has been in reach since
  std::error_code error{};  ///< errc::permission_denied: an access list hides the queue; what ended the session
  bool complete = false;    ///< all of `first` was read; else some have a token of 0, and say nothing of themselves
  std::vector<participant> first{};  ///< in the order of the queue
  std::size_t holders = 0;           ///< of all
  std::size_t waiters = 0;
  std::optional<std::int64_t> limit{};  ///< as participants_list has it
  std::uint64_t grants = 0;             ///< that were seen, see operations::grants_between()
  std::uint64_t change = 0;             ///< grows by one with each change of any of these

  [[nodiscard]] std::size_t size() const noexcept { return holders + waiters; }
};

class queue_slot final : public latest_view<queue_head>, public operations::queue_listener {
 public:
  explicit queue_slot(std::string path) : path_(std::move(path)) {}
  void seen(const operations::queue_report& what, engine::out& wants) override;
  void over(std::error_code why, engine::out& wants) override;

 private:
  const std::string path_;
};

/// Follows the queue of one lock, of whatever recipe, without a lock object: see operations::follow_queue for its requests.
/// *Lifetime*: as of a session_observer.
class queue_watch {
 public:
  /// `shown`: how many of the first contenders are read. `told` is called with the head at hand, and then at each change with
  /// the latest one alone, on the session's notification thread. It must not throw. Throws errc::invalid_path.
  queue_watch(session& in, std::string_view path, std::size_t shown, std::function<void(const queue_head&)> told);
  queue_watch(const queue_watch&) = delete;
  queue_watch& operator=(const queue_watch&) = delete;
  ~queue_watch();

  /// From now on so many are read.
  void show(std::size_t shown);

 private:
  const std::shared_ptr<session_impl> session_;
  const std::shared_ptr<view_observation<queue_head>> observation_;
  const std::shared_ptr<operations::follow_queue> follows_;
};

}  // namespace zklock::detail
