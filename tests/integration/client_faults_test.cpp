// What the C client, or a server behind it, does otherwise than one would think.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

// ---- a server that knows nothing of the session that comes to it, and does not say so

/// Makes every session that comes through a new one, which the server then hands out.
void forget_sessions(const request_frame& asked, std::string& frame) {
  constexpr std::size_t session = 4 + 4 + 8 + 4;     // behind length, protocol version, zxid, timeout
  constexpr std::size_t password = session + 8 + 4;  // behind its own length
  constexpr std::size_t password_size = 16;
  if (asked.opcode == opcode::handshake && frame.size() >= password + password_size) {
    frame.replace(session, 8, 8, '\0');
    frame.replace(password, password_size, password_size, '\0');
  }
}

using a_server = on_a_server;

TEST_F(a_server, f20_that_silently_gives_a_new_session_ends_the_old_one_for_holder_and_waiter) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 2s});
  std::atomic<int> new_sessions = 0;
  const session_observer counts =
      one.observe([&](const session_change& now) { new_sessions += now.new_session ? 1 : 0; });
  recursive_mutex elsewhere(open(), "/waited");
  recursive_mutex lock(one, "/lock");
  recursive_mutex waiter(one, "/waited");
  grant in_front = elsewhere.acquire();
  grant held = lock.acquire();
  auto waiting = queue_up(waiter, 2);
  const std::int64_t old_session = way.last_session().id;
  const int before = new_sessions;
  way.rewrite_requests(forget_sessions);
  way.cut_now();
  ASSERT_TRUE(eventually([&] { return held.lost().stop_requested(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::session_expired);
  EXPECT_FALSE(held.held());
  way.rewrite_requests({});

  const std::string old_node = held.node();
  std::error_code told;
  held.release(told);
  EXPECT_EQ(told, errc::lost);
  const grant again = acquire_patiently(lock);
  EXPECT_FALSE(server_.look(root_ + old_node)) << "the server has kept it as long as the old session";
  EXPECT_GT(again.token(), held.token());
  EXPECT_NE(server_.look(root_ + again.node())->ephemeral_owner, old_session);
  EXPECT_FALSE(ready(waiting, 0ms));
  in_front.release();
  const grant next = waiting.get();
  ASSERT_TRUE(next.held());
  EXPECT_NE(server_.look(root_ + next.node())->ephemeral_owner, old_session) << "it has queued again";
  EXPECT_GE(new_sessions, before + 1);
}

// ---- watches and events

TEST_F(a_server, f79_tells_two_waiters_of_one_session_that_watch_the_same_node) {
  session& one = open();
  recursive_mutex holder(open(), "/lock");
  recursive_mutex second(one, "/lock");
  recursive_mutex third(one, "/lock");
  grant held = holder.acquire();
  auto waits_second = queue_up(second, 2);
  const std::vector<std::string> before = contenders();
  ASSERT_EQ(before.size(), 2U);
  auto waits_third = queue_up(third, 3);
  const std::string node_of_second =
      *std::ranges::find_if(before, [&](const std::string& name) { return !held.node().ends_with(name); });
  // Watched by its own waiter, and by the one behind it.
  ASSERT_TRUE(eventually([&] { return watched_paths().size() == 3; }));
  ASSERT_TRUE(server_.remove(full("/lock/" + node_of_second)));
  ASSERT_TRUE(queue_grows_to(3)) << "the waiter that had this node queues again";
  held.release();
  grant first_in_line = waits_third.get();
  EXPECT_TRUE(first_in_line.held()) << "and the one behind has moved up";
  EXPECT_FALSE(ready(waits_second, 0ms));
  first_in_line.release();
  EXPECT_TRUE(waits_second.get().held());
}

TEST_F(a_server, f79_is_lost_and_found_once_however_many_nodes_are_watched) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex holder(open(), "/lock");
  grant held = holder.acquire();
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  std::vector<std::future<grant>> waiting;
  for (std::size_t number = 0; number < 10; ++number) {
    locks.push_back(std::make_unique<recursive_mutex>(one, "/lock"));
    waiting.push_back(in_a_thread([&lock = *locks.back()] {
      grant mine = acquire_patiently(lock);
      mine.release();
      return mine;
    }));
    ASSERT_TRUE(queue_grows_to(number + 2));
  }
  ASSERT_TRUE(eventually([&] { return watched_paths().size() == 11; }));
  std::mutex guard;
  std::vector<session_state> told;
  const session_observer hears = one.observe([&](const session_change& now) {
    const std::lock_guard exclusive(guard);
    told.push_back(now.state);
  });
  const auto told_so_far = [&] {
    const std::lock_guard exclusive(guard);
    return told;
  };
  way.cut_now();
  EXPECT_TRUE(eventually([&] { return told_so_far().size() >= 2; }));
  held.release();
  for (auto& each : waiting) {
    static_cast<void>(each.get());
  }
  EXPECT_EQ(told_so_far(), (std::vector{session_state::suspended, session_state::connected}));
}

// ---- names

/// At 127.0.0.1:2181 and at ::1 none of these tests' servers listens.
TEST_F(a_server, f159_is_found_in_a_list_of_which_others_have_no_port_or_an_address_in_brackets) {
  const std::string here = "127.0.0.1:" + std::to_string(port_);
  for (const std::string& list : {"127.0.0.1," + here, here + ",[::1]:" + std::to_string(port_)}) {
    session& one = open_at(list);
    ASSERT_TRUE(one.wait_connected_for(patience)) << list;
    recursive_mutex lock(one, "/lock");
    EXPECT_TRUE(acquire_patiently(lock).held()) << list;
  }
}

/// Takes the last digits off the name that a create answers with, as a path buffer that is too small would.
void shorten_created_name(const reply_frame& answer, std::string& frame) {
  constexpr std::size_t header = 4 + 8 + 4;
  constexpr std::size_t name = 4 + header + 4;
  constexpr unsigned char cut = 3;
  if (answer.opcode != opcode::create2 || answer.err != 0 || !answer.path.ends_with("-lock-")) {
    return;
  }
  const std::size_t end = name + answer.path.size() + 10;
  frame.erase(end - cut, cut);
  for (const std::size_t length : {std::size_t{3}, name - 1}) {  // low bytes of the frame's and of the name's
    ASSERT_GE(static_cast<unsigned char>(frame[length]), cut);
    frame[length] = static_cast<char>(static_cast<unsigned char>(frame[length]) - cut);
  }
}

TEST_F(a_server, f81_whose_answer_lacks_a_part_of_the_name_is_asked_for_the_node_by_its_id) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  lock.acquire().release();
  std::atomic<int> creates = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    creates += opcode::creates(asked.opcode) ? 1 : 0;
    return verdict::pass;
  });
  way.rewrite_replies(shorten_created_name);
  grant held = acquire_patiently(lock);
  way.rewrite_replies({});
  ASSERT_TRUE(held.held());
  EXPECT_EQ(creates, 1);
  EXPECT_EQ(contenders(), std::vector<std::string>{held.node().substr(std::string("/lock/").size())});
  const auto stat = server_.look(root_ + held.node());
  ASSERT_TRUE(stat) << held.node();
  EXPECT_EQ(stat->czxid, held.token().czxid);
  held.release();
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_server, f81_answers_with_the_whole_name_however_long_the_path_is) {
  const std::string path = "/" + std::string(20'000, 'x');
  recursive_mutex lock(open(), path);
  const grant held = lock.acquire();
  ASSERT_TRUE(held.held());
  EXPECT_TRUE(server_.look(root_ + held.node()));
}

// ---- requests that are made while there is no server

/// An adopted handle reports no loss while nothing is watched: what is asked then waits in the C client.
class a_handle_without_a_server : public on_a_server {
 protected:
  a_handle_without_a_server() {
    handle_ = zookeeper_init((way_.address()).c_str(), ignore, 10'000, nullptr, nullptr, ZOO_NO_LOG_CLIENTENV);
    adopted_.reset(new session(adopt(handle_)));  // it cannot be moved
    lock_ = std::make_unique<recursive_mutex>(*adopted_, full("/lock"));
    grant once = acquire_patiently(*lock_);
    EXPECT_TRUE(once.held());
    once.release();
    way_.set_mode(proxy_mode::hold);
    way_.cut_now();
    EXPECT_TRUE(eventually([&] { return zoo_state(handle_) != ZOO_CONNECTED_STATE; }));
    way_.on_request([this](const request_frame& asked) {
      const std::lock_guard guard(mutex_);
      asked_.push_back(asked.opcode);
      return verdict::pass;
    });
  }
  void TearDown() override {
    way_.on_request({});
    lock_.reset();
    adopted_.reset();
    zookeeper_close(handle_);
    on_a_server::TearDown();
  }

  /// Asks for the lock, and takes that back once the create must have been sent.
  void ask_and_abandon() {
    std::stop_source stop;
    std::error_code ec;
    auto waiting = in_a_thread([&] { return lock_->acquire(stop.get_token(), ec); });
    EXPECT_FALSE(ready(waiting, 50ms)) << "no server answers";
    stop.request_stop();
    EXPECT_FALSE(waiting.get());
    EXPECT_EQ(ec, errc::abandoned);
  }
  [[nodiscard]] std::ptrdiff_t count(std::int32_t what) const {
    const std::lock_guard guard(mutex_);
    return std::ranges::count(asked_, what);
  }

  static void ignore(zhandle_t*, int, int, const char*, void*) {}

  proxy& way_ = new_proxy();
  zhandle_t* handle_ = nullptr;
  std::unique_ptr<session> adopted_;
  std::unique_ptr<recursive_mutex> lock_;

 private:
  mutable std::mutex mutex_;
  std::vector<std::int32_t> asked_;
};

TEST_F(a_handle_without_a_server, f85_sends_an_abandoned_create_after_the_reconnect_and_its_removal_behind_it) {
  const std::int64_t session_before = way_.last_session().id;
  const std::int32_t created_before = server_.look(full("/lock"))->cversion;
  ask_and_abandon();
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return count(opcode::remove) == 1; }));
  EXPECT_EQ(count(opcode::create2), 1);
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
  EXPECT_EQ(server_.look(full("/lock"))->cversion, created_before + 2) << "one was made and removed";
  EXPECT_EQ(way_.last_session().id, session_before);
  EXPECT_TRUE(acquire_patiently(*lock_).held());
}

TEST_F(a_handle_without_a_server, f85_that_fails_an_abandoned_create_makes_no_node_and_looks_for_one) {
  const std::int32_t created_before = server_.look(full("/lock"))->cversion;
  ask_and_abandon();
  way_.set_mode(proxy_mode::cut);  // now the attempt to connect fails, and what waits for it
  const std::size_t attempts = way_.accepted();
  EXPECT_TRUE(eventually([&] { return way_.accepted() > attempts; }));
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return count(opcode::get_children2) > 0; }));
  EXPECT_EQ(count(opcode::create2), 0);
  EXPECT_EQ(server_.look(full("/lock"))->cversion, created_before);
  EXPECT_TRUE(acquire_patiently(*lock_).held());
}

}  // namespace
}  // namespace zklock::test
