#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <zklock/loss.hpp>

#include "src/engine/hold.hpp"
#include "src/threads/thread_safety.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {

/// Is told that a hold is over.
class hold_end_listener {
 public:
  hold_end_listener() = default;
  hold_end_listener(const hold_end_listener&) = delete;
  hold_end_listener& operator=(const hold_end_listener&) = delete;
  virtual ~hold_end_listener() = default;
  /// Lost, or given back: `none`. It only posts.
  virtual void over(loss_reason why) noexcept = 0;
};

/// Tells the callbacks of one hold that it is lost, and its listeners that it is over. Any thread; the tokens outlive it.
class hold_notice {
  using listeners = std::vector<std::shared_ptr<hold_end_listener>>;

 public:
  /// False: it is over already.
  [[nodiscard]] bool add(std::shared_ptr<hold_end_listener> one) {
    const scoped_lock_on lock(mutex_);
    if (!over_) {
      if (!listeners_) {
        listeners_ = std::make_unique<listeners>();
      }
      listeners_->push_back(std::move(one));
    }
    return !over_;
  }
  /// It does not listen any more.
  void remove(const hold_end_listener& one) noexcept {
    std::shared_ptr<hold_end_listener> gone;  // with no mutex held
    const scoped_lock_on lock(mutex_);
    if (!listeners_) {
      return;
    }
    const auto found =
        std::find_if(listeners_->begin(), listeners_->end(), [&one](const auto& each) { return each.get() == &one; });
    if (found != listeners_->end()) {
      gone = std::move(*found);
      listeners_->erase(found);
    }
  }
  /// Given back, or its loss was announced.
  void end(loss_reason why) noexcept {
    std::unique_ptr<listeners> told;
    {
      const scoped_lock_on lock(mutex_);
      over_ = true;
      told.swap(listeners_);
    }
    for (std::size_t i = 0; told && i < told->size(); ++i) {
      (*told)[i]->over(why);
    }
  }

  /// `stop_requested` once the loss is announced.
  [[nodiscard]] std::stop_token token() {
    const scoped_lock_on lock(mutex_);
    return loss_.token();
  }
  /// `stop_requested` once another client has asked the holder to let go.
  [[nodiscard]] std::stop_token revocation_token() {
    const scoped_lock_on lock(mutex_);
    return revocation_.token();
  }

  /// Runs the callbacks, here. Later calls do nothing.
  void announce() noexcept { tell(&hold_notice::loss_); }
  void announce_revocation() noexcept { tell(&hold_notice::revocation_); }

 private:
  struct announcement {
    std::optional<std::stop_source> source;  ///< made when a token is asked for
    bool made = false;

    [[nodiscard]] std::stop_token token() {
      if (!source) {
        source.emplace();
        if (made) {
          source->request_stop();  // there is no callback on it yet
        }
      }
      return source->get_token();
    }
  };

  void tell(announcement hold_notice::*which) noexcept {
    std::optional<std::stop_source> source;
    {
      const scoped_lock_on lock(mutex_);
      announcement& one = this->*which;
      if (std::exchange(one.made, true)) {
        return;
      }
      source = one.source;
    }
    if (source) {
      const user_code_scope inside;
      source->request_stop();  // with no mutex held
    }
  }

  annotated_mutex mutex_;
  std::unique_ptr<listeners> listeners_ ZKLOCK_GUARDED_BY(mutex_);  ///< null: none
  announcement loss_ ZKLOCK_GUARDED_BY(mutex_);
  announcement revocation_ ZKLOCK_GUARDED_BY(mutex_);
  bool over_ ZKLOCK_GUARDED_BY(mutex_) = false;
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
