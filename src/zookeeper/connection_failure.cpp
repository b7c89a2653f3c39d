#include "src/zookeeper/connection_failure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace zklock::client {
namespace {

constexpr std::size_t subjects_max = 256;  ///< so that words which differ each time fill no memory

/// What the C client met with the system: errno says what. Otherwise its words do: an answer that it does not take, say.
bool is_of_the_connection(std::string_view status) {
  constexpr std::array<std::string_view, 3> of_the_connection{"-1,", "-4,", "-7,"};  // system, loss, timeout
  return std::ranges::any_of(of_the_connection, [status](std::string_view one) { return status.starts_with(one); });
}

}  // namespace

failed_attempt connection_failure_of(std::string_view line) {
  // "Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused to accept the client"
  constexpr std::string_view socket = "Socket ", code = " zk retcode=", number = "errno=", before_words = "): ";
  const auto from = line.find(socket);
  const auto to = line.find(code, from == std::string_view::npos ? line.size() : from);
  const auto reason = line.find('(', line.find(number, to == std::string_view::npos ? line.size() : to));
  const auto end = line.find(before_words, reason == std::string_view::npos ? line.size() : reason);
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string server(line.substr(from + socket.size(), to - from - socket.size()));
  const std::string_view words = line.substr(end + before_words.size());
  if (const std::string_view status = line.substr(to + code.size()); !is_of_the_connection(status)) {
    std::string text = server + ": " + std::string(words.substr(0, words.find_last_not_of('\n') + 1));
    return {text, text};
  }
  // The C client's own word for a stream that has ended is errno 112: "Host is down".
  const bool ended = words.find("failed while receiving") != std::string_view::npos &&
                     line.find("errno=112(", to) != std::string_view::npos;
  const std::string_view why = ended ? "the server closed the connection" : line.substr(reason + 1, end - reason - 1);
  return {server + ": " + std::string(why), server};
}

bool connection_failure::note(const failed_attempt& met) {
  const scoped_lock_on lock(mutex_);
  text_ = met.text;
  if (told_elsewhere_ || subjects_.size() == subjects_max ||
      std::find(subjects_.begin(), subjects_.end(), met.subject) != subjects_.end()) {
    return false;
  }
  subjects_.push_back(met.subject);
  return true;
}

void connection_failure::forget() {
  const scoped_lock_on lock(mutex_);
  text_.clear();
  subjects_.clear();
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
