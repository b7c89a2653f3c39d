#include <zklock/election.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/api/on_a_fake.hpp"

/// Candidates and observers of an election, as their users see them: on an ensemble in memory.
namespace zklock {
namespace {

using namespace test;
using at = election_status::state;
using whom = leader_view::state;

constexpr const char* seat = "/lock";

class elections : public on_a_fake {
 protected:
  elections() { EXPECT_TRUE(one_.wait_connected_for(patience) && two_.wait_connected_for(patience)); }
  session& here() { return one_; }
  session& there() { return two_; }

  /// A run() in a thread of its own, whose work waits until it may go.
  class candidate {
   public:
    candidate(session& in, election_options options) : election_(std::make_unique<election>(in, seat, options)) {}
    ~candidate() {
      if (running_.valid()) {
        stop_.request_stop();
        finish();
        running_.wait();
      }
    }
    candidate(const candidate&) = delete;
    candidate& operator=(const candidate&) = delete;

    void run() {
      running_ = in_a_thread([this] {
        election_->run(
            [this](const term& mine, std::stop_token enough) {
              token_ = mine.token().czxid;
              const int term_number = ++begun_;
              EXPECT_EQ(++at_work_, 1) << "two of its terms at once";
              EXPECT_TRUE(eventually([&] { return finished_ >= term_number || (obeys_ && enough.stop_requested()); }));
              stopped_ = enough.stop_requested();
              --at_work_;
              if (throws_) {
                throw std::runtime_error("the work has failed");
              }
            },
            stop_.get_token());
      });
    }
    void finish() { finished_ = begun_.load(); }
    void stop() { stop_.request_stop(); }
    [[nodiscard]] bool leads_for(int terms) const {
      return eventually([&] { return begun_ >= terms && at_work_ == 1; });
    }
    [[nodiscard]] bool comes_to(at what) const {
      return eventually([&] { return election_->status().is == what; });
    }

    std::unique_ptr<election> election_;
    std::atomic<int> begun_{0}, at_work_{0}, finished_{0};
    std::atomic<std::int64_t> token_{0};
    std::atomic<bool> obeys_{true}, stopped_{false}, throws_{false};
    std::stop_source stop_;
    std::future<void> running_;
  };

  static election_options standing_at_once(std::string data) {
    return {.data = std::move(data), .stand_interval = 0ms};
  }
  std::uint64_t requests_of(int client, const std::function<void()>& what) {
    EXPECT_TRUE(eventually([&] { return zookeeper_.quiet(); }));
    const std::uint64_t before = zookeeper_.request_count(client);
    what();
    EXPECT_TRUE(eventually([&] { return zookeeper_.quiet(); }));
    return zookeeper_.request_count(client) - before;
  }
  /// Of the first session, whose requests are held up: something is under way.
  [[nodiscard]] bool sends_more_than(std::uint64_t requests) const {
    return eventually([&] { return zookeeper_.request_count(0) > requests; });
  }
  [[nodiscard]] static bool shows(const election_observer& one, const std::string& data) {
    return eventually([&] { return one.current().is == whom::present && one.current().data == data; });
  }
};

// ---- terms

TEST_F(elections, run_leads_with_its_data_for_its_node_and_returns_behind_a_stop) {
  candidate one(here(), {.data = std::string("10.0.0.1:80\0\n", 13)});
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  EXPECT_EQ(one.election_->status().is, at::leading);
  EXPECT_EQ(one.election_->status().token.czxid, one.token_);
  EXPECT_EQ(one.election_->status().terms, 1U);
  ASSERT_EQ(queue(seat).size(), 1U);
  EXPECT_EQ(zookeeper_.data(std::string(seat) + "/" + queue(seat)[0]), std::string("10.0.0.1:80\0\n", 13));
  EXPECT_EQ(queue(seat)[0].substr(0, 3), "_c_");
  EXPECT_NE(queue(seat)[0].find("-lock-"), std::string::npos);
  one.stop();
  one.running_.get();
  EXPECT_TRUE(one.stopped_);
  EXPECT_TRUE(queue(seat).empty());
  EXPECT_EQ(one.election_->status().is, at::over);
  EXPECT_TRUE(one.election_->healthy(0ms));
}

TEST_F(elections, the_next_in_line_leads_behind_the_work_and_the_first_stands_at_the_end) {
  candidate one(here(), standing_at_once("one"));
  candidate two(there(), standing_at_once("two"));
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  two.run();
  EXPECT_TRUE(queue_is(2));
  EXPECT_EQ(two.election_->status().is, at::standing);
  EXPECT_EQ(two.begun_, 0);
  const std::int64_t first = one.token_;
  one.finish();
  ASSERT_TRUE(two.leads_for(1));
  EXPECT_GT(two.token_, first);
  EXPECT_TRUE(queue_is(2));
  EXPECT_EQ(one.begun_, 1);
  two.finish();
  ASSERT_TRUE(one.leads_for(2));
  EXPECT_FALSE(one.stopped_) << "its first term was not asked to end";
}

TEST_F(elections, a_work_that_returns_at_once_makes_no_more_terms_than_the_interval_allows) {
  candidate one(here(), {.data = "one", .stand_interval = 1h});
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  one.finish();
  ASSERT_TRUE(one.comes_to(at::pausing));
  EXPECT_TRUE(queue(seat).empty());
  EXPECT_EQ(one.election_->status().terms, 1U);
  one.stop();
  one.running_.get();  // at once
}

TEST_F(elections, f130_a_lost_term_is_told_and_no_other_begins_before_its_work_has_returned) {
  candidate one(here(), {.data = "one", .stand_interval = 1h});
  one.obeys_ = false;
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  const std::int64_t first = one.token_;
  zookeeper_.expire_sessions(0);
  ASSERT_TRUE(one.comes_to(at::ending));
  EXPECT_TRUE(eventually([&] { return here().state() == session_state::connected; }));
  EXPECT_TRUE(queue(seat).empty());
  EXPECT_EQ(one.begun_, 1);
  EXPECT_TRUE(eventually([&] { return !one.election_->healthy(1ms); })) << "its work is late";
  EXPECT_TRUE(one.election_->healthy(1h));
  one.finish();
  ASSERT_TRUE(one.leads_for(2)) << "a loss has no rest";
  EXPECT_GT(one.token_, first);
  EXPECT_TRUE(one.stopped_);
}

TEST_F(elections, f130_a_term_that_is_asked_to_end_keeps_its_node_until_the_work_has_returned) {
  candidate one(here(), standing_at_once("one"));
  one.obeys_ = false;
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  one.stop();
  ASSERT_TRUE(one.comes_to(at::ending));
  EXPECT_EQ(queue(seat).size(), 1U);
  one.finish();
  one.running_.get();
  EXPECT_TRUE(queue(seat).empty());
}

TEST_F(elections, f131_what_the_work_throws_is_passed_on_when_the_lead_is_given_back) {
  candidate one(here(), standing_at_once("one"));
  one.throws_ = true;
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  one.finish();
  EXPECT_THROW(one.running_.get(), std::runtime_error);
  EXPECT_TRUE(queue(seat).empty());
  EXPECT_FALSE(one.election_->healthy(1h));
  one.throws_ = false;
  one.run();
  EXPECT_TRUE(one.leads_for(2)) << "the object can be used again";
}

TEST_F(elections, an_outage_is_waited_for_and_a_refusal_for_good_is_thrown) {
  zookeeper_.refuse(0);
  candidate one(here(), standing_at_once("one"));
  one.run();
  EXPECT_FALSE(eventually([&] { return one.begun_ > 0; }, briefly));
  EXPECT_TRUE(eventually([&] { return !one.election_->healthy(1ms); })) << "no server answers";
  zookeeper_.restore(0);
  ASSERT_TRUE(one.leads_for(1));
  EXPECT_TRUE(one.election_->healthy(0ms));
  election latch(there(), seat, {.names = election_names::latch});
  expect_thrown(errc::wrong_recipe, seat, [&] {
    latch.run([](const term&, std::stop_token) { FAIL(); });
    return 0;
  });
  EXPECT_FALSE(latch.healthy(1h));
  EXPECT_EQ(latch.status().is, at::over);
  EXPECT_EQ(latch.status().last_error, errc::wrong_recipe);
  EXPECT_TRUE(queue_is(1));
}

TEST_F(elections, f209_run_returns_when_its_stop_comes_before_it_or_as_it_begins) {
  election one(here(), seat, standing_at_once("one"));
  std::stop_source before;
  before.request_stop();
  one.run([](const term&, std::stop_token) { FAIL(); }, before.get_token());
  EXPECT_EQ(one.status().terms, 0U);
  for (int i = 0; i < 50; ++i) {
    std::stop_source stop;
    auto running = in_a_thread([&] { one.run([](const term&, std::stop_token) {}, stop.get_token()); });
    std::this_thread::sleep_for(std::chrono::microseconds(20 * i));
    stop.request_stop();
    EXPECT_EQ(running.wait_for(patience), std::future_status::ready);
  }
}

TEST_F(elections, a_long_term_that_is_stopped_is_late_from_its_stop_on) {
  candidate one(here(), standing_at_once("one"));
  one.obeys_ = false;
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  const auto before = boot_clock::now();
  one.stop();
  EXPECT_GE(one.election_->status().since, before);
  EXPECT_EQ(one.election_->status().is, at::ending);
  EXPECT_TRUE(one.election_->healthy(1h));
}

TEST_F(elections, close_ends_a_rest) {
  candidate one(here(), {.data = "one", .stand_interval = 1h});
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  one.finish();
  ASSERT_TRUE(one.comes_to(at::pausing));
  here().close();
  expect_thrown(errc::session_closed, seat, [&] {
    one.running_.get();
    return 0;
  });
}

TEST_F(elections, run_in_a_callback_would_keep_its_own_end_from_being_told) {
  std::promise<std::error_code> told;
  election one(here(), seat);
  auto observed =
      std::make_unique<election_observer>(here(), seat, [&, once = std::make_shared<bool>()](const leader_view&) {
        if (!std::exchange(*once, true)) {
          told.set_value(thrown_by([&] {
                           one.run([](const term&, std::stop_token) {});
                           return 0;
                         }).ec);
        }
      });
  EXPECT_EQ(told.get_future().get(), errc::would_deadlock);
}

TEST_F(elections, run_ends_with_its_session) {
  candidate one(here(), standing_at_once("one"));
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  std::jthread closing([&] { here().close(); });
  expect_thrown(errc::session_closed, seat, [&] {
    one.running_.get();
    return 0;
  });
  EXPECT_TRUE(one.stopped_);
}

TEST_F(elections, the_destructor_ends_run_and_waits_for_its_work) {
  candidate one(here(), standing_at_once("one"));
  one.run();
  ASSERT_TRUE(one.leads_for(1));
  one.election_.reset();
  EXPECT_EQ(one.at_work_, 0);
  EXPECT_TRUE(one.stopped_);
  one.running_.get();
}

TEST_F(elections, campaign_gives_a_term_and_an_object_has_one_candidate) {
  election one(here(), seat, {.data = "one"});
  EXPECT_EQ(one.status().is, at::idle);
  term mine = one.campaign();
  EXPECT_EQ(one.status().is, at::leading);
  EXPECT_EQ(mine.data(), "one");
  const auto run = [&] {
    one.run([](const term&, std::stop_token) {});
    return 0;
  };
  expect_thrown(errc::would_deadlock, seat, [&] { return one.campaign(); });
  expect_thrown(errc::would_deadlock, seat, run);
  election other(here(), seat, {.data = "other"});  // another object: another candidate
  EXPECT_FALSE(other.campaign(0s));
  EXPECT_FALSE(other.campaign(briefly));
  EXPECT_TRUE(queue_is(1));
  auto waiting = in_a_thread([&] { return other.campaign(); });
  EXPECT_TRUE(queue_is(2));
  EXPECT_EQ(other.status().is, at::standing);
  expect_thrown(errc::would_deadlock, seat, [&] { return other.campaign(); });
  mine.resign();
  EXPECT_FALSE(mine);
  term next = waiting.get();
  EXPECT_TRUE(next.held());
  std::stop_source stop;
  auto stopped = in_a_thread([&] { return thrown_by([&] { return one.campaign(stop.get_token()); }).ec; });
  EXPECT_TRUE(queue_is(2));
  stop.request_stop();
  EXPECT_EQ(stopped.get(), errc::abandoned);
  EXPECT_EQ(one.status().is, at::idle);
  next = term();
  EXPECT_TRUE(one.campaign(patience)) << "and gives it back at once";
}

TEST_F(elections, f133_a_candidate_that_never_led_is_told_of_no_end) {
  election one(here(), seat, {});
  term mine = one.campaign();
  candidate two(there(), standing_at_once("two"));
  two.run();
  EXPECT_TRUE(queue_is(2));
  two.stop();
  two.running_.get();
  EXPECT_EQ(two.begun_, 0);
  EXPECT_TRUE(queue_is(1)) << "its node goes behind the call";
}

TEST_F(elections, refuse_what_cannot_be) {
  expect_thrown(errc::invalid_path, "\"lock\"", [&] { return election(here(), "lock").path(); });
  expect_thrown(errc::invalid_option, "names = 7 (election_names::selector or election_names::latch)",
                [&] { return election(here(), seat, {.names = static_cast<election_names>(7)}).path(); });
  expect_thrown(errc::invalid_option, "stand_interval = -1 ms (0 to 31622400000 ms)",
                [&] { return election(here(), seat, {.stand_interval = -1ms}).path(); });
  expect_thrown(errc::request_too_large, seat,
                [&] { return election(here(), seat, {.data = std::string(1'000'001, 'x')}).path(); });
  election one(here(), seat);
  expect_thrown(errc::invalid_option, seat, [&] {
    one.run(nullptr);
    return 0;
  });
  expect_thrown(errc::not_owner, "", [] {
    term().proclaim("x");
    return 0;
  });
  EXPECT_EQ(term().data(), "");
}

// ---- proclamations

TEST_F(elections, a_proclamation_is_what_the_node_says_and_costs_an_observer_one_read) {
  election one(here(), seat, {.data = "a"});
  const term mine = one.campaign();
  election_observer observer(there(), seat);
  ASSERT_TRUE(shows(observer, "a"));
  EXPECT_EQ(requests_of(1,
                        [&] {
                          mine.proclaim("b");
                          EXPECT_TRUE(shows(observer, "b"));
                        }),
            1U);
  EXPECT_EQ(mine.data(), "b");
  EXPECT_EQ(observer.current().token, mine.token());
}

TEST_F(elections, f137_a_proclamation_whose_answer_is_lost_is_repeated) {
  election one(here(), seat, {.data = "a"});
  const term mine = one.campaign();
  zookeeper_.lose_next_request(0);
  mine.proclaim("b");
  EXPECT_EQ(zookeeper_.data(mine.node()), "b");
  zookeeper_.lose_next_reply(0);
  mine.proclaim("c");
  EXPECT_EQ(zookeeper_.data(mine.node()), "c");
  EXPECT_TRUE(mine.held());
}

TEST_F(elections, of_many_proclamations_at_once_the_last_one_stands) {
  election one(here(), seat, {.data = "a"});
  const term mine = one.campaign();
  zookeeper_.hold(0);
  const std::uint64_t before = zookeeper_.request_count(0);
  std::vector<std::future<void>> said;
  for (int i = 0; i < 8; ++i) {
    said.push_back(in_a_thread([&, i] { mine.proclaim(std::to_string(i)); }));
  }
  EXPECT_TRUE(sends_more_than(before));
  zookeeper_.restore(0);
  for (auto& each : said) {
    each.get();
  }
  EXPECT_EQ(zookeeper_.data(mine.node()), mine.data());
}

TEST_F(elections, a_proclamation_that_is_too_large_costs_none_that_falls_together_with_it) {
  election one(here(), seat, {.data = "a"});
  const term mine = one.campaign();
  zookeeper_.hold(0);
  const std::uint64_t before = zookeeper_.request_count(0);
  auto first = in_a_thread([&] { mine.proclaim("first"); });
  EXPECT_TRUE(sends_more_than(before));
  std::error_code large, small;
  auto larger = in_a_thread([&] { mine.proclaim(std::string(1'000'001, 'x'), large); });
  larger.get();
  auto smaller = in_a_thread([&] { mine.proclaim("small", small); });
  zookeeper_.restore(0);
  first.get();
  smaller.get();
  EXPECT_EQ(large, errc::request_too_large);
  EXPECT_FALSE(small) << small.message();
  EXPECT_EQ(zookeeper_.data(mine.node()), "small");
}

TEST_F(elections, f137_a_proclamation_of_a_term_that_is_over_is_lost_and_touches_no_other) {
  election one(here(), seat, {.data = "a"});
  term mine = one.campaign();
  election other(there(), seat, {.data = "b"});
  auto waiting = in_a_thread([&] { return other.campaign(); });
  EXPECT_TRUE(queue_is(2));
  ASSERT_TRUE(zookeeper_.remove_node(mine.node()));
  expect_thrown(errc::lost, seat, [&] {
    mine.proclaim("late");
    return 0;
  });
  const term next = waiting.get();
  EXPECT_EQ(zookeeper_.data(next.node()), "b");
  std::error_code ec;
  mine.proclaim("later", ec);
  EXPECT_EQ(ec, errc::lost);
  next.proclaim(std::string(1'000'001, 'x'), ec);
  EXPECT_EQ(ec, errc::request_too_large);
  EXPECT_EQ(next.data(), "b");
}

TEST_F(elections, a_proclamation_waits_through_an_outage_until_the_term_is_over) {
  election one(here(), seat, {.data = "a"});
  const term mine = one.campaign();
  zookeeper_.hold(0);
  const std::uint64_t before = zookeeper_.request_count(0);
  auto said = in_a_thread([&] {
    return thrown_by([&] {
             mine.proclaim("b");
             return 0;
           })
        .ec;
  });
  EXPECT_TRUE(sends_more_than(before));
  zookeeper_.expire_sessions(0);
  zookeeper_.restore(0);
  EXPECT_EQ(said.get(), errc::lost);
}

// ---- observers

TEST_F(elections, f134_observers_are_told_of_none_and_of_each_leader_that_lasts) {
  std::mutex mutex;
  std::vector<leader_view> told;
  election_observer observer(there(), seat, [&](const leader_view& now) {
    const std::lock_guard lock(mutex);
    told.push_back(now);
  });
  const auto last_is = [&](whom what, const std::string& data) {
    return eventually([&] {
      const std::lock_guard lock(mutex);
      return !told.empty() && told.back().is == what && told.back().data == data && told.back().current;
    });
  };
  EXPECT_TRUE(last_is(whom::none, ""));
  election one(here(), seat, {.data = "one"});
  term mine = one.campaign();
  EXPECT_TRUE(last_is(whom::present, "one"));
  EXPECT_EQ(observer.current().node, mine.node());
  EXPECT_EQ(observer.current().token, mine.token());
  mine.resign();
  EXPECT_TRUE(last_is(whom::none, ""));
  mine = one.campaign();
  EXPECT_TRUE(last_is(whom::present, "one"));
  const std::lock_guard lock(mutex);
  fencing_token before{};
  for (const leader_view& each : told) {
    if (each) {
      EXPECT_GE(each.token, before);
      before = each.token;
    }
  }
}

TEST_F(elections, a_change_of_leader_costs_an_observer_a_list_and_a_read_and_others_nothing) {
  std::vector<std::unique_ptr<election>> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(std::make_unique<election>(here(), seat, election_options{.data = std::to_string(i)}));
  }
  term leading = all[0]->campaign();
  election_observer observer(there(), seat);
  ASSERT_TRUE(shows(observer, "0"));
  std::vector<std::future<term>> waiting;
  EXPECT_EQ(requests_of(1,
                        [&] {
                          for (std::size_t i = 1; i < 12; ++i) {
                            waiting.push_back(in_a_thread([&, i] { return all[i]->campaign(); }));
                            EXPECT_TRUE(queue_is(i + 1));
                          }
                          all[11].reset();  // the last one leaves
                          EXPECT_TRUE(queue_is(11));
                        }),
            0U);
  EXPECT_THROW((void)waiting.back().get(), error);
  waiting.pop_back();
  for (std::size_t i = 1; i < 11; ++i) {
    EXPECT_EQ(requests_of(1,
                          [&] {
                            leading.resign();
                            leading = waiting[i - 1].get();
                            EXPECT_TRUE(shows(observer, std::to_string(i)));
                          }),
              2U);
  }
}

TEST_F(elections, an_observer_is_not_current_until_the_first_answer_behind_a_reconnect) {
  election one(here(), seat, {.data = "one"});
  const term mine = one.campaign();
  election_observer observer(there(), seat);
  ASSERT_TRUE(shows(observer, "one"));
  const std::uint64_t change = observer.current().change;
  zookeeper_.cut(1);
  EXPECT_TRUE(eventually([&] { return observer.current().change >= change + 2 && observer.current().current; }));
  EXPECT_EQ(observer.current().data, "one");
  EXPECT_EQ(observer.current().token, mine.token());
}

TEST_F(elections, candidates_of_two_kinds_are_told_as_such_on_each_way_to_ask) {
  zookeeper_.create_node(seat);
  zookeeper_.create_node(std::string(seat) + "/_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-latch-0000000007", "java");
  zookeeper_.set_sequence_counter(seat, 8);
  EXPECT_EQ(leader(here(), seat).data, "java");
  election_observer observer(there(), seat);
  ASSERT_TRUE(shows(observer, "java"));
  EXPECT_EQ(participants(here(), seat).at(0).kind, participant_kind::latch);
  EXPECT_EQ(participants(here(), seat).at(0).label, "java");
  election selector(here(), seat);
  expect_thrown(errc::wrong_recipe, seat, [&] { return selector.campaign(); });
  zookeeper_.create_node(std::string(seat) + "/_c_7a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000009", "other");
  expect_thrown(errc::wrong_recipe, seat, [&] { return leader(here(), seat); });
  expect_thrown(errc::wrong_recipe, seat, [&] { return wait_leader(here(), seat, patience); });
  election_observer late(there(), seat);
  EXPECT_TRUE(eventually([&] { return late.current().error == errc::wrong_recipe; }));
  EXPECT_EQ(late.current().is, whom::refused);
  EXPECT_EQ(late.current().data, "");
  zookeeper_.remove_node(std::string(seat) + "/_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-latch-0000000007");
  EXPECT_TRUE(shows(late, "other"));
  EXPECT_TRUE(shows(observer, "other"));
  zookeeper_.remove_node(std::string(seat) + "/_c_7a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-lock-0000000009");
}

TEST_F(elections, latches_stand_in_one_queue) {
  election one(here(), seat, {.data = "one", .names = election_names::latch});
  election two(there(), seat, {.data = "two", .names = election_names::latch});
  term mine = one.campaign();
  EXPECT_NE(mine.node().find("-latch-"), std::string::npos);
  EXPECT_FALSE(two.campaign(briefly));
  EXPECT_TRUE(queue_is(1));
  auto waiting = in_a_thread([&] { return two.campaign(); });
  EXPECT_TRUE(queue_is(2));
  const std::vector<participant> all = one.queue();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "one");
  EXPECT_EQ(all[0].state, participant_state::held);
  EXPECT_EQ(all[1].label, "two");
  EXPECT_EQ(all[1].state, participant_state::waiting);
  mine.resign();
  EXPECT_TRUE(waiting.get().held());
}

TEST_F(elections, a_leader_is_asked_for_once_and_waited_for) {
  EXPECT_EQ(leader(here(), seat).is, whom::none);
  EXPECT_EQ(wait_leader(here(), seat, briefly), std::nullopt);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(wait_leader(here(), seat, patience, stop.get_token()), std::nullopt);
  auto waiting = in_a_thread([&] { return wait_leader(there(), seat, patience).value(); });
  election one(here(), seat, {.data = "one"});
  const term mine = one.campaign();
  EXPECT_EQ(waiting.get().data, "one");
  const leader_view asked = leader(there(), seat);
  EXPECT_EQ(asked.is, whom::present);
  EXPECT_EQ(asked.token, mine.token());
  EXPECT_EQ(asked.node, mine.node());
  EXPECT_TRUE(asked.current);
  expect_thrown(errc::invalid_path, "\"lock\"", [&] { return leader(here(), "lock"); });
  zookeeper_.refuse(1);
  expect_thrown(errc::not_connected, seat, [&] { return leader(there(), seat, 10ms); });
}

TEST_F(elections, an_observer_that_is_destroyed_tells_its_function_nothing_more) {
  std::atomic<std::uint64_t> told = UINT64_MAX;
  std::atomic<int> calls = 0;
  auto observer = std::make_unique<election_observer>(there(), seat, [&](const leader_view& now) {
    told = now.change;
    ++calls;
  });
  EXPECT_TRUE(eventually([&] { return observer->current().current && told == observer->current().change; }));
  const int before = calls;
  observer.reset();
  std::promise<void> behind;  // notices come one by one: all that was on its way has been told
  const election_observer next(there(), seat, [&, once = std::make_shared<bool>()](const leader_view& now) {
    if (now.current && !std::exchange(*once, true)) {
      behind.set_value();
    }
  });
  behind.get_future().get();
  EXPECT_EQ(calls, before);
}

TEST_F(elections, an_update_under_a_term_ends_with_it) {
  zookeeper_.create_node("/config", "0");
  election one(here(), seat);
  const term mine = one.campaign();
  watched_value value(here(), "/config");
  EXPECT_EQ(value.update(mine, [](const std::string&) { return "1"; }).data, "1");
  zookeeper_.hold(0);
  const std::uint64_t before = zookeeper_.request_count(0);
  auto updating = in_a_thread([&] {
    return thrown_by([&] {
             return value
                 .update(
                     mine, [](const std::string&) { return "2"; }, 1h)
                 .data;
           })
        .ec;
  });
  EXPECT_TRUE(sends_more_than(before));
  zookeeper_.expire_sessions(0);
  zookeeper_.restore(0);
  EXPECT_EQ(updating.get(), errc::lost);
  EXPECT_EQ(thrown_by([&] {
              return value
                  .update(
                      mine, [](const std::string&) { return "3"; }, 1h)
                  .data;
            }).ec,
            errc::lost);
  EXPECT_EQ(to_string(value.current().is), "present");
}

TEST_F(elections, an_observer_keeps_its_last_answer_behind_close) {
  election one(here(), seat, {.data = "one"});
  const term mine = one.campaign();
  election_observer observer(there(), seat);
  ASSERT_TRUE(shows(observer, "one"));
  there().close();
  EXPECT_EQ(observer.current().data, "one");
  EXPECT_FALSE(observer.current().current);
  election_observer moved = std::move(observer);
  EXPECT_EQ(moved.path(), seat);
  observer = std::move(moved);
  EXPECT_EQ(observer.current().data, "one");
}

}  // namespace
}  // namespace zklock
