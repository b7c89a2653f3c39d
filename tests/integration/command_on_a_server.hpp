#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/processes_of_test.hpp"
#include "tests/integration/running_command.hpp"

namespace zklock::test {

/// A pipe that takes no more, since nobody has read from it.
class full_pipe {
 public:
  full_pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
    read_ = test_support::descriptor(ends[0]);
    write_ = test_support::descriptor(ends[1]);
    const std::string line = std::string(63, '#') + "\n";
    while (::write(write_.get(), line.data(), line.size()) > 0) {}
    fcntl(write_.get(), F_SETFL, 0);  // who writes waits
  }
  [[nodiscard]] int end_to_write() const noexcept { return write_.get(); }
  /// What has come behind that which fills it; there is room now.
  std::string read_on() {
    char some[4096];
    for (ssize_t size = 0; (size = ::read(read_.get(), some, sizeof some)) > 0;) {
      text_.append(some, static_cast<std::size_t>(size));
    }
    return text_.substr(std::min(text_.size(), text_.find_last_of('#') + 2));
  }

 private:
  test_support::descriptor read_;
  test_support::descriptor write_;
  std::string text_;
};

/// The built zklock, in the test's chroot. Its end is the test's business; nothing of it may be left afterwards.
class command_on_a_server : public on_a_server {
 protected:
  using on_a_server::on_a_server;
  using words = std::vector<std::string>;

  void TearDown() override {
    const bool all_gone = eventually([this] { return processes_with({root_}).empty(); });
    EXPECT_TRUE(all_gone) << "left running: " << ::testing::PrintToString(processes_with({root_}));
    for (const pid_t left : processes_with({root_})) {
      ::kill(left, SIGKILL);
    }
    for (const std::string& file : files_) {
      ::unlink(file.c_str());
    }
    on_a_server::TearDown();
  }

  /// Nothing at all was made: not even the lock node, nor the chroot.
  void expect_untouched() { EXPECT_FALSE(server_.look(root_)) << root_ << " was made"; }
  [[nodiscard]] std::string connect_here() const { return "127.0.0.1:" + std::to_string(port_) + root_; }
  /// One that accepts connections and never answers beside the one that serves, in both orders; each several times, for
  /// the client shuffles them.
  [[nodiscard]] std::vector<std::string> with_a_silent_server() {
    proxy& silent = new_proxy();
    silent.set_mode(proxy_mode::hold);
    const std::string serves = "127.0.0.1:" + std::to_string(port_);
    const std::string silent_first = silent.address() + "," + serves + root_;
    const std::string silent_last = serves + "," + silent.address() + root_;
    return {silent_first, silent_last, silent_first, silent_last, silent_first, silent_last};
  }
  [[nodiscard]] running_command::surroundings here() const {
    running_command::surroundings around;
    around.environment = {"ZKLOCK_CONNECT=" + connect_here()};
    return around;
  }

  /// zklock with these arguments.
  [[nodiscard]] static words zklock(words arguments) {
    const char* const another = std::getenv("ZKLOCK_TEST_COMMAND");  // one that is broken, to see this test fail
    arguments.insert(arguments.begin(), another != nullptr ? another : ZKLOCK_COMMAND);
    return arguments;
  }
  /// zklock run /lock -- sh -c SCRIPT. With a limit, so that it connects for as long as that: this machine may be busy.
  [[nodiscard]] static words holding(const std::string& script) {
    return zklock({"run", "--timeout", "60s", "/lock", "--", "sh", "-c", script});
  }

  /// Whether it says that, soon.
  [[nodiscard]] static bool says(const running_command& one, const std::string& text) {
    return eventually([&] { return one.output().find(text) != std::string::npos; });
  }
  /// What a command has started, and itself.
  [[nodiscard]] std::vector<pid_t> under_the_lock() const { return processes_with({root_, "ZKLOCK_TOKEN="}); }
  [[nodiscard]] bool nothing_runs_under_the_lock() const {
    return eventually([this] { return under_the_lock().empty(); });
  }
  /// Of the zklock that has this in its environment.
  [[nodiscard]] std::optional<pid_t> find_guardian(const std::string& mark = "") const {
    const auto all = processes_with({root_, mark});
    const auto found = std::ranges::find_if(all, [](pid_t one) { return name_of_process(one) == "lock-guardian"; });
    return found == all.end() ? std::nullopt : std::optional(*found);
  }
  [[nodiscard]] pid_t guardian() const {
    const auto found = find_guardian();
    if (!found) throw std::runtime_error("there is no guardian");  // -1 would be a signal to all processes
    return *found;
  }
  /// Whether there is such a guardian, soon, and it was sent.
  [[nodiscard]] bool send_to_guardian(int signal_number, const std::string& mark = "") const {
    std::optional<pid_t> found;
    return eventually([&] { return (found = find_guardian(mark)).has_value(); }) && ::kill(*found, signal_number) == 0;
  }
  /// A path for a file of this test's.
  [[nodiscard]] std::string new_file() {
    files_.push_back(testing::TempDir() + "zklock" + std::to_string(files_.size()) + root_.substr(1));
    return files_.back();
  }
  static void write_file(const std::string& path) { std::ofstream(path) << "\n"; }

  [[nodiscard]] static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

 private:
  std::vector<std::string> files_;
};

}  // namespace zklock::test
