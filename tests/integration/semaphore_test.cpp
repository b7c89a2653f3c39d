// A semaphore on a real server: what stands there, which client gets how many permits, and what lost replies leave.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <atomic>
#include <future>
#include <regex>
#include <string>
#include <vector>

#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class a_semaphore : public on_a_server {
 protected:
  void TearDown() override {
    EXPECT_TRUE(queue_grows_to(0));
    touch_lock_node("/lock");
    on_a_server::TearDown();
  }
  [[nodiscard]] std::string first_line(const std::string& node) {
    const std::string data = server_.data(root_ + node);
    return data.substr(0, data.find('\n'));
  }
  [[nodiscard]] static std::future<grant> wait_for(lock_view permits) {
    return in_a_thread([permits]() mutable { return permits.try_acquire_for(patience); });
  }
};

TEST_F(a_semaphore, leaves_the_nodes_on_the_server_that_the_page_shows) {
  semaphore pool(open(), "/lock", 3);
  semaphore others(open(), "/lock");
  grant two = pool.permits(2).acquire();
  EXPECT_EQ(server_.data(full("/lock")), "limit=3\n");
  EXPECT_TRUE(std::regex_match(two.node(), std::regex("/lock/permit-[0-9a-f]{32}-2-[0-9]{10}"))) << two.node();
  EXPECT_EQ(first_line(two.node()), "mode=permit");
  EXPECT_EQ(server_.look(root_ + two.node())->czxid, two.token().czxid);

  auto waiting = wait_for(others.permits(2));
  ASSERT_TRUE(eventually([&] { return is_watched(full("/lock")); }))
      << "only a grant that was waited for is marked: it has to wait first";
  two.release();
  const grant waited = waiting.get();
  EXPECT_TRUE(waited.held());
  EXPECT_TRUE(eventually([&] { return first_line(waited.node()) == "mode=granted"; })) << "it has waited: marked";
}

TEST_F(a_semaphore, f58_of_two_lets_two_that_want_two_each_finish) {
  constexpr int rounds = 20;
  std::atomic<int> inside = 0;
  std::atomic<int> done = 0;
  const auto work = [&](session& of) {
    semaphore pool(of, "/lock", 2);
    for (int round = 0; round < rounds; ++round) {
      const grant both = pool.permits(2).try_acquire_for(patience);
      ASSERT_TRUE(both.held());
      EXPECT_EQ(++inside, 1);
      --inside;
      ++done;
    }
  };
  session& other = open();
  auto running = in_a_thread([&] { work(other); });
  work(open());
  running.get();
  EXPECT_EQ(done, 2 * rounds);
}

TEST_F(a_semaphore, f61_has_as_many_permit_nodes_as_were_granted_when_replies_of_creates_were_lost) {
  proxy& way = new_proxy();
  semaphore pool(open_through(way), "/lock", 4);
  semaphore others(open(), "/lock");
  { const grant first = pool.permits().acquire(); }
  ASSERT_TRUE(queue_grows_to(0));
  for (const verdict how : {verdict::cut_after, verdict::cut_before, verdict::cut_after}) {
    std::atomic<int> creates = 0;
    const hooks losing(way, [&](const request_frame& asked) {
      const bool own = asked.opcode == opcode::create2 && asked.path.starts_with(full("/lock/"));
      return own && creates++ % 2 == 0 ? how : verdict::pass;
    });
    {
      std::vector<grant> held;
      for (int one = 0; one < 2; ++one) {
        held.push_back(pool.permits(2).try_acquire_for(patience));
        ASSERT_TRUE(held.back().held());
      }
      EXPECT_EQ(contenders().size(), 2U) << "no orphan";
      EXPECT_FALSE(others.permits().try_acquire()) << "all four are out";
      EXPECT_TRUE(queue_grows_to(2));
    }
    ASSERT_TRUE(queue_grows_to(0));
    EXPECT_TRUE(others.permits(4).try_acquire_for(patience).held()) << "and none has gone astray";
    ASSERT_TRUE(queue_grows_to(0));
  }
}

TEST_F(a_semaphore, f63_refuses_a_client_with_another_limit_and_a_raised_one_wakes_the_waiter) {
  semaphore pool(open(), "/lock", 2);
  const grant two = pool.permits(2).acquire();
  semaphore wrong(open(), "/lock", 5);
  std::error_code ec;
  EXPECT_FALSE(wrong.permits().try_acquire(ec));
  EXPECT_EQ(ec, errc::permit_limit_mismatch);
  semaphore others(open(), "/lock");
  auto waiting = wait_for(others.permits(2));
  ASSERT_TRUE(queue_grows_to(2));
  pool.set_permit_limit(4);
  EXPECT_TRUE(waiting.get().held());
  EXPECT_TRUE(two.held());
  EXPECT_EQ(others.permit_limit(), 4U);
}

TEST_F(a_semaphore, f107_of_many_permits_has_one_node_for_all_of_them) {
  proxy& way = new_proxy();
  semaphore pool(open_through(way), "/lock", 10'000);
  { const grant first = pool.permits().acquire(); }  // makes the lock node
  ASSERT_TRUE(queue_grows_to(0));
  std::atomic<int> creates = 0;
  const hooks counting(way, [&](const request_frame& asked) {
    creates += opcode::creates(asked.opcode) || asked.opcode == opcode::multi ? 1 : 0;
    return verdict::pass;
  });
  const grant many = pool.permits(5'000).try_acquire_for(patience);
  EXPECT_TRUE(many.held());
  EXPECT_EQ(creates, 1);
  EXPECT_EQ(contenders().size(), 1U);
  EXPECT_FALSE(pool.permits(5'001).try_acquire());
}

TEST_F(a_semaphore, gets_the_permits_of_a_holder_back_whose_session_has_ended) {
  proxy& way = new_proxy();
  semaphore dying(open_through(way, {.timeout = 2s}), "/lock", 2);
  semaphore others(open(), "/lock", 2);
  const grant lost = dying.permits(2).acquire();
  auto waiting = wait_for(others.permits(2));
  ASSERT_TRUE(queue_grows_to(2));
  expire_behind(way);
  EXPECT_TRUE(waiting.get().held());
  way.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] { return !lost.held(); }));
}

}  // namespace
}  // namespace zklock::test
