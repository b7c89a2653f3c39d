#include "src/cli/waiting_notice.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/cli/complain.hpp"
#include "src/cli/in_our_way.hpp"
#include "src/cli/wait_description.hpp"
#include "src/locks/lock_listing.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

/// A lock that comes within that was not waited for.
constexpr auto moment = 100ms;
constexpr auto listing_limit = 1'000ms;

bool stopped_within(std::chrono::milliseconds limit, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  return !never.wait_for(lock, stop, limit, [] { return false; }) && stop.stop_requested();
}

/// Empty when there is no answer: the thread that waits for the lock meets the reason too, and says so.
std::vector<participant> ahead_of_us(const lock_view& one) try {
  detail::lock_listing seen = detail::list_queue(one, listing_limit);
  seen.queue.resize(seen.before_us);
  return std::move(seen.queue);
} catch (const error&) {
  return {};
}

/// Whether a contender was in our way there.
bool tell_of(const lock_view& one, const lock_kind& kind, const std::stop_token& stop) {
  const std::vector<participant> others = in_our_way(ahead_of_us(one), kind);
  if (others.empty() || stop.stop_requested()) return false;
  complain(describe_wait(one.path(), others, terminal_characters()));
  return true;
}

void tell(const named_locks& locks, const lock_kind& kind, const std::stop_token& stop) {
  if (stopped_within(moment, stop)) return;
  for (const lock_view& one : locks.views()) {
    if (stop.stop_requested() || tell_of(one, kind, stop)) return;
  }
}

}  // namespace

waiting_notice::waiting_notice(const named_locks& locks, const lock_kind& kind)
    : telling_([&locks, &kind](const std::stop_token& stop) {
        try {
          tell(locks, kind, stop);
        } catch (const std::exception&) {  // the thread that waits for the lock meets it too, and says so
        }
      }) {}

}  // namespace zklock::cli
