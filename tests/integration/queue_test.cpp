// Who holds and who waits, on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

namespace request = client::request;
using namespace std::string_literals;
using client::create_mode;

class asked_for_its_queue : public on_a_server {
 protected:
  /// A node at /lock with this data, whose name begins so. Returns the path that sessions here know it by.
  std::string put(const std::string& prefix, const std::string& data, const client::acl& acl = {client::acl_entry{}}) {
    if (!server_.look(full("/lock"))) {
      (void)server_.create(full("/lock"));
    }
    const client::reply made =
        server_.ask(request::create{full("/lock/" + prefix), data, create_mode::persistent_sequential, acl});
    EXPECT_EQ(made.code, client::code::ok);
    return made.name.substr(root_.size());
  }
  /// `count` contenders that say nothing, many in one request.
  void put_many(int count) {
    (void)server_.create(full("/lock"));
    for (int made = 0; made < count;) {
      request::multi several;
      for (int part = 0; part < 500 && made < count; ++part, ++made) {
        several.operations.emplace_back(
            request::create{full("/lock/x-lock-"), "", create_mode::persistent_sequential, {client::acl_entry{}}});
      }
      ASSERT_EQ(server_.ask(std::move(several)).code, client::code::ok);
    }
  }
  [[nodiscard]] static std::vector<std::string> nodes_of(const std::vector<participant>& queue) {
    std::vector<std::string> nodes;
    for (const participant& one : queue) {
      nodes.push_back(one.node);
    }
    return nodes;
  }
  static constexpr lock_options patient{.label = {}, .acl = {}, .try_limit = patience};
};

TEST_F(asked_for_its_queue, f51_a_lock_tells_who_holds_and_who_waits_first_come_first) {
  recursive_mutex a(open({.label = "the first"}), "/lock");
  recursive_mutex b(open({.label = "the second"}), "/lock");
  EXPECT_TRUE(a.queue().empty());
  EXPECT_FALSE(server_.look(root_)) << "a look makes nothing";
  grant first = a.acquire();
  auto waiting = queue_up(b, 2);
  const std::vector<participant> queue = b.queue();
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue[0].standing, standing::held);
  EXPECT_EQ(queue[0].node, first.node());
  EXPECT_EQ(queue[0].token, first.token());
  EXPECT_EQ(queue[0].label, "the first");
  EXPECT_EQ(queue[0].pid, getpid());
  EXPECT_TRUE(queue[0].since);
  EXPECT_EQ(queue[1].position, 1U);
  EXPECT_EQ(queue[1].standing, standing::waiting);
  EXPECT_EQ(queue[1].label, "the second");
  first.release();
  const grant second = waiting.get();
  ASSERT_EQ(a.queue().size(), 1U);
  EXPECT_EQ(a.queue()[0].token, second.token());
  EXPECT_EQ(a.queue()[0].standing, standing::held);
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
  EXPECT_EQ(queue[0].standing, standing::held) << "who was before it is gone";
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
    EXPECT_STREQ(told.what(), "list the queue of /lock (ZNOAUTH): an access list forbids it");
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
  recursive_mutex lock(one, "/lock", {.label = {}, .acl = {}, .try_limit = 200ms});
  std::error_code ec;
  EXPECT_TRUE(lock.queue(ec).empty());
  EXPECT_EQ(ec, errc::not_connected);
  way.set_mode(proxy_mode::pass);
}

// ---- of the other recipes -------------------------------------------------------------------------------------------

std::vector<std::string> summary_of(const std::vector<participant>& queue) {
  std::vector<std::string> lines;
  for (const participant& one : queue) {
    std::string line(to_string(one.standing));
    line.append(" ").append(to_string(one.kind));
    if (one.permits != 0) {
      line += " " + std::to_string(one.permits);
    }
    lines.push_back(line);
  }
  return lines;
}

using lines = std::vector<std::string>;

TEST_F(asked_for_its_queue, a_semaphore_mutex_tells_it_as_a_mutex_does) {
  semaphore_mutex mutex(open(), "/lock");
  const grant held = mutex.acquire();
  (void)put("x-lock-", "");
  EXPECT_EQ(summary_of(mutex.queue()), (lines{"held mutex", "waiting mutex"}));
}

TEST_F(asked_for_its_queue, f52_a_shared_mutex_tells_readers_and_writers_and_a_downgraded_writer_as_a_reader) {
  shared_mutex lock(open(), "/lock");
  shared_mutex other(open(), "/lock");
  grant writing = lock.write().acquire();
  auto reading = in_a_thread([&] { return other.read().try_acquire_for(patience); });
  ASSERT_TRUE(queue_grows_to(2));
  EXPECT_EQ(summary_of(lock.queue()), (lines{"held write", "waiting read"}));
  writing.downgrade();
  EXPECT_TRUE(reading.get()) << "and given back at once";
  (void)put("write-x-", "");
  (void)put("read-x-", "");
  ASSERT_TRUE(eventually([&] { return lock.queue().size() == 3; }));
  EXPECT_EQ(summary_of(lock.queue()), (lines{"held read", "waiting write", "waiting read"}));
  EXPECT_EQ(summary_of(other.queue()), summary_of(lock.queue()));
}

TEST_F(asked_for_its_queue, a_semaphore_tells_permits_and_whom_the_limit_lets_in) {
  semaphore pool(open(), "/lock", 5);
  const grant two = pool.permits(2).acquire();
  const grant three = pool.permits(3).acquire();
  (void)put("permit-x-4-", "mode=permit\n");
  (void)put("permit-y-1-", "mode=permit\n");
  EXPECT_EQ(summary_of(pool.queue()),
            (lines{"held permits 2", "held permits 3", "waiting permits 4", "waiting permits 1"}));
  pool.set_limit(9);
  EXPECT_EQ(summary_of(pool.queue()),
            (lines{"held permits 2", "held permits 3", "held permits 4", "waiting permits 1"}));
}

TEST_F(asked_for_its_queue, f106_a_semaphore_tells_marked_holders_though_the_limit_was_lowered) {
  semaphore pool(open(), "/lock", 5);
  const grant two = pool.permits(2).acquire();
  (void)put("permit-x-3-", "mode=granted\n");
  (void)put("permit-y-1-", "mode=permit\n");
  pool.set_limit(2);
  EXPECT_EQ(summary_of(pool.queue()), (lines{"held permits 2", "held permits 3", "waiting permits 1"}));
}

TEST_F(asked_for_its_queue, a_lock_tells_those_of_its_own_recipe_alone) {
  for (const char* prefix : {"x-lock-", "read-x-", "write-x-", "permit-x-2-", "x-latch-"}) {
    (void)put(prefix, "");
  }
  ASSERT_EQ(server_.ask(request::set{full("/lock"), "limit=2\n", -1}).code, client::code::ok);
  session& one = open();
  EXPECT_EQ(summary_of(recursive_mutex(one, "/lock").queue()), lines{"held mutex"});
  EXPECT_EQ(summary_of(semaphore_mutex(one, "/lock").queue()), lines{"held mutex"});
  EXPECT_EQ(summary_of(shared_mutex(one, "/lock").queue()), (lines{"held read", "waiting write"}));
  EXPECT_EQ(summary_of(semaphore(one, "/lock").queue()), lines{"held permits 2"});
}

TEST_F(asked_for_its_queue, a_semaphore_without_a_limit_or_with_one_that_is_hidden_tells_who_is_marked) {
  (void)put("permit-x-2-", "mode=permit\n");
  (void)put("permit-y-2-", "mode=granted\n");
  semaphore pool(open(), "/lock");
  EXPECT_EQ(summary_of(pool.queue()), (lines{"waiting permits 2", "held permits 2"}));
  ASSERT_EQ(server_.ask(request::set{full("/lock"), "\xff\x1b[2J", -1}).code, client::code::ok);
  EXPECT_EQ(summary_of(pool.queue()), (lines{"waiting permits 2", "held permits 2"}));
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

}  // namespace
}  // namespace zklock::test
