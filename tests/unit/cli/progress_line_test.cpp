#include "src/cli/progress_line.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>

#include "src/cli/owned_descriptor.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::cli {
namespace {

using test_support::eventually;

/// While there is one, stderr is something else.
class other_stderr {
 public:
  explicit other_stderr(int other) : own_(dup(STDERR_FILENO), "dup") { dup2(other, STDERR_FILENO); }
  other_stderr(const other_stderr&) = delete;
  other_stderr& operator=(const other_stderr&) = delete;
  ~other_stderr() { dup2(own_.get(), STDERR_FILENO); }

 private:
  owned_descriptor own_;
};

/// What has been written to the terminal since.
std::string read_from(const owned_descriptor& terminal) {
  char some[4096];
  const ssize_t size = ::read(terminal.get(), some, sizeof some);
  return size > 0 ? std::string(some, static_cast<std::size_t>(size)) : std::string();
}

TEST(a_progress_line, is_written_over_itself_on_a_terminal_and_is_gone_in_the_end) {
  const owned_descriptor terminal(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), "posix_openpt");
  ASSERT_EQ(grantpt(terminal.get()), 0);
  ASSERT_EQ(unlockpt(terminal.get()), 0);
  const owned_descriptor its_end(open(ptsname(terminal.get()), O_RDWR | O_NOCTTY | O_CLOEXEC), "open");
  std::string seen;
  {
    const other_stderr redirected(its_end.get());
    std::atomic<bool> shorter{false};
    std::optional<progress_line> line;
    line.emplace([&] { return std::string(shorter ? "9 of 9" : "4000 of 9000"); });
    EXPECT_TRUE(eventually([&] { return (seen += read_from(terminal)).find("\r4000 of 9000") != std::string::npos; }));
    shorter = true;
    EXPECT_TRUE(eventually(
        [&] { return (seen += read_from(terminal)).find("\r9 of 9      \b\b\b\b\b\b") != std::string::npos; }));
    line.reset();
    seen += read_from(terminal);
  }
  EXPECT_TRUE(seen.ends_with("\r      \b\b\b\b\b\b\r")) << seen;
  EXPECT_EQ(seen.find('\n'), std::string::npos);
}

TEST(a_progress_line, is_none_elsewhere) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const owned_descriptor read(ends[0], "pipe"), write(ends[1], "pipe");
  std::atomic<int> asked{0};
  {
    const other_stderr redirected(write.get());
    const progress_line line([&] { return std::to_string(++asked); });
    EXPECT_FALSE(eventually([&] { return asked > 0; }, std::chrono::milliseconds(1'600)));
  }
  EXPECT_EQ(read_from(read), "");
}

}  // namespace
}  // namespace zklock::cli
