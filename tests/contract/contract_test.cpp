#include "tests/contract/contract_test.hpp"

#include <random>

namespace zklock::contract {
namespace {

constexpr int janitor = 99;

void remove_all(peer& by, const std::string& path) {
  for (const std::string& child : by.ask(request::list{path}).children) remove_all(by, path + "/" + child);
  by.ask(request::remove{path});
}

}  // namespace

contract_test::contract_test(server_kind kind)
    : root_("/contract-" + std::to_string(std::random_device{}()) + "-" + std::to_string(std::random_device{}())),
      ensemble_(GetParam() == side::real ? make_real_ensemble(kind) : make_fake_ensemble()) {}

void contract_test::SetUp() {
  peer by(*ensemble_, janitor);
  ASSERT_EQ(by.ask(create(root_)).code, code::ok);
}

void contract_test::TearDown() {
  peer by(*ensemble_, janitor);
  ASSERT_TRUE(by.wait_connected());
  remove_all(by, root_);
  EXPECT_EQ(by.ask(request::exists{root_}).code, code::no_node) << "something could not be removed";
}

void contract_test::drop_into_silence(peer& whose, int number) {
  ensemble().hold(number);
  // What is asked right behind "connecting" may still be swept away by that loss, in the C client; what is asked behind
  // the loss's last answer is not.
  const auto last = whose.send(request::sync{"/"});
  ensemble().cut(number);
  ASSERT_EQ(whose.answer(last).code, code::connection_loss);
}

std::string name_of(const ::testing::TestParamInfo<side>& info) { return info.param == side::real ? "real" : "fake"; }

}  // namespace zklock::contract
