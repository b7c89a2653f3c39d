// Candidates and observers of an election on a real server.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integration/asked_for_its_queue.hpp"
#include "tests/support/error_from.hpp"

namespace zklock::test {
namespace {

using whom = leader_view::state;

class elected : public asked_for_its_queue {
 protected:
  /// Until it is asked to stop.
  static void serve(const term&, std::stop_token enough) {
    EXPECT_TRUE(eventually([&] { return enough.stop_requested(); }));
  }
  [[nodiscard]] static bool shows(const election_observer& one, const std::string& data) {
    return eventually([&] { return one.current() && one.current().data == data && one.current().current; });
  }
};

TEST_F(elected, f130_f132_leads_no_second_term_before_the_work_of_a_lost_one_has_returned) {
  proxy& way = new_proxy();
  session& here = open_through(way, {.timeout = 4s});
  election one(here, "/lock", {.data = "one"});
  election two(open(), "/lock", {.data = "two"});
  std::stop_source enough;
  std::atomic<int> begun = 0, at_work = 0;
  std::atomic<bool> may_return = false, told = false;
  std::atomic<std::int64_t> token = 0;
  auto running = in_a_thread([&] {
    one.run(
        [&](const term& mine, std::stop_token stop) {
          EXPECT_EQ(++at_work, 1);
          EXPECT_GT(mine.token().czxid, token);
          token = mine.token().czxid;
          ++begun;
          EXPECT_TRUE(eventually([&] { return stop.stop_requested(); }));
          told = true;
          EXPECT_TRUE(eventually([&] { return may_return.load(); }));
          --at_work;
        },
        enough.get_token());
  });
  EXPECT_TRUE(eventually([&] { return begun == 1; }));
  auto next = in_a_thread([&] { return two.campaign(); });
  EXPECT_TRUE(queue_grows_to(2));
  expire_behind(way);
  term second = next.get();
  EXPECT_GT(second.token().czxid, token);
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return here.state() == session_state::connected; }));
  EXPECT_EQ(contenders().size(), 1U) << "it does not stand while its work runs";
  may_return = true;
  EXPECT_TRUE(queue_grows_to(2));
  second.resign();
  EXPECT_TRUE(eventually([&] { return begun == 2; }));
  enough.request_stop();
  running.get();
}

TEST_F(elected, f131_passes_on_what_the_work_throws_when_the_next_one_may_lead) {
  election one(open(), "/lock");
  EXPECT_THROW(one.run([](const term&, std::stop_token) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_TRUE(contenders().empty());
  EXPECT_EQ(one.status().is, election_status::state::over);
}

TEST_F(elected, f133_tells_nothing_to_a_candidate_that_never_led) {
  election one(open(), "/lock");
  election two(open(), "/lock");
  const term mine = one.campaign();
  std::stop_source stop;
  auto running =
      in_a_thread([&] { two.run([](const term&, std::stop_token) { ADD_FAILURE() << "it led"; }, stop.get_token()); });
  EXPECT_TRUE(queue_grows_to(2));
  stop.request_stop();
  running.get();
  EXPECT_EQ(two.status().terms, 0U);
}

TEST_F(elected, f134_f135_shows_observers_terms_in_order_and_at_last_that_nobody_leads) {
  session& watching = open();
  std::mutex mutex;
  std::vector<leader_view> told;
  std::int64_t last = 0;
  {
    const election_observer observer(watching, "/lock", [&](const leader_view& now) {
      const std::lock_guard lock(mutex);
      told.push_back(now);
    });
    std::vector<std::unique_ptr<election>> all;
    for (int i = 0; i < 3; ++i) {
      all.push_back(std::make_unique<election>(open(), "/lock", election_options{.data = std::to_string(i)}));
    }
    for (int i = 0; i < 30; ++i) {
      const term mine = all[static_cast<std::size_t>(i % 3)]->campaign();
      last = mine.token().czxid;
      if (i % 10 == 9) {
        EXPECT_TRUE(eventually([&] { return observer.current().token.czxid == last; }));
      }
    }
    EXPECT_TRUE(eventually([&] { return observer.current().is == whom::none && observer.current().current; }));
  }
  watching.close();  // its watches go
  const std::lock_guard lock(mutex);
  std::int64_t before = 0;
  for (const leader_view& each : told) {
    if (each) {
      EXPECT_GE(each.token.czxid, before);
      before = each.token.czxid;
    }
  }
  EXPECT_EQ(before, last) << "the last term was told";
}

TEST_F(elected, f137_proclaims_again_what_was_lost_and_nothing_when_its_term_is_over) {
  proxy& way = new_proxy();
  election one(open_through(way), "/lock", {.data = "a"});
  election two(open(), "/lock", {.data = "two"});
  const term mine = one.campaign();
  std::atomic<int> sets = 0;
  {
    const hooks lossy(way, [&](const request_frame& asked) {
      const bool first = asked.opcode == opcode::set && ++sets == 1;
      return first ? verdict::cut_after : verdict::pass;
    });
    mine.proclaim("b");
  }
  EXPECT_EQ(sets, 2);
  EXPECT_EQ(server_.data(full(mine.node())), "b");
  auto next = in_a_thread([&] { return two.campaign(); });
  EXPECT_TRUE(queue_grows_to(2));
  EXPECT_TRUE(server_.remove(full(mine.node())));
  const term other = next.get();
  std::error_code ec;
  mine.proclaim("c", ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_EQ(server_.data(full(other.node())), "two");
}

TEST_F(elected, f203_by_the_removal_of_a_leaders_node_leads_beside_it_with_a_greater_token) {
  session& here = open();
  election one(here, "/lock");
  election two(open(), "/lock");
  (void)server_.create(full("/store"));
  const term old = one.campaign();
  auto next = in_a_thread([&] { return two.campaign(); });
  EXPECT_TRUE(queue_grows_to(2));
  EXPECT_TRUE(server_.remove(full(old.node())));
  const term now = next.get();
  EXPECT_GT(now.token(), old.token()) << "a store that compares tokens refuses the old one";
  std::error_code ec;
  here.transaction().guarded_by(old).set("/store", "old").commit(ec);
  EXPECT_EQ(ec, errc::lost) << "and so does a guarded write";
  EXPECT_TRUE(eventually([&] { return !old.held(); }));
  EXPECT_EQ(old.loss_reason(), loss_reason::node_removed);
}

TEST_F(elected, f204_behind_an_access_list_is_shown_with_a_token_and_without_data) {
  session& hidden = open({.acl = acl_creator(), .auth = credentials});
  (void)server_.create(full("/lock"));
  session& watching = open();
  {
    election one(hidden, "/lock", {.data = "secret"});
    const term mine = one.campaign();
    const election_observer observer(watching, "/lock");
    EXPECT_TRUE(eventually([&] { return observer.current().is == whom::present; }));
    EXPECT_TRUE(observer.current().hidden);
    EXPECT_EQ(observer.current().token, mine.token());
    EXPECT_EQ(observer.current().data, "");
    EXPECT_TRUE(leader(watching, "/lock").hidden);
    EXPECT_EQ(leader(hidden, "/lock").data, "secret");
  }
  EXPECT_TRUE(eventually([&] { return leader(watching, "/lock").is == whom::none; })) << "given back without waiting";
  watching.close();
}

TEST_F(elected, f207_beside_another_kind_says_so_on_each_way_to_ask) {
  election selector(open(), "/lock", {.data = "selector"});
  const term mine = selector.campaign();
  const std::string latch = put("_c_6a0f5f1c-5d1c-4d5b-9a55-0c8a4c1f7b11-latch-", "java");
  session& watching = open();
  {
    const election_observer observer(watching, "/lock");
    EXPECT_TRUE(eventually([&] { return observer.current().error == errc::wrong_recipe; }));
    EXPECT_EQ(test_support::error_from([&] { (void)leader(watching, "/lock"); }).first, errc::wrong_recipe);
    EXPECT_EQ(test_support::error_from([&] { (void)wait_leader(watching, "/lock", patience); }).first,
              errc::wrong_recipe);
    election other(open(), "/lock", {.names = election_names::latch});
    EXPECT_EQ(test_support::error_from([&] { (void)other.campaign(); }).first, errc::wrong_recipe);
    std::vector<participant> all;
    ASSERT_TRUE(eventually([&] { return (all = participants(watching, "/lock")).size() == 2; })) << "the refused one goes";
    EXPECT_EQ(all[0].state, participant_state::held);
    EXPECT_EQ(all[1].state, participant_state::held) << "both lead";
    EXPECT_EQ(all[1].kind, participant_kind::latch);
    EXPECT_TRUE(server_.remove(full(latch)));
    EXPECT_TRUE(shows(observer, "selector"));
  }
  watching.close();
}

TEST_F(elected, f208_by_work_that_returns_at_once_makes_no_flood_of_terms) {
  election one(open(), "/lock", {.stand_interval = 100ms});
  std::stop_source stop;
  const auto began = std::chrono::steady_clock::now();
  auto running = in_a_thread([&] { one.run([](const term&, std::stop_token) {}, stop.get_token()); });
  EXPECT_TRUE(eventually([&] { return one.status().terms >= 3; }));
  stop.request_stop();
  running.get();
  const auto most = (std::chrono::steady_clock::now() - began) / 100ms + 1;
  EXPECT_LE(one.status().terms, static_cast<std::uint64_t>(most));
}

TEST_F(elected, f209_ends_though_the_stop_has_come_before) {
  election one(open(), "/lock");
  std::stop_source stop;
  stop.request_stop();
  one.run([](const term&, std::stop_token) { ADD_FAILURE() << "it led"; }, stop.get_token());
  EXPECT_TRUE(contenders().empty());
}

TEST_F(elected, f210_says_so_when_its_node_may_not_be_removed) {
  constexpr std::int32_t all_but_delete = 31 - 8;
  (void)server_.create(full("/lock"), client::create_mode::persistent, {client::acl_entry{all_but_delete}});
  session& here = open();
  election one(here, "/lock", {.stand_interval = 0ms});
  EXPECT_EQ(test_support::error_from([&] { one.run([](const term&, std::stop_token) {}); }).first,
            errc::permission_denied);
  EXPECT_EQ(one.status().terms, 1U);
  EXPECT_FALSE(one.healthy(1h));
  here.close();  // its node goes
}

}  // namespace
}  // namespace zklock::test
