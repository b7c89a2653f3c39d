#include "src/cli/connecting.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace zklock::cli {

bool wait_connected(session& session, std::chrono::milliseconds limit, const std::stop_token& stop) {
  struct news {
    std::mutex mutex;
    std::condition_variable_any changed;
  };
  const auto shared = std::make_shared<news>();  // the observer may be running still when this returns
  session.observe([shared](const session_change&) {
    const std::scoped_lock between_look_and_wait(shared->mutex);
    shared->changed.notify_all();
  });
  std::unique_lock lock(shared->mutex);
  const bool connected =
      shared->changed.wait_for(lock, stop, limit, [&session] { return session.state() == session_state::connected; });
  lock.unlock();
  session.observe(nullptr);
  return connected;
}

}  // namespace zklock::cli
