#include "src/engine/terms_warning.hpp"

#include <utility>

namespace zklock::engine {
namespace {

std::string milliseconds_text(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

std::vector<std::string> terms_warning::of(std::chrono::milliseconds granted, const recipes::deadline_terms& terms,
                                           bool asked) {
  std::vector<std::string> lines;
  if (granted != timeout_ && asked && !std::exchange(told_timeout_, true)) {
    lines.push_back("the server grants a session timeout of " + milliseconds_text(granted) + " instead of " +
                    milliseconds_text(timeout_));
  }
  const std::chrono::nanoseconds wanted = margin_.count() > 0 ? margin_ : terms.default_margin();
  if (wanted > terms.margin && told_margin_ != terms.margin) {
    told_margin_ = terms.margin;
    lines.push_back("a session timeout of " + milliseconds_text(terms.timeout) + " and a tick of " +
                    milliseconds_text(terms.tick) + " leave a margin of " + milliseconds_text(terms.margin) +
                    " at the most, not " + milliseconds_text(wanted));
  }
  return lines;
}

}  // namespace zklock::engine
