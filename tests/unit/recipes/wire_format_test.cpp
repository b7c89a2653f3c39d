// This version's nodes as data: what a later version, on one path with this one, has to read as this one means it, and
// what this version makes of a later one's additions. docs/design/wire-format.md, "What may change". A change here is a
// change of the wire format.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {
namespace {

using namespace std::chrono;

const contender_id id{0x0123456789abcdef, 0xfedcba9876543210};
constexpr std::string_view id_text = "0123456789abcdeffedcba9876543210";

struct named {
  contender_kind kind;
  layout as;
  std::uint32_t permits;
  std::string_view prefix;
};
constexpr named all_names[] = {
    {contender_kind::mutex, layout::native, 0, "0123456789abcdeffedcba9876543210-lock-"},
    {contender_kind::read, layout::native, 0, "read-0123456789abcdeffedcba9876543210-"},
    {contender_kind::write, layout::native, 0, "write-0123456789abcdeffedcba9876543210-"},
    {contender_kind::permit, layout::native, 3, "permit-0123456789abcdeffedcba9876543210-3-"},
    {contender_kind::mutex, layout::curator, 0, "_c_01234567-89ab-4def-aedc-ba9876543210-lock-"},
    {contender_kind::read, layout::curator, 0, "_c_01234567-89ab-4def-aedc-ba9876543210-__READ__"},
    {contender_kind::write, layout::curator, 0, "_c_01234567-89ab-4def-aedc-ba9876543210-__WRIT__"},
    {contender_kind::lease, layout::curator, 1, "_c_01234567-89ab-4def-aedc-ba9876543210-lease-"},
};

TEST(wire_format, of_each_contenders_name_is_this) {
  for (const named& one : all_names) {
    EXPECT_EQ(contender_prefix(one.kind, id, one.permits, one.as), one.prefix);
  }
  EXPECT_EQ(id.text(), id_text);
}

TEST(wire_format, of_each_contenders_name_is_read_so) {
  for (const named& one : all_names) {
    const auto read = parse_contender_name(std::string(one.prefix) + "0000000042");
    ASSERT_TRUE(read) << one.prefix;
    EXPECT_EQ(read->kind, one.kind) << one.prefix;
    EXPECT_EQ(read->sequence.value, 42) << one.prefix;
    EXPECT_EQ(read->permits, one.permits) << one.prefix;
    const bool same_in_both = one.kind == contender_kind::mutex;
    EXPECT_TRUE(same_in_both || read->layout == one.as) << one.prefix;
  }
}

constexpr std::string_view with_all_keys =
    "mode=write\n"
    "host=worker-3\n"
    "pid=4711\n"
    "owner=12\n"
    "label=nightly import\n"
    "time=2026-11-21T02:10:15Z\n";
constexpr sys_seconds written_at = sys_days(2026y / November / 21) + 2h + 10min + 15s;

TEST(wire_format, of_a_contenders_data_is_this) {
  EXPECT_EQ(contender_data(contender_mode::write, "worker-3", 4711, 12, "nightly import", "2026-11-21T02:10:15Z"),
            with_all_keys);
  EXPECT_EQ(contender_data(contender_mode::permit, "h", 1, 0, "", "2026-11-21T02:10:15Z"),
            "mode=permit\nhost=h\npid=1\ntime=2026-11-21T02:10:15Z\n");
}

TEST(wire_format, of_a_contenders_data_is_read_so) {
  EXPECT_EQ(parse_contender_data(with_all_keys),
            (contender_description{contender_mode::write, "worker-3", 4711, 12, "nightly import", written_at}));
  for (const auto& [line, mode] : {std::pair("mode=write\n", contender_mode::write),
                                   {"mode=read\n", contender_mode::read},
                                   {"mode=permit\n", contender_mode::permit},
                                   {"mode=granted\n", contender_mode::granted}}) {
    EXPECT_EQ(parse_contender_mode(line), mode) << line;
  }
}

/// What a later version may add, and what this one makes of it: keys anywhere behind the first line are passed over, also
/// when a mark rewrites the data; a mode that is not known is the strictest.
TEST(wire_format, of_a_later_version_may_have_more_keys_and_modes) {
  const std::string later =
      "mode=write\nrevision=2\nhost=worker-3\npid=4711\nowner=12\nlabel=nightly import\n"
      "time=2026-11-21T02:10:15Z\nturn=7\n";
  EXPECT_EQ(parse_contender_data(later), parse_contender_data(with_all_keys));
  EXPECT_EQ(with_mode(contender_mode::read, later), "mode=read\n" + later.substr(later.find('\n') + 1));
  EXPECT_EQ(parse_contender_mode("mode=upgrading\nhost=h\n"), contender_mode::write);
  EXPECT_EQ(parse_contender_data("mode=write\n").host, "") << "a key that is missing is not known";
}

TEST(wire_format, of_a_name_that_this_version_does_not_know_is_no_contender) {
  for (const char* name : {"upgrade-0123456789abcdeffedcba9876543210-0000000001", "limit-keeper", "notes", "lock"}) {
    EXPECT_FALSE(parse_contender_name(name)) << name;
  }
}

TEST(wire_format, of_a_semaphores_limit_is_this_and_is_read_so) {
  EXPECT_EQ(limit_data({8, 8}), "limit=8\n");
  EXPECT_EQ(limit_data({8, 10}), "limit=8\nwas=10\n");
  EXPECT_EQ(parse_limit("limit=8\n"), (permit_limit{8, 8}));
  EXPECT_EQ(parse_limit("limit=8\nwas=10\n"), (permit_limit{8, 10}));
  EXPECT_EQ(parse_limit("limit=8\nwas=10\nreserved=2\n"), (permit_limit{8, 10}))
      << "a later version's line behind them";
  EXPECT_EQ(limit_keeper, "limit-keeper");
}

TEST(wire_format, f231_a_line_of_ours_says_that_nobody_holds_perhaps) {
  const std::string held = "mode=write\nhost=h\n";
  EXPECT_FALSE(may_be_idle(held));
  EXPECT_TRUE(may_be_idle(held + std::string(may_be_idle_line)));
  EXPECT_EQ(may_be_idle_line, "keeps=1\n");
  EXPECT_TRUE(may_be_idle(with_revocation(held + "keeps=1\n")));
  EXPECT_TRUE(parse_contender_data(held + "keeps=1\n").may_be_idle);
  for (const char* other :
       {"", "keeps=1\n", "label\nkeeps=1\n", "mode=write\nlabel=keeps=1\n", "mode=write\nkeeps=10\n"}) {
    EXPECT_FALSE(may_be_idle(other)) << other;
  }
}

TEST(wire_format, f50_a_mark_of_curators_or_a_line_of_ours_asks_to_let_go_and_nothing_else_does) {
  EXPECT_TRUE(asks_to_let_go("__REVOKE__"));
  EXPECT_TRUE(asks_to_let_go("mode=write\nhost=a\nrevoke=1\n"));
  EXPECT_TRUE(asks_to_let_go("mode=read\nrevoke=1"));
  for (const char* other : {"", "__REVOKE__\n", "revoke=1", "mode=write\nlabel=revoke=1\n", "mode=write\nrevoke=10\n",
                            "label\nrevoke=1\n", "mode=revoke=1"}) {
    EXPECT_FALSE(asks_to_let_go(other)) << other;
  }
  const char* const curators = "_c_0fd3a1b8-7e5c-4429-a6d0-c2f81b93e7a1-lock-0000000001";  // whose data have no state
  EXPECT_FALSE(asks_to_let_go("mode=write\nrevoke=1\n", curators));
  EXPECT_TRUE(asks_to_let_go("__REVOKE__", curators));
  EXPECT_EQ(with_revocation("mode=fast", curators), "__REVOKE__");
  const std::string ours = "mode=read\nhost=h\n";
  EXPECT_EQ(with_revocation(ours), ours + "revoke=1\n");
  EXPECT_EQ(with_revocation("mode=write"), "mode=write\nrevoke=1\n");
  EXPECT_EQ(with_revocation("10.0.0.1"), "__REVOKE__");
  EXPECT_EQ(parse_contender_data(with_revocation(ours)).host, "h");
  EXPECT_TRUE(parse_contender_data(with_revocation(ours)).asked_to_let_go);
  EXPECT_EQ(parse_contender_data("__REVOKE__", "_c_x-lock-0000000001").label, "");
}

}  // namespace
}  // namespace zklock::recipes
