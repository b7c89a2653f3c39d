#pragma once

#include <zklock/zklock.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace zklock::test {

using instant = boot_clock::time_point;

/// What a holder could know of its hold, and when.
struct hold_record {
  instant last_yes{};               ///< when the last question was asked that held() has answered with yes
  std::optional<instant> first_no;  ///< when the first no was there; none: given back before
  std::optional<instant> noticed;   ///< when the callback on lost() ran
  int notices = 0;                  ///< how often it did
  loss_reason reason = loss_reason::none;
  instant valid_until{};                                                  ///< at the end
  std::chrono::nanoseconds least_lead = std::chrono::nanoseconds::max();  ///< see note_lead_from_now()
};

/// Asks a grant over and over whether it is held, on a thread of its own.
class observed_hold {
 public:
  explicit observed_hold(grant held);
  observed_hold(const observed_hold&) = delete;
  observed_hold& operator=(const observed_hold&) = delete;
  ~observed_hold();

  [[nodiscard]] bool says_no() const { return said_no_; }
  [[nodiscard]] bool noticed() const { return notices_ > 0; }
  /// From here on the least is kept that valid_until() was ahead of the clock while it was held.
  void note_lead_from_now() { notes_lead_ = true; }
  /// Stops asking, and gives the grant back; what has been seen until then.
  hold_record finish();

 private:
  void ask_until(const std::stop_token& stop);

  grant held_;  ///< the thread's, while it runs
  hold_record seen_;
  std::atomic<bool> said_no_ = false;
  std::atomic<bool> notes_lead_ = false;
  std::atomic<int> notices_ = 0;
  std::atomic<instant::rep> noticed_at_ = 0;
  std::stop_callback<std::function<void()>> notice_;
  std::jthread asking_;
};

}  // namespace zklock::test
