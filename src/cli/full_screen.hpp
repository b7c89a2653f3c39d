#pragma once

#include <termios.h>

#include <optional>
#include <string>

#include "src/cli/watch_output.hpp"

namespace zklock::cli {

/// The terminal at stdout, while it shows nothing but what is drawn: its other screen, without a cursor, and without an echo of
/// what is typed. Whatever ends this object, or leave(), the terminal is as it was found. One thread.
class full_screen {
 public:
  /// Whether stdout is a terminal on which that can be done: TERM says which one, and it is not "dumb".
  [[nodiscard]] static bool is_possible() noexcept;
  /// 24 x 80, where the terminal does not know.
  [[nodiscard]] static screen_size size() noexcept;

  full_screen() { enter(); }
  full_screen(const full_screen&) = delete;
  full_screen& operator=(const full_screen&) = delete;
  ~full_screen() { leave(); }

  void enter();
  void leave() noexcept;
  /// False: it cannot be written; errno says why.
  [[nodiscard]] static bool draw(const std::string& drawing) noexcept;

 private:
  bool entered_ = false;
  std::optional<termios> found_;  ///< nothing: stdin is no terminal of ours, and is left alone
};

}  // namespace zklock::cli
