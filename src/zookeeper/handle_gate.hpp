#pragma once

#include <atomic>
#include <cstdint>

namespace zklock::client {

/// Keeps a handle from being closed while a thread is inside a call on it: zookeeper_close frees it.
class handle_gate {
 public:
  /// Being inside, if it is still open.
  class pass {
   public:
    explicit pass(handle_gate& gate) noexcept : gate_(gate), inside_(gate.enter()) {}
    pass(const pass&) = delete;
    pass& operator=(const pass&) = delete;
    ~pass() {
      if (inside_) {
        gate_.leave();
      }
    }
    explicit operator bool() const noexcept { return inside_; }

   private:
    handle_gate& gate_;
    bool inside_;
  };

  /// Lets no thread in from here on.
  void shut() noexcept { shut_ = true; }
  /// After shut(): waits until no thread is inside.
  void wait_empty() noexcept {
    for (std::int64_t inside = inside_; inside != 0; inside = inside_) {
      inside_.wait(inside);
    }
  }

 private:
  bool enter() noexcept {
    ++inside_;  // before the look at shut_, so that either wait_empty() sees us or we see shut()
    if (shut_) {
      leave();
      return false;
    }
    return true;
  }
  void leave() noexcept {
    if (--inside_ == 0 && shut_) {
      inside_.notify_all();
    }
  }

  std::atomic<bool> shut_ = false;
  std::atomic<std::int64_t> inside_ = 0;
};

}  // namespace zklock::client
