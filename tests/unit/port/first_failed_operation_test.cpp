#include "src/port/first_failed_operation.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace zklock::client {
namespace {

reply answered(code whole, std::initializer_list<code> operations) {
  reply made;
  made.code = whole;
  for (const code one : operations) {
    made.parts.push_back({.code = one, .name = {}, .stat = {}});
  }
  return made;
}

TEST(the_first_failed_operation, is_the_first_operation_that_failed_by_itself) {
  const reply one = answered(code::no_node, {code::ok, code::node_exists, code::runtime_inconsistency});
  EXPECT_EQ(first_failed_operation(one), 1U);
  EXPECT_EQ(cause(one), code::node_exists);
  const reply behind = answered(code::no_node, {code::runtime_inconsistency, code::no_node});
  EXPECT_EQ(first_failed_operation(behind), 1U);
  EXPECT_EQ(cause(behind), code::no_node);
}

TEST(the_first_failed_operation, is_none_where_all_are_told_that_they_are_not) {
  const reply one = answered(code::session_expired, {code::runtime_inconsistency, code::runtime_inconsistency});
  EXPECT_EQ(first_failed_operation(one), std::nullopt);
  EXPECT_EQ(cause(one), code::session_expired);
}

TEST(the_first_failed_operation, is_none_where_the_transaction_failed_as_a_whole_or_was_done) {
  for (const code whole : {code::connection_loss, code::throttled, code::ok}) {
    EXPECT_EQ(first_failed_operation(answered(whole, {})), std::nullopt);
    EXPECT_EQ(first_failed_operation(answered(whole, {code::ok, code::ok})), std::nullopt);
    EXPECT_EQ(cause(answered(whole, {})), whole);
  }
}

}  // namespace
}  // namespace zklock::client
