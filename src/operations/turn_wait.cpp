#include "src/operations/turn_wait.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

namespace zklock::operations {

void turn_wait::go_on(engine::out& wants) {
  if (came_) {
    answer({true, {}}, wants);
  }
}

void turn_wait::timer(engine::out& wants) {
  if (when_late_ && when_late_->due_at <= wants.session().now) {
    if (log_line line = std::exchange(when_late_, nullptr)->ask(); !line.text.empty()) {
      wants.log(std::move(line));
    }
  }
  if (until_ && *until_ <= wants.session().now) {  // without a connection it cannot know the queue
    stop(wants.session().connected ? detail::failure() : detail::failure{errc::not_connected}, wants);
  }
}

std::optional<engine::instant> turn_wait::due() const {
  if (!when_late_) {
    return until_;
  }
  return until_ ? std::min(*until_, when_late_->due_at) : when_late_->due_at;
}

void turn_wait::answer(turn_wait_result result, engine::out& wants) {
  if (const auto told = std::exchange(told_, nullptr)) {
    told->complete(std::move(result));
    wants.finish();
  }
}

}  // namespace zklock::operations
