#include "src/cli/guardian_process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/cli/exit_status.hpp"
#include "src/cli/guardian.hpp"
#include "src/cli/print_error.hpp"

namespace zklock::cli {
namespace {

void rename(std::span<char> arguments, pid_t guarded) {
  prctl(PR_SET_NAME, guardian_name.data());
  const std::string whole = std::string(guardian_name) + " of " + std::to_string(guarded);
  const std::string_view fitting = whole.size() < arguments.size() ? std::string_view(whole) : guardian_name;
  std::ranges::fill(arguments, '\0');
  if (fitting.size() < arguments.size()) {
    std::ranges::copy(fitting, arguments.begin());
  }
}

int guard(message_socket socket, pid_t zklock, std::span<const std::string> command, const inherited_signals& inherited,
          void (*end_session)(const std::string& words)) noexcept {
  try {
    if (const std::string words = guardian(std::move(socket), zklock, command, inherited).run(); !words.empty()) {
      flush_errors_shortly();
      end_session(words);  // with all signals blocked: one that is pending would end it
    }
    flush_errors_shortly();
    return 0;
  } catch (const std::exception& failure) {
    print_error(std::string("the guardian: ") + failure.what());
    flush_errors_shortly();
    return exit_status::internal_error;
  }
}

}  // namespace

guardian_process::guardian_process(std::span<const std::string> command, const inherited_signals& inherited,
                                   std::span<char> own_arguments, void (*end_session)(const std::string& words)) {
  auto ends = message_socket::pair();
  const pid_t zklock = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ends.first.close();  // or it would not see that zklock is gone
    setpgid(0, 0);       // what is typed at the terminal is not for it
    rename(own_arguments, zklock);
    _exit(guard(std::move(ends.second), zklock, command, inherited, end_session));
  }
  socket_ = std::move(ends.first);
}

guardian_process::~guardian_process() {
  send(order::session{});  // we live: it is ours to end
  socket_.close();
  if (pid_ > 0) {
    kill(pid_, SIGCONT);
    int status = 0;
    pid_t waited = -1;
    do {  // a guardian that is stopped on its way out does not get there (F177)
      waited = waitpid(pid_, &status, WUNTRACED);
    } while ((waited == pid_ && WIFSTOPPED(status) && kill(pid_, SIGCONT) == 0) || (waited < 0 && errno == EINTR));
  }
}

std::optional<any_report> guardian_process::hear() {
  while (const auto bytes = socket_.receive()) {
    auto told = protocol::from_bytes<any_report>(*bytes);
    const auto* stopped = told ? std::get_if<report::stopped>(&*told) : nullptr;
    if (stopped == nullptr || stopped->continued == continued_) return told;
  }
  return std::nullopt;
}

void guardian_process::wake_if_stopped() const {
  siginfo_t told{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &told, WSTOPPED | WNOHANG) == 0 && told.si_pid == pid_) {
    kill(pid_, SIGCONT);
  }
}

void guardian_process::kill_and_bury() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);  // by then the kernel has given us its children
  pid_ = -1;
  socket_.close();
}

}  // namespace zklock::cli
