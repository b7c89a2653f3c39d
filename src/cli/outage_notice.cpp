#include "src/cli/outage_notice.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

using clock = std::chrono::steady_clock;

}  // namespace

outage_notice::outage_notice(const session& of, std::function<void()> on_end)
    : session_(of), on_end_(std::move(on_end)) {}

void outage_notice::look() {
  const session_state state = session_.state();
  if (state == session_state::authentication_failed || state == session_state::closed) {
    return;  // the wait ends, and says why
  }
  switch (watch_.look(state == session_state::connected, clock::now())) {
    case outage_watch::news::none: break;
    case outage_watch::news::begun: print_error(describe_no_server(session_) + "; still trying"); break;
    case outage_watch::news::over:
      print_error("a server is in reach again");
      on_end_();
      break;
  }
}

int outage_notice::milliseconds_left() const {
  const auto next = watch_.next_look();
  if (!next) {
    return -1;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::string describe_no_server(const session& of) {
  const std::string why = of.last_connection_failure();
  return "no server is in reach" + (why.empty() ? std::string() : " (" + why + ")");
}

}  // namespace zklock::cli
