// What one read says of a lock that a try would find busy.
#include "recipes/busy_check.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/recipes/one_session.hpp"

namespace zklock::recipes {
namespace {

using namespace std::chrono_literals;
using next = busy_check::next;
using names = std::vector<std::string>;

const std::string a = "0123456789abcdef0123456789abcdef";

acquire_spec wants(contender_kind kind, std::uint32_t permits = 1, std::uint32_t limit = 0,
                   layout as = layout::native) {
  return {.kind = kind, .permits = permits, .limit = limit, .as = as};
}
busy_check check_of(const acquire_spec& wanted) { return {wanted, false}; }
seen_blocker seen(std::string_view name) { return {1, name}; }
const std::string held = "mode=write\n", reads_by_now = "mode=read\n", kept = held + std::string(may_be_idle_line);
constexpr code failures[] = {code::connection_loss, code::operation_timeout, code::no_auth, code::session_expired};
const busy_check::facts connected{.connected = true, .session = 1};

TEST(a_busy_check, asks_nothing_where_nothing_was_seen_unless_it_always_asks) {
  busy_check one = check_of(wants(contender_kind::mutex));
  EXPECT_EQ(one.begin({}, connected), next::contend);
  EXPECT_EQ(busy_check(wants(contender_kind::mutex), true).begin({}, connected), next::list);
  EXPECT_EQ(one.begin(seen("x-lock-0000000003"), connected), next::read);
  EXPECT_EQ(one.name(), "x-lock-0000000003");
  EXPECT_EQ(check_of(wants(contender_kind::permit)).begin(seen(""), connected), next::list);
}

TEST(a_busy_check, knows_nothing_of_an_earlier_session_or_without_a_connection) {
  for (const bool always : {false, true}) {
    busy_check one(wants(contender_kind::mutex), always);
    EXPECT_EQ(one.begin(seen("x-lock-0000000003"), {.connected = false, .session = 1}), next::contend);
    EXPECT_EQ(one.begin(seen("x-lock-0000000003"), {.connected = true, .session = 2}),
              always ? next::list : next::contend);
  }
}

TEST(a_busy_check, counts_no_permits_where_the_process_has_other_sessions) {
  const busy_check::facts beside_others{.connected = true, .session = 1, .other_sessions = true};
  EXPECT_EQ(check_of(wants(contender_kind::permit)).begin(seen(""), beside_others), next::contend);
  EXPECT_EQ(check_of(wants(contender_kind::mutex)).begin(seen("x-lock-0000000003"), beside_others), next::read);
}

TEST(a_busy_check, asks_nothing_behind_an_exclusive_hold_of_its_session) {
  const auto begun = [](const acquire_spec& wanted, const contender& holder) {
    busy_check one = check_of(wanted);
    const next first = one.begin({}, {.holder = &holder, .connected = true, .session = 1});
    EXPECT_EQ(one.name(), first == next::busy ? holder.own() : "");
    return first;
  };
  words::one_session session;
  const contender& mutex = session.machine(session.holder(3));
  EXPECT_EQ(begun(wants(contender_kind::mutex), mutex), next::busy);
  EXPECT_EQ(begun(wants(contender_kind::mutex, 1, 0, layout::curator), mutex), next::busy) << "of either layout";
  EXPECT_EQ(begun(wants(contender_kind::write), mutex), next::contend) << "another recipe";

  words::one_session sides;
  const auto place = sides.holder(3, words::to_write);
  const contender& writer = sides.machine(place);
  EXPECT_EQ(begun(wants(contender_kind::write), writer), next::busy);
  EXPECT_EQ(begun(wants(contender_kind::read), writer), next::busy);
  EXPECT_EQ(begun(wants(contender_kind::read, 1, 0, layout::curator), writer), next::contend);
  sides.tell(place, "downgrade");
  sides.tell(place, "marked:ok");
  EXPECT_EQ(begun(wants(contender_kind::read), writer), next::contend) << "a reader by now";

  words::one_session pool;
  EXPECT_EQ(begun(words::two_of_four, pool.machine(pool.add(words::two_of_four))), next::contend);
}

TEST(a_busy_check, finds_a_mutex_or_a_writer_blocked_by_any_node_that_stands) {
  for (const contender_kind kind : {contender_kind::mutex, contender_kind::write}) {
    busy_check one = check_of(wants(kind));
    EXPECT_EQ(one.read(code::ok, held, false), next::busy);
    EXPECT_EQ(one.read(code::ok, reads_by_now, false), next::busy);
    EXPECT_EQ(one.read(code::no_node, {}, false), next::contend);
  }
}

TEST(a_busy_check, finds_a_reader_blocked_by_a_writer_that_does_not_read_by_now) {
  busy_check one = check_of(wants(contender_kind::read));
  EXPECT_EQ(one.read(code::ok, held, false), next::busy);
  EXPECT_EQ(one.read(code::ok, reads_by_now, false), next::contend);
}

TEST(a_busy_check, decides_nothing_without_an_answer_or_by_a_node_of_the_own_process) {
  busy_check one = check_of(wants(contender_kind::mutex));
  for (const code failed : failures) {
    EXPECT_EQ(one.read(failed, {}, false), next::contend);
  }
  EXPECT_EQ(one.read(code::ok, held, true), next::contend) << "the caller may know of its release";
}

TEST(a_busy_check, f231_lets_a_try_stand_behind_what_may_be_idle_until_its_process_has_been_told) {
  busy_check one(wants(contender_kind::mutex), true);
  ASSERT_EQ(one.begin({}, connected), next::list);
  ASSERT_EQ(one.listed(code::ok, names{a + "-lock-0000000003"}, {}, 0), next::read);
  EXPECT_EQ(one.read(code::ok, held, false), next::busy);
  EXPECT_EQ(one.time_to_stand(1ms), 0ns);
  EXPECT_EQ(one.read(code::ok, kept, false), next::contend);
  EXPECT_EQ(one.time_to_stand(1ms), 10ms);
  EXPECT_EQ(one.time_to_stand(6ms), 12ms) << "its process is told, and removes it";

  busy_check next_try = check_of(wants(contender_kind::mutex));
  ASSERT_EQ(next_try.begin(seen(a + "-lock-0000000003"), connected), next::read);
  EXPECT_EQ(next_try.read(code::ok, kept, false), next::busy) << "told by the try before, it stands still: it is held";
  EXPECT_EQ(next_try.time_to_stand(1ms), 0ns);
}

TEST(a_busy_check, f231_behind_a_try_that_was_refused_believes_what_it_reads_of_any_process) {
  busy_check one = check_of(wants(contender_kind::mutex));
  one.look_again();
  ASSERT_EQ(one.begin(seen(a + "-lock-0000000003"), connected), next::read);
  EXPECT_EQ(one.read(code::ok, held, true), next::busy);
  EXPECT_EQ(one.read(code::ok, kept, false), next::contend);
  EXPECT_EQ(one.read(code::no_node, {}, false), next::contend) << "it is free, perhaps";
  for (const code failed : failures) {
    EXPECT_EQ(one.read(failed, {}, false), next::busy) << "it has blocked this call";
  }
}

TEST(a_seen_blocker, f231_is_asked_once_by_a_native_mutex) {
  seen_blocker last = seen(a + "-lock-0000000003");
  EXPECT_FALSE(last.is_to_be_asked(wants(contender_kind::mutex, 1, 0, layout::curator)));
  for (const contender_kind other : {contender_kind::read, contender_kind::write, contender_kind::permit}) {
    EXPECT_FALSE(last.is_to_be_asked(wants(other)));
  }
  EXPECT_TRUE(last.is_to_be_asked(wants(contender_kind::mutex)));
  EXPECT_FALSE(last.is_to_be_asked(wants(contender_kind::mutex)));
  const heap_text known = last.name;
  last.name = a + "-lock-0000000004";  // a try stood behind another one meanwhile
  last.name = known;
  EXPECT_FALSE(last.is_to_be_asked(wants(contender_kind::mutex)));
  last.name = a + "-lock-0000000005";
  EXPECT_TRUE(last.is_to_be_asked(wants(contender_kind::mutex)));
  EXPECT_FALSE(seen_blocker{}.is_to_be_asked(wants(contender_kind::mutex))) << "what has blocked it is not known";
}

TEST(a_busy_check, takes_from_a_list_the_node_to_be_read) {
  const names queue{a + "-lock-0000000007", a + "-lock-0000000005", "a note", "read-" + a + "-0000000001"};
  busy_check one = check_of(wants(contender_kind::mutex));
  EXPECT_EQ(one.listed(code::ok, queue, {}, 0), next::read);
  EXPECT_EQ(one.name(), a + "-lock-0000000005") << "the first stays longest";
  EXPECT_EQ(one.listed(code::ok, names{"a note"}, {}, 0), next::contend);
  EXPECT_EQ(one.listed(code::connection_loss, queue, {}, 0), next::contend);

  const names sides{"read-" + a + "-0000000001", "write-" + a + "-0000000002", "write-" + a + "-0000000004",
                    "read-" + a + "-0000000005"};
  busy_check reader = check_of(wants(contender_kind::read));
  EXPECT_EQ(reader.listed(code::ok, sides, {}, 0), next::read);
  EXPECT_EQ(reader.name(), "write-" + a + "-0000000004");
  busy_check writer = check_of(wants(contender_kind::write));
  EXPECT_EQ(writer.listed(code::ok, sides, {}, 0), next::read);
  EXPECT_EQ(writer.name(), "read-" + a + "-0000000001");
  EXPECT_EQ(check_of(wants(contender_kind::read)).listed(code::ok, names{sides.front()}, {}, 0), next::contend);
}

TEST(a_busy_check, counts_permits_against_a_limit_that_was_not_written_since) {
  const names queue{"permit-" + a + "-2-0000000001", "permit-" + a + "-1-0000000002", "limit-keeper"};
  const auto listed = [&queue](std::uint32_t permits, std::uint32_t limit, const limit_node& known,
                               std::int64_t written) {
    return check_of(wants(contender_kind::permit, permits, limit)).listed(code::ok, queue, known, written);
  };
  const limit_node four{.limit = permit_limit{4, 4}, .written = 9};
  EXPECT_EQ(listed(1, 4, four, 9), next::contend) << "one is left";
  EXPECT_EQ(listed(2, 4, four, 9), next::busy);
  EXPECT_EQ(listed(2, 0, four, 9), next::busy);
  EXPECT_EQ(listed(2, 4, four, 10), next::contend) << "the limit may be another one by now";
  EXPECT_EQ(listed(2, 5, four, 9), next::contend) << "the try tells that the limits differ";
  EXPECT_EQ(listed(5, 4, four, 9), next::contend) << "the try tells that there are never so many";
  EXPECT_EQ(listed(2, 4, {}, 9), next::contend);
  EXPECT_EQ(listed(2, 4, {.limit = permit_limit{4, 4}}, 0), next::contend);
}

TEST(a_busy_check, counts_the_leases_of_curators_layout) {
  const names leases{"_c_" + a + "-lease-0000000001", "_c_" + a + "-lease-0000000002"};
  busy_check one = check_of(wants(contender_kind::permit, 2, 3, layout::curator));
  EXPECT_TRUE(one.of_leases());
  EXPECT_EQ(one.listed(code::ok, leases, {}, 0), next::busy);
  EXPECT_EQ(check_of(wants(contender_kind::permit, 1, 3, layout::curator)).listed(code::ok, leases, {}, 0),
            next::contend);
}

TEST(the_first_blocker, stands_before_the_own_node_and_is_of_its_recipe_and_layout) {
  const std::string own = "write-" + a + "-0000000003";
  const names queue{own, "write-" + a + "-0000000004", "_c_" + a + "__WRIT__0000000001", a + "-lock-0000000001",
                    "write-" + a + "-0000000002"};
  EXPECT_EQ(first_blocker(queue, wants(contender_kind::write), own), "write-" + a + "-0000000002");
  EXPECT_EQ(first_blocker(names{own}, wants(contender_kind::write), own), "");
}

}  // namespace
}  // namespace zklock::recipes
