#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/running_command.hpp"

namespace zklock::test {

/// The built zklock, in the test's chroot. Its end is the test's business; nothing of it may be left afterwards.
class command_on_a_server : public on_a_server {
 protected:
  using words = std::vector<std::string>;

  [[nodiscard]] std::string connect_here() const { return "127.0.0.1:" + std::to_string(port_) + root_; }
  [[nodiscard]] running_command::surroundings here() const {
    running_command::surroundings around;
    around.environment = {"ZKLOCK_CONNECT=" + connect_here()};
    return around;
  }

  /// zklock with these arguments.
  [[nodiscard]] static words zklock(words arguments) {
    arguments.insert(arguments.begin(), ZKLOCK_COMMAND);
    return arguments;
  }
  /// zklock run /lock -- sh -c SCRIPT
  [[nodiscard]] static words holding(const std::string& script) {
    return zklock({"run", "/lock", "--", "sh", "-c", script});
  }

  /// Whether it says that, soon.
  [[nodiscard]] static bool says(const running_command& one, const std::string& text) {
    return eventually([&] { return one.output().find(text) != std::string::npos; });
  }
  [[nodiscard]] static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

}  // namespace zklock::test
