#include "tests/asio/half_cancelled.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class on_a_fake_ensemble : public on_a_fake {};

TEST_F(on_a_fake_ensemble, a_thousand_calls_are_told_once_each_though_half_are_cancelled) {
  expect_one_completion_each(one_, two_, [this](const std::string& path) { return queue(path).size(); });
}

}  // namespace
}  // namespace zklock::test
