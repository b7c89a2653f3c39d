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
  for (sendings* const of : {&any_, kind == request_kind::write ? &writes_ : &any_}) {
    of->refused = of->refused.value_or(of->beat.value_or(sent_at));  // what it has put off counts from the beat before
  }
}

void beat_pace::proven(request_kind kind) noexcept {
  any_.refused.reset();
  if (kind == request_kind::write) {
    writes_.refused.reset();
  }
}

}  // namespace zklock::recipes
