#include "src/cli/credentials.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "src/cli/usage_error.hpp"
#include "tests/support/scratch_directory.hpp"

namespace zklock::cli {
namespace {

class credentials : public ::testing::Test {
 protected:
  std::string file_with(const std::string& content, mode_t mode = 0600) {
    const std::string path = (directory_.path() / "credentials").string();
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string refusal_of(const std::string& path) {
    try {
      static_cast<void>(read_credentials(path));
      return "";
    } catch (const usage_error& refused) {
      return refused.what();
    }
  }
  test_support::scratch_directory directory_;
};

TEST_F(credentials, are_the_one_line_of_their_file) {
  EXPECT_EQ(read_credentials(file_with("app:secret\n")), "app:secret");
  EXPECT_EQ(read_credentials(file_with("app:se:cr et")), "app:se:cr et");
  EXPECT_EQ(read_credentials(file_with("app:\n", 0400)), "app:");
}

TEST_F(credentials, are_refused_when_others_may_use_their_file) {
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0601}) {
    const std::string path = file_with("app:secret\n", mode);
    EXPECT_NE(refusal_of(path).find("\"" + path + "\" may be used by others: chmod 600"), std::string::npos) << mode;
  }
}

TEST_F(credentials, are_refused_without_a_word_of_them) {
  for (const char* content :
       {"", "\n", "secret", ":secret", "app:secret\n\n", "app:secret\nmore\n", "app:secret\r\n"}) {
    const std::string refusal = refusal_of(file_with(content));
    EXPECT_NE(refusal.find("does not contain one line USER:PASSWORD"), std::string::npos) << content;
    EXPECT_EQ(refusal.find("secret"), std::string::npos);
  }
  EXPECT_NE(refusal_of(file_with("app:" + std::string(5000, 'x'))).find("longer than 4096 bytes"), std::string::npos);
  EXPECT_NE(refusal_of("/no/such/file").find("\"/no/such/file\" cannot be read: No such file"), std::string::npos);
  EXPECT_NE(refusal_of("/").find("\"/\" is no regular file"), std::string::npos);
}

TEST_F(credentials, are_refused_with_white_space_in_front_of_the_colon) {
  for (const char* content : {"digest app:secret\n", " app:secret", "app\t:secret", "app :secret\n"}) {
    const std::string refusal = refusal_of(file_with(content));
    EXPECT_NE(refusal.find("has white space in front of the colon"), std::string::npos) << content;
    EXPECT_EQ(refusal.find("secret"), std::string::npos);
  }
  EXPECT_EQ(refusal_of(file_with("app: my secret\n")), "");
}

TEST_F(credentials, are_not_waited_for_at_a_pipe) {
  const std::string path = (directory_.path() / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal_of(path).find("is no regular file"), std::string::npos);
}

}  // namespace
}  // namespace zklock::cli
