#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "recipes/answer_chain.hpp"

namespace zklock::recipes {

enum class request_kind : std::uint8_t { sync, write };

/// From when on the next beat is due: counted from the last request, since a session's own requests stand for beats.
/// Those that are refused do not, since their answers prove nothing: then the last beat counts, or where there was none
/// the first refused request, however many follow (F174). A beat counts also when it is refused.
class beat_pace {
 public:
  explicit beat_pace(instant opened = instant{0}) noexcept { any_.last = opened; }

  void sent(request_kind kind, instant now) noexcept;
  /// It is a beat, besides.
  void beat(request_kind kind, instant now) noexcept;
  void refused(request_kind kind, instant sent_at) noexcept;
  void proven(request_kind kind) noexcept;

  [[nodiscard]] instant last() const noexcept { return any_.counts().value_or(instant{0}); }
  [[nodiscard]] std::optional<instant> last_beat() const noexcept { return any_.beat; }
  /// Of the writes; nothing: none was sent.
  [[nodiscard]] std::optional<instant> last_write() const noexcept { return writes_.counts(); }

 private:
  struct sendings {
    std::optional<instant> last;
    std::optional<instant> beat;
    std::optional<instant> refused;  ///< the first since an answer has proven something
    [[nodiscard]] std::optional<instant> counts() const noexcept { return std::max(refused ? refused : last, beat); }
  };
  sendings any_;
  sendings writes_;
};

}  // namespace zklock::recipes
