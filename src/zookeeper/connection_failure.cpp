#include "src/zookeeper/connection_failure.hpp"

#include <algorithm>
#include <utility>

namespace zklock::client {

std::string connection_failure_of(std::string_view line) {
  // "Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused to accept the client"
  constexpr std::string_view socket = "Socket ", code = " zk retcode=", number = "errno=";
  constexpr std::string_view connection_loss = "-4,", operation_timeout = "-7,";
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
  const std::string_view code_to = line.substr(to + code.size());
  if (!code_to.starts_with(connection_loss) && !code_to.starts_with(operation_timeout)) {  // errno says nothing then
    return std::string(server).append(": ").append(
        line.substr(std::min(line.size(), end + std::string_view("): ").size())));
  }
  return std::string(server).append(": ").append(ended ? "the server closed the connection"
                                                       : line.substr(reason + 1, end - reason - 1));
}

bool connection_failure::note(std::string failure) {
  std::string server = failure.substr(0, failure.find(": "));
  const scoped_lock_on lock(mutex_);
  text_.swap(failure);
  if (told_elsewhere_ || std::find(servers_.begin(), servers_.end(), server) != servers_.end()) {
    return false;
  }
  servers_.push_back(std::move(server));
  return true;
}

void connection_failure::forget() {
  const scoped_lock_on lock(mutex_);
  text_.clear();
  servers_.clear();
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

}  // namespace zklock::client
