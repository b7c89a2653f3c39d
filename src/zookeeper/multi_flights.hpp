#pragma once

#include <memory>
#include <unordered_map>

#include "src/threads/thread_safety.hpp"
#include "src/zookeeper/multi_flight.hpp"

namespace zklock::client {

/// The multis under way of one handle. Any thread.
class multi_flights {
 public:
  /// Before it is sent: the answer may come before the C client's call returns, and takes the flight away, but not before
  /// the C client is done with it.
  multi_flight& add(request_id id, request::multi&& what) ZKLOCK_EXCLUDES(mutex_);
  /// Its answer has come, or it was not sent. Null if it is not known.
  [[nodiscard]] std::unique_ptr<multi_flight> take(request_id id) ZKLOCK_EXCLUDES(mutex_);
  /// None is added from here on.
  void retire() ZKLOCK_EXCLUDES(mutex_);
  /// None is left, and none is added.
  [[nodiscard]] bool over() const ZKLOCK_EXCLUDES(mutex_);

 private:
  mutable annotated_mutex mutex_;
  std::unordered_map<request_id, std::unique_ptr<multi_flight>> under_way_ ZKLOCK_GUARDED_BY(mutex_);
  bool retired_ ZKLOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace zklock::client
