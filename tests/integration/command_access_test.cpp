#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/integration/command_on_a_server.hpp"

namespace zklock::test {
namespace {

class a_command_with_credentials : public command_on_a_server {
 protected:
  /// A file as --auth-file wants it.
  [[nodiscard]] std::string file_with(const std::string& credentials) {
    const std::string path = new_file();
    std::ofstream(path) << credentials << '\n';
    EXPECT_EQ(::chmod(path.c_str(), 0600), 0);
    return path;
  }
  [[nodiscard]] running_command::surroundings here_with(const std::string& auth_file) const {
    running_command::surroundings around = here();
    around.environment.push_back("ZKLOCK_AUTH_FILE=" + auth_file);
    return around;
  }
};

TEST_F(a_command_with_credentials, makes_locks_that_its_own_credentials_alone_can_use) {
  (void)server_.create(root_);  // the test removes it without credentials
  const std::string own = file_with("app:secret"), guessed = file_with("app:guess");
  running_command holder(
      zklock({"--auth-file", own, "run", "--acl", "creator", "/lock", "--", "sh", "-c", "echo held; exec sleep 60"}),
      here());
  ASSERT_TRUE(says(holder, "held"));

  running_command lister(zklock({"ls", "/lock"}), here_with(own));
  EXPECT_EQ(lister.status(), 0) << lister.errors();
  EXPECT_TRUE(contains(lister.output(), "held")) << lister.output();
  running_command same(zklock({"run", "--timeout", "0", "/lock", "--", "true"}), here_with(own));
  EXPECT_EQ(same.status(), 75) << same.errors();

  for (const auto& around : {here(), here_with(guessed)}) {
    running_command listing(zklock({"ls", "/lock"}), around);
    EXPECT_EQ(listing.status(), 69);
    EXPECT_TRUE(contains(listing.errors(), "an access list forbids it")) << listing.errors();
    running_command entering(zklock({"run", "--timeout", "60s", "/lock", "--", "true"}), around);
    EXPECT_EQ(entering.status(), 69);
    EXPECT_TRUE(contains(entering.errors(), "an access list forbids it")) << entering.errors();
  }
  holder.send(SIGTERM);
  EXPECT_EQ(holder.status(), 128 + SIGTERM);
  inspector operator_of_app("127.0.0.1:" + std::to_string(port_), "app:secret");
  operator_of_app.remove_tree(full("/lock"));
}

TEST_F(a_command_with_credentials, is_refused_when_others_may_read_them_and_no_word_of_them_is_told) {
  const std::string file = file_with("app:secret");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  for (const words& line : {words{"run", "/lock", "--", "true"}, {"ls", "/lock"}}) {
    running_command refused(zklock(line), here_with(file));
    EXPECT_EQ(refused.status(), 64);
    EXPECT_TRUE(contains(refused.errors(), file)) << refused.errors();
    EXPECT_FALSE(contains(refused.errors() + refused.output(), "secret"));
  }
  expect_untouched();
}

}  // namespace
}  // namespace zklock::test
