#pragma once

#include <cstdint>
#include <utility>

namespace zklock::test_support {

/// Owns a file descriptor.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() { reset(); }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  [[nodiscard]] int get() const noexcept { return number_; }
  void reset() noexcept;

 private:
  int number_ = -1;
};

// TCP sockets on 127.0.0.1, closed in children that exec. They throw std::system_error.

/// On a free port; non-blocking.
[[nodiscard]] descriptor listen_on_loopback();
[[nodiscard]] std::uint16_t local_port(const descriptor& socket);
[[nodiscard]] descriptor connect_to_loopback(std::uint16_t port);
/// Returns before the connection is there; non-blocking.
[[nodiscard]] descriptor begin_connecting_to_loopback(std::uint16_t port);
/// What close() does from now on: tell the peer with a reset, and drop what has not been sent.
void reset_on_close(const descriptor& socket);
/// And the opposite: what has been sent still arrives.
void close_politely(const descriptor& socket);

}  // namespace zklock::test_support
