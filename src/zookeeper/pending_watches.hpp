#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/port/client.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::client {

/// The watches whose requests are under way. The C client knows a watch only from the answer on, so one that is
/// forgotten before has to be remembered until then.
class pending_watches {
 public:
  struct place {
    std::string path;
    connection::watch_kind kind = connection::watch_kind::data;
  };

  /// Before the request is sent.
  void asked(request_id request, watch_id watch) ZKLOCK_EXCLUDES(mutex_);
  /// The request was answered, or not sent. Returns the watch and its place if it has been forgotten meanwhile: the
  /// client has it now, and is to remove it.
  [[nodiscard]] std::optional<std::pair<watch_id, place>> answered(request_id request) ZKLOCK_EXCLUDES(mutex_);
  /// The client does not know the watch (yet). False if no request for it is under way.
  [[nodiscard]] bool forgotten_early(watch_id watch, std::string_view path, connection::watch_kind kind)
      ZKLOCK_EXCLUDES(mutex_);
  /// Whether a watch was ever asked for.
  [[nodiscard]] bool any_ever() const ZKLOCK_EXCLUDES(mutex_);

 private:
  mutable annotated_mutex mutex_;
  bool any_ever_ ZKLOCK_GUARDED_BY(mutex_) = false;
  std::unordered_map<request_id, watch_id> asked_ ZKLOCK_GUARDED_BY(mutex_);
  std::unordered_map<watch_id, place> forgotten_ ZKLOCK_GUARDED_BY(mutex_);
};

}  // namespace zklock::client
