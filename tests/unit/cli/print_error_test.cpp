// Lines on a stderr that takes none for a while.
#include "src/cli/print_error.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>
#include <sstream>
#include <string>

namespace zklock::cli {
namespace {

struct pipe_ends {
  pipe_ends() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~pipe_ends() {
    close(reads());
    end_writing();
  }
  [[nodiscard]] int reads() const { return ends[0]; }
  [[nodiscard]] int writes() const { return ends[1]; }
  void end_writing() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

/// What a process has said on stderr, which is read only when it has done `at_once`; then it does `later`.
std::string said_by(const std::function<void()>& at_once, const std::function<void()>& later) {
  pipe_ends errors, done;
  const pid_t child = fork();
  if (child == 0) {
    dup2(errors.writes(), STDERR_FILENO);
    at_once();
    const bool told = write(done.writes(), "x", 1) == 1;
    later();
    _exit(told ? 0 : 1);
  }
  errors.end_writing();
  done.end_writing();
  char byte = 0;
  EXPECT_EQ(read(done.reads(), &byte, 1), 1) << "it has waited for stderr";
  std::string said;
  std::array<char, 65536> part{};
  for (ssize_t count = 0; (count = read(errors.reads(), part.data(), part.size())) > 0;) {
    said.append(part.data(), static_cast<std::size_t>(count));
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return said;
}

TEST(printed_errors, wait_for_nobody_keep_their_order_and_say_how_many_are_left_out) {
  constexpr int printed = 12'000, kept_at_least = 10'000;
  const std::string filler(100, '.');
  std::istringstream said(said_by(
      [&] {
        for (int i = 0; i < printed; ++i) print_error(std::to_string(i) + filler);
      },
      [] {
        flush_errors();
        print_error("the last");
        flush_errors();
      }));
  int kept = 0;
  std::string line;
  while (std::getline(said, line) && line == "zklock: " + std::to_string(kept) + filler) ++kept;
  EXPECT_GE(kept, kept_at_least);
  EXPECT_LT(kept, printed);
  EXPECT_EQ(line, "zklock: stderr took nothing: " + std::to_string(printed - kept) + " lines are left out here");
  std::getline(said, line);
  EXPECT_EQ(line, "zklock: the last");
  EXPECT_FALSE(std::getline(said, line)) << line;
}

}  // namespace
}  // namespace zklock::cli
