#pragma once

#include <zklock/zklock.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/soak/event_log.hpp"

namespace zklock::soak {

/// A session with a lock object for each path, which all threads of the worker use.
struct generation {
  generation(session_number counted, const std::string& servers, session_options options,
             const std::vector<std::string>& paths)
      : number(counted), on(servers, std::move(options)) {
    for (const std::string& path : paths) locks.push_back(std::make_unique<recursive_mutex>(on, path));
  }
  const session_number number;
  session on;
  std::vector<std::unique_ptr<recursive_mutex>> locks;
};

/// The worker's session, which one thread may close while others wait and hold in it; they go on in the next. Any thread.
class shared_session {
 public:
  shared_session(std::string servers, std::string label, std::vector<std::string> paths, const event_log& log)
      : servers_(std::move(servers)), label_(std::move(label)), paths_(std::move(paths)), log_(log) {}

  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// A session that lasts as long as the pointer is kept; its program may close it any time.
  [[nodiscard]] std::shared_ptr<generation> current(std::chrono::milliseconds timeout_if_new) {
    const std::scoped_lock lock(mutex_);
    if (!current_) {
      current_ = std::make_shared<generation>(++made_, servers_,
                                              session_options{.timeout = timeout_if_new, .label = label_}, paths_);
    }
    return current_;
  }
  /// Ends the session, if it is still the current one. The next caller that asks gets a new one.
  void renew(const std::shared_ptr<generation>& which) {
    {
      const std::scoped_lock lock(mutex_);
      if (current_ != which) return;
      current_.reset();
    }
    log_.write(session_closing{which->number});
    const instant begin = boot_clock::now();
    std::error_code unconfirmed;  // a client out of reach of the servers cannot know
    which->on.close(unconfirmed);
    log_.write(session_renewed{boot_clock::now() - begin});
  }

 private:
  const std::string servers_;
  const std::string label_;
  const std::vector<std::string> paths_;
  const event_log& log_;
  std::mutex mutex_;
  std::shared_ptr<generation> current_;  ///< guarded by mutex_
  session_number made_ = 0;              ///< guarded by mutex_
};

}  // namespace zklock::soak
