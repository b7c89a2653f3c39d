#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "recipes/contender.hpp"
#include "tests/unit/recipes/contender_words.hpp"
#include "tests/unit/recipes/queue_with_members.hpp"

namespace zklock::recipes::words {

/// All that it can be at.
inline constexpr std::string_view states_of_a_contender[] = {
    "idle",     "entering", "unsettled", "searching", "settling",  "listing",  "storing", "interrupted",
    "watching", "waiting",  "granted",   "removing",  "unremoved", "finished", "resting"};
[[nodiscard]] std::string_view state_of(const contender& one);

/// What of its own session stands beside a contender.
enum class company : std::uint8_t {
  none,
  in_a_row,              ///< an exclusive holder right before it: `before_name_of()`
  followed,              ///< an exclusive contender right behind it, which waits for it
  alone_before,          ///< `before_name_of()` was alone, and has gone
  alone_before_watched,  ///< and a watch stands on the lock node
};

/// A contender that words are told to.
class told_contender {
 public:
  explicit told_contender(bool one_try = false) : told_contender(acquire_spec{}, one_try) {}
  explicit told_contender(const acquire_spec& wanted, bool one_try = false, bool created_in_transaction = false,
                          company has = company::none, const limit_node& known = {});

  /// The actions that the last of these words has led to.
  std::string tell(std::string_view several);
  [[nodiscard]] std::string state() const { return std::string(state_of(machine())); }
  [[nodiscard]] const contender& machine() const { return session_->machine; }

 private:
  /// What must not move.
  struct session {
    contender machine;
    contender before;
    contender behind;
    queue_with_members queue;
  };

  void begin_before();
  void begin_behind();
  void end_alone();

  company has_;
  std::unique_ptr<session> session_;
};

/// What leads a mutex's contender there.
inline constexpr std::string_view to_waiting =
    "connected created:ok listed:behind_one predecessor_watched:ok own_watched:ok ";
inline constexpr std::string_view to_waiting_behind_two =
    "connected created:ok listed:behind_two predecessor_watched:ok look_after_own own_watched:ok ";
inline constexpr std::string_view to_granted = "connected created:ok listed:first ";
inline constexpr std::string_view to_unsettled = "connected created:loss listed:loss ";

inline told_contender after(std::string_view events) {
  told_contender contender;
  contender.tell(events);
  return contender;
}

}  // namespace zklock::recipes::words
