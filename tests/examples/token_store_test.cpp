#include "examples/demo/token_store.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::filesystem::path new_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "zklock-store-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

struct token_store_test : testing::Test {
  ~token_store_test() override { std::filesystem::remove_all(directory); }

  void expect(std::int64_t value, std::int64_t token) {
    EXPECT_EQ(store.look().value, value);
    EXPECT_EQ(store.look().token, token);
  }

  std::filesystem::path directory = new_directory();
  demo::token_store store{directory / "store"};
};

TEST_F(token_store_test, starts_with_zeros) { expect(0, 0); }

TEST_F(token_store_test, a_write_is_read_back) {
  EXPECT_TRUE(store.write(41, 7));
  const auto found = store.read(7);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 41);
  expect(41, 7);
}

TEST_F(token_store_test, refuses_a_smaller_token_than_it_has_seen_and_changes_nothing) {
  EXPECT_TRUE(store.write(1, 7));
  EXPECT_FALSE(store.write(2, 6));
  EXPECT_FALSE(store.read(6));
  expect(1, 7);
}

TEST_F(token_store_test, a_read_raises_the_mark) {
  EXPECT_TRUE(store.write(1, 7));
  EXPECT_TRUE(store.read(8));
  EXPECT_FALSE(store.write(2, 7)) << "else this update would be overwritten by the client that has just read";
  expect(1, 8);
}

TEST_F(token_store_test, a_look_does_not_raise_the_mark) {
  EXPECT_TRUE(store.write(1, 7));
  expect(1, 7);
  EXPECT_TRUE(store.write(2, 7));
}

TEST_F(token_store_test, a_shorter_number_leaves_nothing_of_a_longer_one) {
  EXPECT_TRUE(store.write(-1'000'000'000'000, 7));
  EXPECT_TRUE(store.write(3, 1'000'000'000'000));
  expect(3, 1'000'000'000'000);
}

TEST_F(token_store_test, a_file_that_is_no_store_is_an_error) {
  std::ofstream(directory / "store") << "seven 7\n";
  EXPECT_THROW(static_cast<void>(store.look()), std::runtime_error);
}

TEST_F(token_store_test, two_calls_never_mix) {
  const auto work = [this](std::int64_t first) {
    demo::token_store mine(directory / "store");
    for (std::int64_t token = first; token <= 400; token += 4) {
      if (mine.write(token, token)) mine.read(token);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::int64_t first = 1; first <= 4; ++first) threads.emplace_back(work, first);
  }
  expect(400, 400);
}

}  // namespace
