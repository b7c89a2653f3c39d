#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/integration/command_on_a_server.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::test {
namespace {

/// The lines of a page's shell blocks that run zklock, or prepare that.
std::vector<std::string> commands_of(const std::filesystem::path& page) {
  std::vector<std::string> commands;
  std::ifstream file(page);
  bool in_shell = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      in_shell = line == "```sh";
    } else if (in_shell && (line.starts_with("zklock ") || line.starts_with("(umask "))) {
      commands.push_back(line);
    }
  }
  return commands;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

class the_pages : public command_on_a_server {
 protected:
  the_pages() {
    for (const char* program : {"import.sh", "report", "reconfigure", "single", "transfer", "make", "serve"}) {
      const std::string path = (home_.path() / program).string();
      std::ofstream(path) << "#!/bin/sh\necho \"" << program << " ran\"\n";
      EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
    }
    std::filesystem::create_symlink(ZKLOCK_COMMAND, home_.path() / "zklock");
  }

  test_support::scratch_directory home_;
};

TEST_F(the_pages, show_commands_of_zklock_that_work) {
  (void)server_.create(root_);
  const std::filesystem::path top = ZKLOCK_TOP;
  std::vector<std::filesystem::path> pages{top / "README.md"};
  for (const auto& one : std::filesystem::directory_iterator(top / "docs/guide")) {
    pages.push_back(one.path());
  }
  std::size_t run = 0;
  for (const std::filesystem::path& page : pages) {
    for (const std::string& line : commands_of(page)) {
      const std::string command = replaced(line, "zk1:2181,zk2:2181,zk3:2181", connect_here());
      const std::string home = home_.path().string();
      running_command::surroundings around = here();
      around.environment.insert(around.environment.end(), {"HOME=" + home, "PATH=" + home + ":/usr/bin:/bin"});
      running_command shell({"sh", "-c", "cd && " + command}, around);
      EXPECT_EQ(shell.status(), 0) << page.filename() << ": " << command << "\n" << shell.errors();
      const bool ran_a_program = line.find(" run ") == std::string::npos || contains(shell.output(), " ran\n");
      EXPECT_TRUE(ran_a_program) << page.filename() << ": " << command << "\n" << shell.output();
      ++run;
    }
  }
  EXPECT_GE(run, 15U);
  inspector with_the_pages_credentials("127.0.0.1:" + std::to_string(port_), "app:secret");
  with_the_pages_credentials.remove_tree(full("/locks"));
  with_the_pages_credentials.remove_tree(full("/app"));
}

}  // namespace
}  // namespace zklock::test
