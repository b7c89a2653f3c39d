#include "src/cli/waiting_notice.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include <zklock/zklock.hpp>

#include "src/api/participants_list.hpp"
#include "src/cli/blocking_participants.hpp"
#include "src/cli/print_error.hpp"
#include "src/cli/wait_description.hpp"

namespace zklock::cli {
namespace {

using namespace std::chrono_literals;

/// A lock that comes within that was not waited for.
constexpr auto moment = 100ms;
constexpr auto list_time_limit = 1'000ms;

bool stopped_within(std::chrono::milliseconds limit, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  return !never.wait_for(lock, stop, limit, [] { return false; }) && stop.stop_requested();
}

std::vector<participant> ask_who_blocks(const lock_view& of, const lock_kind& kind) {
  detail::participants_list seen = detail::list_queue(of, list_time_limit);
  seen.queue.resize(seen.before_us);
  return blocking_participants(std::move(seen.queue), kind);
}

/// Whether a contender was in our way there. Without an answer none: the thread that waits for the lock meets the reason too, and
/// says so.
bool print_wait_for(const lock_view& one, const lock_kind& kind, const std::stop_token& stop) try {
  const std::vector<participant> others = ask_who_blocks(one, kind);
  if (others.empty() || stop.stop_requested()) return false;
  print_error(describe_wait(one.path(), others, terminal_characters()));
  return true;
} catch (const error&) {
  return false;
}

void print_waits(const named_locks& locks, const lock_kind& kind, const std::stop_token& stop) {
  if (stopped_within(moment, stop)) return;
  for (const lock_view& one : locks.views()) {
    if (stop.stop_requested() || print_wait_for(one, kind, stop)) return;
  }
}

}  // namespace

waiting_notice::waiting_notice(const named_locks& locks, const lock_kind& kind)
    : telling_([&locks, &kind](const std::stop_token& stop) {
        try {
          print_waits(locks, kind, stop);
        } catch (const std::exception&) {  // the thread that waits for the lock meets it too, and says so
        }
      }) {}

}  // namespace zklock::cli
