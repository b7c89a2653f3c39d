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

#include <zklock/zklock.hpp>

#include "src/cli/complain.hpp"
#include "src/cli/in_our_way.hpp"
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

std::vector<participant> queue_at(session& session, const std::string& path, const lock_kind& kind,
                                  std::error_code& ec) {
  using recipe = lock_kind::recipe;
  const lock_options options{.label = {}, .acl = {}, .try_limit = listing_limit};
  switch (kind.of) {
    case recipe::shared:
    case recipe::exclusive: return shared_mutex(session, path, options).queue(ec);
    case recipe::semaphore: return semaphore(session, path, options).queue(ec);
    case recipe::mutex: break;
  }
  return recursive_mutex(session, path, options).queue(ec);
}

/// Whether somebody was in our way there.
bool tell_of(session& session, const std::string& path, const lock_kind& kind, const std::stop_token& stop) {
  std::error_code ec;
  const std::vector<participant> others = in_our_way(ahead_of_us(queue_at(session, path, kind, ec)), kind);
  if (ec || others.empty() || stop.stop_requested()) return false;
  complain(describe_wait(path, others, terminal_characters()));
  return true;
}

void tell(session& session, const run_arguments& wanted, const std::stop_token& stop) {
  if (stopped_within(moment, stop)) return;
  for (const std::string& path : wanted.paths) {
    if (stop.stop_requested() || tell_of(session, path, wanted.kind, stop)) return;
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
