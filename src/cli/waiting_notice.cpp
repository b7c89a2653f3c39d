#include "src/cli/waiting_notice.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <vector>

#include <zklock/mutex.hpp>

#include "src/cli/complain.hpp"
#include "src/cli/wait_description.hpp"

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

bool is_ours(const participant& one) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return one.pid == getpid() && one.host == host.data();
}

/// The queue up to ourselves.
std::vector<participant> ahead_of_us(std::vector<participant> queue) {
  const auto ours = std::find_if(queue.rbegin(), queue.rend(), is_ours);
  if (ours != queue.rend()) {
    queue.erase(ours.base() - 1, queue.end());
  }
  return queue;
}

/// Whether somebody was in our way there.
bool tell_of(session& session, const std::string& path, const std::stop_token& stop) {
  recursive_mutex lock(session, path, {.label = {}, .acl = {}, .try_limit = listing_limit});
  std::error_code ec;
  const std::vector<participant> ahead = ahead_of_us(lock.queue(ec));
  if (ec || ahead.empty() || stop.stop_requested()) return false;
  complain(describe_wait(path, ahead, terminal_characters()));
  return true;
}

void tell(session& session, const run_arguments& wanted, const std::stop_token& stop) {
  if (stopped_within(moment, stop)) return;
  for (const std::string& path : wanted.paths) {
    if (stop.stop_requested() || tell_of(session, path, stop)) return;
  }
}

}  // namespace

waiting_notice::waiting_notice(session& session, const run_arguments& wanted)
    : telling_([&session, &wanted](const std::stop_token& stop) {
        try {
          tell(session, wanted, stop);
        } catch (const std::exception&) {  // whoever waits for the lock meets it too, and says so
        }
      }) {}

}  // namespace zklock::cli
