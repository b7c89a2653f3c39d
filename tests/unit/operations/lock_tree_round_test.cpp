#include "src/operations/lock_tree_round.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

/// A round of all locks below /t, from a server that is a map of nodes.
namespace zklock::detail {
namespace {

using client::code;
using what = lock_tree_round::what;
using names = std::vector<std::string>;

const std::string first = "x-lock-0000000001";
const std::string second = "y-lock-0000000002";

class round_over_a_lock_tree : public testing::Test {
 protected:
  /// With all nodes above it.
  void make(const names& paths) {
    for (const std::string& path : paths) {
      for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
        nodes.try_emplace(path.substr(0, end));
      }
      nodes.try_emplace(path);
    }
  }
  void send() {
    while (auto next = round->next()) {
      under_way.push_back(*std::move(next));
    }
    most = std::max(most, under_way.size());
  }
  /// The oldest request.
  void answer() {
    ASSERT_FALSE(under_way.empty());
    const lock_tree_round::request asked = under_way.front();
    under_way.pop_front();
    ++count[asked.of];
    const bool gone = answers_left-- <= 0 || !nodes.contains(asked.path);
    const bool is_hidden = asked.of != what::stat && hidden.contains(asked.path);
    client::reply told;
    told.code = gone ? code::no_node : is_hidden ? code::no_auth : code::ok;
    if (told.code == code::ok) {
      told.stat.ephemeral_owner = persistent.contains(asked.path) ? 0 : 7;
      told.data = asked.of == what::data ? nodes[asked.path] : "";
      told.children = asked.of == what::children ? children_of(asked.path) : names{};
      if (asked.of == what::access) told.acl = {{31, "digest", asked.path}};
    }
    round->answered(told);
  }
  /// What a new round says in the end, if all nodes go after so many answers: "/a: x-lock-1 y-lock-2", one a lock; "/b! an error".
  names read_all(int steps = INT_MAX, bool with_access = false) {
    round.emplace(recipes::lock_tree("/t"), 7, with_access);
    answers_left = steps;
    for (send(); !under_way.empty(); send()) {
      answer();
    }
    EXPECT_EQ(round->now(), lock_tree_round::state::complete);
    names all;
    locks = round->take();
    for (const lock_below& one : locks) {
      std::string line = one.path + (one.ec ? "! " + one.ec.message() : ":");
      for (const recipes::seen_contender& contender : one.queue) {
        line += " " + contender.name;
      }
      all.push_back(line);
    }
    return all;
  }

  std::map<std::string, std::string> nodes{{"/t", ""}};  ///< and their data
  std::set<std::string> hidden;
  std::set<std::string> persistent;  ///< of those with a contender's name
  std::optional<lock_tree_round> round{std::in_place, recipes::lock_tree("/t"), 7};
  int answers_left = INT_MAX;
  std::deque<lock_tree_round::request> under_way;
  std::size_t most = 0;
  std::map<what, int> count;
  std::vector<lock_below> locks;

 private:
  names children_of(const std::string& path) {
    names children;
    for (const auto& [node, data] : nodes) {
      if (node.starts_with(path + "/") && node.find('/', path.size() + 1) == std::string::npos) {
        children.push_back(node.substr(path.size() + 1));
      }
    }
    return children;
  }
};

TEST_F(round_over_a_lock_tree, asks_for_each_folders_children_and_each_contenders_data_and_no_more) {
  make({"/t/a/" + first, "/t/a/" + second, "/t/b/" + first, "/t/empty"});
  ASSERT_EQ(read_all(), (names{"/t/a: " + first + " " + second, "/t/b: " + first}));
  EXPECT_EQ(count, (std::map<what, int>{{what::children, 4}, {what::data, 3}}));
  EXPECT_TRUE(locks[0].queue[0].holds);
  EXPECT_FALSE(locks[0].queue[1].holds);
  EXPECT_TRUE(locks[0].queue[0].of_this_session);
}

TEST_F(round_over_a_lock_tree, that_has_ended_takes_no_answer_to_what_was_under_way) {
  make({"/t/a/" + first, "/t/b/" + first});
  send();
  answer();
  send();
  ASSERT_EQ(under_way.size(), 2U);
  client::reply failed;
  failed.code = code::invalid_acl;
  round->answered(failed);
  EXPECT_EQ(round->now(), lock_tree_round::state::refused);
  failed.code = code::connection_loss;
  round->answered(failed);
  EXPECT_EQ(round->now(), lock_tree_round::state::refused);
  EXPECT_FALSE(round->next());
}

TEST_F(round_over_a_lock_tree, walks_to_a_lock_whose_own_name_is_a_contenders) {
  make({"/t/read-2026112201/" + first, "/t/b/" + first, "/t/b/write-0000000009/c/" + second});
  persistent = {"/t/read-2026112201", "/t/b/write-0000000009"};
  EXPECT_EQ(read_all(), (names{"/t: read-2026112201", "/t/b: " + first + " write-0000000009",
                               "/t/b/write-0000000009/c: " + second, "/t/read-2026112201: " + first}))
      << "clients wait behind a node with such a name, whatever it is";
}

TEST_F(round_over_a_lock_tree, is_sorted_by_path) {
  make({"/t/b/" + first, "/t/a/z/" + first, "/t/a-b/" + first, "/t/" + first});
  EXPECT_EQ(read_all(), (names{"/t: " + first, "/t/a-b: " + first, "/t/a/z: " + first, "/t/b: " + first}));
}

TEST_F(round_over_a_lock_tree, asks_for_the_permit_limit_where_native_permits_stand) {
  make({"/t/m/" + first, "/t/s/permit-x-3-0000000001", "/t/s/permit-y-6-0000000002"});
  nodes["/t/s"] = "limit=8\n";
  nodes["/t/m"] = "limit=9\n";
  ASSERT_EQ(read_all().size(), 2U);
  EXPECT_FALSE(locks[0].permits);
  ASSERT_TRUE(locks[1].permits);
  EXPECT_EQ(locks[1].permits->limit, 8U);
  EXPECT_TRUE(locks[1].queue[0].holds);
  EXPECT_FALSE(locks[1].queue[1].holds);
}

TEST_F(round_over_a_lock_tree, has_a_semaphore_in_curators_layout_once_with_its_two_lists) {
  make({"/t/s/leases/_c_1-lease-0000000001", "/t/s/locks/_c_2-lock-0000000002"});
  EXPECT_EQ(read_all(), names{"/t/s: leases/_c_1-lease-0000000001 locks/_c_2-lock-0000000002"});
}

TEST_F(round_over_a_lock_tree, leaves_out_a_semaphore_at_which_no_client_stands) {
  make({"/t/s/leases", "/t/s/locks"});
  EXPECT_EQ(read_all(), names{});
}

TEST_F(round_over_a_lock_tree, says_which_nodes_are_hidden_and_has_all_others) {
  make({"/t/a/" + first, "/t/b/" + first});
  hidden = {"/t/a"};
  ASSERT_EQ(read_all(), (names{"/t/a! an access list forbids it", "/t/b: " + first}));
  EXPECT_EQ(locks[0].ec, errc::permission_denied);
}

TEST_F(round_over_a_lock_tree, says_it_of_a_semaphore_once_whichever_of_its_lists_is_hidden) {
  make({"/t/s/leases/_c_1-lease-0000000001", "/t/s/locks/_c_2-lock-0000000002"});
  for (const std::set<std::string>& lists :
       {std::set<std::string>{"/t/s/leases"}, {"/t/s/locks"}, {"/t/s/leases", "/t/s/locks"}}) {
    hidden = lists;
    EXPECT_EQ(read_all(), names{"/t/s! an access list forbids it"}) << *lists.begin() << lists.size();
  }
}

TEST_F(round_over_a_lock_tree, shows_a_contender_whose_data_is_hidden) {
  make({"/t/" + first});
  hidden = {"/t/" + first};
  EXPECT_EQ(read_all(), names{"/t: " + first});
  EXPECT_EQ(count[what::stat], 1);
}

TEST_F(round_over_a_lock_tree, asks_for_access_lists_of_each_first_contender_and_of_the_node_above_it) {
  make({"/t/m/" + first, "/t/m/" + second, "/t/s/leases/_c_1-lease-0000000001", "/t/h/" + first});
  hidden = {"/t/h/" + first};
  ASSERT_EQ(read_all(INT_MAX, true).size(), 3U);
  EXPECT_EQ(count[what::access], 6);
  const auto id_of = [](const std::vector<client::acl_entry>& list) { return list.empty() ? "" : list.front().id; };
  EXPECT_EQ(id_of(locks[0].access.of_folder), "/t/h");
  EXPECT_EQ(id_of(locks[0].access.of_first), "") << "it is not shown to us";
  EXPECT_TRUE(locks[0].queue[0].hidden);
  EXPECT_EQ(id_of(locks[1].access.of_folder), "/t/m");
  EXPECT_EQ(id_of(locks[1].access.of_first), "/t/m/" + first);
  EXPECT_FALSE(locks[1].queue[0].hidden);
  EXPECT_EQ(id_of(locks[2].access.of_folder), "/t/s/leases");
  EXPECT_EQ(id_of(locks[2].access.of_first), "/t/s/leases/_c_1-lease-0000000001");
}

TEST_F(round_over_a_lock_tree, f51_does_not_mind_what_goes_at_any_step) {
  make({"/t/a/" + first, "/t/b/" + first});
  const names b{"/t/b: " + first};  // the last folder comes first
  const names both{"/t/a: " + first, "/t/b: " + first};
  const std::vector<names> seen_after{{}, {}, {}, {}, b, both};
  for (int answers = 0; answers <= 5; ++answers) {
    EXPECT_EQ(read_all(answers), seen_after[static_cast<std::size_t>(answers)]) << answers;
  }
}

TEST_F(round_over_a_lock_tree, has_128_requests_under_way_at_the_most) {
  for (int folder = 0; folder < 200; ++folder) {
    const std::string path = "/t/" + std::to_string(folder) + "/";
    make({path + first, path + second, path + "permit-z-1-0000000003"});
  }
  EXPECT_EQ(read_all().size(), 200U);
  EXPECT_EQ(most, lock_tree_round::requests_max);
  EXPECT_EQ(lock_tree_round::requests_max, 128U);
  EXPECT_EQ(round->seen(), 801U);
}

TEST_F(round_over_a_lock_tree, ends_with_a_failure_of_any_request) {
  make({"/t/a/" + first});
  for (const auto& [failure, ended] : {std::pair{code::throttled, lock_tree_round::state::interrupted},
                                       {code::connection_loss, lock_tree_round::state::interrupted},
                                       {code::unimplemented, lock_tree_round::state::refused}}) {
    lock_tree_round at_the_sync(recipes::lock_tree("/t"), 7);
    at_the_sync.synced(failure);
    EXPECT_EQ(at_the_sync.now(), ended);
    EXPECT_FALSE(at_the_sync.next());
    lock_tree_round at_a_list(recipes::lock_tree("/t"), 7);
    static_cast<void>(at_a_list.next());
    client::reply told;
    told.code = failure;
    at_a_list.answered(client::reply(told));
    EXPECT_EQ(at_a_list.now(), ended);
    EXPECT_EQ(at_a_list.failure(), failure);
    lock_tree_round at_a_contender(recipes::lock_tree("/t"), 7);
    static_cast<void>(at_a_contender.next());
    client::reply children;
    children.children = {first};
    at_a_contender.answered(children);
    static_cast<void>(at_a_contender.next());
    at_a_contender.answered(client::reply(told));
    EXPECT_EQ(at_a_contender.now(), ended);
    EXPECT_FALSE(at_a_contender.next());
  }
}

TEST_F(round_over_a_lock_tree, ends_where_there_are_too_many_nodes) {
  static_cast<void>(round->next());
  client::reply told;
  told.children = names(recipes::lock_tree::nodes_max, "a");
  round->answered(told);
  EXPECT_EQ(round->now(), lock_tree_round::state::too_many_nodes);
  EXPECT_FALSE(round->next());
}

}  // namespace
}  // namespace zklock::detail
