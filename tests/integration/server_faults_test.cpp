// What lives on the server longer, or goes earlier, than its client believes: sessions, nodes, lock nodes, the server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/api/lock_state.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class what_is_left : public on_a_server {};

// The client gives the session up early, so that its nodes stand for a while beside the new session.
TEST_F(what_is_left, f09_of_a_session_that_was_given_up_is_waited_for_like_any_other_node) {
  proxy& way = new_proxy();
  session& one = open_through(way, {.timeout = 5s, .margin = 2500ms, .tick = 500ms});
  recursive_mutex lock(one, "/lock");
  recursive_mutex wanted(one, "/wanted");
  wanted.acquire().release();
  const grant held = lock.acquire();
  const std::int64_t old_session = way.last_session().id;
  std::atomic<bool> asked_for = false;
  std::atomic<bool> dark = true;  // from the lost answer on, or the node would be found again and granted in time
  const hooks losing_the_answer(way, [&](const request_frame& asked) {
    if (asked_for) return dark ? verdict::cut_before : verdict::pass;
    asked_for = asked.opcode == opcode::create2 && asked.path.starts_with(full("/wanted"));
    return asked_for ? verdict::cut_after : verdict::pass;
  });
  auto waiting = in_a_thread([&] { return acquire_patiently(wanted); });
  ASSERT_TRUE(queue_grows_to(1, "/wanted")) << "made in the first session, and no client was told";
  const std::string ghost = "/wanted/" + contenders("/wanted").front();
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  dark = false;
  ASSERT_TRUE(queue_grows_to(2, "/wanted"));
  EXPECT_TRUE(server_.look(full(ghost)));
  EXPECT_FALSE(ready(waiting, 0ms));
  const grant got = waiting.get();
  ASSERT_TRUE(got.held());
  EXPECT_FALSE(server_.look(full(ghost))) << "before that, the old session had ended";
  EXPECT_NE(root_ + got.node(), full(ghost));
  const auto stat = server_.look(root_ + got.node());
  ASSERT_TRUE(stat);
  EXPECT_NE(stat->ephemeral_owner, old_session);
}

TEST_F(what_is_left, f35_f182_of_a_hold_whose_node_is_gone_says_lost_and_the_object_goes_on) {
  recursive_mutex lock(open(), "/lock");
  for (int round = 0; round < 3; ++round) {
    grant held = lock.acquire();
    ASSERT_TRUE(server_.remove(root_ + held.node()));
    std::error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, errc::lost);
    lock.lock();
    for (const std::string& node : contenders()) {
      EXPECT_TRUE(server_.remove(full("/lock/" + node)));
    }
    lock.unlock();
  }
  EXPECT_TRUE(acquire_patiently(lock).held());
}

TEST_F(what_is_left, f48_of_a_removal_that_was_held_back_hits_no_node_of_the_lock_node_made_anew) {
  server_.create(full("/lock"));
  proxy& way = new_proxy();
  recursive_mutex first(open_through(way), "/lock");
  recursive_mutex second(open(), "/lock");
  grant held = first.acquire();
  const std::string old_node = held.node();
  std::atomic<int> late = 0;
  const hooks seeing(way, [&](const request_frame& asked) {
    late += asked.opcode == opcode::remove && asked.path == root_ + old_node ? 1 : 0;
    return verdict::pass;
  });
  way.set_mode(proxy_mode::hold_requests);
  held = {};
  ASSERT_TRUE(server_.remove(root_ + old_node));
  ASSERT_TRUE(server_.remove(full("/lock")));
  const grant next = acquire_patiently(second);
  ASSERT_TRUE(next.held());
  EXPECT_EQ(next.node().substr(next.node().rfind('-')), old_node.substr(old_node.rfind('-'))) << "the same number";
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return late == 1; }));
  EXPECT_TRUE(eventually([&] {  // asked behind the removal, and answered
    std::error_code ec;
    EXPECT_FALSE(first.try_acquire(ec));
    return !ec;
  }));
  const auto stat = server_.look(root_ + next.node());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->czxid, next.token().czxid);
  EXPECT_TRUE(next.held());
}

/// Gives back at once what is granted, and needs no thread to wait.
class passing_through final : public operations::receiver<operations::acquire_result> {
 public:
  passing_through(std::shared_ptr<detail::session_impl> in, std::atomic<int>& granted)
      : in_(std::move(in)), granted_(granted) {}

  void complete(operations::acquire_result result) noexcept override {
    EXPECT_TRUE(result.hold) << result.why.ec.message();
    if (result.hold) {
      ++granted_;
      in_->release(result.hold, nullptr);
    }
  }

 private:
  const std::shared_ptr<detail::session_impl> in_;
  std::atomic<int>& granted_;
};

TEST_F(what_is_left, f83_of_a_connection_with_a_thousand_waiters_is_set_up_again_with_all_watches) {
  constexpr int waiters = 1000;
  proxy& way = new_proxy();
  session& crowded = open_through(way, {.timeout = 30s});
  recursive_mutex holder(open(), "/lock");
  grant held = holder.acquire();
  const auto impl = detail::session_access::impl(crowded);
  const auto target = std::make_shared<const detail::lock_target>(
      detail::lock_target{.path = "/lock", .label = "", .acl = {client::acl_entry{}}});
  std::atomic<int> granted = 0;
  std::atomic<int> watches = 0;
  const hooks counting(way, {}, [&](const reply_frame& answer) {
    watches += answer.opcode == opcode::get ? 1 : 0;
    return verdict::pass;
  });
  for (int number = 0; number < waiters; ++number) {
    impl->begin_acquire(operations::acquire::make({{{target}}}, std::make_shared<passing_through>(impl, granted)));
  }
  ASSERT_TRUE(eventually([&] { return watches > waiters; }, 60s)) << watches << ": the own nodes, and one predecessor";
  EXPECT_EQ(contenders().size(), std::size_t{waiters + 1});

  const std::size_t before = way.accepted();
  way.cut_now();
  ASSERT_TRUE(eventually([&] { return way.accepted() > before && crowded.state() == session_state::connected; }));
  held.release();
  EXPECT_TRUE(eventually([&] { return granted == waiters; }, 60s)) << granted;
  EXPECT_EQ(way.accepted(), before + 1) << "the server has not cut the connection again";
}

// ---- a server that goes

struct holds_a_server {
  test_support::private_zookeeper zookeeper;
};

class a_dead_server : protected holds_a_server, public on_a_server {
 protected:
  a_dead_server() : on_a_server(zookeeper.address()) {}
};

TEST_F(a_dead_server, f22_that_comes_back_finds_several_waiters_and_lets_them_in_in_their_order) {
  session& one = open();
  session& other = open();
  recursive_mutex holder(one, "/lock");
  std::vector<std::unique_ptr<recursive_mutex>> locks;
  std::vector<std::future<grant>> waiting;
  grant held = holder.acquire();
  for (std::size_t place = 0; place < 3; ++place) {
    locks.push_back(std::make_unique<recursive_mutex>(place == 1 ? one : other, "/lock"));
    waiting.push_back(in_a_thread([&lock = *locks.back()] { return acquire_patiently(lock); }));
    ASSERT_TRUE(queue_grows_to(place + 2));
  }
  zookeeper.kill();
  ASSERT_TRUE(
      eventually([&] { return one.state() == session_state::suspended && other.state() == session_state::suspended; }));
  held = {};
  zookeeper.restart();
  for (std::size_t place = 0; place < 3; ++place) {
    grant next = waiting[place].get();
    EXPECT_TRUE(next.held()) << place;
    if (place < 2) {
      EXPECT_FALSE(ready(waiting[place + 1], 0ms));
    }
    next.release();
  }
}

TEST_F(a_dead_server, f36_holds_up_neither_unlock_nor_the_end_of_grants_locks_and_sessions) {
  auto one = std::make_unique<session>(zookeeper.address() + root_);
  auto lock = std::make_unique<recursive_mutex>(*one, "/lock");
  auto other = std::make_unique<recursive_mutex>(*one, "/other");
  lock->lock();
  grant held = other->acquire();
  zookeeper.kill();
  const auto begun = std::chrono::steady_clock::now();
  lock->unlock();
  held = {};
  lock.reset();
  other.reset();
  one.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 6s)
      << "some 5 s are promised for a session, nothing for the others";
  zookeeper.restart();
}

}  // namespace
}  // namespace zklock::test
