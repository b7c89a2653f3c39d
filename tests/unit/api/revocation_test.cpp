// grant::revocation_requested() and revoke(): who is asked, what it costs, and what goes on.
#include <stop_token>
#include <string>

#include "tests/unit/api/on_a_fake.hpp"

namespace zklock::test {
namespace {

class a_revocation : public on_a_fake, public ::testing::WithParamInterface<layout> {
 protected:
  [[nodiscard]] static lock_options in_layout() { return {.layout = GetParam()}; }
  [[nodiscard]] static revoke_options with_mark() { return {.replace_data = GetParam() == layout::curator}; }
  /// By another client; soon known.
  [[nodiscard]] bool is_asked(const grant& held) {
    revoke(two_, held.node(), with_mark());
    return eventually([&] { return held.revocation_requested().stop_requested(); });
  }
  [[nodiscard]] static std::error_code write_guarded_by(session& in, const grant& held, const std::string& data) {
    std::error_code ec;
    in.transaction().guarded_by(held).set("/config", data).commit(ec);
    return ec;
  }

  /// Calls of it.
  [[nodiscard]] static std::size_t waits_in(const session& of) {
    std::size_t all = 0;
    for (const lock_statistics& one : of.statistics().locks) {
      all += one.waits;
    }
    return all;
  }

  /// It looks at its own nodes soon.
  session watchful_{zookeeper_.clients(2), {.timeout = 2s}};
  const bool has_config_ = zookeeper_.create_node("/config", "old");
};
INSTANTIATE_TEST_SUITE_P(each_layout, a_revocation, ::testing::Values(layout::native, layout::curator),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(a_revocation, is_told_to_a_holder_that_goes_on_until_it_lets_go) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  recursive_mutex others(two_, "/lock", in_layout());
  grant held = lock.acquire();
  bool told = false;
  const std::stop_callback on_request(held.revocation_requested(), [&] { told = true; });
  EXPECT_FALSE(held.revocation_requested().stop_requested());
  ASSERT_TRUE(is_asked(held));
  EXPECT_TRUE(eventually([&] { return told; }));
  EXPECT_TRUE(held.held());
  EXPECT_FALSE(held.lost().stop_requested());
  EXPECT_FALSE(others.try_acquire());
  EXPECT_TRUE(lock.queue().at(0).revocation_requested);
  held.release();
  EXPECT_FALSE(held.revocation_requested().stop_possible());
  EXPECT_TRUE(others.try_acquire());
}

TEST_P(a_revocation, is_of_a_hold_and_not_of_the_next_one) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  grant held = lock.acquire();
  ASSERT_TRUE(is_asked(held));
  held.release();
  const grant next = lock.acquire();
  EXPECT_FALSE(next.revocation_requested().stop_requested());
}

TEST_P(a_revocation, reaches_all_grants_of_an_owner) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  const owner me;
  const grant first = lock.as(me).acquire();
  const grant again = lock.as(me).acquire();
  ASSERT_TRUE(is_asked(first));
  EXPECT_TRUE(again.revocation_requested().stop_requested());
}

TEST_P(a_revocation, of_a_waiter_is_told_with_its_grant) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  recursive_mutex others(two_, "/lock", in_layout());
  grant theirs = others.acquire();
  auto waits = in_a_thread([&] { return lock.acquire(); });
  ASSERT_TRUE(eventually([&] { return others.queue().size() == 2; }));
  revoke(two_, others.queue().at(1).node, with_mark());
  ASSERT_TRUE(eventually([&] { return zookeeper_.watch_count(2) == 2; })) << "on what is before it, and on its own";
  theirs.release();
  const grant held = waits.get();
  EXPECT_TRUE(eventually([&] { return held.revocation_requested().stop_requested(); }));
}

/// Of one that looks at its own node only in seconds, and of one that has been told.
TEST_P(a_revocation, leaves_guarded_writes_of_every_kind_of_hold_as_they_were) {
  ASSERT_TRUE(has_config_);
  int number = 0;
  for (session* const in : {&one_, &watchful_}) {
    const auto expect_written = [&](const grant& held) {
      SCOPED_TRACE(held.path());
      EXPECT_FALSE(write_guarded_by(*in, held, std::to_string(++number))) << "before";
      if (in == &watchful_) {
        EXPECT_TRUE(is_asked(held));
      } else {
        revoke(two_, held.node(), with_mark());
      }
      EXPECT_FALSE(write_guarded_by(*in, held, std::to_string(++number)));
      EXPECT_FALSE(write_guarded_by(*in, held, std::to_string(++number))) << "once more";
      EXPECT_EQ(zookeeper_.data("/config"), std::to_string(number));
      EXPECT_TRUE(held.held());
    };
    shared_mutex both(*in, "/both", in_layout());
    recursive_mutex alone(*in, "/alone", in_layout());
    semaphore pool(*in, "/pool", 2, in_layout());
    expect_written(both.write().acquire());
    expect_written(both.read().acquire());
    expect_written(alone.acquire());
    expect_written(pool.permits(1).acquire());
  }
}

TEST_P(a_revocation, of_a_writer_that_is_downgraded_leaves_it_a_reader) {
  shared_mutex both(watchful_, "/both", in_layout());
  shared_mutex others(two_, "/both", in_layout());
  grant held = both.write().acquire();
  ASSERT_TRUE(is_asked(held));
  held.downgrade();
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(others.read().try_acquire()); }));
  EXPECT_FALSE(others.write().try_acquire());
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(held.revocation_requested().stop_requested());
}

TEST_P(a_revocation, of_a_part_is_told_to_the_whole_of_a_multi_lock) {
  recursive_mutex one(watchful_, "/one", in_layout());
  shared_mutex two(watchful_, "/two", in_layout());
  multi_lock all({one, two.write()});
  const grant held = all.acquire();
  const std::string nodes = held.node();
  revoke(two_, nodes.substr(nodes.find('\n') + 1), with_mark());
  EXPECT_TRUE(eventually([&] { return held.revocation_requested().stop_requested(); }));
  EXPECT_TRUE(held.held());
}

TEST_P(a_revocation, of_a_part_that_waits_is_told_to_the_whole_of_a_multi_lock) {
  recursive_mutex one(watchful_, "/one", in_layout());
  recursive_mutex two(watchful_, "/two", in_layout());
  recursive_mutex others(two_, "/two", in_layout());
  multi_lock all({one, two});
  grant theirs = others.acquire();
  auto waits = in_a_thread([&] { return all.acquire(); });
  ASSERT_TRUE(eventually([&] { return others.queue().size() == 2; }));
  const std::string node = others.queue().at(1).node;
  revoke(two_, node, with_mark());
  ASSERT_TRUE(eventually([&] { return zookeeper_.watch_count(2) == 2; })) << "on what is before it, and on its own";
  theirs.release();
  const grant held = waits.get();
  EXPECT_TRUE(eventually([&] { return held.revocation_requested().stop_requested(); }));
}

TEST_P(a_revocation, of_one_lease_is_told_to_all_permits) {
  semaphore pool(watchful_, "/pool", 3, in_layout());
  const grant held = pool.permits(2).acquire();
  const std::string nodes = held.node();
  revoke(two_, nodes.substr(0, nodes.find('\n')), with_mark());
  EXPECT_TRUE(eventually([&] { return held.revocation_requested().stop_requested(); }));
}

TEST_P(a_revocation, ends_local_hand_over_with_the_turn_that_is_asked) {
  lock_options options = in_layout();
  options.hand_over = local_handover{.max_turns = 1'000, .max_time = 60s};
  recursive_mutex lock(watchful_, "/lock", options);
  recursive_mutex others(two_, "/lock", in_layout());
  grant held = lock.acquire();
  auto waits = in_a_thread([&] { return others.acquire(); });  // ends last: behind the turn, where that comes before it
  ASSERT_TRUE(eventually([&] { return others.queue().size() == 2; }));
  auto next_turn = in_a_thread([&] { return lock.acquire(); });
  ASSERT_TRUE(eventually([&] { return waits_in(watchful_) == 1; }));
  ASSERT_TRUE(is_asked(held));
  held.release();
  ASSERT_TRUE(eventually([&] { return waits.wait_for(0s) == std::future_status::ready; }))
      << "the node was handed on within the session";
  waits.get().release();
  const grant later = next_turn.get();
  EXPECT_TRUE(later.held());
  EXPECT_FALSE(later.revocation_requested().stop_requested());
}

TEST_P(a_revocation, costs_the_holder_no_request_until_it_comes) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  const grant held = lock.acquire();
  ASSERT_TRUE(eventually([&] { return zookeeper_.watch_count(2) == 1; })) << "its own node is watched anyway";
  const std::uint64_t before = zookeeper_.request_count(2);
  const std::stop_token asked = held.revocation_requested();
  EXPECT_EQ(zookeeper_.watch_count(2), 1U);
  revoke(two_, held.node(), with_mark());
  ASSERT_TRUE(eventually([&] { return asked.stop_requested(); }));
  constexpr std::uint64_t heartbeats_at_most = 8;
  EXPECT_LE(zookeeper_.request_count(2) - before, 1 + heartbeats_at_most) << "one read, which sets the watch anew";
}

TEST_P(a_revocation, is_asked_once) {
  recursive_mutex lock(watchful_, "/lock", in_layout());
  const grant held = lock.acquire();
  revoke(two_, held.node(), with_mark());
  const auto marked = two_.get(held.node());
  revoke(two_, held.node(), with_mark());
  EXPECT_EQ(two_.get(held.node())->version, marked->version);
}

TEST_P(a_revocation, of_an_election_is_refused_and_not_heard) {
  const bool latch = GetParam() == layout::native;
  election of(watchful_, "/leader",
              {.data = "10.0.0.1:80", .names = latch ? election_names::latch : election_names::selector});
  const grant leads(of.campaign());
  const std::string node = leads.node();
  expect_thrown(errc::wrong_recipe, node, [&] { revoke(two_, node); });
  EXPECT_EQ(zookeeper_.data(node), "10.0.0.1:80");
  ASSERT_TRUE(eventually([&] { return zookeeper_.watch_count(2) == 1; }));
  std::promise<void> asked;
  const std::stop_callback on_request(leads.revocation_requested(), [&] { asked.set_value(); });
  ASSERT_TRUE(zookeeper_.set_data(node, "__REVOKE__"));
  constexpr auto three_looks_at_its_node = 500ms;
  EXPECT_EQ(asked.get_future().wait_for(three_looks_at_its_node), std::future_status::timeout);
  EXPECT_FALSE(write_guarded_by(watchful_, leads, "it leads still"));
}

/// A transaction that was refused for a mark, while the hold is downgraded: its reader's node would be checked, not the writer's.
TEST_P(a_revocation, lets_no_write_of_a_writer_be_done_behind_a_downgrade_of_any_of_its_guards) {
  shared_mutex marked(one_, "/marked"), both(one_, "/both", {.layout = GetParam()});
  shared_mutex others(two_, "/both", {.layout = GetParam()});
  const grant first = marked.write().acquire();
  grant second = both.write().acquire();
  ASSERT_TRUE(zookeeper_.set_data("/config", "of before"));
  revoke(two_, first.node());
  auto reads = in_a_thread([&] { return others.read().acquire(); });
  ASSERT_TRUE(
      eventually([&] { return both.queue().size() == 2 && zookeeper_.watch_count(1) >= 1 && zookeeper_.quiet(); }));
  zookeeper_.hold_replies(0);
  const std::uint64_t before = zookeeper_.request_count(0);
  auto commits = in_a_thread(
      [&, what = one_.transaction().guarded_by(first).guarded_by(second).set("/config", "of a writer")]() mutable {
        std::error_code ec;
        what.commit(ec);
        return ec;
      });
  ASSERT_TRUE(eventually([&] { return zookeeper_.request_count(0) == before + 1; }));
  std::this_thread::sleep_for(briefly);  // it is refused, and that is held
  zookeeper_.hold_requests(0);
  ASSERT_TRUE(eventually([&] { return zookeeper_.request_count(0) == before + 2; })) << "the marked node is read";
  second.downgrade();
  std::this_thread::sleep_for(briefly);
  zookeeper_.hold_replies(0);
  const grant reader = reads.get();
  zookeeper_.restore(0);
  EXPECT_EQ(commits.get(), errc::lost);
  EXPECT_EQ(zookeeper_.data("/config"), "of before");
  EXPECT_TRUE(reader.held());
  EXPECT_TRUE(second.held());
}

TEST_P(a_revocation, of_a_node_that_is_set_all_the_time_costs_its_holder_few_requests) {
  recursive_mutex lock(watchful_, "/lock", {.layout = GetParam()});
  const grant held = lock.acquire();
  const std::uint64_t before = zookeeper_.request_count(2);
  constexpr int sets = 2'000;
  for (int i = 0; i < sets; ++i) {
    ASSERT_TRUE(zookeeper_.set_data(held.node(), *zookeeper_.data(held.node())));
    ASSERT_TRUE(eventually([&] { return zookeeper_.quiet(); })) << "it has looked, if it does";
  }
  EXPECT_LT(zookeeper_.request_count(2) - before, sets / 4);
  EXPECT_TRUE(held.held());
}

TEST_P(a_revocation, replaces_no_data_that_are_not_ours_unless_it_is_told_to) {
  ASSERT_TRUE(zookeeper_.create_node("/app"));
  for (const char* const node :
       {"/app/_c_0fd3a1b8-7e5c-4429-a6d0-c2f81b93e7a1-lease-0000000001",
        "/app/_c_0fd3a1b8-7e5c-4429-a6d0-c2f81b93e7a1-__WRIT__0000000002", "/app/write-0000000003"}) {
    zookeeper_.create_node(node, "theirs");
    expect_thrown(errc::wrong_recipe, node, [&] { revoke(two_, node); });
    EXPECT_EQ(zookeeper_.data(node), "theirs");
    revoke(two_, node, {.replace_data = true});
    EXPECT_EQ(zookeeper_.data(node), "__REVOKE__");
  }
  zookeeper_.create_node("/app/x__rlock__0000000001", "");
  expect_thrown(errc::wrong_recipe, "/app/x__rlock__0000000001",
                [&] { revoke(two_, "/app/x__rlock__0000000001", {.replace_data = true}); });
}

TEST_P(a_revocation, of_no_contender_is_refused) {
  const std::string missing = "/lock/0123456789abcdef0123456789abcdef-lock-0000000001";
  expect_thrown(errc::wrong_recipe, "/config", [&] { revoke(two_, "/config"); });
  expect_thrown(errc::node_missing, missing, [&] { revoke(two_, missing); });
  expect_thrown(errc::invalid_path, "\"relative\"", [&] { revoke(two_, "relative"); });
}

}  // namespace
}  // namespace zklock::test
