#include "tests/loss/stopped_holder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace zklock::test {
namespace {

using test_support::descriptor;

constexpr int patience_ms = 30'000;

std::array<descriptor, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

instant instant_of(instant::rep count) { return instant(instant::duration(count)); }

std::optional<instant> known(instant::rep count) {
  return count != 0 ? std::optional(instant_of(count)) : std::nullopt;
}

}  // namespace

stopped_holder::stopped_holder(const std::string& servers, std::chrono::milliseconds timeout, const std::string& path) {
  auto input = new_pipe();
  auto output = new_pipe();
  std::array<std::string, 4> texts{ZKLOCK_LOSS_HOLDER, servers, std::to_string(timeout.count()), path};
  const std::array<char*, 5> arguments{texts[0].data(), texts[1].data(), texts[2].data(), texts[3].data(), nullptr};
  posix_spawn_file_actions_t files{};
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input[0].get(), 0);
  ::posix_spawn_file_actions_adddup2(&files, output[1].get(), 1);
  // The C client's sockets are not close-on-exec: one that a stopped process has too would not be closed by its owner.
  ::posix_spawn_file_actions_addclosefrom_np(&files, 3);
  // A process group of its own: when ours loses its last parent, the kernel continues what is stopped in it.
  posix_spawnattr_t attributes{};
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = ::posix_spawn(&pid_, ZKLOCK_LOSS_HOLDER, &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), ZKLOCK_LOSS_HOLDER);
  to_ = std::move(input[1]);
  from_ = std::move(output[0]);
  output[1].reset();
  std::istringstream said(line());
  std::chrono::nanoseconds::rep margin = 0;
  said >> node_ >> token_.czxid >> margin;
  margin_ = std::chrono::nanoseconds(margin);
}

stopped_holder::~stopped_holder() {
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

void stopped_holder::stop() {
  ::kill(pid_, SIGSTOP);
  int status = 0;
  while (::waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {}
}

void stopped_holder::cont() { ::kill(pid_, SIGCONT); }

hold_record stopped_holder::after_the_loss() {
  std::istringstream said(line());
  instant::rep last_yes = 0;
  instant::rep first_no = 0;
  instant::rep noticed = 0;
  instant::rep valid_until = 0;
  int reason = 0;
  hold_record saw;
  said >> last_yes >> first_no >> noticed >> saw.notices >> reason >> valid_until;
  saw.last_yes = instant_of(last_yes);
  saw.first_no = known(first_no);
  saw.noticed = known(noticed);
  saw.reason = static_cast<loss_reason>(reason);
  saw.valid_until = instant_of(valid_until);
  return saw;
}

std::string stopped_holder::line() {
  std::string text;
  for (char next = 0; next != '\n';) {
    pollfd waiting{from_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, patience_ms) <= 0 || ::read(from_.get(), &next, 1) != 1) {
      throw std::runtime_error("the holder's process says nothing");
    }
    text += next;
  }
  return text;
}

}  // namespace zklock::test
