#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/api/owner_number.hpp"
#include "src/api/random_source.hpp"

/// F43: what tells owners and contenders apart is never used again.
namespace zklock::detail {
namespace {

TEST(owner_number, f43_no_thread_gets_the_number_of_one_that_has_finished) {
  std::set<owner_number> numbers{this_thread_number()};
  for (int started = 0; started < 1000; ++started) {  // one after the other: so that std::thread::id comes again
    owner_number mine = 0;
    std::thread([&mine] { mine = this_thread_number(); }).join();
    EXPECT_NE(mine, 0U);
    EXPECT_TRUE(numbers.insert(mine).second) << mine;
  }
  EXPECT_EQ(numbers.size(), 1001U);
}

TEST(owner_number, f43_threads_at_the_same_time_have_different_ones_and_each_keeps_its_own) {
  std::vector<owner_number> numbers(64);
  {
    std::vector<std::jthread> threads;
    for (owner_number& mine : numbers) {
      threads.emplace_back([&mine] {
        mine = this_thread_number();
        std::this_thread::yield();
        EXPECT_EQ(this_thread_number(), mine);
      });
    }
  }
  EXPECT_EQ(std::set<owner_number>(numbers.begin(), numbers.end()).size(), numbers.size());
}

TEST(contender_id, f43_ids_are_128_bits_and_do_not_come_again) {
  constexpr std::size_t drawn = 2000;
  std::set<std::string> whole;
  std::set<std::string> halves;
  std::array<std::set<char>, 32> digits_seen;
  for (int source = 0; source < 2; ++source) {  // as two sessions have
    random_source ids;
    for (std::size_t one = 0; one < drawn / 2; ++one) {
      const std::string text(ids.next_id().text());
      ASSERT_EQ(text.size(), 32U) << "of 4 bits each";
      whole.insert(text);
      halves.insert({text.substr(0, 16), text.substr(16)});
      for (std::size_t place = 0; place < text.size(); ++place) {
        digits_seen[place].insert(text[place]);
      }
    }
  }
  EXPECT_EQ(whole.size(), drawn);
  EXPECT_EQ(halves.size(), 2 * drawn) << "neither half alone comes again";
  for (const auto& seen : digits_seen) {
    EXPECT_EQ(seen.size(), 16U) << "every digit is drawn at every place";
  }
}

}  // namespace
}  // namespace zklock::detail
