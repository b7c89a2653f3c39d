#include <gtest/gtest.h>

#include <memory_resource>

#include "tests/unit/operations/on_a_port.hpp"

namespace zklock::detail {
namespace {

using test_support::hold_at_once;
using test_support::scripted_port;

/// As long as it lives, the program's default resource gives nothing.
class exhausted_default_resource {
 public:
  exhausted_default_resource() : before_(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {}
  exhausted_default_resource(const exhausted_default_resource&) = delete;
  exhausted_default_resource& operator=(const exhausted_default_resource&) = delete;
  ~exhausted_default_resource() { std::pmr::set_default_resource(before_); }

 private:
  std::pmr::memory_resource* before_;
};

TEST(memory_of_a_session, is_not_of_the_programs_default_resource_which_may_end_before) {
  const exhausted_default_resource none;
  scripted_port port;
  auto holder = hold_at_once(port);
  auto waiter = port.acquire("/l");
  port.answer_all();
  holder->hold->end_by_release(port.now);
  port.release(holder);
  port.answer_all();
  EXPECT_TRUE(waiter->hold);
}

}  // namespace
}  // namespace zklock::detail
