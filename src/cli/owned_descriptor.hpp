#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace zklock::cli {

/// Owns a file descriptor, or none.
class owned_descriptor {
 public:
  owned_descriptor() = default;
  /// Takes what a system call has returned. Throws std::system_error, naming the call, when that has failed.
  owned_descriptor(int number, const char* call) : number_(number) {
    if (number < 0) {
      throw std::system_error(errno, std::generic_category(), call);
    }
  }
  owned_descriptor(owned_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  owned_descriptor& operator=(owned_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~owned_descriptor() { reset(); }

  /// -1: none. poll() passes over that.
  [[nodiscard]] int get() const noexcept { return number_; }
  /// To what closes it from here on.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  void reset() noexcept {
    if (number_ >= 0) {
      close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

}  // namespace zklock::cli
