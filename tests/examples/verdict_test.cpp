#include "examples/demo/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace {

using demo::step;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Three workers, one increment each. Worker 1 is killed while it has the lock; worker 2 is frozen, overtaken by worker 3,
/// told so, and gets its increment done at the end.
struct verdict_test : testing::Test {
  void say(int worker, step what, std::int64_t token = 0, std::int64_t number = 0) {
    books.note({worker, {}, what, token, number, "reason"});
  }
  void take(int worker, std::int64_t token, std::int64_t found) {
    say(worker, step::acquired, token);
    say(worker, step::read, token, found);
    say(worker, step::checked, token);
  }
  void increment(int worker, std::int64_t token, std::int64_t found) {
    take(worker, token, found);
    say(worker, step::wrote, token, found + 1);
    say(worker, step::releases, token);
  }

  void worker_1_is_killed() {
    take(1, 10, 0);
    books.note_kill(1);
  }
  void worker_2_is_frozen(std::int64_t found) {
    take(2, 20, found);
    books.note_freeze(2);
  }
  void worker_3_overtakes(std::int64_t found) {
    increment(3, 30, found);
    say(3, step::done);
  }
  void worker_2_is_refused() {
    say(2, step::refused, 20, 1);
    say(2, step::lost, 20);
  }
  void worker_2_tries_again(std::int64_t found) {
    increment(2, 40, found);
    say(2, step::done);
  }
  void the_usual_story(std::int64_t found) {
    worker_1_is_killed();
    worker_2_is_frozen(found);
    worker_3_overtakes(found);
    worker_2_is_refused();
    worker_2_tries_again(found + 1);
  }
  [[nodiscard]] std::vector<std::string> faults() const { return demo::faults(books, end); }

  demo::ledger books{3, 1};
  demo::outcome end{.store = {2, 40}, .statuses = {128 + SIGKILL, 0, 0}, .newcomer_token = 50};
};

TEST_F(verdict_test, the_usual_story_has_no_faults) {
  the_usual_story(0);
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_FALSE(wrote_unsaid(books, 1, end.store));
}

TEST_F(verdict_test, a_write_that_its_killed_worker_could_not_tell_of_counts) {
  the_usual_story(1);
  end.store.value = 3;
  EXPECT_THAT(faults(), IsEmpty());
  EXPECT_TRUE(wrote_unsaid(books, 1, end.store));
}

TEST_F(verdict_test, finds_a_lost_increment) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  worker_2_is_refused();
  worker_2_tries_again(0);
  end.store.value = 1;
  EXPECT_THAT(faults(), Contains(HasSubstr("worker 3 read 0 and wrote, then there were 0")));
  EXPECT_THAT(faults(), Contains(HasSubstr("the store says 1 after 2 increments")));
}

TEST_F(verdict_test, finds_an_increment_too_many) {
  the_usual_story(0);
  end.store.value = 3;
  EXPECT_THAT(faults(), Contains(HasSubstr("the store says 3 after 2 increments")));
}

TEST_F(verdict_test, a_late_write_that_was_taken_is_a_fault) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  say(2, step::wrote, 20, 1);
  say(2, step::releases, 20);
  say(2, step::done);
  end.store = {1, 30};
  EXPECT_THAT(faults(), Contains(HasSubstr("no late write was refused")));
  EXPECT_THAT(faults(), Contains(HasSubstr("worker 2 read 0 and wrote, then there were 0")));
}

TEST_F(verdict_test, a_worker_that_was_refused_has_to_know_that_it_has_lost_the_lock) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  say(2, step::refused, 20, 1);
  say(2, step::still_held, 20);
  worker_2_tries_again(1);
  EXPECT_THAT(faults(), Contains("worker 2 was refused, and believed that it had the lock"));
}

TEST_F(verdict_test, finds_a_token_that_does_not_rise) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  worker_2_is_refused();
  increment(2, 25, 1);
  EXPECT_THAT(faults(), Contains("worker 2 got a token that is not greater than the one before it"));
}

TEST_F(verdict_test, a_newcomer_finds_no_contender_and_gets_a_greater_token) {
  the_usual_story(0);
  end.newcomer_token.reset();
  EXPECT_THAT(faults(), Contains(HasSubstr("a contender is left")));
  end.newcomer_token = 40;
  EXPECT_THAT(faults(), Contains(HasSubstr("at the end got a token that is not greater")));
}

TEST_F(verdict_test, finds_a_worker_that_ended_by_itself) {
  the_usual_story(0);
  end.statuses = {128 + SIGKILL, 0, 128 + SIGSEGV};
  EXPECT_THAT(faults(), Contains("worker 3 ended with signal 11"));
  end.statuses = {0, 0, 0};
  EXPECT_THAT(faults(), Contains("worker 1 ended with exit status 0"));
}

TEST_F(verdict_test, finds_a_worker_that_has_not_done_its_work) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  worker_2_is_refused();
  end.store = {1, 30};
  EXPECT_THAT(faults(), Contains("worker 2 has 1 increments left"));
  EXPECT_THAT(faults(), Contains("worker 2 has not said that it is done"));
}

TEST_F(verdict_test, a_worker_has_to_be_killed) {
  increment(1, 10, 0);
  say(1, step::done);
  worker_2_is_frozen(1);
  worker_3_overtakes(1);
  worker_2_is_refused();
  worker_2_tries_again(2);
  end.store = {3, 40};
  end.statuses = {0, 0, 0};
  EXPECT_THAT(faults(), testing::ElementsAre("no worker was killed"));
}

TEST_F(verdict_test, a_worker_that_was_too_late_to_say_its_token_has_no_fault_if_it_was_told_so) {
  worker_1_is_killed();
  worker_2_is_frozen(0);
  worker_3_overtakes(0);
  say(2, step::acquired, 15);
  say(2, step::refused, 15, 0);
  say(2, step::lost, 15);
  worker_2_tries_again(1);
  EXPECT_THAT(faults(), testing::ElementsAre(HasSubstr("no late write")));
}

}  // namespace
