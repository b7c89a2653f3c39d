#include "src/cli/full_screen.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace zklock::cli {
namespace {

constexpr std::string_view other_screen_without_cursor = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view own_screen_with_cursor = "\x1b[0m\x1b[?25h\x1b[?1049l";

bool write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EAGAIN) {  // the program that we share it with wants no waits
      pollfd room{STDOUT_FILENO, POLLOUT, 0};
      static_cast<void>(poll(&room, 1, -1));
    } else if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return true;
}

}  // namespace

bool full_screen::is_possible() noexcept {
  const char* const type = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && type != nullptr && *type != '\0' && std::string_view(type) != "dumb";
}

screen_size full_screen::size() noexcept {
  winsize known{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &known) != 0 || known.ws_row == 0 || known.ws_col == 0) {
    return {};
  }
  return {known.ws_row, known.ws_col};
}

void full_screen::enter() {
  termios now{};
  // In the background the settings are those of another program's, a shell's for example.
  if (tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &now) == 0) {
    found_ = now;
    now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
  }
  entered_ = true;
  static_cast<void>(write_all(other_screen_without_cursor));
}

void full_screen::leave() noexcept {
  if (!entered_) {
    return;
  }
  entered_ = false;
  static_cast<void>(write_all(own_screen_with_cursor));
  if (found_) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &*found_);  // what was typed meanwhile was for nobody
    found_.reset();
  }
}

bool full_screen::draw(const std::string& drawing) noexcept { return write_all(drawing); }

}  // namespace zklock::cli
