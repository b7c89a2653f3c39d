#include "tests/loss/deadline_schedules.hpp"

#include <atomic>

#include "tests/loss/await.hpp"
#include "tests/loss/trial.hpp"

namespace zklock::test {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;  // what the servers' expiry is reckoned by: System.nanoTime()
using test_support::reply_frame;
using test_support::request_frame;
using test_support::verdict;

/// Servers end sessions at whole ticks of their clock only.
std::chrono::nanoseconds until_next(std::chrono::nanoseconds tick, clock::time_point from) {
  return tick - from.time_since_epoch() % tick;
}

/// The requests of the holder's client that reach its follower, and their answers.
class observed_requests {
 public:
  explicit observed_requests(proxy& way) : way_(way) {
    way_.on_request([this](const request_frame& request) { return note(request); });
    way_.on_reply([this](const reply_frame& reply) { return note(reply); });
  }
  ~observed_requests() {
    way_.on_request({});
    way_.on_reply({});
  }
  observed_requests(const observed_requests&) = delete;
  observed_requests& operator=(const observed_requests&) = delete;

  [[nodiscard]] clock::time_point last_request() const { return clock::time_point(clock::duration(last_request_)); }
  [[nodiscard]] clock::time_point last_answer() const { return clock::time_point(clock::duration(last_answer_)); }
  /// From here on, until twice_answered().
  void await_two_answers() { answers_ = 0; }
  /// The second one to a request that came after the first.
  [[nodiscard]] bool twice_answered() const { return answers_ == 2; }

 private:
  verdict note(const request_frame& request) {
    last_request_ = clock::now().time_since_epoch().count();
    if (answers_ == 1 && !second_) second_ = request.xid;
    return verdict::pass;
  }
  verdict note(const reply_frame& reply) {
    last_answer_ = clock::now().time_since_epoch().count();
    if (answers_ == 0) {
      second_.reset();
      answers_ = 1;
    } else if (second_ == reply.xid) {
      answers_ = 2;
    }
    return verdict::pass;
  }

  proxy& way_;
  std::atomic<clock::rep> last_request_ = 0;
  std::atomic<clock::rep> last_answer_ = 0;
  std::atomic<int> answers_ = 2;
  std::optional<std::int32_t> second_;  ///< the proxy's thread's
};

/// When a follower tells its leader which sessions it has heard of: its answer to the leader's ping, each half tick.
class observed_touches {
 public:
  explicit observed_touches(proxy& link) : link_(link) {
    link_.on_bytes([this](std::string_view bytes) {
      constexpr std::string_view ping{"\0\0\0\5", 4};  // Leader.PING, the packet's type
      if (bytes.starts_with(ping)) last_ = clock::now().time_since_epoch().count();
    });
  }
  ~observed_touches() { link_.on_bytes({}); }
  observed_touches(const observed_touches&) = delete;
  observed_touches& operator=(const observed_touches&) = delete;

  [[nodiscard]] clock::time_point last() const { return clock::time_point(clock::duration(last_)); }

 private:
  proxy& link_;
  std::atomic<clock::rep> last_ = 0;
};

proxy& link_to_leader(trial& here) {
  return here.servers().own().quorum_link(here.holders_server(), here.servers().leader());
}

/// Holds requests back behind one after which the leader hears of the session within this tick, and rounds little up.
clock::time_point hold_requests_at_a_good_moment(trial& here, const observed_requests& seen) {
  proxy& way = here.way_of_holder();
  const std::chrono::nanoseconds tick = here.way().tick;
  const auto good = [tick](clock::time_point request) {
    const std::chrono::nanoseconds left = until_next(tick, request);
    return left > tick / 2 + 5ms && left < tick / 2 + 180ms;
  };
  clock::time_point last;
  await(
      [&] {
        if (!good(seen.last_request())) return false;
        way.set_mode(proxy_mode::hold_requests);
        last = seen.last_request();
        if (good(last)) return true;
        way.set_mode(proxy_mode::pass);
        return false;
      },
      "a request at the wanted phase of the servers' tick");
  return last;
}

}  // namespace

// ---- another timeout

void lower_the_timeouts_of_the_other_follower(trial& here) {
  here.keep_others_from(here.other_follower());
  here.servers().bound_session_timeouts(here.other_follower(), {.least = here.way().tick, .most = low_session_timeout});
}
void raise_the_timeouts_of_the_other_follower(trial& here) {
  here.servers().bound_session_timeouts(here.other_follower(), {.least = high_session_timeout, .most = 60s});
}

void move_to_the_other_follower(trial& here) {
  const auto before = here.holders_session().timeout();
  here.move_the_holder_to(here.other_follower());
  await([&] { return here.holders_session().timeout() != before; }, "another session timeout");
  here.let_pass(here.holders_session().timeout() / 3);  // some heartbeats
}

void cut_the_holder_and_kill_the_leader(trial& here) {
  here.way_of_holder().set_mode(proxy_mode::cut);
  here.servers().own().kill(here.victim());
}
void let_the_holder_through_and_restart_the_leader(trial& here) {
  here.way_of_holder().set_mode(proxy_mode::pass);
  here.servers().own().restart(here.victim());
}

// ---- a slow link

void delay_requests_and_kill_the_follower(trial& here) {
  observed_requests seen(here.way_of_holder());
  const clock::time_point last = hold_requests_at_a_good_moment(here, seen);
  // Not as long as the client waits for an answer, 2/3 T.
  const std::chrono::nanoseconds timeout = here.holders_session().timeout();
  here.let_pass(last + timeout * 63 / 100 - clock::now());
  seen.await_two_answers();
  here.way_of_holder().set_mode(proxy_mode::pass);
  (void)test_support::eventually([&] { return seen.twice_answered(); }, 120ms);
  here.servers().own().kill(here.victim());
}

// ---- half a tick

void fit_the_timeout_to_the_ticks(trial& here) {
  const observed_touches touches(link_to_leader(here));
  await([&] { return touches.last() != clock::time_point{}; }, "the follower's answer to a ping");
  const std::chrono::milliseconds tick = here.way().tick;
  const auto rounded_up = until_next(tick, touches.last() + here.way().timeout);
  const auto longer = (rounded_up - tick / 30 + tick) % (tick / 2);
  here.ask_for(here.way().timeout + std::chrono::floor<std::chrono::milliseconds>(longer));
}

void kill_the_follower_before_it_tells_its_leader(trial& here) {
  const observed_touches touches(link_to_leader(here));
  const observed_requests seen(here.way_of_holder());
  const std::chrono::nanoseconds tick = here.way().tick;
  const std::chrono::nanoseconds timeout = here.holders_session().timeout();
  const auto at_the_worst = [&] {
    const clock::time_point now = clock::now();
    const std::chrono::nanoseconds left = touches.last() + tick / 2 - now;
    const std::chrono::nanoseconds rounded_up = until_next(tick, touches.last() + timeout);
    return left > tick / 60 && left < tick / 12 && now - seen.last_answer() < tick / 20 && rounded_up > 3ms &&
           rounded_up < tick / 20;
  };
  (void)test_support::eventually(at_the_worst, 15s);
  here.servers().own().kill(here.victim());
}

// ---- a deposed leader

namespace {

/// The leader's end stays, and hears nothing.
void disconnect_silently(trial& here, std::size_t follower) {
  proxy& link = here.servers().own().quorum_link(follower, here.holders_server());
  link.set_mode(proxy_mode::refuse);
  link.reset_clients();
}
/// So that a deposed leader does not join the others.
proxy& way_back(trial& here, std::size_t to) { return here.servers().own().quorum_link(here.holders_server(), to); }

}  // namespace

// Two followers that lose the leader at nearly the same time would confirm it to each other. One that starts does not.
void depose_the_leader_silently(trial& here) {
  const std::size_t leader = here.holders_server();
  const std::size_t restarted = (leader + 1) % 3;
  const std::size_t other = (leader + 2) % 3;
  way_back(here, restarted).set_mode(proxy_mode::refuse);
  way_back(here, other).set_mode(proxy_mode::refuse);
  disconnect_silently(here, restarted);
  here.servers().own().restart(restarted, false);
  disconnect_silently(here, other);
}

void tell_the_deposed_leader(trial& here) {
  const std::size_t leader = here.holders_server();
  for (const std::size_t follower : {(leader + 1) % 3, (leader + 2) % 3}) {
    proxy& link = here.servers().own().quorum_link(follower, leader);
    link.cut_now();
    link.set_mode(proxy_mode::pass);
    way_back(here, follower).set_mode(proxy_mode::pass);
  }
}

}  // namespace zklock::test
