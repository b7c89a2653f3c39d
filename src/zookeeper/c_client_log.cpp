#include "src/zookeeper/c_client_log.hpp"

#include <algorithm>
#include <utility>

namespace zklock::client {

c_client_line parse_c_client_line(std::string_view line) noexcept {
  constexpr std::string_view mark = ":ZOO_";
  line = line.substr(0, line.find_last_not_of('\n') + 1);  // some of its lines end with one, most do not
  c_client_line parsed{log_level::warning, line};
  const auto at = line.find(mark);
  if (at == std::string_view::npos) {
    return parsed;
  }
  const std::string_view rest = line.substr(at + mark.size());
  const auto end = rest.find('@');
  if (end == std::string_view::npos) {
    return parsed;
  }
  const std::string_view name = rest.substr(0, end);
  if (name == "ERROR") {
    parsed.level = log_level::error;
  } else if (name == "INFO") {
    parsed.level = log_level::info;
  } else if (name == "DEBUG") {
    parsed.level = log_level::debug;
  }
  parsed.text = rest.substr(end + 1);
  return parsed;
}

std::string connection_failure_of(std::string_view line) {
  // "Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused to accept the client"
  constexpr std::string_view socket = "Socket ", code = " zk retcode=", number = "errno=";
  const auto from = line.find(socket);
  const auto to = line.find(code, from == std::string_view::npos ? line.size() : from);
  const auto reason = line.find('(', line.find(number, to == std::string_view::npos ? line.size() : to));
  const auto end = line.find("):", reason == std::string_view::npos ? line.size() : reason);
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string_view server = line.substr(from + socket.size(), to - from - socket.size());
  // The C client's own word for a stream that has ended is errno 112: "Host is down".
  const bool ended = line.substr(end).find("failed while receiving") != std::string_view::npos &&
                     line.find("errno=112(", to) != std::string_view::npos;
  return std::string(server).append(": ").append(ended ? "the server closed the connection"
                                                       : line.substr(reason + 1, end - reason - 1));
}

void connection_failure::note(std::string_view line) {
  if (std::string met = connection_failure_of(line); !met.empty()) {
    const scoped_lock_on lock(mutex_);
    text_.swap(met);
  }
}

void connection_failure::forget() {
  const scoped_lock_on lock(mutex_);
  text_.clear();
}

std::string connection_failure::text() const {
  const scoped_lock_on lock(mutex_);
  return text_;
}

std::string connection_failure::closed_by() const {
  const std::string last = text();
  constexpr std::string_view server_closed = ": the server closed the connection", reset = ": Connection reset by peer";
  for (const std::string_view end : {server_closed, reset}) {
    if (last.ends_with(end)) {
      return last.substr(0, last.size() - end.size());
    }
  }
  return {};
}

line_limit::verdict line_limit::ask(std::chrono::nanoseconds now) noexcept {
  const double elapsed = std::chrono::duration<double>(now - last_).count();
  tokens_ = std::min(burst_, tokens_ + elapsed * per_second_);
  last_ = now;
  if (tokens_ < 1) {
    ++suppressed_;
    return {};
  }
  tokens_ -= 1;
  return {true, std::exchange(suppressed_, 0)};
}

}  // namespace zklock::client
