// The holders and the waiters where the nodes are Curator's.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "recipes/holders.hpp"

namespace zklock::recipes {
namespace {

using kind = contender_kind;
using mode = contender_mode;
using queue = std::vector<queued>;
using holds = std::vector<bool>;

const std::string owner = "_c_1b4e28ba-2fa1-4ad2-883f-0016d3cca427-";
const std::string other = "_c_9b4e28ba-2fa1-4ad2-883f-0016d3cca427-";

queue sides(std::vector<std::string> names) { return queue_among(names, kind::read, layout::curator); }
queued lease() { return {"", kind::lease, 1, mode::write, layout::curator}; }
queued in_line() { return {"", kind::lease, 0, mode::write, layout::curator}; }

TEST(curator_listing, has_the_sides_of_its_own_layout_alone_and_mutexes_of_both) {
  const std::vector<std::string> names{owner + "__READ__0000000002", owner + "__WRIT__0000000001", "read-x-0000000003",
                                       "write-x-0000000004",         owner + "lock-0000000005",    "x-lock-0000000006"};
  const queue curators = sides(names);
  ASSERT_EQ(curators.size(), 2U);
  EXPECT_EQ(curators[0], (queued{names[1], kind::write, 0, mode::write, layout::curator}));
  EXPECT_EQ(curators[1], (queued{names[0], kind::read, 0, mode::write, layout::curator}));
  const queue natives = queue_among(names, kind::write);
  ASSERT_EQ(natives.size(), 2U);
  EXPECT_EQ(natives[0].name, names[2]);
  EXPECT_EQ(queue_among(names, kind::mutex).size(), 2U);
  EXPECT_EQ(queue_among(names, kind::mutex, layout::curator).size(), 2U);
  EXPECT_EQ(queue_among(names, std::nullopt).size(), 6U);
}

TEST(curator_listing, f52_a_writer_and_the_reader_that_it_became_hold_together_and_alone_each) {
  const std::string next = other + "__WRIT__0000000004";
  for (const auto& [read, write] : {std::pair(owner, other), std::pair(other, owner)}) {  // either is first by its name
    const std::string reader = read + "__READ__0000000003";
    const std::string writer = write + "__WRIT__0000000003";
    EXPECT_EQ(holders_of(sides({writer, reader, next}), {}), (holds{true, true, false}));
    EXPECT_EQ(holders_of(sides({reader, next}), {}), (holds{true, false}));
    EXPECT_EQ(holders_of(sides({writer, next}), {}), (holds{true, false}));
    EXPECT_EQ(holders_of(sides({other + "__WRIT__0000000002", writer, reader}), {}), (holds{true, false, false}));
    EXPECT_EQ(holders_of(sides({other + "__READ__0000000002", writer}), {}), (holds{true, false}));
    EXPECT_EQ(holders_of(sides({reader, other + "__READ__0000000004", next}), {}), (holds{true, true, false}));
  }
}

TEST(curator_listing, f47_of_two_writers_with_one_number_one_is_shown_as_holding) {
  EXPECT_EQ(holders_of(sides({owner + "__WRIT__2147483647", other + "__WRIT__2147483647"}), {}), (holds{true, false}));
}

TEST(curator_listing, f105_no_payload_makes_a_writer_a_reader) {
  queue all = sides({owner + "__WRIT__0000000001", other + "__READ__0000000002"});
  all[0].mode = mode::read;
  EXPECT_EQ(kind_of(all[0]), kind::write);
  EXPECT_EQ(holders_of(all, {}), (holds{true, false}));
}

TEST(curator_listing, of_two_layouts_at_one_path_judges_each_by_its_own) {
  const std::vector<std::string> children{"write-x-0000000001", owner + "__WRIT__0000000002",
                                          other + "__WRIT__0000000003", "read-x-0000000004"};
  const queue all = queue_among(children, std::nullopt);
  EXPECT_EQ(holders_of(all, {}), (holds{true, true, false, false}));
}

TEST(curator_listing, leases_within_the_limit_are_held_and_contenders_in_line_wait) {
  const queue all{lease(), lease(), lease(), in_line(), in_line()};
  EXPECT_EQ(holders_of(all, {}, 2), (holds{true, true, false, false, false}));
  EXPECT_EQ(holders_of(all, {}, 4), (holds{true, true, true, false, false}));
  EXPECT_EQ(holders_of(all, {}), (holds{true, true, true, false, false})) << "the limit is not known";
  EXPECT_EQ(holders_of(all, permit_limit{1, 1}), holders_of(all, {})) << "the lock node's limit is for native permits";
}

TEST(curator_listing, a_lease_that_is_known_to_wait_is_not_held_whatever_the_limit) {
  queue all{lease(), lease()};
  all[1].mode = mode::permit;
  EXPECT_EQ(holders_of(all, {}), (holds{true, false}));
  EXPECT_EQ(holders_of(all, {}, 9), (holds{true, false}));
}

TEST(curator_listing, native_permits_and_leases_at_one_path_do_not_count_for_each_other) {
  const queue all{{"", kind::permit, 2}, {"", kind::permit, 1}, lease(), lease()};
  EXPECT_EQ(holders_of(all, permit_limit{2, 2}, 1), (holds{true, false, true, false}));
}

TEST(curator_listing, the_first_in_line_and_the_later_lease_of_the_same_session_are_one) {
  EXPECT_TRUE(stands_twice({7, 100}, {7, 101}));
  EXPECT_FALSE(stands_twice({7, 100}, {7, 99})) << "it was there before";
  EXPECT_FALSE(stands_twice({7, 100}, {8, 101})) << "of another session";
  EXPECT_FALSE(stands_twice({0, 0}, {0, 101})) << "nothing is known";
}

TEST(curator_listing, f105_takes_a_payload_of_curators_nodes_for_nothing_but_a_label) {
  const std::string forged = "mode=read\nhost=h\npid=7\nlabel=x\n";
  const contender_description told = parse_contender_data(forged, owner + "__WRIT__0000000001");
  EXPECT_EQ(told.label, forged);
  EXPECT_EQ(told.mode, mode::write);
  EXPECT_EQ(told.host, "");
  EXPECT_EQ(told.pid, std::nullopt);
  EXPECT_EQ(parse_contender_data(forged, "x-lease-0000000001").label, forged);
  EXPECT_EQ(parse_contender_data(forged, "_c_x-lock-0000000001").label, forged);
  EXPECT_EQ(parse_contender_data(forged, "write-x-0000000001").host, "h");
  EXPECT_EQ(parse_contender_data(std::string(300, 'x'), owner).label, std::string(256, 'x') + "\u2026");
}

}  // namespace
}  // namespace zklock::recipes
