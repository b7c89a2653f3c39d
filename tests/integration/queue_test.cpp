// The holders and the waiters of a lock, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/asked_for_its_queue.hpp"

namespace zklock::test {
namespace {

using namespace std::string_literals;
using client::create_mode;

TEST_F(asked_for_its_queue, f51_a_lock_tells_its_holder_and_its_waiters_first_come_first) {
  recursive_mutex a(open({.label = "the first"}), "/lock");
  recursive_mutex b(open({.label = "the second"}), "/lock");
  EXPECT_TRUE(a.queue().empty());
  EXPECT_FALSE(server_.look(root_)) << "a look makes nothing";
  grant first = a.acquire();
  auto waiting = queue_up(b, 2);
  const std::vector<participant> queue = b.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].state, participant_state::held);
  EXPECT_EQ(queue[0].node, first.node());
  EXPECT_EQ(queue[0].token, first.token());
  EXPECT_EQ(queue[0].label, "the first");
  EXPECT_EQ(queue[0].pid, getpid());
  EXPECT_TRUE(queue[0].since);
  EXPECT_EQ(queue[1].position, 1U);
  EXPECT_EQ(queue[1].state, participant_state::waiting);
  EXPECT_EQ(queue[1].label, "the second");
  first.release();
  const grant second = waiting.get();
  ASSERT_EQ(a.queue().size(), 1U);
  EXPECT_EQ(a.queue()[0].token, second.token());
  EXPECT_EQ(a.queue()[0].state, participant_state::held);
}

TEST_F(asked_for_its_queue, f51_a_lock_takes_any_bytes_for_what_participants_say) {
  const std::vector<std::string> data{"",
                                      "\0\xff\x1b[2J\r\n"s,
                                      std::string(900'000, '\xff'),
                                      "mode=",
                                      "mode=write\npid=x\ntime=y\nhost\n=\n\n",
                                      "mode=write\nhost=h\nhost=forged\nlabel=l\nmode=read\nlabel=forged\npid=7"};
  std::vector<std::string> nodes;
  for (const std::string& one : data) {
    nodes.push_back(put("x-lock-", one));
  }
  recursive_mutex lock(open(), "/lock", patient);
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(nodes_of(queue), nodes);
  EXPECT_EQ(queue[1].label, data[1]);
  EXPECT_EQ(queue[2].label, std::string(256, '\xff') + "\u2026") << "of bounded length";
  EXPECT_EQ(queue[4].pid, std::nullopt);
  EXPECT_EQ(queue[5].host, "h");
  EXPECT_EQ(queue[5].label, "l");
  EXPECT_EQ(queue[5].pid, 7);
}

TEST_F(asked_for_its_queue, f51_a_lock_lists_other_libraries_nodes_and_passes_over_what_is_no_contender) {
  const std::vector<std::string> nodes{put("_c_1b4e28ba-2fa1-11d2-883f-0016d3cca427-lock-", "10.0.0.9"),
                                       put("0fd3c0ffee0fd3c0ffee0fd3c0ffee00__lock__", "kazoo here"),
                                       put("_c_0fd3c0ffee0fd3c0ffee0fd3c0ffee00-lock-", "")};
  (void)put("stray-", "mode=write\nhost=h\n");
  (void)server_.create(full("/lock/0"));
  (void)server_.create(full("/lock/-"));
  recursive_mutex lock(open(), "/lock");
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(nodes_of(queue), nodes);
  EXPECT_EQ(queue[0].label, "10.0.0.9");
  EXPECT_EQ(queue[1].label, "kazoo here");
  EXPECT_EQ(queue[2].label, "");
  EXPECT_EQ(queue[0].host, "");
  EXPECT_FALSE(queue[0].since);
  EXPECT_LT(queue[0].token, queue[1].token);
}

TEST_F(asked_for_its_queue, f51_a_lock_leaves_out_nodes_that_go_between_list_and_look) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 5; ++i) {
    nodes.push_back(put("x-lock-", ""));
  }
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way), "/lock", patient);
  std::atomic<bool> listed = false;
  const hooks removing(way, [&](const request_frame& asked) {
    if (asked.opcode == opcode::get && !listed.exchange(true)) {
      for (const std::size_t place : {0U, 3U}) {
        server_.remove(full(nodes[place]));
      }
    }
    return verdict::pass;
  });
  const std::vector<participant> queue = lock.queue();
  EXPECT_TRUE(listed);
  EXPECT_EQ(nodes_of(queue), (std::vector{nodes[1], nodes[2], nodes[4]}));
  EXPECT_EQ(queue[0].position, 0U);
  EXPECT_EQ(queue[0].state, participant_state::held) << "the contender before it is gone";
}

TEST_F(asked_for_its_queue, a_lock_shows_a_participant_whose_data_is_hidden) {
  const std::string open_one = put("x-lock-", "seen");
  const std::string hidden = put("x-lock-", "unseen", {{31, "auth", ""}});
  recursive_mutex lock(open(), "/lock");
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(nodes_of(queue), (std::vector{open_one, hidden}));
  EXPECT_EQ(queue[0].label, "seen");
  EXPECT_EQ(queue[1].label, "");
  EXPECT_GT(queue[1].token, queue[0].token);
}

TEST_F(asked_for_its_queue, a_lock_whose_children_are_hidden_says_permission_denied) {
  (void)server_.create(full("/lock"), create_mode::persistent, {{31, "auth", ""}});
  recursive_mutex lock(open(), "/lock");
  std::error_code ec;
  EXPECT_TRUE(lock.queue(ec).empty());
  EXPECT_EQ(ec, errc::permission_denied);
  try {
    static_cast<void>(lock.queue());
    ADD_FAILURE() << "it should have thrown";
  } catch (const error& told) {
    EXPECT_EQ(std::string(told.what()),
              "list the queue of /lock (ZNOAUTH, in the chroot " + root_ + "): an access list forbids it");
  }
}

TEST_F(asked_for_its_queue, f51_a_long_queue_is_read_whole_in_order_and_a_few_nodes_at_a_time) {
  constexpr int count = 1'500;
  put_many(count);
  proxy& way = new_proxy();
  recursive_mutex lock(open_through(way), "/lock", patient);
  std::atomic<int> under_way = 0;
  std::atomic<int> most = 0;
  std::atomic<int> asked_for = 0;
  const hooks counting(
      way,
      [&](const request_frame& asked) {
        if (asked.opcode == opcode::get) {
          ++asked_for;
          most = std::max(most.load(), ++under_way);
        }
        return verdict::pass;
      },
      [&](const reply_frame& answer) {
        under_way -= answer.opcode == opcode::get ? 1 : 0;
        return verdict::pass;
      });
  const std::vector<participant> queue = lock.queue();
  ASSERT_EQ(queue.size(), static_cast<std::size_t>(count));
  EXPECT_TRUE(std::is_sorted(queue.begin(), queue.end(),
                             [](const participant& one, const participant& other) { return one.node < other.node; }));
  EXPECT_EQ(asked_for, count);
  EXPECT_LE(most, 128);
}

TEST_F(asked_for_its_queue, a_lock_answers_though_the_connection_is_cut_at_each_step) {
  for (const std::int32_t step : {opcode::sync, opcode::get_children2, opcode::get}) {
    const std::string node = put("x-lock-", "");
    proxy& way = new_proxy();
    recursive_mutex lock(open_through(way), "/lock", patient);
    std::atomic<int> cuts = 0;
    const hooks cutting(way, [&](const request_frame& asked) {
      if (asked.opcode != step || cuts >= 2) {
        return verdict::pass;
      }
      return ++cuts == 1 ? verdict::cut_before : verdict::cut_after;
    });
    EXPECT_EQ(nodes_of(lock.queue()), std::vector{node});
    EXPECT_EQ(cuts, 2);
    server_.remove(full(node));
  }
}

TEST_F(asked_for_its_queue, a_lock_answers_in_a_new_session_when_its_own_has_expired) {
  const std::string node = put("x-lock-", "");
  proxy& way = new_proxy();
  session& one = open_through(way);
  ASSERT_TRUE(one.wait_connected_for(patience));
  recursive_mutex lock(one, "/lock", patient);
  expire_behind(way);
  auto asked = in_a_thread([&] { return lock.queue(); });
  way.set_mode(proxy_mode::pass);
  EXPECT_EQ(nodes_of(asked.get()), std::vector{node});
}

TEST_F(asked_for_its_queue, f27_a_lock_says_not_connected_at_its_limit_when_no_server_answers) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  ASSERT_TRUE(one.wait_connected_for(patience));
  way.set_mode(proxy_mode::hold);
  recursive_mutex lock(one, "/lock", {.label = {}, .acl = {}, .try_time_limit = 200ms});
  std::error_code ec;
  EXPECT_TRUE(lock.queue(ec).empty());
  EXPECT_EQ(ec, errc::not_connected);
  way.set_mode(proxy_mode::pass);
}

/// Many look, while others come and go.
TEST_F(asked_for_its_queue, f51_a_lock_tells_a_queue_in_order_while_others_come_and_go) {
  std::atomic<bool> done = false;
  std::vector<std::future<void>> busy;
  for (int worker = 0; worker < 3; ++worker) {
    busy.push_back(in_a_thread([this, &done] {
      session mine("127.0.0.1:" + std::to_string(port_) + root_);
      recursive_mutex lock(mine, "/lock");
      while (!done) {
        const grant held = acquire_patiently(lock);
      }
    }));
  }
  recursive_mutex lock(open(), "/lock", patient);
  std::set<fencing_token> seen;
  fencing_token last_holder;
  ASSERT_TRUE(eventually([&] {
    const std::vector<participant> queue = lock.queue();
    for (std::size_t place = 0; place < queue.size(); ++place) {
      EXPECT_EQ(queue[place].position, place);
      EXPECT_TRUE(place == 0 || queue[place - 1].token < queue[place].token);
      EXPECT_EQ(queue[place].pid, getpid());
      seen.insert(queue[place].token);
    }
    if (!queue.empty()) {
      EXPECT_GE(queue[0].token, last_holder) << "an older holder than the last time";
      last_holder = queue[0].token;
    }
    return seen.size() > 200 || HasFailure();
  }));
  done = true;
  for (auto& one : busy) {
    one.get();
  }
}

/// Each look begins with a sync, which keeps a session alive, and asks no quorum: it must not take the place of what does.
TEST_F(asked_for_its_queue, f175_a_lock_that_answers_all_the_time_costs_its_holder_nothing) {
  session_options brief;
  brief.timeout = 4s;
  recursive_mutex lock(open(brief), "/lock");
  const grant held = lock.acquire();
  for (const auto end = std::chrono::steady_clock::now() + 5s; std::chrono::steady_clock::now() < end;) {
    ASSERT_EQ(lock.queue().size(), 1U);
    std::this_thread::sleep_for(50ms);  // the load
  }
  EXPECT_TRUE(held.held()) << "its deadline is less than 4 s behind the last write that a server has done";
}

}  // namespace
}  // namespace zklock::test
