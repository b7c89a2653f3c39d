// F47: what a server does when a lock node has counted 2^31 contenders. The count is put there, the rest is real.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/queue.hpp"
#include "tests/integration/c_client_fixture.hpp"
#include "tests/integration/on_a_server.hpp"
#include "tests/support/snapshot_patch.hpp"

namespace zklock::test {
namespace {

constexpr std::int32_t last_number = 2147483647;

struct holds_a_server {
  test_support::private_zookeeper zookeeper;
};

class the_end_of_the_numbers : protected holds_a_server, public on_a_server {
 protected:
  the_end_of_the_numbers() : on_a_server(zookeeper.address()) { server_.create(full("/lock")); }

  /// Restarts the server; sessions live on.
  void have_the_lock_node_count_from(std::int32_t next) {
    zookeeper.restart();  // writes a snapshot of all that is there
    zookeeper.kill();
    test_support::set_create_counter(zookeeper.data_directory(), full("/lock"), next);
    zookeeper.restart();
    // The next request may be a create, which is not repeated: not before the inspector's own connection is back.
    ASSERT_TRUE(
        eventually([&] { return server_.ask(client::request::exists{full("/lock")}).code == client::code::ok; }));
  }

  void expect_refused(recursive_mutex& lock) {
    std::error_code ec;
    EXPECT_FALSE(lock.try_acquire_for(patience, ec));
    EXPECT_EQ(ec, errc::queue_exhausted) << ec.message();
  }

  [[nodiscard]] std::int32_t highest_number() {
    std::int32_t highest = -1;
    for (const std::string& name : contenders()) {
      highest = std::max(highest, recipes::parse_contender_name(name)->sequence.value);
    }
    return highest;
  }
};

TEST_F(the_end_of_the_numbers, f47_is_refused_from_afar_and_the_last_holder_stays_alone) {
  have_the_lock_node_count_from(recipes::sequence_limit - 1);
  recursive_mutex holder(open(), "/lock");
  session& other = open();
  recursive_mutex second(other, "/lock");
  recursive_mutex third(other, "/lock");
  grant held = holder.acquire();
  const fencing_token token = held.token();
  for (int round = 0; round < 3; ++round) {
    expect_refused(second);
    expect_refused(third);
  }
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  held.release();
  expect_refused(second);

  ASSERT_TRUE(eventually([&] { return contenders().empty(); }));
  ASSERT_TRUE(server_.remove(full("/lock"))) << "no client uses it: what the error says to do";
  const grant again = acquire_patiently(second);
  EXPECT_TRUE(again.held());
  EXPECT_EQ(highest_number(), 0);
  EXPECT_GT(again.token(), token);
}

// What elections close together have done to a server's count (F178), put there.
TEST_F(the_end_of_the_numbers, f178_put_back_behind_an_older_contender_refuses_newcomers) {
  have_the_lock_node_count_from(7);
  (void)server_.create(full("/lock/") + std::string(32, 'a') + "-lock-", client::create_mode::ephemeral_sequential);
  have_the_lock_node_count_from(3);
  ASSERT_EQ(highest_number(), 7) << "its session has lived on";
  session& one = open();
  recursive_mutex lock(one, "/lock");
  recursive_mutex other(one, "/other");
  expect_refused(lock);
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  multi_lock both({lock, other});
  std::error_code ec;
  EXPECT_FALSE(both.try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::queue_exhausted) << ec.message();
  EXPECT_TRUE(eventually([&] { return contenders().size() == 1; }));
  EXPECT_TRUE(server_.remove(full("/lock/") + contenders().front()));
}

// One after the other: the counter sticks at its end.
TEST_F(the_end_of_the_numbers, f47_f178_beside_strangers_that_tie_grants_to_no_client) {
  have_the_lock_node_count_from(last_number - 1);
  session& one = open();
  for (const char* id : {"a", "b", "c"}) {
    (void)server_.create(full("/lock/") + std::string(32, *id) + "-lock-", client::create_mode::ephemeral_sequential);
  }
  EXPECT_EQ(highest_number(), last_number);
  recursive_mutex lock(one, "/lock");
  expect_refused(lock);
  EXPECT_TRUE(eventually([&] { return contenders().size() == 3; }));
  server_.remove_tree(full("/lock"));
}

// Creates that are under way together overtake the check at the end, and go on with negative numbers.
TEST_F(the_end_of_the_numbers, f47_behind_strangers_with_negative_numbers_grants_to_no_client) {
  const std::string prefix = full("/lock/") + std::string(32, 'a') + "-lock-";
  std::optional<linked> stranger;
  int negative = 0;
  for (int round = 0; round < 10 && negative == 0; ++round) {  // it takes two that the server has at the same time
    if (stranger) {
      ASSERT_TRUE(stranger->close().value_or(false));
    }
    have_the_lock_node_count_from(last_number - 1);
    stranger.emplace(zookeeper.address());
    std::vector<client::request_id> asked;
    for (int number = 0; number < 50; ++number) {
      asked.push_back(stranger->ask(client::request::create{prefix, "", client::create_mode::ephemeral_sequential}));
    }
    for (const client::request_id id : asked) {
      negative += stranger->told.reply_to(id).name.starts_with(prefix + "-") ? 1 : 0;
    }
  }
  ASSERT_GT(negative, 0);
  recursive_mutex lock(open(), "/lock");
  expect_refused(lock);
  EXPECT_TRUE(stranger->close().value_or(false));
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
  expect_refused(lock);
}

}  // namespace
}  // namespace zklock::test
