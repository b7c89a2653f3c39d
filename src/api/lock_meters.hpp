#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/engine/meters.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// What is counted of the locks of a session, by their names. Any thread.
class lock_meters {
 public:
  /// Programs give names, not paths: more would cost whoever stores them too much.
  static constexpr std::size_t names_max = 100;

  /// That of its name, or where there are too many names that of "other". `first_of_others`: from here on there are.
  [[nodiscard]] std::shared_ptr<lock_meter> of(std::string_view name, lock_class what, bool& first_of_others)
      ZKLOCK_EXCLUDES(mutex_);
  /// By name and class.
  [[nodiscard]] std::vector<std::shared_ptr<lock_meter>> all() const ZKLOCK_EXCLUDES(mutex_);

 private:
  mutable annotated_mutex mutex_;
  std::map<std::pair<std::string, lock_class>, std::shared_ptr<lock_meter>> meters_ ZKLOCK_GUARDED_BY(mutex_);
  std::size_t names_ ZKLOCK_GUARDED_BY(mutex_) = 0;
  bool has_others_ ZKLOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace zklock::detail
