#include "tests/integration/running_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <system_error>
#include <utility>

#include "tests/support/eventually.hpp"

namespace zklock::test {
namespace {

using test_support::descriptor;

int checked(int result, const char* what) {
  if (result < 0) {
    throw std::system_error(errno, std::generic_category(), what);
  }
  return result;
}

descriptor nameless_file(const std::string& content) {
  descriptor file(checked(memfd_create("a test's", MFD_CLOEXEC), "memfd_create"));
  checked(static_cast<int>(pwrite(file.get(), content.data(), content.size(), 0)), "write");
  return file;
}

std::string all_of(const descriptor& file) {
  struct stat now {};
  checked(fstat(file.get(), &now), "fstat");
  std::string content(static_cast<std::size_t>(now.st_size), '\0');
  const ssize_t size = pread(file.get(), content.data(), content.size(), 0);
  content.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return content;
}

descriptor new_terminal() {
  descriptor terminal(checked(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt"));
  checked(grantpt(terminal.get()), "grantpt");
  checked(unlockpt(terminal.get()), "unlockpt");
  return terminal;
}

std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  const auto name = [](const std::string& one) { return one.substr(0, one.find('=')); };
  std::vector<std::string> result;
  for (char** ours = environ; *ours != nullptr; ++ours) {
    if (std::ranges::none_of(changes, [&](const std::string& one) { return name(one) == name(*ours); })) {
      result.emplace_back(*ours);
    }
  }
  std::ranges::copy_if(changes, std::back_inserter(result), [](const auto& one) { return one.find('=') != one.npos; });
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// Ignores signals while a child is started, since it inherits that.
class ignoring {
 public:
  explicit ignoring(const std::vector<int>& signals) {
    for (const int one : signals) {
      former_.emplace_back(one, std::signal(one, SIG_IGN));
    }
  }
  ~ignoring() {
    for (const auto& [number, action] : former_) {
      std::signal(number, action);
    }
  }
  ignoring(const ignoring&) = delete;
  ignoring& operator=(const ignoring&) = delete;

 private:
  std::vector<std::pair<int, void (*)(int)>> former_;
};

}  // namespace

running_command::running_command(const std::vector<std::string>& command, const surroundings& around)
    : output_(nameless_file("")), errors_(nameless_file("")) {
  const descriptor input = nameless_file(around.input);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // away from the terminal that a developer may be at
  if (around.with_terminal) {
    terminal_ = new_terminal();  // a session's leader gets the first one that it opens
    posix_spawn_file_actions_addopen(&files, 0, ptsname(terminal_.get()), O_RDWR, 0);
  } else {
    posix_spawn_file_actions_adddup2(&files, input.get(), 0);
  }
  posix_spawn_file_actions_adddup2(&files, output_.get(), 1);
  posix_spawn_file_actions_adddup2(&files, around.errors >= 0 ? around.errors : errors_.get(), 2);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = changed_environment(around.environment);
  const ignoring while_starting(around.ignored_signals);
  const int failure = posix_spawnp(&pid_, arguments.front().c_str(), &files, &attributes, pointers_to(arguments).data(),
                                   pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    throw std::system_error(failure, std::generic_category(), command.front());
  }
}

running_command::~running_command() {
  if (!ended()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void running_command::send(int signal_number) const {
  if (!status_) {
    kill(pid_, signal_number);
  }
}

void running_command::type(const std::string& keys) const {
  checked(static_cast<int>(write(terminal_.get(), keys.data(), keys.size())), "type");
}

std::optional<int> running_command::ended() {
  int word = 0;
  if (!status_ && waitpid(pid_, &word, WNOHANG) == pid_) {
    status_ = WIFSIGNALED(word) ? 128 + WTERMSIG(word) : WEXITSTATUS(word);
  }
  return status_;
}

int running_command::status() {
  return test_support::eventually([this] { return has_ended(); }) ? *status_ : -1;
}

std::string running_command::output() const { return all_of(output_); }
std::string running_command::errors() const { return all_of(errors_); }

}  // namespace zklock::test
