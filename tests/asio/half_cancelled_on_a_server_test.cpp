#include "tests/asio/half_cancelled.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class on_a_real_server : public on_a_server {};

TEST_F(on_a_real_server, a_thousand_calls_are_told_once_each_though_half_are_cancelled) {
  expect_one_completion_each(open({.timeout = 30s}), open({.timeout = 30s}),
                             [this](const std::string& path) { return contenders(path).size(); });
  touch_lock_node("/b");
}

}  // namespace
}  // namespace zklock::test
