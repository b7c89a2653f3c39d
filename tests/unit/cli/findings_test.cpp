#include "src/cli/findings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/cli/doctor_output.hpp"

namespace zklock::cli {
namespace {

using detail::inspected_lock;
using kind = participant_kind;

const terminal_characters ascii("C");

inspected_lock lock_at(const std::string& path) {
  inspected_lock lock;
  lock.lock.path = path;
  return lock;
}
participant& add(inspected_lock& to, participant_kind of, const std::string& node, std::int64_t session = 5) {
  participant& one = to.lock.participants.emplace_back();
  one.kind = of;
  one.state = to.lock.participants.size() == 1 ? participant_state::held : participant_state::waiting;
  one.node = to.lock.path + "/" + node;
  one.token.czxid = 100 + static_cast<std::int64_t>(to.nodes.size());
  one.host = "here";
  one.pid = 7;
  to.nodes.push_back({.session = session, .number = static_cast<std::int64_t>(to.nodes.size())});
  return one;
}
std::vector<finding> all_of(const inspected_lock& lock, const own_host& here = {},
                            const std::vector<inspected_lock>& all = {}) {
  return findings_of(lock, all, here, ascii);
}
/// The one kind that is found. The texts that it has to have.
void expect_one(const inspected_lock& lock, const std::string& word, finding::level level,
                const std::vector<std::string>& texts, const own_host& here = {}) {
  const auto found = all_of(lock, here);
  ASSERT_EQ(found.size(), 1U) << word;
  EXPECT_EQ(found[0].kind, word);
  EXPECT_EQ(found[0].is, level);
  EXPECT_EQ(found[0].path, lock.lock.path);
  EXPECT_FALSE(found[0].mend.empty());
  for (const std::string& text : texts) EXPECT_NE(found[0].text.find(text), std::string::npos) << found[0].text;
}

TEST(findings, are_none_of_sound_locks) {
  inspected_lock mutex = lock_at("/m");
  add(mutex, kind::mutex, "a-lock-0000000001");
  add(mutex, kind::mutex, "b-lock-0000000002");
  const own_host here{"here", [](std::int64_t) { return false; }};
  EXPECT_TRUE(all_of(mutex, here).empty());
  inspected_lock sides = lock_at("/s");
  for (const kind one : {kind::read, kind::write}) add(sides, one, "x-0000000001").layout = layout::native;
  EXPECT_TRUE(all_of(sides, here).empty());
  inspected_lock pool = lock_at("/p");
  pool.lock.permit_limit = 3;
  add(pool, kind::permits, "permit-a-3-0000000001").permits = 3;
  add(pool, kind::permits, "permit-b-3-0000000002").permits = 3;
  EXPECT_TRUE(all_of(pool, here).empty());
  inspected_lock latches = lock_at("/l");
  for (int i = 0; i < 2; ++i) add(latches, kind::latch, "x-latch-0000000001").layout = layout::curator;
  EXPECT_TRUE(all_of(latches, here).empty());
}

TEST(findings, have_several_recipes_and_layouts_at_one_path) {
  inspected_lock mixed = lock_at("/m");
  add(mixed, kind::mutex, "a-lock-0000000001");
  add(mixed, kind::read, "read-a-0000000002");
  add(mixed, kind::write, "write-a-0000000003");
  expect_one(mixed, "mixed-kinds", finding::level::problem, {"1 of a mutex, 2 of a read/write lock"});
  inspected_lock leaders = lock_at("/l");
  add(leaders, kind::latch, "a-latch-0000000001");
  add(leaders, kind::mutex, "b-lock-0000000002");
  expect_one(leaders, "latch-beside-lock", finding::level::problem, {"two leaders"});
  inspected_lock both = lock_at("/b");
  add(both, kind::latch, "a-latch-0000000001");
  add(both, kind::read, "_c_x-__READ__0000000002").layout = layout::curator;
  expect_one(both, "mixed-kinds", finding::level::problem, {"1 of a read/write lock, 1 of a LeaderLatch"});
  inspected_lock layouts = lock_at("/s");
  add(layouts, kind::read, "read-a-0000000001").layout = layout::native;
  add(layouts, kind::write, "_c_x-__WRIT__0000000002").layout = layout::curator;
  expect_one(layouts, "mixed-layouts", finding::level::problem,
             {"1 contender in the native layout and 1 in Curator's"});
}

TEST(findings, have_what_waits_in_vain_or_for_ever) {
  inspected_lock pool = lock_at("/p");
  pool.lock.permit_limit = 3;
  add(pool, kind::permits, "permit-a-1-0000000001").permits = 1;
  add(pool, kind::permits, "permit-b-4-0000000002").permits = 4;
  expect_one(pool, "too-many-permits", finding::level::note, {"4 permits of 3", "host \"here\", process 7"});
  pool.permits_at_most = 4;
  EXPECT_TRUE(all_of(pool).empty()) << "it may hold them, since before the limit was lowered";
  inspected_lock mutex = lock_at("/m");
  add(mutex, kind::mutex, "a-lock-0000000001", 0);
  add(mutex, kind::mutex, "b-lock-0000000002");
  expect_one(mutex, "persistent-contender", finding::level::problem, {"/m/a-lock-0000000001 is no client's"});
  mutex.lock.participants[0].token.czxid = 0;
  EXPECT_TRUE(all_of(mutex).empty()) << "it is not known";
}

TEST(findings, have_a_counter_that_is_near_its_end) {
  inspected_lock mutex = lock_at("/lo--ck");
  add(mutex, kind::mutex, "a--lock-2140000000");
  mutex.nodes[0].number = 2'140'000'000;
  expect_one(mutex, "counter-near-end", finding::level::problem, {"7483647 are left"});
  mutex.nodes[0].number = -2'147'483'648;
  expect_one(mutex, "counter-near-end", finding::level::problem, {"has passed its end"});
  mutex.nodes[0].number = 2'000'000'000;
  EXPECT_TRUE(all_of(mutex).empty());
}

TEST(findings, name_no_command_that_a_hostile_name_has_written) {
  for (const auto& [name, mend] : std::vector<std::pair<std::string, std::string>>{
           {"a-lock-0000000001", "zklock evict /m/a-lock-0000000001"},
           {"$(touch x);'-lock-0000000001", "zklock evict with that node, whose name is no word of a shell"},
           {"$(id);'-lock-0000000001", "zklock evict '/m/$(id);'\\''-lock-0000000001'"},
           {"a\n-lock-0000000001", "zklock evict with that node, whose name is no word of a shell"}}) {
    inspected_lock mutex = lock_at("/m");
    add(mutex, kind::mutex, name, 0);
    const auto found = all_of(mutex);
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_EQ(found[0].mend, mend);
  }
  inspected_lock root = lock_at("/");
  add(root, kind::mutex, "a-lock-0000000001", 0).node = "/a-lock-0000000001";
  EXPECT_EQ(all_of(root)[0].mend, "zkCli.sh delete /a-lock-0000000001");
}

TEST(findings, have_clients_of_this_host_whose_process_is_not_there) {
  inspected_lock mutex = lock_at("/m");
  add(mutex, kind::mutex, "a-lock-0000000001").label = "import\x1b[2J";
  const auto gone = [](std::int64_t pid) { return pid == 7; };
  expect_one(mutex, "process-gone", finding::level::note, {R"("import\x1b[2J")", "holds", "a container may have it"},
             {"here", gone});
  EXPECT_TRUE(all_of(mutex, {"elsewhere", gone}).empty());
  EXPECT_TRUE(all_of(mutex, {"", gone}).empty());
}

TEST(findings, have_children_that_are_no_contenders_but_not_those_with_locks_below) {
  inspected_lock mutex = lock_at("/m");
  add(mutex, kind::mutex, "a-lock-0000000001");
  mutex.strangers = {"inner", "x__rlock__0000000003", "one", "two\n", "three"};
  inspected_lock below = lock_at("/m/inner/deep");
  const auto found = all_of(mutex, {}, {mutex, below});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "stranger");
  EXPECT_NE(found[0].text.find("x__rlock__0000000003, one, two\\x0a and 1 more"), std::string::npos) << found[0].text;
  mutex.strangers = {"inner"};
  EXPECT_TRUE(all_of(mutex, {}, {mutex, below}).empty());
  mutex.strangers.push_back("inner-not");
  EXPECT_EQ(all_of(mutex, {}, {mutex, below}).size(), 1U);
  inspected_lock beside = lock_at("/m/inner-other");  // '-' comes before '/'
  EXPECT_EQ(all_of(mutex, {}, {mutex, beside, below}).size(), 1U);
  mutex.strangers.pop_back();
  EXPECT_TRUE(all_of(mutex, {}, {mutex, beside, below}).empty());
}

TEST(findings, have_contenders_that_anyone_may_remove_though_they_were_to_be_protected) {
  const client::acl_entry open{}, owners{31, "digest", "bob:x"}, shown{1, "world", "anyone"},
      creates{5, "world", "anyone"};
  inspected_lock mutex = lock_at("/m(o)");
  add(mutex, kind::mutex, "a-lock-0000000001");
  EXPECT_FALSE(anyone_may_remove_from(mutex)) << "it is not known";
  mutex.access = {{open}, {owners, shown}};
  EXPECT_TRUE(anyone_may_remove_from(mutex));
  expect_one(mutex, "anyone-may-remove", finding::level::note, {"but that of /m(o) lets anyone remove them"});
  EXPECT_EQ(all_of(mutex)[0].mend, "zkCli.sh setAcl '/m(o)', with a list that gives d to the lock's clients alone");
  mutex.access = {{open}, {open}};
  EXPECT_TRUE(anyone_may_remove_from(mutex));
  EXPECT_TRUE(all_of(mutex).empty()) << "nobody has asked for protection";
  mutex.access = {{open}, {}};
  EXPECT_TRUE(all_of(mutex).empty()) << "it is not known";
  mutex.access = {{owners, creates}, {owners}};
  EXPECT_FALSE(anyone_may_remove_from(mutex));
  EXPECT_TRUE(all_of(mutex).empty());
}

TEST(findings, have_contenders_whose_data_is_hidden) {
  inspected_lock mutex = lock_at("/m");
  for (const char* const name : {"a-lock-0000000001", "b-lock-0000000002", "c-lock-0000000003"}) {
    add(mutex, kind::mutex, name);
  }
  mutex.nodes[1].hidden = true;
  expect_one(mutex, "hidden-contender", finding::level::note, {"1 contender whose", "/m/b-lock-0000000002"});
  mutex.nodes[2].hidden = true;
  expect_one(mutex, "hidden-contender", finding::level::note, {"2 contenders whose", "/m/b-lock-0000000002"});
}

TEST(findings, are_printed_with_what_would_mend_them) {
  diagnosis all;
  all.locks = 2;
  all.open_locks = 1;
  all.kept_locks = 2;
  all.findings = {{"deadlock", finding::level::problem, "/a", "2 clients:\nfirst\nsecond", "end one"},
                  {"stranger", finding::level::note, "/b", "children: x", "zkCli.sh ls /b"}};
  all.servers = {{"h:1", {true, server_version{3, 9, 6}}}, {"i:2", {true, std::nullopt}}, {"j:3", {}}};
  EXPECT_EQ(
      as_text(all, ascii),
      "/a: problem: deadlock: 2 clients:\n  first\n  second\n  mend: end one\n"
      "/b: note: stranger: children: x\n  mend: zkCli.sh ls /b\n"
      "access: anyone may remove the contenders of 1 of 2 locks\n"
      "kept: 2 of 2 locks may be free: the only contender's node stays between its holds, and goes when another client "
      "comes\n"
      "server h:1: ZooKeeper 3.9.6, with 1 known fault (--json names them)\nserver i:2: does not say its version\n"
      "server j:3: not reached\n"
      "2 locks: 1 problem, 1 note\n");
  const auto back = nlohmann::json::parse(as_json(all));
  EXPECT_EQ(back["locks"], 2);
  EXPECT_EQ(back["open_locks"], 1);
  EXPECT_EQ(back["kept_locks"], 2);
  EXPECT_EQ(back["findings"][0]["kind"], "deadlock");
  EXPECT_EQ(back["findings"][1]["level"], "note");
  EXPECT_EQ(back["servers"][0]["faults"][0]["ticket"], "ZOOKEEPER-4837");
  EXPECT_TRUE(back["servers"][1]["version"].is_null());
  EXPECT_EQ(back["hidden"].size(), 0U);
}

}  // namespace
}  // namespace zklock::cli
