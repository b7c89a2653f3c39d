#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "recipes/contender_name.hpp"
#include "recipes/holders.hpp"
#include "tests/unit/recipes/queue_policies.hpp"

namespace zklock::recipes {
namespace {

using names = std::vector<std::string>;
using kind = contender_kind;
using mode = contender_mode;

names mutex_queue(names children) {
  names queue;
  for (queued& one : queue_among(children, kind::mutex)) {
    EXPECT_EQ(one.kind, kind::mutex);
    EXPECT_EQ(one.permits, 0U);
    queue.push_back(std::move(one.name));
  }
  return queue;
}

// ---- which contenders are in it, and in which order

TEST(mutex_queue, f51_comes_in_the_order_of_the_numbers_whatever_the_prefixes) {
  const std::string ours = "0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000012";
  const std::string curators = "_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-lock-0000000009";
  const std::string kazoos = "ffd3c0ffee0fd3c0ffee0fd3c0ffee00__lock__0000000010";
  const std::string go_zks = "_c_0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-0000000011";
  EXPECT_EQ(mutex_queue({ours, go_zks, kazoos, curators}), (names{curators, kazoos, go_zks, ours}));
}

TEST(mutex_queue, f49_f51_leaves_out_what_is_no_contender_for_a_mutex) {
  EXPECT_EQ(mutex_queue({}), names{});
  EXPECT_EQ(
      mutex_queue({"0", "-", "zzz", "lock", "", "a-lock-", "a-lock-12", "read-x-0000000001", "write-x-0000000002",
                   "permit-x-1-0000000003", "x-__READ__0000000004", "x-latch-0000000005", "x__rlock__0000000006"}),
      names{});
}

TEST(mutex_queue, f47_numbers_are_signed_and_tied_ones_stand_by_name) {
  EXPECT_EQ(mutex_queue({"b-lock-2147483647", "a-lock-2147483647", "c-lock--2147483648", "d-lock-0000000000"}),
            (names{"c-lock--2147483648", "d-lock-0000000000", "a-lock-2147483647", "b-lock-2147483647"}));
}

TEST(mutex_queue, f46_f51_agrees_with_the_policy_on_the_first_and_on_each_predecessor) {
  std::mt19937 chance(46);
  for (int run = 0; run < 300; ++run) {
    names children{"stray", "0"};
    for (int number = 0; number < 20; ++number) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%010d", number * 3);
      children.push_back(std::to_string(chance()) + (chance() % 2 == 0 ? "-lock-" : "__lock__") + digits);
    }
    std::shuffle(children.begin(), children.end(), chance);
    const names queue = mutex_queue(children);
    ASSERT_EQ(queue.size(), 20U);
    EXPECT_EQ(mutex_policy({children, queue[0]}).says, verdict::kind::first);
    for (std::size_t place = 1; place < queue.size(); ++place) {
      const verdict seen = mutex_policy({children, queue[place]});
      ASSERT_EQ(seen.says, verdict::kind::behind);
      ASSERT_EQ(seen.predecessor, queue[place - 1]);
    }
  }
}

TEST(mutex_queue, f51_takes_any_bytes_for_names) {
  std::mt19937 chance(51);
  for (int run = 0; run < 2'000; ++run) {
    names children;
    for (int child = 0; child < 5; ++child) {
      std::string name;
      for (auto size = chance() % 20; size > 0; --size) {
        name += static_cast<char>(chance() % 256);
      }
      children.push_back(name + (chance() % 2 == 0 ? "-lock-0000000001" : ""));
    }
    const names queue = mutex_queue(children);
    ASSERT_EQ(queue.size(),
              static_cast<std::size_t>(std::count_if(children.begin(), children.end(), [](const std::string& name) {
                const auto parsed = parse_contender_name(name);
                return parsed && parsed->kind == contender_kind::mutex;
              })));
  }
}

// ---- of which recipe

TEST(listing, f51_has_the_contenders_of_one_recipe_or_of_all) {
  const names children{"stray",
                       "a-lock-0000000009",
                       "write-b-0000000003",
                       "permit-c-7-0000000004",
                       "read-d-0000000002",
                       "x-latch-0000000001",
                       "permit-e-0-0000000005"};
  const queued a{"a-lock-0000000009", kind::mutex, 0};
  const queued b{"write-b-0000000003", kind::write, 0};
  const queued c{"permit-c-7-0000000004", kind::permit, 7};
  const queued d{"read-d-0000000002", kind::read, 0};
  EXPECT_EQ(queue_among(children, kind::mutex), (std::vector{a}));
  EXPECT_EQ(queue_among(children, kind::read), (std::vector{d, b}));
  EXPECT_EQ(queue_among(children, kind::write), (std::vector{d, b}));
  EXPECT_EQ(queue_among(children, kind::permit), (std::vector{c}));
  const queued x{"x-latch-0000000001", kind::latch, 0, mode::write, layout::curator};
  EXPECT_EQ(queue_among(children, kind::latch, layout::curator), (std::vector{x}));
  EXPECT_EQ(queue_among(children, std::nullopt), (std::vector{x, d, b, c, a}));
}

// ---- which contenders hold

queued reader() { return {"", kind::read, 0, mode::read}; }
queued writer() { return {"", kind::write, 0, mode::write}; }
queued downgraded() { return {"", kind::write, 0, mode::read}; }
queued wanting(std::uint32_t permits, bool marked = false) {
  return {"", kind::permit, permits, marked ? mode::granted : mode::permit};
}
using queue = std::vector<queued>;
using holds = std::vector<bool>;

TEST(listing, shows_the_first_mutex_as_held) {
  const queued one{"", kind::mutex, 0};
  EXPECT_EQ(holders_of({}, {}), holds{});
  EXPECT_EQ(holders_of(queue{one, one, one}, {}), (holds{true, false, false}));
}

TEST(listing, f55_shows_readers_before_the_first_writer_as_holding_or_the_writer_that_is_first) {
  EXPECT_EQ(holders_of(queue{reader(), reader(), writer(), reader()}, {}), (holds{true, true, false, false}));
  EXPECT_EQ(holders_of(queue{writer(), reader(), writer()}, {}), (holds{true, false, false}));
}

TEST(listing, f52_shows_a_downgraded_writer_as_a_reader_that_lets_readers_in) {
  EXPECT_EQ(kind_of(downgraded()), kind::read);
  EXPECT_EQ(kind_of(writer()), kind::write);
  EXPECT_EQ(kind_of(wanting(1)), kind::permit);
  EXPECT_EQ(holders_of(queue{downgraded(), reader(), writer(), reader()}, {}), (holds{true, true, false, false}));
}

TEST(listing, f105_shows_what_only_says_that_it_was_downgraded_behind_a_writer_as_waiting) {
  EXPECT_EQ(holders_of(queue{writer(), downgraded()}, {}), (holds{true, false}));
}

TEST(listing, f58_shows_permits_as_held_as_long_as_they_all_fit) {
  const permit_limit five{5, 5};
  EXPECT_EQ(holders_of(queue{wanting(2), wanting(3), wanting(1)}, five), (holds{true, true, false}));
  EXPECT_EQ(holders_of(queue{wanting(2), wanting(4), wanting(1)}, five), (holds{true, false, false}))
      << "a contender that wants few does not overtake";
  EXPECT_EQ(holders_of(queue(3, wanting(1'000'000)), permit_limit{1'000'000, 0}), (holds{true, false, false}));
}

TEST(listing, f106_shows_a_contender_granted_before_the_limit_was_lowered_as_holding) {
  EXPECT_EQ(holders_of(queue{wanting(1), wanting(1, true), wanting(1, true), wanting(1)}, permit_limit{1, 3}),
            (holds{true, true, true, false}));
}

TEST(listing, shows_permits_whose_limit_is_not_known_as_held_if_they_are_marked) {
  EXPECT_EQ(holders_of(queue{wanting(1), wanting(1, true)}, {}), (holds{false, true}));
}

/// The rule of each recipe, word by word, for one contender at a time.
bool holds_by_the_rule(const queue& all, std::size_t place, std::uint32_t limit) {
  const auto before = [&](auto counts) {
    return std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), counts);
  };
  const auto writes = [](const queued& one) { return one.kind == kind::write && one.mode != mode::read; };
  const auto shares = [](const queued& one) { return one.kind == kind::read || one.kind == kind::write; };
  const queued& mine = all[place];
  switch (mine.kind) {
    case kind::mutex: return before([](const queued& one) { return one.kind == kind::mutex; }) == 0;
    case kind::read: return before(writes) == 0;
    case kind::write: return writes(mine) ? before(shares) == 0 : before(writes) == 0;
    default: break;
  }
  std::uint64_t wanted = mine.permits;
  for (std::size_t other = 0; other < place; ++other) {
    wanted += all[other].permits;
  }
  return mine.mode == mode::granted || wanted <= limit;
}

TEST(listing, agrees_with_the_rules_of_each_recipe_also_where_several_share_a_lock_node) {
  std::mt19937 chance(52);
  const auto up_to = [&chance](std::uint32_t most) { return 1 + static_cast<std::uint32_t>(chance() % most); };
  for (int run = 0; run < 3'000; ++run) {
    queue all;
    for (auto size = chance() % 9; size > 0; --size) {
      const std::vector<queue> recipes{
          {{"", kind::mutex, 0}}, {reader(), writer(), downgraded()}, {wanting(up_to(3)), wanting(up_to(3), true)}};
      const queue& one = recipes[run % 2 == 0 ? chance() % 3 : static_cast<std::size_t>(run / 2 % 3)];
      all.push_back(one[chance() % one.size()]);
    }
    const std::uint32_t limit = up_to(6);
    const holds got = holders_of(all, permit_limit{limit, limit});
    ASSERT_EQ(got.size(), all.size());
    for (std::size_t place = 0; place < all.size(); ++place) {
      ASSERT_EQ(got[place], holds_by_the_rule(all, place, limit)) << run << ", " << place;
    }
  }
}

/// By names alone: a contender is shown as a holder exactly if the contenders' own policy lets it pass.
TEST(listing, agrees_with_the_policy_by_which_contenders_go) {
  std::mt19937 chance(53);
  for (int run = 0; run < 500; ++run) {
    const bool permits = run % 2 == 0;
    names children{"stray"};
    for (int number = 0; number < 8; ++number) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%010d", number);
      children.push_back((permits             ? "permit-x-" + std::to_string(1 + chance() % 3) + "-"
                          : chance() % 2 == 0 ? "read-x-"
                                              : "write-x-") +
                         digits);
    }
    std::shuffle(children.begin(), children.end(), chance);
    const permit_limit limit{1 + static_cast<std::uint32_t>(chance() % 9), 9};
    const queue all = queue_among(children, permits ? kind::permit : kind::read);
    const holds got = holders_of(all, limit);
    for (std::size_t place = 0; place < all.size(); ++place) {
      const verdict seen = policy_of(all[place].kind)({children, all[place].name, {}, limit});
      ASSERT_EQ(got[place], seen.says == verdict::kind::first) << run << ", " << place;
    }
  }
}

}  // namespace
}  // namespace zklock::recipes
