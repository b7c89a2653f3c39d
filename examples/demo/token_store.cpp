#include "examples/demo/token_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>

namespace demo {

namespace {

/// The file, to itself for as long as this lives.
class locked_file {
 public:
  explicit locked_file(const std::filesystem::path& name)
      : name_(name.string()), file_(::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) fail();
    while (::flock(file_, LOCK_EX) != 0) {
      if (errno != EINTR) close_and_fail();
    }
  }
  ~locked_file() { ::close(file_); }  // and so unlocks
  locked_file(const locked_file&) = delete;
  locked_file& operator=(const locked_file&) = delete;

  [[nodiscard]] token_store::contents read() const {
    std::array<char, 64> line{};
    const ssize_t size = ::pread(file_, line.data(), line.size() - 1, 0);
    if (size < 0) fail();
    if (size == 0) return {};
    long long value = 0;
    long long token = 0;
    int used = 0;
    if (std::sscanf(line.data(), "%lld %lld\n%n", &value, &token, &used) != 2 || used != size) {
      throw std::runtime_error(name_ + " is no store: '" + line.data() + "'");
    }
    return {value, token};
  }

  /// Always as many characters, by one call: a process that is killed meanwhile leaves the old line or the new one.
  void write(const token_store::contents& now) const {
    std::array<char, 64> line{};
    const int size = std::snprintf(line.data(), line.size(), "%20lld %20lld\n", static_cast<long long>(now.value),
                                   static_cast<long long>(now.token));
    if (::pwrite(file_, line.data(), static_cast<std::size_t>(size), 0) != size) fail();
  }

 private:
  [[noreturn]] void fail() const { throw std::system_error(errno, std::generic_category(), name_); }
  [[noreturn]] void close_and_fail() const {
    const int error = errno;
    ::close(file_);
    throw std::system_error(error, std::generic_category(), name_);
  }

  std::string name_;
  int file_;
};

}  // namespace

std::optional<token_store::contents> token_store::read(std::int64_t token) {
  const locked_file file(file_);
  contents now = file.read();
  if (token < now.token) return std::nullopt;
  now.token = token;
  file.write(now);
  return now;
}

bool token_store::write(std::int64_t value, std::int64_t token) {
  const locked_file file(file_);
  if (token < file.read().token) return false;
  file.write({value, token});
  return true;
}

token_store::contents token_store::look() const { return locked_file(file_).read(); }

}  // namespace demo
