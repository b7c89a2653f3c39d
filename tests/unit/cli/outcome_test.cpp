#include "src/cli/outcome.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "src/cli/exit_status.hpp"

namespace zklock::cli {
namespace {

TEST(run_facts, f89_the_commands_status_is_told) {
  const run_facts facts{.how = process_end{3, false}};
  EXPECT_EQ(facts.conclude().status, 3);
  EXPECT_FALSE(facts.conclude().interrupted_by);
}

TEST(run_facts, f89_a_lost_lock_counts_more_than_how_the_command_has_ended) {
  const run_facts facts{.lock_lost = true, .how = process_end{SIGINT, true}};
  EXPECT_EQ(facts.conclude().status, exit_status::lock_lost);
  EXPECT_FALSE(facts.conclude().interrupted_by);
}

TEST(run_facts, f89_a_command_that_was_not_started_counts_most) {
  const run_facts facts{.failed = exit_status::not_found, .lock_lost = true, .how = process_end{}};
  EXPECT_EQ(facts.conclude().status, exit_status::not_found);
}

TEST(run_facts, of_a_command_whose_end_is_unknown_nothing_is_promised) {
  EXPECT_EQ(run_facts{}.conclude().status, exit_status::internal_error);
}

TEST(run_facts, f89_a_signal_is_told_and_zklock_ends_by_it_if_it_interrupts) {
  for (const int interrupt : {SIGINT, SIGQUIT}) {
    const outcome told = run_facts{.how = process_end{interrupt, true}, .group_has_not_heard = true}.conclude();
    EXPECT_EQ(told.status, exit_status::signal_base + interrupt);
    EXPECT_EQ(told.interrupted_by, interrupt);
    EXPECT_TRUE(told.group_has_not_heard);
  }
  const outcome told = run_facts{.how = process_end{SIGTERM, true}, .group_has_not_heard = true}.conclude();
  EXPECT_EQ(told.status, exit_status::signal_base + SIGTERM);
  EXPECT_FALSE(told.interrupted_by);
  EXPECT_FALSE(told.group_has_not_heard);
}

TEST(run_facts, f213_a_candidate_stands_again_behind_a_loss_when_nothing_of_its_command_is_left) {
  const run_facts lost{.lock_lost = true, .how = process_end{SIGTERM, true}};
  for (const bool again : {false, true}) {
    EXPECT_TRUE(lost.stands_again(again));
    EXPECT_TRUE((run_facts{.lock_lost = true}).stands_again(again)) << "lost before the start";
    EXPECT_FALSE((run_facts{.lock_lost = true, .how = process_end{}, .all_gone = false}).stands_again(again));
    EXPECT_FALSE((run_facts{.lock_lost = true, .how = process_end{}, .asked_to_end = true}).stands_again(again));
  }
}

TEST(run_facts, a_candidate_whose_command_has_ended_or_was_at_its_bound_stands_again_if_asked) {
  for (const run_facts& ended :
       {run_facts{.how = process_end{3, false}}, run_facts{.how = process_end{SIGKILL, true}},
        run_facts{.lock_lost = true, .how = process_end{SIGTERM, true}, .at_its_bound = true}}) {
    EXPECT_TRUE(ended.stands_again(true));
    EXPECT_FALSE(ended.stands_again(false));
  }
}

TEST(run_facts, a_candidate_that_cannot_start_its_command_or_is_interrupted_stands_no_more) {
  EXPECT_FALSE((run_facts{.failed = exit_status::not_found}).stands_again(true));
  for (const int interrupt : {SIGINT, SIGQUIT, SIGHUP}) {
    EXPECT_FALSE((run_facts{.how = process_end{interrupt, true}}).stands_again(true));
  }
  EXPECT_FALSE((run_facts{.how = process_end{0, false}, .asked_to_end = true}).stands_again(true));
}

}  // namespace
}  // namespace zklock::cli
