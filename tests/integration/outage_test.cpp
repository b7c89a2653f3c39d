// The connection goes, and comes back in time: the session lives on, and so do holds and places in the queue.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/integration/on_a_server.hpp"
#include "tests/support/loopback.hpp"

namespace zklock::test {
namespace {

class an_outage : public on_a_server {
 protected:
  // Cut, and back when the client has noticed and tried again.
  void cut_for_a_moment(proxy& way, const session& one) {
    const std::size_t before = way.accepted();
    way.cut_now();
    ASSERT_TRUE(eventually([&] { return way.accepted() > before && one.state() == session_state::connected; }));
  }
};

TEST_F(an_outage, f18_shorter_than_the_deadline_leaves_the_hold_as_it_is) {
  proxy& way = new_proxy();
  session& one = open_through(way);
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  const std::string node = held.node();
  const fencing_token token = held.token();
  std::atomic<int> notices = 0;
  const std::stop_callback told(held.lost(), [&] { ++notices; });
  for (int round = 0; round < 3; ++round) {
    const auto deadline = held.valid_until();
    cut_for_a_moment(way, one);
    EXPECT_TRUE(held.held());
    EXPECT_TRUE(eventually([&] { return held.valid_until() > deadline; })) << "answers move it again";
  }
  EXPECT_EQ(held.token(), token);
  EXPECT_EQ(contenders(), std::vector<std::string>{node.substr(node.rfind('/') + 1)});
  EXPECT_EQ(notices, 0);
  EXPECT_NO_THROW(held.release());
}

TEST_F(an_outage, f18_leaves_a_waiter_its_place_in_the_queue) {
  proxy& way = new_proxy();
  session& cut = open_through(way);
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(cut, "/lock");
  recursive_mutex late(open(), "/lock");
  grant held = holder.acquire();
  auto second = queue_up(waiter, 2);
  const std::vector<std::string> before = contenders();
  cut_for_a_moment(way, cut);
  auto third = queue_up(late, 3);
  for (const std::string& node : before) {
    EXPECT_TRUE(server_.look(full("/lock/" + node)));
  }
  held.release();
  grant next = second.get();
  EXPECT_TRUE(next.held());
  EXPECT_FALSE(ready(third, 0ms));
  next.release();
  EXPECT_TRUE(third.get().held());
}

TEST_F(an_outage, f22_in_which_the_predecessor_leaves_is_followed_by_the_grant) {
  proxy& way = new_proxy();
  session& cut = open_through(way);
  recursive_mutex holder(open(), "/lock");
  recursive_mutex waiter(cut, "/lock");
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  ASSERT_TRUE(eventually([&] { return !watched_paths().empty(); }));
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return cut.state() == session_state::suspended; }));
  held.release();
  EXPECT_FALSE(ready(waiting, 0ms));
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(waiting.get().held());
}

TEST_F(an_outage, in_which_a_predecessor_in_the_middle_leaves_moves_no_waiter_past_the_holder) {
  proxy& way = new_proxy();
  session& cut = open_through(way);
  recursive_mutex holder(open(), "/lock");
  recursive_mutex middle(open(), "/lock");
  recursive_mutex last(cut, "/lock");
  grant held = holder.acquire();
  std::stop_source leave;
  std::error_code ec;
  auto second = in_a_thread([&] { return middle.acquire(leave.get_token(), ec); });
  ASSERT_TRUE(queue_grows_to(2));
  auto third = queue_up(last, 3);
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return cut.state() == session_state::suspended; }));
  leave.request_stop();
  ASSERT_TRUE(queue_grows_to(2));
  way.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return cut.state() == session_state::connected; }));
  const std::string first = held.node();
  ASSERT_TRUE(eventually([&] {  // the last one watches the holder's node now
    const auto watched = watched_paths();
    return std::find(watched.begin(), watched.end(), root_ + first) != watched.end();
  }));
  EXPECT_FALSE(ready(third, 0ms));
  held.release();
  EXPECT_TRUE(third.get().held());
}

TEST_F(an_outage, f34_in_which_a_grant_is_given_back_ends_with_the_removal_in_the_same_session) {
  proxy& way = new_proxy();
  session& cut = open_through(way);
  recursive_mutex lock(cut, "/lock");
  recursive_mutex other(open(), "/lock");
  const std::int64_t id = [&] {
    const grant held = lock.acquire();
    way.set_mode(proxy_mode::cut);
    EXPECT_TRUE(eventually([&] { return cut.state() == session_state::suspended; }));
    return way.last_session().id;
  }();  // given back here, without a connection
  auto waiting = queue_up(other, 2);
  EXPECT_FALSE(ready(waiting, 0ms));
  way.set_mode(proxy_mode::pass);
  grant next = waiting.get();
  EXPECT_TRUE(next.held());
  EXPECT_TRUE(eventually([&] { return cut.state() == session_state::connected; }));
  EXPECT_EQ(way.last_session().id, id);
  next.release();
  EXPECT_TRUE(lock.try_acquire().held()) << "and the same owner gets through again";
}

TEST_F(an_outage, f34_while_a_release_is_under_way_costs_nothing_whether_it_was_applied_or_not) {
  for (const auto fault : {verdict::cut_before, verdict::cut_after}) {
    proxy& way = new_proxy();
    session& cut = open_through(way);
    recursive_mutex lock(cut, "/lock");
    grant held = lock.acquire();
    std::atomic<int> removals = 0;
    const hooks once(way, [&](const request_frame& asked) {
      return asked.opcode == opcode::remove && ++removals == 1 ? fault : verdict::pass;
    });
    std::error_code ec;
    held.release(ec);
    EXPECT_FALSE(ec) << ec.message();
    EXPECT_EQ(removals, 2);
    EXPECT_TRUE(contenders().empty());
    EXPECT_TRUE(lock.try_acquire().held());
  }
}

TEST_F(an_outage, f34_f36_longer_than_the_deadline_leaves_a_release_unconfirmed) {
  proxy& way = new_proxy();
  session& cut = open_through(way, {.timeout = 2s});
  recursive_mutex lock(cut, "/lock");
  recursive_mutex other(open(), "/lock");
  grant held = lock.acquire();
  way.set_mode(proxy_mode::hold);
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_TRUE(may_have_applied(ec));
  EXPECT_FALSE(held);
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(acquire_patiently(other).held());
  EXPECT_TRUE(eventually([&] { return contenders().empty(); }));
}

TEST_F(an_outage, f78_makes_a_close_unconfirmed_and_the_lock_free_when_the_session_has_run_out) {
  proxy& way = new_proxy();
  session& cut = open_through(way, {.timeout = 2s});
  recursive_mutex lock(cut, "/lock");
  recursive_mutex other(open(), "/lock");
  const grant held = lock.acquire();
  way.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return cut.state() == session_state::suspended; }));
  std::error_code ec;
  cut.close(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_FALSE(held.held());
  const grant next = other.try_acquire_for(2s + 500ms + 4s, ec);  // the timeout, a tick, and for a busy machine
  EXPECT_TRUE(next.held()) << ec.message();
}

// With an even list the C client would go on trying the dead one for ever.
TEST_F(an_outage, f84_of_either_of_two_servers_lets_the_client_go_to_the_other) {
  proxy& first = new_proxy();
  proxy& second = new_proxy();
  first.set_mode(proxy_mode::cut);
  session& one = open_at(first.address() + "," + second.address());
  recursive_mutex lock(one, "/lock");
  grant held = acquire_patiently(lock);
  ASSERT_TRUE(held.held());
  for (int round = 0; round < 4; ++round) {
    proxy& dead = round % 2 == 0 ? second : first;
    proxy& alive = round % 2 == 0 ? first : second;
    alive.set_mode(proxy_mode::pass);
    dead.set_mode(proxy_mode::cut);
    ASSERT_TRUE(eventually([&] { return alive.open() > 0 && one.state() == session_state::connected; }));
    EXPECT_TRUE(held.held());
  }
}

/// Accepts each connection and closes it, as a service that is no ZooKeeper does, or a server with no connection to spare.
class closing_peer {
 public:
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(test_support::local_port(port_)); }

 private:
  void serve(const std::stop_token& stop) const {
    while (!stop.stop_requested()) {
      pollfd waiting{port_.get(), POLLIN, 0};
      if (::poll(&waiting, 1, 50) > 0) {
        const int accepted = ::accept(port_.get(), nullptr, nullptr);
        char asked[64];
        static_cast<void>(::read(accepted, asked, sizeof asked));  // closed unread, it would be a reset
        ::close(accepted);
      }
    }
  }

  test_support::descriptor port_ = test_support::listen_on_loopback();
  std::jthread thread_{[this](const std::stop_token& stop) { serve(stop); }};
};

TEST_F(an_outage, f196_names_a_peer_that_closes_each_connection) {
  const closing_peer peer;
  session one(peer.address());
  const std::string closed = peer.address() + ": the server closed the connection";
  EXPECT_TRUE(eventually([&] { return one.last_connection_failure() == closed; })) << one.last_connection_failure();
  recursive_mutex lock(one, "/lock");
  try {
    static_cast<void>(lock.try_acquire_for(10ms));
    ADD_FAILURE() << "granted, or not granted without an error";
  } catch (const error& failure) {
    EXPECT_NE(std::string(failure.what()).find(closed), std::string::npos) << failure.what();
  }
}

TEST(a_server_without_a_connection_to_spare, f196_is_named_with_what_it_does) {
  const test_support::private_zookeeper zookeeper({.configuration = {"maxClientCnxns=1"}});
  session first(zookeeper.connect_string());
  ASSERT_TRUE(first.wait_connected_for(patience));
  session second(zookeeper.connect_string());
  EXPECT_TRUE(eventually([&] { return !second.last_connection_failure().empty(); }));
  EXPECT_TRUE(second.last_connection_failure().starts_with(zookeeper.connect_string() + ": "))
      << second.last_connection_failure();
  EXPECT_EQ(first.last_connection_failure(), "") << "it has met nothing";
}

TEST_F(an_outage, f196_is_not_explained_by_what_another_session_or_an_earlier_time_has_met) {
  proxy& gone = new_proxy();
  proxy& way = new_proxy();
  gone.set_mode(proxy_mode::cut);
  session lost(gone.address());
  session& one = open_at(gone.address() + "," + way.address());
  ASSERT_TRUE(one.wait_connected_for(patience));
  ASSERT_TRUE(eventually([&] { return !lost.last_connection_failure().empty(); }));
  EXPECT_EQ(one.last_connection_failure(), "");
  way.set_mode(proxy_mode::hold);
  EXPECT_EQ(one.last_connection_failure(), "") << "the outage has no reason yet";
}

}  // namespace
}  // namespace zklock::test
