// Locks on a ZooKeeper handle that the program has opened, and goes on using, itself.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "tests/integration/an_adopted_handle.hpp"

namespace zklock::test {
namespace {

TEST_F(an_adopted_handle, contends_with_others_in_the_programs_session) {
  session& one = adopt_it();
  EXPECT_TRUE(one.wait_connected_for(patience));
  EXPECT_EQ(one.timeout(), 10s);
  recursive_mutex ours(one, "/lock");
  recursive_mutex other(open(), "/lock");
  grant held = ours.acquire();
  EXPECT_EQ(server_.look(root_ + held.node())->ephemeral_owner, theirs().session_id());
  auto waiting = queue_up(other, 2);
  held.release();
  grant next = waiting.get();
  auto again = queue_up(ours, 2);
  next.release();
  EXPECT_TRUE(again.get().held());
}

TEST_F(an_adopted_handle, f18_f22_keeps_its_hold_and_its_place_over_an_outage) {
  session& one = adopt_it();
  recursive_mutex mine(one, "/mine");
  recursive_mutex waiter(one, "/lock");
  recursive_mutex holder(open(), "/lock");
  const grant kept = mine.acquire();
  grant held = holder.acquire();
  auto waiting = queue_up(waiter, 2);
  way_.set_mode(proxy_mode::cut);
  ASSERT_TRUE(eventually([&] { return one.state() == session_state::suspended; }));
  held.release();
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(waiting.get().held());
  EXPECT_TRUE(kept.held());
  EXPECT_EQ(one.state(), session_state::connected);
  EXPECT_GE(theirs().connections_told(), 2) << "the program's own watcher is told as before";
}

TEST_F(an_adopted_handle, whose_session_expires_says_so_until_there_is_a_new_one) {
  session& one = adopt_it();
  recursive_mutex lock(one, "/lock");
  recursive_mutex waiter(one, "/waited");
  recursive_mutex holder(open(), "/waited");
  const grant in_the_way = holder.acquire();
  grant held = lock.acquire();
  const fencing_token token = held.token();
  std::error_code waited;
  auto waiting = in_a_thread([&] { return waiter.try_acquire_for(patience, waited); });
  ASSERT_TRUE(queue_grows_to(2, "/waited"));
  expire_behind(way_);
  way_.set_mode(proxy_mode::pass);
  ASSERT_TRUE(eventually([&] { return one.state() == session_state::expired; }));
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(waited, errc::session_expired);
  EXPECT_TRUE(ends_session(waited));
  EXPECT_FALSE(held.held());
  EXPECT_EQ(held.loss_reason(), loss_reason::session_expired);
  std::error_code ec;
  held.release(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(lock.acquire(ec));
  EXPECT_EQ(ec, errc::session_expired);
  EXPECT_FALSE(lock.try_acquire(ec));
  EXPECT_EQ(ec, errc::session_expired);

  EXPECT_THROW(readopt(one, nullptr), error);
  readopt(one, start().handle());
  EXPECT_TRUE(one.wait_connected_for(patience));
  const grant again = acquire_patiently(lock);
  EXPECT_TRUE(again.held());
  EXPECT_GT(again.token(), token);
  EXPECT_EQ(server_.look(root_ + again.node())->ephemeral_owner, theirs().session_id());
  EXPECT_THROW(readopt(one, theirs().handle()), error) << "it has not expired";
}

TEST_F(an_adopted_handle, f132_f134_leads_and_observes_again_behind_readopt_and_its_tokens_grow) {
  session& one = adopt_it();
  election candidate(one, "/lock", {.data = "one", .stand_interval = 0ms});
  std::mutex mutex;
  std::vector<std::int64_t> seen;
  std::optional<election_observer> observer(std::in_place, one, "/lock", [&](const leader_view& now) {
    const std::lock_guard lock(mutex);
    if (now) {
      seen.push_back(now.token.czxid);
    }
  });
  std::optional<watched_value> value(std::in_place, one, "/lock");
  std::stop_source enough;
  auto running = in_a_thread([&] {
    candidate.run(
        [&](const term&, std::stop_token stop) { EXPECT_TRUE(eventually([&] { return stop.stop_requested(); })); },
        enough.get_token());
  });
  EXPECT_TRUE(eventually([&] { return observer->current() && observer->current().current; }));
  const std::int64_t first = observer->current().token.czxid;
  EXPECT_TRUE(eventually([&] { return value->current() && value->current().current; }));
  expire_behind(way_);
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return one.state() == session_state::expired; }));
  EXPECT_FALSE(observer->current().current);
  EXPECT_FALSE(value->current().current);

  readopt(one, start().handle());
  EXPECT_TRUE(eventually([&] { return candidate.status().is == election_status::state::leading; }));
  const std::int64_t token = candidate.status().token.czxid;
  EXPECT_GT(token, first);
  EXPECT_TRUE(eventually([&] { return observer->current().token.czxid == token && observer->current().current; }));
  EXPECT_TRUE(eventually([&] { return value->current().current; }));
  enough.request_stop();
  running.get();
  observer.reset();
  value.reset();
  server_.remove_tree(full("/lock"));  // their watches go with it
  const std::lock_guard lock(mutex);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), token);
}

TEST_F(an_adopted_handle, f147_whose_session_expires_says_so_though_nothing_is_asked_of_it) {
  session& one = adopt_it();
  ASSERT_TRUE(one.wait_connected_for(patience));
  expire_behind(way_);
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return one.state() == session_state::expired; }));
  readopt(one, start().handle());
  programs_.erase(programs_.begin());
}

TEST_F(an_adopted_handle, f147_is_let_go_by_readopt_as_soon_as_it_knows_of_the_expiry_itself) {
  programs_.clear();
  start(30s);
  session& one = adopt_it();
  recursive_mutex lock(one, "/lock");
  for (const bool holding : {false, true}) {  // a hold so young that it has no watch
    grant held = holding ? lock.acquire() : grant();
    ASSERT_TRUE(one.wait_connected_for(patience));
    expire_behind(way_);
    way_.set_mode(proxy_mode::pass);
    ASSERT_TRUE(theirs().reaches(ZOO_EXPIRED_SESSION_STATE));
    EXPECT_NO_THROW(readopt(one, start().handle()));
    programs_.erase(programs_.begin());  // closes the dead handle: nothing may use it any more
    EXPECT_FALSE(held.held());
    held = {};
    EXPECT_TRUE(one.wait_connected_for(patience));
    EXPECT_TRUE(acquire_patiently(lock).held());
  }
}

TEST_F(an_adopted_handle, whose_deadline_passes_loses_its_holds_and_goes_on_in_the_same_session) {
  programs_.clear();
  start(2s);
  session& one = adopt_it();
  recursive_mutex lock(one, "/lock");
  grant held = lock.acquire();
  const std::int64_t id = theirs().session_id();
  way_.set_mode(proxy_mode::hold_replies);  // its pings still arrive: the servers keep the session
  ASSERT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_EQ(held.loss_reason(), loss_reason::deadline_passed);
  way_.set_mode(proxy_mode::pass);
  held = {};
  const grant again = acquire_patiently(lock);
  EXPECT_TRUE(again.held());
  EXPECT_EQ(server_.look(root_ + again.node())->ephemeral_owner, id);
  EXPECT_EQ(contenders().size(), 1U) << "the lost contender was removed";
}

TEST_F(an_adopted_handle, stays_the_programs_when_the_session_goes_with_waits_and_holds_pending) {
  adopt_it();
  recursive_mutex lock(*adopted_, "/lock");
  recursive_mutex waiter(*adopted_, "/waited");
  recursive_mutex holder(open(), "/waited");
  grant in_the_way = holder.acquire();
  const grant held = lock.acquire();
  std::error_code waited;
  auto waiting = in_a_thread([&] { return waiter.acquire(waited); });
  ASSERT_TRUE(queue_grows_to(2, "/waited"));
  adopted_.reset();
  EXPECT_FALSE(waiting.get());
  EXPECT_EQ(waited, errc::session_closed);
  EXPECT_FALSE(held.held());
  EXPECT_TRUE(contenders().empty()) << "the session object removes its contenders before it goes";
  EXPECT_EQ(contenders("/waited").size(), 1U);
  in_the_way.release();

  EXPECT_TRUE(theirs().usable());
  const int before = theirs().connections_told();
  way_.cut_now();
  EXPECT_TRUE(eventually([&] { return theirs().connections_told() > before; }));
  EXPECT_TRUE(theirs().usable());

  recursive_mutex anew(adopt_it(), "/lock");
  EXPECT_TRUE(acquire_patiently(anew).held());
}

TEST_F(an_adopted_handle, bounds_the_margin_by_its_own_timeout_not_by_the_one_in_the_options) {
  start(30s);
  for (const auto& [asked, least, most] :
       {std::tuple{0ms, 2500ms, 2500ms}, {8000ms, 8000ms, 8000ms}, {29'000ms, 8500ms, 9500ms}}) {
    session& one = adopt_it({.margin = asked});  // most of the default timeout, which is not used
    ASSERT_TRUE(one.wait_connected_for(patience));
    EXPECT_EQ(one.timeout(), 30s);
    EXPECT_GE(one.margin(), least);
    EXPECT_LE(one.margin(), most) << "the greatest, with a tick of half the timeout";
  }
  start();
}

TEST_F(an_adopted_handle, whose_chroot_is_not_there_is_an_error_at_once) {
  start(10s, "/missing");
  recursive_mutex lock(adopt_it(), "/lock");
  std::error_code ec;
  EXPECT_FALSE(lock.try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::node_missing);
  start(10s);  // where TearDown looks for what is left
}

TEST_F(an_adopted_handle, f146_with_a_long_chroot_keeps_its_holds_over_a_reconnect) {
  const std::string chroot = "/" + std::string(8'000, 'c');
  (void)server_.create(full(chroot));
  programs_.clear();
  start(10s, chroot);
  session& one = adopt_it({}, {.chroot = root_ + chroot});
  std::atomic<std::size_t> looks = 0;
  const hooks counting(way_, [&](const request_frame& asked) {
    looks += asked.opcode == opcode::get ? 1 : 0;
    return verdict::pass;
  });
  std::deque<recursive_mutex> locks;
  std::vector<grant> held;
  for (int number = 0; number < 150; ++number) {  // all of their watches would be 1.2 MB for a reconnect
    held.push_back(locks.emplace_back(one, "/lock" + std::to_string(number)).acquire());
  }
  ASSERT_TRUE(eventually([&] { return looks >= held.size(); }));
  ASSERT_TRUE(theirs().usable()) << "what was asked before is answered";
  EXPECT_GT(watched_paths().size(), 100U);
  const std::size_t before = way_.accepted();
  way_.cut_now();
  ASSERT_TRUE(eventually([&] { return way_.accepted() > before && theirs().usable(); }));
  EXPECT_TRUE(eventually([&] { return watched_paths().size() > 100U; }));
  EXPECT_EQ(way_.accepted(), before + 1) << "the server has not cut the connection again";
  EXPECT_TRUE(std::all_of(held.begin(), held.end(), [](const grant& each) { return each.held(); }));
}

TEST_F(an_adopted_handle, f146_leaves_room_for_as_many_watches_of_the_program_as_it_is_told) {
  const std::string path = "/" + std::string(8'000, 'p');
  const std::string another = "/" + std::string(8'000, 'q');
  (void)server_.create(full(path));
  (void)server_.create(full(another));
  session& one = adopt_it({}, {.chroot = root_, .other_watches = 1'048'000 - 20'000});
  recursive_mutex ours(one, path);
  recursive_mutex ours_too(one, another);
  session& elsewhere = open();
  recursive_mutex others(elsewhere, path);
  recursive_mutex others_too(elsewhere, another);
  grant in_the_way = others.acquire();
  const grant in_the_way_too = others_too.acquire();
  auto first = queue_up(ours, 2);  // two watches
  std::error_code ec;
  EXPECT_FALSE(ours_too.try_acquire_for(patience, ec));
  EXPECT_EQ(ec, errc::too_many_watches);
  in_the_way.release();
  EXPECT_TRUE(first.get().held());
  EXPECT_THROW((void)adopt(theirs().handle(), {}, {.other_watches = 1'048'001}), error);
}

TEST_F(an_adopted_handle, f149_lets_holds_without_a_watch_look_at_their_nodes_in_turn) {
  constexpr std::size_t holders = 300;
  constexpr std::size_t turns_per_interval = 100;
  programs_.clear();
  start(4s);
  session& one = adopt_it({}, {.other_watches = 1'048'000});
  semaphore pool(one, "/pool", holders);
  std::vector<grant> held;
  for (std::size_t number = 0; number < holders; ++number) {
    held.push_back(pool.permits(1).acquire());
  }
  std::atomic<std::size_t> looks = 0;
  std::atomic<std::size_t> heartbeats = 0;
  const hooks counting(way_, [&](const request_frame& asked) {
    looks += asked.opcode == opcode::get ? 1 : 0;
    heartbeats += asked.opcode == opcode::sync ? 1 : 0;
    return verdict::pass;
  });
  ASSERT_TRUE(eventually([&] { return heartbeats >= 12; }));
  EXPECT_LE(looks, 2 * holders + turns_per_interval * heartbeats) << "not " << holders << " with each heartbeat";
  EXPECT_GE(looks, holders) << "each has its turn";
  ASSERT_TRUE(server_.remove(full(held.back().node())));
  EXPECT_TRUE(eventually([&] { return !held.back().held(); }));
  EXPECT_EQ(held.back().loss_reason(), loss_reason::node_removed);
}

TEST_F(an_adopted_handle, out_of_reach_makes_close_say_so_within_its_limit) {
  session& one = adopt_it({.close_time_limit = 100ms});
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  way_.set_mode(proxy_mode::hold);
  std::error_code ec;
  one.close(ec);
  EXPECT_EQ(ec, errc::release_unconfirmed);
  EXPECT_FALSE(held.held());
  way_.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return contenders().empty(); })) << "the removal was on its way";
}

}  // namespace
}  // namespace zklock::test
