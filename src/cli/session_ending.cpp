#include "src/cli/session_ending.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "src/api/session_end.hpp"
#include "src/cli/exit_status.hpp"
#include "src/cli/guardian_process.hpp"
#include "src/cli/library_log.hpp"
#include "src/cli/own_program.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

/// The next of the texts that to_words() has put one behind the other.
std::optional<std::string_view> next_word(std::string_view& words) {
  const std::size_t colon = words.find(':');
  std::size_t size = 0;
  if (colon == words.npos || std::from_chars(words.data(), words.data() + colon, size).ptr != words.data() + colon ||
      size > words.size() - colon - 1) {
    return std::nullopt;
  }
  const std::string_view word = words.substr(colon + 1, size);
  words.remove_prefix(colon + 1 + size);
  return word;
}

template <class Number>
bool read_number(std::string_view word, Number& into) {
  return std::from_chars(word.data(), word.data() + word.size(), into).ptr == word.data() + word.size();
}

std::string id_text(std::int64_t id) {
  std::array<char, 17> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), static_cast<std::uint64_t>(id), 16).ptr;
  return "0x" + std::string(digits.begin(), end);
}

void say_failed(const std::string& why) {
  print_error("killed, and its session could not be ended: " + why + "; it ends with its timeout");
}

std::string all_of_stdin() {
  std::string all;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t size = read(STDIN_FILENO, part.data(), part.size());
    if (size == 0 || (size < 0 && errno != EINTR)) {
      return all;
    }
    all.append(part.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  }
}

}  // namespace

std::string to_words(const session_ending& what) {
  std::string all;
  for (const std::string& word :
       {what.servers, what.auth, std::to_string(what.id), what.password, std::to_string(what.timeout.count())}) {
    all += std::to_string(word.size()) + ':' + word;
  }
  return all;
}

std::optional<session_ending> from_words(std::string_view words) {
  session_ending told;
  std::array<std::string_view, 5> found{};
  for (std::string_view& each : found) {
    const auto word = next_word(words);
    if (!word) {
      return std::nullopt;
    }
    each = *word;
  }
  std::int64_t timeout = 0;
  if (!words.empty() || !read_number(found[2], told.id) || !read_number(found[4], timeout)) {
    return std::nullopt;
  }
  told.servers = found[0];
  told.auth = found[1];
  told.password = found[3];
  told.timeout = std::chrono::milliseconds(timeout);
  return told;
}

void execute_session_end(const std::string& words) {
  std::array<int, 2> ends{-1, -1};
  // It has room for all of it, or it is not done: nobody reads yet.
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0 ||
      write(ends[1], words.data(), words.size()) != static_cast<ssize_t>(words.size()) || close(ends[1]) != 0 ||
      dup2(ends[0], STDIN_FILENO) < 0) {
    say_failed(std::strerror(errno));
    return;
  }
  std::string name = std::string(guardian_name), argument(end_session_argument);
  const std::array<char*, 3> arguments{name.data(), argument.data(), nullptr};
  execute_own_program(arguments.data());
  say_failed(std::strerror(errno));
}

bool is_session_end(int count, char** values) {
  struct stat in {};
  return count == 2 && values[1] == end_session_argument && fstat(STDIN_FILENO, &in) == 0 && S_ISFIFO(in.st_mode);
}

int end_session_of_stdin() {
  prctl(PR_SET_NAME, guardian_name.data());
  set_library_log(false);
  const auto what = from_words(all_of_stdin());
  if (!what) {
    return exit_status::internal_error;
  }
  const std::string why = detail::end_session(what->servers, {what->id, what->password}, what->auth, what->timeout);
  if (!why.empty()) {
    say_failed(id_text(what->id) + ": " + why);
    return exit_status::unavailable;
  }
  return 0;
}

}  // namespace zklock::cli
