#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "tests/unit/recipes/queue_policies.hpp"

/// Which contenders a reader, a writer and a user of a semaphore have to wait for.
namespace zklock::recipes {
namespace {

using kind = verdict::kind;
using names = std::vector<std::string>;

std::string numbered(const std::string& prefix, std::int32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%010d", number);
  return prefix + digits;
}

std::string reader(std::int32_t number) { return numbered("read-" + std::string(32, 'a') + "-", number); }
std::string writer(std::int32_t number) { return numbered("write-" + std::string(32, 'b') + "-", number); }
std::string mutex(std::int32_t number) { return numbered(std::string(32, 'c') + "-lock-", number); }
std::string permits(std::uint32_t count, std::int32_t number) {
  return numbered("permit-" + std::string(32, 'd') + "-" + std::to_string(count) + "-", number);
}

TEST(read_policy, readers_stand_in_no_readers_way) {
  const names children{reader(1), reader(2), reader(3)};
  for (const std::string& own : children) {
    EXPECT_EQ(read_policy({children, own}).says, kind::first);
  }
}

TEST(read_policy, f57_a_reader_waits_for_the_nearest_writer_before_it) {
  const names children{writer(1), writer(4), reader(5), reader(7), writer(3)};
  const verdict seen = read_policy({children, reader(7)});
  EXPECT_EQ(seen.says, kind::behind);
  EXPECT_EQ(seen.predecessor, writer(4));
  EXPECT_FALSE(seen.sole);
}

TEST(read_policy, f55_a_writer_that_came_later_never_counts) {
  const names children{writer(9), reader(5), writer(6)};
  EXPECT_EQ(read_policy({children, reader(5)}).says, kind::first);
}

TEST(read_policy, the_readers_before_it_do_not_keep_its_writer_from_being_the_only_one) {
  const names children{reader(1), writer(2), reader(3), reader(4)};
  const verdict seen = read_policy({children, reader(4)});
  EXPECT_EQ(seen.predecessor, writer(2));
  EXPECT_TRUE(seen.sole);
}

TEST(read_policy, f52_a_writer_that_was_seen_to_read_is_passed_and_no_other) {
  const names children{writer(1), writer(4), reader(5)};
  EXPECT_EQ(read_policy({children, reader(5), writer(4)}).predecessor, writer(1));
  EXPECT_TRUE(read_policy({children, reader(5), writer(4)}).sole);
  EXPECT_EQ(read_policy({children, reader(5), writer(9)}).predecessor, writer(4)) << "one that is not there";
  const names alone{writer(4), reader(5)};
  EXPECT_EQ(read_policy({alone, reader(5), writer(4)}).says, kind::first);
}

TEST(write_policy, f55_a_writer_waits_for_its_nearest_predecessor_of_either_kind_and_none_later) {
  const names children{reader(1), writer(2), reader(3), writer(5), reader(6), writer(7)};
  const verdict seen = write_policy({children, writer(5)});
  EXPECT_EQ(seen.says, kind::behind);
  EXPECT_EQ(seen.predecessor, reader(3));
  EXPECT_FALSE(seen.sole);
  EXPECT_EQ(write_policy({children, writer(2)}).predecessor, reader(1));
  EXPECT_TRUE(write_policy({children, writer(2)}).sole);
}

TEST(write_policy, f52_a_writer_that_reads_by_now_is_in_a_writers_way) {
  const names children{writer(1), writer(2)};
  EXPECT_EQ(write_policy({children, writer(2), writer(1)}).says, kind::behind);
}

TEST(queue_policies, a_contender_of_another_recipe_before_the_own_is_an_error_and_behind_it_is_not) {
  const names all{mutex(1), reader(2), permits(1, 3)};
  EXPECT_EQ(read_policy({all, reader(2)}).says, kind::wrong_recipe);
  EXPECT_EQ(permit_policy({all, permits(1, 3), {}, {5, 5}}).says, kind::wrong_recipe);
  EXPECT_EQ(mutex_policy({all, mutex(1)}).says, kind::first);
  EXPECT_TRUE(mutex_policy({all, mutex(1)}).mixed);
  const names writers{writer(2), permits(1, 3)};
  EXPECT_EQ(write_policy({writers, writer(2)}).says, kind::first);
  EXPECT_TRUE(write_policy({writers, writer(2)}).mixed);
  const names nonsense{numbered("permit-" + std::string(32, 'd') + "-x-", 1), permits(1, 3)};
  EXPECT_EQ(permit_policy({nonsense, permits(1, 3), {}, {5, 5}}).says, kind::wrong_recipe);
}

TEST(queue_policies, f47_a_tie_and_a_counter_at_its_end_are_refused_by_every_recipe) {
  const names sides{reader(5), writer(5)};
  EXPECT_EQ(read_policy({sides, reader(5)}).says, kind::exhausted);
  EXPECT_EQ(write_policy({sides, writer(5)}).says, kind::exhausted);
  const names tied{permits(1, 5), permits(2, 5)};
  EXPECT_EQ(permit_policy({tied, permits(1, 5), {}, {9, 9}}).says, kind::exhausted);
  const names late{permits(1, sequence_limit)};
  EXPECT_EQ(permit_policy({late, late[0], {}, {9, 9}}).says, kind::exhausted);
}

TEST(queue_policies, an_own_node_that_is_not_listed_is_absent_whatever_the_recipe) {
  const names children{reader(1)};
  EXPECT_EQ(read_policy({children, reader(2)}).says, kind::absent);
  EXPECT_EQ(write_policy({children, writer(2)}).says, kind::absent);
  EXPECT_EQ(permit_policy({children, permits(1, 2), {}, {9, 9}}).says, kind::absent);
}

// ---- permits

TEST(permit_policy, f58_a_contender_that_fits_with_all_before_it_passes_and_gets_all_at_once) {
  const names children{permits(2, 1), permits(3, 2), permits(1, 3)};
  const permit_limit six{6, 6};
  for (const std::string& own : children) {
    EXPECT_EQ(permit_policy({children, own, {}, six}).says, kind::first) << own;
  }
  EXPECT_NE(permit_policy({children, permits(1, 3), {}, {5, 5}}).says, kind::first) << "one too many";
}

TEST(permit_policy, f60_a_small_one_does_not_pass_a_large_one_that_waits) {
  const names children{permits(2, 1), permits(3, 2), permits(1, 3)};
  const permit_limit four{4, 4};
  EXPECT_EQ(permit_policy({children, permits(3, 2), {}, four}).says, kind::next);
  const verdict last = permit_policy({children, permits(1, 3), {}, four});
  EXPECT_EQ(last.says, kind::behind);
  EXPECT_EQ(last.predecessor, permits(3, 2));
}

TEST(permit_policy, f106_a_contender_behind_one_that_is_marked_as_held_is_next) {
  const names children{permits(3, 1), permits(3, 2), permits(1, 3)};
  const permit_limit four{4, 4};
  EXPECT_EQ(permit_policy({children, permits(1, 3), {}, four}).says, kind::behind);
  EXPECT_EQ(permit_policy({children, permits(1, 3), permits(3, 2), four}).says, kind::next);
  EXPECT_EQ(permit_policy({children, permits(1, 3), permits(3, 1), four}).says, kind::behind) << "not its predecessor";
}

TEST(permit_policy, f106_after_the_limit_was_lowered_a_contender_within_the_former_one_is_next) {
  const names children{permits(1, 1), permits(1, 2), permits(1, 3), permits(1, 4)};
  EXPECT_EQ(permit_policy({children, permits(1, 4), {}, {2, 2}}).says, kind::behind);
  EXPECT_EQ(permit_policy({children, permits(1, 4), {}, {2, 3}}).says, kind::next);
}

TEST(permit_policy, a_contender_that_wants_more_than_there_is_waits_until_it_is_next_and_never_fits) {
  const names children{permits(2, 1), permits(5, 2)};
  EXPECT_EQ(permit_policy({children, permits(5, 2), {}, {4, 4}}).says, kind::never);
  EXPECT_EQ(permit_policy({children, permits(5, 2), {}, {1, 1}}).says, kind::behind);
  const names alone{permits(5, 2)};
  EXPECT_EQ(permit_policy({alone, permits(5, 2), {}, {4, 4}}).says, kind::never);
}

TEST(permit_policy, f106_it_is_said_whether_a_contender_stands_behind) {
  const names children{permits(1, 1), permits(1, 2), mutex(9), "a stray child"};
  EXPECT_TRUE(permit_policy({children, permits(1, 1), {}, {4, 4}}).followed);
  EXPECT_FALSE(permit_policy({children, permits(1, 2), {}, {4, 4}}).followed) << "strangers follow no contender";
  EXPECT_TRUE(permit_policy({children, permits(1, 2), {}, {4, 4}}).mixed);
}

TEST(permit_policy, sums_do_not_overflow) {
  names children;
  for (std::int32_t number = 0; number < 5000; ++number) {
    children.push_back(permits(permits_max, number));
  }
  children.push_back(permits(1, 5000));
  EXPECT_EQ(permit_policy({children, permits(1, 5000), {}, {permits_max, permits_max}}).says, kind::behind);
}

// ---- against a naive model

struct modelled {
  contender_kind kind;
  std::uint32_t permits;
  std::string name;
};

/// A queue by number, and what each recipe says of it in plain words.
class model {
 public:
  explicit model(std::mt19937& random, bool of_permits) {
    std::uniform_int_distribution<int> size(1, 8), coin(0, 1), count(1, 4);
    const int contenders = size(random);
    for (std::int32_t number = 1; number <= contenders; ++number) {
      const auto wanted = static_cast<std::uint32_t>(count(random));
      if (of_permits) {
        queue_.push_back({contender_kind::permit, wanted, recipes_name(wanted, number)});
      } else if (coin(random) == 0) {
        queue_.push_back({contender_kind::read, 0, reader(number)});
      } else {
        queue_.push_back({contender_kind::write, 0, writer(number)});
      }
    }
  }
  [[nodiscard]] const std::vector<modelled>& queue() const { return queue_; }
  [[nodiscard]] names shuffled(std::mt19937& random) const {
    names children{"a stray child"};
    for (const modelled& one : queue_) {
      children.push_back(one.name);
    }
    std::shuffle(children.begin(), children.end(), random);
    return children;
  }
  /// Those before it, nearest first, that conflict.
  [[nodiscard]] names in_the_way_of(std::size_t place, std::string_view marked) const {
    names conflicting;
    for (std::size_t other = place; other-- > 0;) {
      const bool two_readers = queue_[place].kind == contender_kind::read &&
                               (queue_[other].kind == contender_kind::read || queue_[other].name == marked);
      if (!two_readers) {
        conflicting.push_back(queue_[other].name);
      }
    }
    return conflicting;
  }
  [[nodiscard]] std::uint32_t permits_before(std::size_t place) const {
    std::uint32_t sum = 0;
    for (std::size_t other = 0; other < place; ++other) {
      sum += queue_[other].permits;
    }
    return sum;
  }

 private:
  static std::string recipes_name(std::uint32_t count, std::int32_t number) { return permits(count, number); }
  std::vector<modelled> queue_;
};

TEST(queue_policies, f55_f57_agree_with_a_naive_model_of_readers_and_writers) {
  std::mt19937 random(55);  // NOLINT: the same queues every time
  for (int round = 0; round < 5'000; ++round) {
    const model queue(random, false);
    const names children = queue.shuffled(random);
    const std::string marked = round % 3 == 0 ? queue.queue().front().name : "";
    for (std::size_t place = 0; place < queue.queue().size(); ++place) {
      const modelled& own = queue.queue()[place];
      const names before = queue.in_the_way_of(place, marked);
      const verdict seen = policy_of(own.kind)({children, own.name, marked, {}});
      ASSERT_EQ(seen.says, before.empty() ? kind::first : kind::behind) << round << " " << own.name;
      ASSERT_EQ(seen.predecessor, before.empty() ? "" : before.front()) << round << " " << own.name;
      ASSERT_EQ(seen.sole, before.size() == 1) << round << " " << own.name;
    }
  }
}

TEST(queue_policies, f58_f106_agree_with_a_naive_model_of_permits) {
  std::mt19937 random(58);  // NOLINT: the same queues every time
  std::uniform_int_distribution<std::uint32_t> number(1, 8), excess(0, 4);
  for (int round = 0; round < 5'000; ++round) {
    const model queue(random, true);
    const names children = queue.shuffled(random);
    const std::uint32_t limit = number(random);
    const permit_limit limits{limit, limit + excess(random)};
    for (std::size_t place = 0; place < queue.queue().size(); ++place) {
      const modelled& own = queue.queue()[place];
      const std::uint32_t before = queue.permits_before(place);
      const bool fits = before + own.permits <= limits.limit;
      const bool behind_holders = before <= limits.was;
      const kind expected = fits                         ? kind::first
                            : !behind_holders            ? kind::behind
                            : own.permits > limits.limit ? kind::never
                                                         : kind::next;
      const verdict seen = permit_policy({children, own.name, {}, limits});
      ASSERT_EQ(seen.says, expected) << round << " " << own.name;
      ASSERT_EQ(seen.followed, place + 1 < queue.queue().size()) << round << " " << own.name;
      if (expected == kind::behind) {
        ASSERT_EQ(seen.predecessor, queue.queue()[place - 1].name);
      }
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
