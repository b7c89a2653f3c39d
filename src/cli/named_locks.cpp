#include "src/cli/named_locks.hpp"

#include <utility>

namespace zklock::cli {

named_locks::named_locks(session& session, const run_arguments& wanted) {
  for (const std::string& path : wanted.paths) {
    views_.push_back(add(session, path, wanted.kind, wanted.max_hold));
  }
  if (views_.size() > 1) {
    all_.emplace(views_);
  }
}

lock_view named_locks::add(session& session, const std::string& path, const lock_kind& kind,
                           std::chrono::milliseconds max_hold) {
  using recipe = lock_kind::recipe;
  const lock_options options{.label = {}, .acl = {}, .layout = kind.layout, .max_hold = max_hold};
  switch (kind.of) {
    case recipe::shared:
    case recipe::exclusive: {
      any_lock& made = locks_.emplace_back(std::in_place_type<shared_mutex>, session, path, options);
      auto& both = std::get<shared_mutex>(made);
      return kind.of == recipe::shared ? both.read() : both.write();
    }
    case recipe::semaphore: {
      any_lock& made = locks_.emplace_back(std::in_place_type<semaphore>, session, path, kind.limit, options);
      return std::get<semaphore>(made).permits(kind.permits);
    }
    case recipe::mutex: break;
  }
  return std::get<recursive_mutex>(locks_.emplace_back(std::in_place_type<recursive_mutex>, session, path, options));
}

}  // namespace zklock::cli
