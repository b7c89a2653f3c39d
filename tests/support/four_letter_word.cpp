#include "tests/support/four_letter_word.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <system_error>

#include "tests/support/loopback.hpp"

namespace zklock::test_support {

namespace {

using clock = std::chrono::steady_clock;

bool readable(const descriptor& socket, clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
  pollfd entry{.fd = socket.get(), .events = POLLIN, .revents = 0};
  return left > 0 && ::poll(&entry, 1, static_cast<int>(left)) == 1;
}

}  // namespace

std::string ask_server(std::uint16_t port, std::string_view word, std::chrono::milliseconds limit) try {
  const clock::time_point deadline = clock::now() + limit;
  const descriptor socket = connect_to_loopback(port);
  if (::send(socket.get(), word.data(), word.size(), MSG_NOSIGNAL) < 0) return {};
  std::string answer;
  std::array<char, 4096> chunk{};
  while (readable(socket, deadline)) {
    const ssize_t count = ::recv(socket.get(), chunk.data(), chunk.size(), 0);
    if (count <= 0) return count == 0 ? answer : std::string{};
    answer.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return {};
} catch (const std::system_error&) {
  return {};
}

}  // namespace zklock::test_support
