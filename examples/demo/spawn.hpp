#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace demo {

/// Starts a program with these two descriptors as its standard input and output, its parent's standard error, and no
/// other (the C client's sockets are not close-on-exec). Not a fork(): the caller has threads. Throws
/// std::system_error.
[[nodiscard]] pid_t spawn(const std::filesystem::path& program, std::vector<std::string> arguments, int input,
                          int output);

/// The exit status, 128+n after signal n. Waits.
[[nodiscard]] int status_of(pid_t pid);

/// The program of this name that was built with this one.
[[nodiscard]] std::filesystem::path sibling(const std::string& name);

/// A descriptor, closed at the end.
class descriptor {
 public:
  explicit descriptor(int number = -1) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();

  [[nodiscard]] int number() const noexcept { return number_; }
  void close() noexcept;

 private:
  int number_;
};

struct pipe_ends {
  descriptor read{};
  descriptor write{};
};
[[nodiscard]] pipe_ends new_pipe();

}  // namespace demo
