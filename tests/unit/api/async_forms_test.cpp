// What has a form without a thread besides acquiring: connections, transactions, values, elections.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zklock/async.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/api/event_loop.hpp"
#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

constexpr const char* config = "/config";
constexpr const char* seat = "/lock";

/// What a handler was told.
template <class Answer>
class answered {
 public:
  auto handler() {
    return [this](std::error_code ec, Answer answer) {
      const std::lock_guard lock(mutex_);
      ec_ = ec;
      answer_ = std::move(answer);
      ++times_;
      changed_.notify_all();
    };
  }
  std::error_code ec() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, patience, [this] { return times_ > 0; }));
    EXPECT_EQ(times_, 1);
    return ec_;
  }
  Answer answer() {
    EXPECT_EQ(ec(), std::error_code());
    return std::move(answer_);
  }
  [[nodiscard]] int times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::error_code ec_;
  Answer answer_{};
  int times_ = 0;
};

/// Of an answer that is a code alone.
struct nothing {};
auto code_alone(answered<nothing>& into) {
  return [told = into.handler()](std::error_code ec) mutable { told(ec, {}); };
}

/// One that takes a part in all of this asks for something that does not come, and is told so by `ends`.
template <class Start, class End>
std::error_code code_after(Start&& start, End&& ends) {
  std::atomic<int> times = 0;
  std::error_code seen;
  start([&](std::error_code ec, const auto&...) {
    seen = ec;
    ++times;
  });
  ends();
  EXPECT_TRUE(eventually([&] { return times == 1; }));
  return seen;
}

class without_a_thread : public on_a_fake {
 protected:
  without_a_thread() { EXPECT_TRUE(one_.wait_connected_for(patience) && two_.wait_connected_for(patience)); }
  void make(const std::string& data) { two_.transaction().create(config, data).commit(); }
  void set(const std::string& data) { two_.transaction().set(config, data).commit(); }
};

// ---- a connection

TEST_F(without_a_thread, a_connection_is_waited_for) {
  zookeeper_.refuse();
  session late(zookeeper_.clients(0), {.timeout = 60s});
  answered<bool> in_vain, told;
  start_wait_connected(late, {.within = 1ms}, in_vain.handler());
  EXPECT_FALSE(in_vain.answer());
  start_wait_connected(late, {}, told.handler());
  EXPECT_EQ(told.times(), 0);
  zookeeper_.restore();
  EXPECT_TRUE(told.answer());
  answered<bool> at_once;
  start_wait_connected(late, {.within = 0ms}, at_once.handler());
  EXPECT_TRUE(at_once.answer());
}

TEST_F(without_a_thread, a_wait_for_a_connection_ends_with_a_stop_and_with_the_session) {
  zookeeper_.refuse();
  session late(zookeeper_.clients(0), {.timeout = 60s});
  std::stop_source stop;
  const auto waits = [&](auto told) { start_wait_connected(late, {.stop = stop.get_token()}, std::move(told)); };
  EXPECT_EQ(code_after(waits, [&] { stop.request_stop(); }), errc::abandoned);
  EXPECT_EQ(code_after(waits, [] {}), errc::abandoned) << "before";
  stop = {};
  EXPECT_EQ(code_after(waits, [&] { late.close(); }), errc::session_closed);
  EXPECT_EQ(code_after(waits, [] {}), errc::session_closed) << "behind";
  zookeeper_.restore();
}

// ---- transactions

TEST_F(without_a_thread, a_transaction_is_committed_and_its_results_are_told) {
  answered<std::vector<operation_result>> made;
  start_commit(one_.transaction().create(config, "a").set(config, "b"), made.handler());
  EXPECT_EQ(made.answer(), (std::vector<operation_result>{{config, 0}, {config, 1}}));
  EXPECT_EQ(two_.get(config, {.fresh = true})->data, "b");
  answered<std::vector<operation_result>> again;
  start_commit(one_.transaction().create(config, "a"), again.handler());
  EXPECT_EQ(again.ec(), errc::node_exists);
}

TEST_F(without_a_thread, a_guarded_transaction_behind_a_loss_is_refused) {
  recursive_mutex lock(one_, seat);
  const grant held = lock.acquire();
  zookeeper_.expire_sessions(0);
  EXPECT_TRUE(eventually([&] { return !held.held(); }));
  EXPECT_TRUE(one_.wait_connected_for(patience));
  answered<std::vector<operation_result>> told;
  start_commit(one_.transaction().guarded_by(held).create(config, "a"), told.handler());
  EXPECT_EQ(told.ec(), errc::lost);
  EXPECT_EQ(two_.get(config, {.fresh = true}), std::nullopt);
}

/// Asio's deferred operations may be copied, and run twice.
TEST_F(without_a_thread, a_copied_commit_is_begun_once_and_never_without_its_guard) {
  recursive_mutex lock(one_, seat);
  grant held = lock.acquire();
  make("0");
  detail::calls::commit first(one_.transaction().guarded_by(held).set(config, "mine")), copy = first;
  answered<std::vector<operation_result>> told;
  detail::begin(std::move(first), told.handler());
  EXPECT_EQ(told.answer().size(), 1U);
  held.release();
  set("the next holder's");
  const thrown twice = thrown_by([&] {
    detail::begin(std::move(copy), [](std::error_code, const auto&) { ADD_FAILURE() << "told"; });
    return 0;
  });
  EXPECT_EQ(twice.ec, errc::invalid_option);
  EXPECT_EQ(two_.get(config, {.fresh = true})->data, "the next holder's");
}

TEST_F(without_a_thread, what_is_wrong_with_an_argument_is_thrown_at_once) {
  const auto unheard = [](std::error_code, const auto&...) { ADD_FAILURE() << "told"; };
  const auto thrown_when = [&](auto&& what) {
    return thrown_by([&] {
             what();
             return 0;
           })
        .ec;
  };
  watched_value value(one_, config);
  recursive_mutex elsewhere_lock(two_, "/a");
  const grant foreign = elsewhere_lock.acquire(), empty;
  const auto same = [](const std::string& old) { return old; };
  EXPECT_EQ(thrown_when([&] { start_get(one_, "config", {}, unheard); }), errc::invalid_path);
  EXPECT_EQ(thrown_when([&] { start_get(one_, config, {.time_limit = -1ms}, unheard); }), errc::invalid_option);
  EXPECT_EQ(thrown_when([&] { start_wait_leader(one_, "x", {}, unheard); }), errc::invalid_path);
  EXPECT_EQ(thrown_when([&] { start_commit(one_.transaction(), unheard); }), errc::invalid_option);
  EXPECT_EQ(thrown_when([&] { start_commit(one_.transaction().set("config", "a"), unheard); }), errc::invalid_path);
  EXPECT_EQ(thrown_when([&] { start_commit(one_.transaction().guarded_by(foreign).set(config, "a"), unheard); }),
            errc::wrong_session);
  transaction once = one_.transaction().create("/d", "");
  const transaction taken = std::move(once);
  EXPECT_EQ(thrown_when([&] { start_commit(std::move(once), unheard); }), errc::invalid_option);
  EXPECT_EQ(thrown_when([&] { start_update(value, nullptr, {}, unheard); }), errc::invalid_option);
  EXPECT_EQ(thrown_when([&] { start_update(value, same, {.time_limit = -1ms}, unheard); }), errc::invalid_option);
  EXPECT_EQ(thrown_when([&] { start_update(value, same, {.guard = &foreign}, unheard); }), errc::wrong_session);
  EXPECT_EQ(thrown_when([&] { start_update(value, same, {.guard = &empty}, unheard); }), errc::not_owner);
  EXPECT_EQ(thrown_when([&] { start_proclaim(term(), "x", unheard); }), errc::not_owner);
}

// ---- values

TEST_F(without_a_thread, a_node_is_read) {
  answered<std::optional<node_data>> none, found;
  start_get(one_, config, {.fresh = true}, none.handler());
  EXPECT_EQ(none.answer(), std::nullopt);
  make("a");
  start_get(one_, config, {.fresh = true}, found.handler());
  EXPECT_EQ(found.answer()->data, "a");
}

TEST_F(without_a_thread, a_read_ends_in_time_with_a_stop_and_with_the_session) {
  EXPECT_TRUE(one_.wait_connected_for(patience));
  zookeeper_.hold(0);
  std::stop_source stop;
  EXPECT_EQ(code_after([&](auto told) { start_get(one_, config, {.time_limit = 1ms}, std::move(told)); }, [] {}),
            errc::not_connected);
  const auto reads = [&](auto told) { start_get(one_, config, {.stop = stop.get_token()}, std::move(told)); };
  EXPECT_EQ(code_after(reads, [&] { stop.request_stop(); }), errc::abandoned);
  stop = {};
  EXPECT_EQ(code_after(reads, [&] { one_.close(); }), errc::session_closed);
  zookeeper_.restore(0);
}

TEST_F(without_a_thread, a_change_is_waited_for) {
  watched_value value(one_, config);
  answered<std::optional<value_view>> absent, present, in_vain;
  start_wait_change(value, 0, {}, absent.handler());
  const value_view first = absent.answer().value();
  EXPECT_EQ(first.is, value_view::state::absent);
  start_wait_change(value, first.change, {.within = 1ms}, in_vain.handler());
  EXPECT_FALSE(in_vain.answer());
  start_wait_change(value, first.change, {}, present.handler());
  EXPECT_EQ(present.times(), 0);
  make("a");
  EXPECT_EQ(present.answer()->node->data, "a");
  answered<std::optional<value_view>> at_once;
  start_wait_change(value, first.change, {.within = 0ms}, at_once.handler());
  EXPECT_EQ(at_once.answer()->node->data, "a");
}

TEST_F(without_a_thread, a_wait_for_a_change_ends_with_a_stop_the_value_and_the_session) {
  auto value = std::make_unique<watched_value>(one_, config);
  ASSERT_TRUE(value->wait_change(0, patience));
  std::stop_source stop;
  const auto waits = [&](auto told) {
    constexpr std::uint64_t never = 1'000;
    start_wait_change(*value, never, {.stop = stop.get_token()}, std::move(told));
  };
  EXPECT_EQ(code_after(waits, [&] { stop.request_stop(); }), errc::abandoned);
  stop = {};
  EXPECT_EQ(code_after(waits, [&] { value.reset(); }), errc::abandoned);
  value = std::make_unique<watched_value>(one_, config);
  EXPECT_EQ(code_after(waits, [&] { one_.close(); }), errc::session_closed);
}

TEST_F(without_a_thread, many_waits_for_a_change_are_all_told_and_leave_nothing_behind) {
  make("0");
  watched_value value(one_, config);
  std::uint64_t seen = value.wait_change(0, patience)->change;
  for (int round = 1; round <= 3; ++round) {
    std::atomic<int> told = 0, late = 0;
    for (int i = 0; i < 300; ++i) {
      start_wait_change(value, seen, {}, [&](std::error_code ec, const std::optional<value_view>& now) {
        told += !ec && now && now->node->data == std::to_string(round) ? 1 : 1'000;
      });
      start_wait_change(
          value, seen + 1'000, {.within = 1ms},
          [&](std::error_code ec, const std::optional<value_view>& now) { late += !ec && !now ? 1 : 1'000; });
    }
    set(std::to_string(round));
    EXPECT_TRUE(eventually([&] { return told == 300 && late == 300; })) << told << ", " << late;
    seen = value.current().change;
  }
}

TEST_F(without_a_thread, a_value_is_updated_whatever_others_write) {
  make("0");
  watched_value value(one_, config), others(two_, config);
  std::atomic<int> mine = 0, failed = 0;
  const auto next = [](const std::string& old) { return std::to_string(std::stoi(old) + 1); };
  for (int i = 0; i < 50; ++i) {
    start_update(value, next, {}, [&](std::error_code ec, const node_data&) {
      ++mine;
      failed += ec ? 1 : 0;
    });
    others.update(next);
  }
  EXPECT_TRUE(eventually([&] { return mine == 50; }));
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(two_.get(config, {.fresh = true})->data, "100");
}

TEST_F(without_a_thread, an_update_tells_what_was_written_and_the_value_shows_it) {
  make("a");
  watched_value value(one_, config);
  answered<node_data> told;
  start_update(
      value, [](const std::string& old) { return old + "b"; }, {}, told.handler());
  const node_data written = told.answer();
  EXPECT_EQ(written.data, "ab");
  EXPECT_EQ(written.version, 1);
  EXPECT_EQ(value.current().node, written);
}

TEST_F(without_a_thread, an_update_that_cannot_be_done_says_why) {
  watched_value value(one_, config);
  const auto same = [](const std::string& old) { return old; };
  const auto updates = [&](auto told) { start_update(value, same, {}, std::move(told)); };
  EXPECT_EQ(code_after(updates, [] {}), errc::node_missing);
  make("a");
  const auto throws = [](const std::string&) -> std::string { throw std::runtime_error("planned"); };
  EXPECT_EQ(code_after([&](auto told) { start_update(value, throws, {}, std::move(told)); }, [] {}), errc::abandoned);
  EXPECT_EQ(two_.get(config, {.fresh = true})->version, 0);
  zookeeper_.hold(0);
  std::stop_source stop;
  EXPECT_EQ(code_after([&](auto told) { start_update(value, same, {.stop = stop.get_token()}, std::move(told)); },
                       [&] { stop.request_stop(); }),
            errc::abandoned);
  EXPECT_EQ(code_after([&](auto told) { start_update(value, same, {.time_limit = 1ms}, std::move(told)); }, [] {}),
            errc::not_connected);
  zookeeper_.restore(0);
  EXPECT_EQ(two_.get(config, {.fresh = true})->version, 0);
}

TEST_F(without_a_thread, a_function_that_throws_anything_ends_its_update_and_is_told) {
  make("a");
  watched_value value(one_, config);
  const auto throws = [](const std::string&) -> std::string { throw 42; };  // no std::exception
  EXPECT_EQ(code_after([&](auto told) { start_update(value, throws, {}, std::move(told)); }, [] {}), errc::abandoned);
  EXPECT_EQ(two_.get(config, {.fresh = true})->version, 0);
}

TEST_F(without_a_thread, an_update_that_is_stopped_before_its_function_is_called_calls_it_no_more) {
  make("a");
  watched_value value(one_, config);
  ASSERT_TRUE(value.wait_change(0, patience));
  std::stop_source stop;
  std::atomic<int> called = 0;
  std::promise<void> busy, go_on;
  start_get(one_, config, {}, [&](std::error_code, const auto&) {  // on the thread that would call it
    busy.set_value();
    go_on.get_future().wait();
  });
  busy.get_future().wait();
  const auto change = [&called](const std::string& old) { return ++called, old + "b"; };
  const std::uint64_t before = zookeeper_.request_count(0);
  const auto updates = [&](auto told) { start_update(value, change, {.stop = stop.get_token()}, std::move(told)); };
  const auto end = [&] {
    EXPECT_TRUE(eventually([&] { return zookeeper_.request_count(0) > before && zookeeper_.quiet(); })) << "it is read";
    stop.request_stop();
    go_on.set_value();
  };
  EXPECT_EQ(code_after(updates, end), errc::abandoned);
  EXPECT_EQ(called, 0);
  EXPECT_EQ(two_.get(config, {.fresh = true})->version, 0);
}

TEST_F(without_a_thread, an_update_that_is_stopped_within_its_function_writes_nothing) {
  make("a");
  watched_value value(one_, config);
  std::stop_source stop;
  const auto change = [&stop](const std::string& old) {
    stop.request_stop();
    return old + "b";
  };
  const auto updates = [&](auto told) { start_update(value, change, {.stop = stop.get_token()}, std::move(told)); };
  EXPECT_EQ(code_after(updates, [] {}), errc::abandoned);
  EXPECT_EQ(two_.get(config, {.fresh = true})->version, 0);
}

TEST_F(without_a_thread, a_guarded_update_ends_with_its_hold) {
  make("a");
  watched_value value(one_, config);
  recursive_mutex lock(one_, seat);
  grant held = lock.acquire();
  answered<node_data> told;
  start_update(
      value, [](const std::string& old) { return old + "b"; }, {.guard = &held}, told.handler());
  EXPECT_EQ(told.answer().data, "ab");
  zookeeper_.hold(0);
  const auto updates = [&](auto told_of_it) {
    start_update(
        value, [](const std::string& old) { return old + "c"; }, {.guard = &held}, std::move(told_of_it));
  };
  const auto end_session = [&] {
    zookeeper_.expire_sessions(0);
    zookeeper_.restore(0);
  };
  EXPECT_EQ(code_after(updates, end_session), errc::lost);
  EXPECT_EQ(two_.get(config, {.fresh = true})->data, "ab");
}

// ---- elections

TEST_F(without_a_thread, a_candidate_waits_for_its_term_and_proclaims) {
  election first(one_, seat, {.data = "one"}), second(two_, seat, {.data = "two"});
  answered<term> one, two;
  start_campaign(first, {}, one.handler());
  term leads = one.answer();
  ASSERT_TRUE(leads.held());
  EXPECT_EQ(leads.data(), "one");
  start_campaign(second, {}, two.handler());
  EXPECT_TRUE(queue_is(2));
  EXPECT_EQ(second.status().is, election_status::state::standing);
  answered<nothing> said;
  start_proclaim(leads, "one, at work", code_alone(said));
  EXPECT_EQ(said.ec(), std::error_code());
  EXPECT_EQ(leads.data(), "one, at work");
  EXPECT_EQ(leader(two_, seat).data, "one, at work");
  leads.resign();
  EXPECT_TRUE(two.answer().held());
  EXPECT_EQ(second.status().terms, 1U);
}

TEST_F(without_a_thread, a_candidacy_ends_in_time_with_a_stop_and_with_its_object) {
  election leading(two_, seat);
  const term leads = leading.campaign();
  auto late = std::make_unique<election>(one_, seat);
  answered<term> in_vain;
  start_campaign(*late, {.within = std::chrono::nanoseconds(briefly)}, in_vain.handler());
  EXPECT_FALSE(in_vain.answer());
  EXPECT_EQ(late->status().is, election_status::state::idle);
  std::stop_source stop;
  const auto stands = [&](auto told) { start_campaign(*late, {.stop = stop.get_token()}, std::move(told)); };
  EXPECT_EQ(code_after(stands, [&] { stop.request_stop(); }), errc::abandoned);
  EXPECT_EQ(code_after(stands, [] {}), errc::abandoned) << "before";
  stop = {};
  EXPECT_EQ(code_after(stands,
                       [&] {
                         const thrown twice = thrown_by([&] {
                           start_campaign(*late, {}, [](std::error_code, const term&) {});
                           return 0;
                         });
                         EXPECT_EQ(twice.ec, errc::would_deadlock);
                         late.reset();
                       }),
            errc::abandoned);
  EXPECT_TRUE(queue_is(1));
}

TEST_F(without_a_thread, a_handler_may_stand_again) {
  election candidate(one_, seat);
  std::atomic<int> terms = 0;
  std::function<void(std::error_code, term)> again = [&](std::error_code ec, term mine) {
    EXPECT_FALSE(ec);
    mine = {};
    if (++terms < 5) {
      start_campaign(candidate, {}, [&](std::error_code next, term of) { again(next, std::move(of)); });
    }
  };
  start_campaign(candidate, {}, [&](std::error_code ec, term mine) { again(ec, std::move(mine)); });
  EXPECT_TRUE(eventually([&] { return terms == 5; }));
  EXPECT_EQ(candidate.status().terms, 5U);
}

TEST_F(without_a_thread, a_leader_is_waited_for_and_nothing_is_followed_behind_it) {
  answered<std::optional<leader_view>> in_vain, told;
  start_wait_leader(one_, seat, {.within = std::chrono::nanoseconds(briefly)}, in_vain.handler());
  EXPECT_FALSE(in_vain.answer());
  std::stop_source stop;
  EXPECT_EQ(
      code_after(
          [&](auto heard_of_it) { start_wait_leader(one_, seat, {.stop = stop.get_token()}, std::move(heard_of_it)); },
          [&] { stop.request_stop(); }),
      errc::abandoned);
  start_wait_leader(one_, seat, {}, told.handler());
  EXPECT_EQ(told.times(), 0);
  election candidate(two_, seat, {.data = "two"});
  const term leads = candidate.campaign();
  const leader_view seen = told.answer().value();
  EXPECT_EQ(seen.data, "two");
  EXPECT_EQ(seen.token, leads.token());
  EXPECT_TRUE(eventually([&] { return zookeeper_.watch_count(0) == 0; })) << "not followed any more";
}

TEST_F(without_a_thread, a_mixed_election_is_refused_as_in_the_blocking_form) {
  zookeeper_.create_node(seat);
  for (const char* name : {"/_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-latch-0000000007",
                           "/_c_7a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000009"}) {
    zookeeper_.create_node(std::string(seat) + name, "java");
  }
  const auto asks = [&](auto told) { start_wait_leader(one_, seat, {}, std::move(told)); };
  EXPECT_EQ(code_after(asks, [] {}), errc::wrong_recipe);
  for (const std::string& name : queue()) {
    zookeeper_.remove_node(std::string(seat) + "/" + name);
  }
}

// ---- coroutines

owned all_of_it(loop& here, session& in, bool& done) {
  const auto at = on(here.post());
  EXPECT_TRUE(co_await at.wait_connected(in));
  const std::vector<operation_result> made = co_await at.commit(in.transaction().create(config, "a"));
  EXPECT_EQ(made.size(), 1U);
  const std::optional<node_data> read = co_await at.get(in, config, {.fresh = true});
  EXPECT_EQ(read->data, "a");
  watched_value value(in, config);
  const std::optional<value_view> seen = co_await at.wait_change(value, 0);
  EXPECT_TRUE(seen->node);
  const node_data written = co_await at.update(value, [](const std::string& old) { return old + "b"; });
  EXPECT_EQ(written.data, "ab");
  election candidate(in, seat, {.data = "me"});
  term mine = co_await at.campaign(candidate);
  co_await at.proclaim(mine, "still me");
  const std::optional<leader_view> leads = co_await at.wait_leader(in, seat);
  EXPECT_EQ(leads->data, "still me");
  try {
    co_await at.commit(in.transaction().create(config, "a"));
    ADD_FAILURE() << "it is there";
  } catch (const error& why) {
    EXPECT_EQ(why.code(), errc::node_exists);
    EXPECT_EQ(why.path(), config) << "with its words";
  }
  grant held = std::move(mine);
  co_await at.release(std::move(held));
  done = true;
}

TEST_F(without_a_thread, a_coroutine_awaits_each_of_them) {
  loop here;
  bool done = false;
  const owned runs = all_of_it(here, one_, done);
  EXPECT_TRUE(here.run_until([&] { return done; }));
  runs.handle.destroy();
}

owned stand(loop& here, election& candidate) { const term mine = co_await on(here.post()).campaign(candidate); }

TEST_F(without_a_thread, a_coroutine_that_is_destroyed_stands_no_more) {
  loop here;
  election candidate(one_, seat);
  {
    election leading(two_, seat);
    const term leads = leading.campaign();
    const owned waits = stand(here, candidate);
    EXPECT_TRUE(queue_is(2));
    waits.handle.destroy();
    EXPECT_TRUE(queue_is(1));
  }
  EXPECT_TRUE(eventually([&] { return candidate.status().is == election_status::state::idle; }));
  EXPECT_TRUE(here.run_until([&] { return queue().empty(); }));
}

// ---- a child of fork()

TEST_F(without_a_thread, in_a_child_of_fork_each_of_them_is_refused_at_once) {
  watched_value value(one_, config);
  election candidate(one_, seat);
  EXPECT_TRUE(value.wait_change(0, patience));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto forked = [](auto&& what) {
      try {
        what();
      } catch (const error& why) {
        return why.code() == errc::forked;
      }
      return false;
    };
    const auto unheard = [](std::error_code, const auto&...) {};
    const auto same = [](const std::string& old) { return old; };
    const bool all = forked([&] { start_wait_connected(one_, {}, unheard); }) &&
                     forked([&] { start_get(one_, config, {}, unheard); }) &&
                     forked([&] { start_commit(one_.transaction().create("/x"), unheard); }) &&
                     forked([&] { start_wait_change(value, 0, {}, unheard); }) &&
                     forked([&] { start_update(value, same, {}, unheard); }) &&
                     forked([&] { start_campaign(candidate, {}, unheard); }) &&
                     forked([&] { start_wait_leader(one_, seat, {}, unheard); });
    ::_exit(all ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace zklock::test
