#include "src/operations/release.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include <zklock/error.hpp>

namespace zklock::operations {
namespace {

using namespace std::chrono_literals;

struct caller final : release_receiver {
  void complete(release_result with) noexcept override {
    ++answers;
    last = with.ec;
  }
  int answers = 0;
  std::error_code last;
};

TEST(a_release, tells_all_its_callers_once) {
  release one;
  const auto first = std::make_shared<caller>();
  const auto second = std::make_shared<caller>();
  one.await(first, 100s);
  one.await(second, 101s);
  EXPECT_EQ(one.until(), 101s);
  one.complete({errc::release_unconfirmed});
  one.complete({});
  for (const auto& told : {first, second}) {
    EXPECT_EQ(told->answers, 1);
    EXPECT_EQ(told->last, errc::release_unconfirmed);
  }
  EXPECT_EQ(one.until(), std::nullopt);
}

TEST(a_release, without_a_caller_has_no_time_limit) {
  release one;
  EXPECT_EQ(one.until(), std::nullopt);
  one.complete({});
}

}  // namespace
}  // namespace zklock::operations
