#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "examples/demo/event.hpp"
#include "examples/demo/options.hpp"
#include "examples/demo/spawn.hpp"

namespace demo {

/// A signal that asks the demo to end has come.
struct interrupted {
  int number = 0;
};

/// The worker processes, numbered from 1: what they say, and what is done to them. None outlives this object.
class crew {
 public:
  /// Blocks SIGINT, SIGTERM and SIGHUP in this process and in the workers: next() throws `interrupted` for them.
  crew(const options& chosen, const std::filesystem::path& store, const std::string& lock);
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  /// What one of them says next; nothing when the time has come, or all have ended. In the order in which they said it:
  /// a worker that speaks after a release of another has heard of it from the servers.
  [[nodiscard]] std::optional<event> next(clock::time_point until);
  /// Whether all of them have ended.
  [[nodiscard]] bool gone() const { return gone_; }

  /// Lets a worker that waits go on: to begin, or to write.
  void leave(int worker);
  /// SIGSTOP. Once it returns, the worker does nothing and has said all it has to say. False if it has ended.
  bool stop(int worker);
  void go_on(int worker);
  void kill(int worker);

  /// The exit statuses, 128+n after signal n. Waits for the end of all.
  [[nodiscard]] std::vector<int> statuses();

 private:
  struct process {
    pid_t pid = 0;
    descriptor leave{};
    std::optional<int> status{};
  };
  process& find(int worker) { return processes_.at(static_cast<std::size_t>(worker - 1)); }
  std::optional<event> next_line();

  descriptor signals_;
  descriptor lines_{};
  std::string unread_{};
  bool gone_ = false;
  std::vector<process> processes_{};
};

}  // namespace demo
