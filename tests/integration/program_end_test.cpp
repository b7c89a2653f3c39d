// Programs that end while they have a session.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"
#include "tests/integration/talking_process.hpp"

namespace zklock::test {
namespace {

constexpr int rounds = 3;

/// The parameter is the program's way to have its session, see static_session.cpp.
class a_program_that_ends : public on_a_server, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] std::unique_ptr<talking_process> start(const std::string& servers) {
    auto program =
        std::make_unique<talking_process>(std::vector<std::string>{ZKLOCK_STATIC_SESSION, servers + root_, GetParam()});
    EXPECT_EQ(program->answer(), "held");
    return program;
  }
};

TEST_P(a_program_that_ends, f144_exits_with_success_however_it_has_its_session) {
  for (int round = 0; round < rounds; ++round) {
    auto program = start("127.0.0.1:" + std::to_string(port_));
    EXPECT_EQ(program->exit_status(), 0) << "in round " << round;
  }
}

TEST_P(a_program_that_ends, f144_exits_with_success_when_no_server_confirms_the_close) {
  proxy& way = new_proxy();
  auto program = start(way.address());
  way.set_mode(proxy_mode::cut);
  EXPECT_EQ(program->exit_status(), 0);
}

INSTANTIATE_TEST_SUITE_P(ways, a_program_that_ends,
                         ::testing::Values("static", "global", "log-shut-down", "own-logger", "logging-thread"),
                         [](const auto& way) {
                           std::string name = way.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace zklock::test
