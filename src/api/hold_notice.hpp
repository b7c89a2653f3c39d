#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "src/engine/hold.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {

/// Tells the callbacks of one hold that it is lost. Any thread; the tokens outlive it.
class hold_notice {
 public:
  /// `stop_requested` once the loss is announced.
  [[nodiscard]] std::stop_token token() {
    const scoped_lock_on lock(mutex_);
    if (!source_) {
      source_.emplace();
      if (announced_) {
        source_->request_stop();  // there is no callback on it yet
      }
    }
    return source_->get_token();
  }

  /// Runs the callbacks, here. Later calls do nothing.
  void announce() noexcept {
    std::optional<std::stop_source> source;
    {
      const scoped_lock_on lock(mutex_);
      if (std::exchange(announced_, true)) {
        return;
      }
      source = source_;
    }
    if (source) {
      const user_code_scope inside;
      source->request_stop();  // with no mutex held
    }
  }

 private:
  annotated_mutex mutex_;
  std::optional<std::stop_source> source_ ZKLOCK_GUARDED_BY(mutex_);  ///< made when a token is asked for
  bool announced_ ZKLOCK_GUARDED_BY(mutex_) = false;
};

/// A hold with a notice beside it.
[[nodiscard]] inline std::shared_ptr<hold> make_noticed_hold(hold_facts of) {
  struct noticed {
    explicit noticed(hold_facts&& facts) : one(std::move(facts), &notice) {}
    hold_notice notice;
    hold one;
  };
  const auto both = std::make_shared<noticed>(std::move(of));
  return {both, &both->one};
}

/// The token of the hold's notice. A loss that the clock shows is announced first.
[[nodiscard]] inline std::stop_token lost_token(hold& one, instant now) {
  if (!one.held_at(now) && one.why_lost() != loss_reason::none) {
    one.notice()->announce();
  }
  return one.notice()->token();
}

}  // namespace zklock::detail
