#include "src/engine/ledger.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zklock::engine {
namespace {

TEST(ledger, gives_answers_in_the_order_of_requests_to_their_owner_with_their_tag) {
  ledger requests;
  const client::request_id first = requests.add(1, 70, {.proves = true});
  const client::request_id second = requests.add(2, 80, {});
  const client::request_id third = requests.add(1, 71, {});
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  for (const auto& [id, owner, as] : {std::tuple(first, 1U, 70U), {second, 2U, 80U}, {third, 1U, 71U}}) {
    const auto asked = requests.take(id);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->id, id);
    EXPECT_EQ(asked->owner, owner);
    EXPECT_EQ(asked->as, as);
  }
}

TEST(ledger, keeps_what_an_answer_does_to_the_deadline) {
  ledger requests;
  const client::request_id read = requests.add(1, 0, {});
  const client::request_id write = requests.add(1, 0, {.proves = true});
  const client::request_id release = requests.add(1, 0, {.proves = true, .first = true});
  const auto of_read = requests.take(read), of_write = requests.take(write), of_release = requests.take(release);
  ASSERT_TRUE(of_read && of_write && of_release);
  EXPECT_FALSE(of_read->is.proves || of_read->is.first);
  EXPECT_TRUE(of_write->is.proves);
  EXPECT_FALSE(of_write->is.first);
  EXPECT_TRUE(of_release->is.proves && of_release->is.first);
}

TEST(ledger, keeps_whether_a_request_sets_a_watch_or_only_asks_the_quorum) {
  ledger requests;
  const client::request_id watching = requests.add(1, 0, {.watch = true});
  const client::request_id asking = requests.add(1, 0, {.quorum = true});
  const auto of_watching = requests.take(watching), of_asking = requests.take(asking);
  ASSERT_TRUE(of_watching && of_asking);
  EXPECT_TRUE(of_watching->is.watch && !of_watching->is.quorum);
  EXPECT_TRUE(of_asking->is.quorum && !of_asking->is.watch);
}

TEST(ledger, gives_each_answer_once) {
  ledger requests;
  const client::request_id id = requests.add(1, 70, {});
  EXPECT_TRUE(requests.take(id));
  EXPECT_FALSE(requests.take(id));
}

TEST(ledger, knows_no_request_that_was_not_added) {
  ledger requests;
  EXPECT_FALSE(requests.take(0));
  const client::request_id id = requests.add(1, 70, {});
  EXPECT_FALSE(requests.take(id + 1));
  EXPECT_TRUE(requests.take(id));
}

TEST(ledger, numbers_no_request_0) { EXPECT_NE(ledger().add(0, 0, {.proves = true}), 0U); }

TEST(ledger, gives_the_answers_of_a_forgotten_owner_to_no_operation) {
  ledger requests;
  const client::request_id mine = requests.add(1, 70, {.proves = true});
  const client::request_id others = requests.add(2, 80, {.proves = true});
  requests.forget(1);
  const auto forgotten = requests.take(mine);
  ASSERT_TRUE(forgotten) << "it may still move the deadline";
  EXPECT_EQ(forgotten->owner, ledger::forgotten);
  EXPECT_TRUE(forgotten->is.proves);
  EXPECT_EQ(requests.take(others)->owner, 2U);
}

TEST(ledger, gives_an_owner_the_answers_to_what_it_has_asked_since_it_was_forgotten) {
  ledger requests;
  const client::request_id before = requests.add(1, 70, {});
  requests.forget(1);
  const client::request_id since = requests.add(1, 70, {});
  EXPECT_EQ(requests.take(before)->owner, ledger::forgotten);
  EXPECT_EQ(requests.take(since)->owner, 1U);
}

TEST(ledger, knows_no_request_of_a_connection_that_is_over) {
  ledger requests;
  const client::request_id before = requests.add(1, 70, {});
  requests.clear();
  const client::request_id since = requests.add(1, 70, {});
  EXPECT_NE(before, since) << "a late answer must not be taken for one of this connection";
  EXPECT_FALSE(requests.take(before));
  EXPECT_TRUE(requests.take(since));
}

}  // namespace
}  // namespace zklock::engine
