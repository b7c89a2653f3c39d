#include "src/runtime/thread_number.hpp"

#include <atomic>

namespace zklock::detail {

thread_number this_thread_number() noexcept {
  static std::atomic<thread_number> last{0};
  thread_local const thread_number mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine;
}

}  // namespace zklock::detail
