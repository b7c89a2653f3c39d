#include "tests/support/loopback.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace zklock::test_support {

namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

descriptor new_socket(int flags) {
  descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (socket.get() < 0) fail("socket");
  const int one = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket;
}

int connect(const descriptor& socket, std::uint16_t port) {
  const sockaddr_in to = loopback(port);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

void set_linger(const descriptor& socket, linger how) {
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &how, sizeof how);
}

}  // namespace

void descriptor::reset() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

descriptor listen_on_loopback() {
  descriptor socket = new_socket(SOCK_NONBLOCK);
  const sockaddr_in any = loopback(0);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) fail("bind");
  if (::listen(socket.get(), SOMAXCONN) != 0) fail("listen");
  return socket;
}

std::uint16_t local_port(const descriptor& socket) {
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) fail("getsockname");
  return ntohs(bound.sin_port);
}

descriptor connect_to_loopback(std::uint16_t port) {
  descriptor socket = new_socket(0);
  if (connect(socket, port) != 0) fail("connect");
  return socket;
}

descriptor begin_connecting_to_loopback(std::uint16_t port) {
  descriptor socket = new_socket(SOCK_NONBLOCK);
  if (connect(socket, port) != 0 && errno != EINPROGRESS) fail("connect");
  return socket;
}

void reset_on_close(const descriptor& socket) { set_linger(socket, {.l_onoff = 1, .l_linger = 0}); }

void close_politely(const descriptor& socket) { set_linger(socket, {.l_onoff = 0, .l_linger = 0}); }

}  // namespace zklock::test_support
