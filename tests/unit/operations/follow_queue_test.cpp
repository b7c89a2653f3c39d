#include "src/operations/follow_queue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <zklock/error.hpp>

#include "tests/support/scripted_port.hpp"

/// Following a lock's queue: what is asked, how often, and what is seen.
namespace zklock::operations {
namespace {

using namespace std::chrono_literals;
using client::code;
using test_support::scripted_port;
using names = std::vector<std::string>;

struct seen_reports final : queue_listener {
  void seen(const queue_report& what, engine::out&) override { last = what; }
  void over(std::error_code why, engine::out&) override { ended = why; }

  queue_report last;
  std::error_code ended;
};

std::string numbered(const std::string& prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  return prefix + digits;
}
std::string lock_node(int number) { return numbered("/l/0fd3a1b87e5c4429a6d0c2f81b93e7a1-lock-", number); }
std::string permit_node(int number, int permits) {
  return numbered("/l/permit-0fd3a1b87e5c4429a6d0c2f81b93e7a1-" + std::to_string(permits) + "-", number);
}

class following_a_queue : public ::testing::Test {
 protected:
  void follow(std::size_t shown) {
    follows_ = std::make_shared<follow_queue>("/l", shown, told_);
    port_.engine.begin(follows_, port_.now);
  }
  void put_locks(int count) {
    for (int number = 1; number <= count; ++number) {
      port_.others_create(lock_node(number), "mode=write\nhost=h" + std::to_string(number) + "\n");
    }
  }
  /// Answers all that is asked in so long, and notes when what was asked, by path.
  void pass(std::chrono::nanoseconds time) {
    for (const auto until = port_.now + time; port_.now < until;) {
      answer_and_note();
      port_.advance_to(port_.now + 50ms);
    }
    answer_and_note();
  }
  void answer_and_note() {
    while (!port_.requests.empty()) {
      asked_.emplace_back(port_.now, port_.asked().substr(0, port_.asked().find(' ')) + " " + port_.path_of(0));
      port_.answer();
    }
  }
  std::size_t asked_times(const std::string& what) const {
    return static_cast<std::size_t>(
        std::count_if(asked_.begin(), asked_.end(), [&](const auto& one) { return one.second.starts_with(what); }));
  }
  void expect_at_most_four_in_any_second() const {
    for (std::size_t one = 4; one < asked_.size(); ++one) {
      EXPECT_GE(asked_[one].first - asked_[one - 4].first, 1s) << one << ": " << asked_[one].second;
    }
  }
  names first_hosts() const {
    names all;
    for (const auto& one : told_->last.first) {
      all.push_back(one.told.host);
    }
    return all;
  }

  scripted_port port_;
  std::shared_ptr<seen_reports> told_ = std::make_shared<seen_reports>();
  std::shared_ptr<follow_queue> follows_;
  std::deque<std::pair<engine::instant, std::string>> asked_;
};

TEST_F(following_a_queue, lists_once_reads_those_that_are_shown_once_and_then_asks_nothing) {
  put_locks(10);
  port_.connect();
  follow(3);
  pass(60s);
  EXPECT_EQ(asked_.size(), 4U);
  EXPECT_EQ(asked_times("list /l"), 1U);
  EXPECT_TRUE(told_->last.complete);
  EXPECT_EQ(first_hosts(), (names{"h1", "h2", "h3"}));
  EXPECT_EQ(told_->last.holders, 1U);
  EXPECT_EQ(told_->last.waiters, 9U);
  EXPECT_EQ(told_->last.grants, 0U);
}

TEST_F(following_a_queue, costs_one_list_a_change_and_the_read_of_who_has_come_into_sight) {
  put_locks(10);
  port_.connect();
  follow(3);
  pass(10s);
  asked_.clear();
  port_.others_remove(lock_node(1));
  pass(10s);
  EXPECT_EQ(asked_.size(), 2U);
  EXPECT_EQ(asked_times("list /l"), 1U);
  EXPECT_EQ(asked_times("get " + lock_node(4)), 1U);
  EXPECT_EQ(first_hosts(), (names{"h2", "h3", "h4"}));
  EXPECT_EQ(told_->last.grants, 1U);
}

TEST_F(following_a_queue, asks_at_most_four_times_in_any_second_however_much_happens) {
  put_locks(200);
  port_.connect();
  follow(20);
  for (int number = 1; number <= 100; ++number) {
    pass(100ms);
    port_.others_remove(lock_node(number));
    port_.others_create(lock_node(200 + number));
  }
  pass(20s);
  expect_at_most_four_in_any_second();
  EXPECT_LE(asked_times("list /l"), 12U) << "10 s of changes: a list a second, the first, and the last";
  EXPECT_GE(asked_times("list /l"), 10U);
  EXPECT_TRUE(told_->last.complete);
  EXPECT_EQ(told_->last.holders + told_->last.waiters, 200U);
  EXPECT_EQ(told_->last.grants, 100U) << "also those between two lists";
}

TEST_F(following_a_queue, of_ten_thousand_reads_no_more_than_are_shown) {
  put_locks(10'000);
  port_.connect();
  follow(5);
  pass(10s);
  EXPECT_EQ(asked_.size(), 6U);
  EXPECT_EQ(told_->last.waiters, 9'999U);
  asked_.clear();
  port_.engine.call(follows_->number(), port_.now, [this](auto&, engine::out& wants) { follows_->show(8, wants); });
  pass(10s);
  EXPECT_EQ(asked_.size(), 3U) << "a larger screen: those that are new on it";
}

TEST_F(following_a_queue, without_a_lock_node_waits_for_its_creation_and_asks_nothing) {
  port_.nodes.erase("/l");
  port_.connect();
  follow(3);
  port_.answer();
  ASSERT_EQ(port_.asked(), "exists");
  port_.answer(code::no_node);
  pass(60s);
  EXPECT_TRUE(asked_.empty());
  EXPECT_TRUE(told_->last.complete);
  EXPECT_EQ(told_->last.first.size(), 0U);
}

TEST_F(following_a_queue, says_when_no_server_is_in_reach_and_goes_on_behind_it) {
  put_locks(2);
  port_.connect();
  follow(3);
  pass(5s);
  port_.disconnect();
  EXPECT_FALSE(told_->last.current);
  EXPECT_EQ(first_hosts(), (names{"h1", "h2"})) << "what was so before";
  port_.others_remove(lock_node(1));
  asked_.clear();
  port_.connect();
  pass(5s);
  EXPECT_TRUE(told_->last.current);
  EXPECT_TRUE(told_->last.complete);
  EXPECT_EQ(first_hosts(), (names{"h2"}));
  EXPECT_EQ(told_->last.grants, 0U) << "what happened meanwhile was not seen";
  EXPECT_EQ(asked_times("list /l"), 1U);
}

TEST_F(following_a_queue, asks_again_for_what_was_under_way_when_the_connection_was_lost) {
  put_locks(2);
  port_.connect();
  follow(3);
  port_.answer();
  ASSERT_EQ(port_.asked(), "get get");
  port_.disconnect();
  port_.connect();
  pass(5s);
  EXPECT_EQ(first_hosts(), (names{"h1", "h2"}));
  EXPECT_TRUE(told_->last.complete);
}

TEST_F(following_a_queue, sees_the_downgrade_of_a_writer_of_which_no_list_tells) {
  const std::string writer = numbered("/l/write-0fd3a1b87e5c4429a6d0c2f81b93e7a1-", 1);
  port_.others_create(writer, "mode=write\n");
  port_.others_create(numbered("/l/read-0fd3a1b87e5c4429a6d0c2f81b93e7a2-", 2), "mode=read\n");
  port_.connect();
  follow(3);
  pass(5s);
  ASSERT_EQ(told_->last.holders, 1U);
  asked_.clear();
  port_.others_set(writer, "mode=read\n");
  pass(5s);
  EXPECT_EQ(told_->last.holders, 2U);
  EXPECT_EQ(told_->last.grants, 1U);
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(following_a_queue, of_a_semaphore_knows_who_holds_by_the_limit_which_it_reads_once) {
  port_.data["/l"] = "limit=4\n";
  for (int number = 1; number <= 3; ++number) {
    port_.others_create(permit_node(number, 2), "mode=permit\n");
  }
  port_.connect();
  follow(3);
  pass(5s);
  EXPECT_EQ(told_->last.holders, 2U);
  EXPECT_EQ(told_->last.waiters, 1U);
  EXPECT_EQ(told_->last.grants, 0U) << "they held before anything was seen";
  EXPECT_EQ(asked_times("get /l"), 4U) << "the lock node, and three contenders";
  asked_.clear();
  port_.others_set("/l", "limit=6\n");
  pass(5s);
  EXPECT_EQ(told_->last.holders, 3U);
  EXPECT_EQ(told_->last.grants, 1U);
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(following_a_queue, of_a_semaphore_in_curators_layout_follows_each_of_its_lists) {
  for (const char* node : {"/l/leases", "/l/locks", "/l/leases/a-lease-0000000001", "/l/locks/c-lock-0000000007"}) {
    port_.others_create(node);
  }
  port_.connect();
  follow(3);
  pass(5s);
  EXPECT_EQ(asked_times("list "), 3U);
  EXPECT_EQ(told_->last.holders, 1U);
  EXPECT_EQ(told_->last.waiters, 1U);
  EXPECT_TRUE(told_->last.complete);
  asked_.clear();
  port_.others_create("/l/leases/b-lease-0000000002");
  pass(5s);
  EXPECT_EQ(asked_times("list /l/leases"), 1U);
  EXPECT_EQ(asked_times("list "), 1U);
  EXPECT_EQ(told_->last.holders, 2U);
}

TEST_F(following_a_queue, whose_children_are_hidden_says_so) {
  port_.connect();
  follow(3);
  port_.answer(code::no_auth);
  pass(60s);
  EXPECT_EQ(told_->last.why, code::no_auth);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(following_a_queue, shows_by_its_name_alone_who_hides_what_its_node_says) {
  put_locks(1);
  port_.connect();
  follow(3);
  port_.answer();
  port_.answer(code::no_auth);
  pass(60s);
  EXPECT_TRUE(asked_.empty());
  ASSERT_TRUE(told_->last.complete);
  ASSERT_EQ(told_->last.first.size(), 1U);
  EXPECT_TRUE(told_->last.first[0].holds);
}

TEST_F(following_a_queue, leaves_no_watch_when_it_is_stopped) {
  put_locks(2);
  port_.connect();
  follow(3);
  pass(5s);
  EXPECT_FALSE(port_.watches.empty());
  port_.engine.abandon(follows_, port_.now);
  EXPECT_EQ(port_.engine.servers().watch_count(), 0U);
  EXPECT_EQ(told_->ended, errc::abandoned);
}

// ---- grants_between -------------------------------------------------------------------------------------------------

std::vector<recipes::seen_contender> queue_of(const std::string& letters) {
  std::vector<recipes::seen_contender> all;
  for (const char letter : letters) {  // those that hold in capitals
    const bool holds = letter < 'a';
    all.push_back({.name = std::string(1, static_cast<char>(holds ? letter - 'A' + 'a' : letter))});
    all.back().holds = holds;
  }
  return all;
}

std::uint64_t grants(const std::string& before, const std::string& after) {
  return grants_between(queue_of(before), queue_of(after));
}

TEST(grants_between_two_lists, are_of_those_that_hold_now_and_did_not) {
  EXPECT_EQ(grants("Abc", "Abc"), 0U);
  EXPECT_EQ(grants("Abc", "Bc"), 1U);
  EXPECT_EQ(grants("", "A"), 1U);
  EXPECT_EQ(grants("Abc", "BC"), 2U);
  EXPECT_EQ(grants("ABc", "aBc"), 0U) << "one that holds no more was not granted";
}

TEST(grants_between_two_lists, are_also_of_those_that_went_from_in_front_of_the_holder) {
  EXPECT_EQ(grants("Abcd", "D"), 3U);
  EXPECT_EQ(grants("Abcd", "E"), 4U);
  EXPECT_EQ(grants("Abc", ""), 2U);
}

TEST(grants_between_two_lists, are_not_of_a_waiter_that_gave_up_behind_the_holder) {
  EXPECT_EQ(grants("Abcd", "Ad"), 0U);
  EXPECT_EQ(grants("Abcd", "Bd"), 1U);
  EXPECT_EQ(grants("ab", "b"), 0U) << "while nobody holds";
}

}  // namespace
}  // namespace zklock::operations
