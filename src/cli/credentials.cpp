#include "src/cli/credentials.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "src/cli/usage_error.hpp"

namespace zklock::cli {
namespace {

constexpr std::size_t length_max = 4096;

class open_file {
 public:
  explicit open_file(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  const int number_;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw usage_error("the file of --auth-file \"" + path + "\" " + why);
}

[[noreturn]] void refuse_unreadable(const std::string& path) {
  refuse(path, std::string("cannot be read: ") + std::strerror(errno));
}

std::string content_of(const open_file& file, const std::string& path) {
  std::string content;
  std::array<char, 512> part{};
  for (;;) {
    const ssize_t length = read(file.number(), part.data(), part.size());
    if (length < 0 && errno != EINTR) {
      refuse_unreadable(path);
    }
    if (length == 0) {
      return content;
    }
    content.append(part.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    if (content.size() > length_max) {
      refuse(path, "is longer than " + std::to_string(length_max) + " bytes");
    }
  }
}

}  // namespace

std::string read_credentials(const std::string& path) {
  const open_file file(path);
  struct stat about {};
  if (file.number() < 0 || fstat(file.number(), &about) != 0) {
    refuse_unreadable(path);
  }
  if (!S_ISREG(about.st_mode)) {  // a pipe could stop the command before it hears a signal
    refuse(path, "is no regular file");
  }
  if (about.st_uid != geteuid() && about.st_uid != 0) {
    refuse(path, "belongs to another user");
  }
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    refuse(path, "may be used by others: chmod 600 \"" + path + "\"");
  }
  std::string content = content_of(file, path);
  if (content.ends_with('\n')) {
    content.pop_back();
  }
  const std::size_t colon = content.find(':');
  const bool is_one_line = content.find_first_of(std::string_view("\n\r\0", 3)) == std::string::npos;
  if (colon == 0 || colon == std::string::npos || !is_one_line) {
    refuse(path, "does not contain one line USER:PASSWORD");
  }
  if (content.find_first_of(" \t") < colon) {
    refuse(path, "has white space in front of the colon: its one line is USER:PASSWORD, without a scheme");
  }
  return content;
}

session_options with_access(const access_arguments& wanted, session_options options) {
  if (!wanted.auth_file.empty()) {
    options.auth = read_credentials(wanted.auth_file);
  }
  if (wanted.for_creator_only) {
    options.acl = acl_creator();
  }
  return options;
}

}  // namespace zklock::cli
