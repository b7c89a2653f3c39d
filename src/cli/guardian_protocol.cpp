#include "src/cli/guardian_protocol.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace zklock::cli {
namespace {

ssize_t size_of_next(int descriptor) { return recv(descriptor, nullptr, 0, MSG_PEEK | MSG_TRUNC); }

}  // namespace

std::pair<message_socket, message_socket> message_socket::pair() {
  std::array<int, 2> ends{-1, -1};
  const int result = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data());
  owned_descriptor first(result < 0 ? result : ends[0], "socketpair");
  return {message_socket(std::move(first)), message_socket(owned_descriptor(ends[1], "socketpair"))};
}

bool message_socket::send(std::string_view bytes) {
  return ::send(descriptor_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::optional<std::string> message_socket::receive() {
  ssize_t size = size_of_next(descriptor_.get());
  if (size < 0 &&
      errno == ECONNRESET) {  // it is gone and has left ours unread. That is told once; what it said still comes
    size = size_of_next(descriptor_.get());
  }
  if (size <= 0) {
    connected_ = connected_ && size < 0 && (errno == EAGAIN || errno == EINTR);
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  recv(descriptor_.get(), bytes.data(), bytes.size(), 0);
  return bytes;
}

}  // namespace zklock::cli
