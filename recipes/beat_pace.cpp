#include "recipes/beat_pace.hpp"

namespace zklock::recipes {

void beat_pace::sent(request_kind kind, instant now) noexcept {
  any_.last = now;
  if (kind == request_kind::write) {
    writes_.last = now;
  }
}

void beat_pace::beat(request_kind kind, instant now) noexcept {
  any_.beat = now;
  if (kind == request_kind::write) {
    writes_.beat = now;
  }
}

void beat_pace::refused(request_kind kind, instant sent_at) noexcept {
  any_.refused = any_.refused.value_or(sent_at);
  if (kind == request_kind::write) {
    writes_.refused = writes_.refused.value_or(sent_at);
  }
}

void beat_pace::proven(request_kind kind) noexcept {
  any_.refused.reset();
  if (kind == request_kind::write) {
    writes_.refused.reset();
  }
}

}  // namespace zklock::recipes
