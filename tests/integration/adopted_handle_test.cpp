// A handle that the program has made itself, and keeps.
#include <gtest/gtest.h>
#include <zookeeper/zookeeper.h>

#include <atomic>
#include <string>

#include "tests/integration/c_client_fixture.hpp"
#include "tests/support/eventually.hpp"

namespace zklock::client {
namespace {

using test::c_client;
using test::linked;
using test::recorder;
using test_support::eventually;
using test_support::proxy;
using test_support::proxy_mode;

class adopted_handle : public c_client {
 protected:
  struct program {
    explicit program(const std::string& servers)
        : handle(zookeeper_init(servers.c_str(), watch, 10'000, nullptr, this, ZOO_NO_LOG_CLIENTENV)) {}
    program(const program&) = delete;
    program& operator=(const program&) = delete;
    ~program() { zookeeper_close(handle); }

    static void watch(zhandle_t*, int type, int state, const char*, void* context) {
      if (type == ZOO_SESSION_EVENT) {
        static_cast<program*>(context)->state = state;
      }
    }
    bool reaches(int wanted) {
      return eventually([&] { return state == wanted; });
    }

    std::atomic<int> state = 0;
    zhandle_t* handle;
  };
};

TEST_F(adopted_handle, tells_its_state_at_once_and_stays_the_programs) {
  program theirs(connect);
  ASSERT_TRUE(theirs.reaches(ZOO_CONNECTED_STATE));
  const auto from = adopted_factory(theirs.handle);
  EXPECT_TRUE(from->adopted());
  linked one(from);
  const auto event = one.told.wait_state(connection_state::connected);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->session_id, zoo_client_id(theirs.handle)->client_id);
  EXPECT_EQ(one.answer(request::get{root, 101}).code, code::ok);
  EXPECT_EQ(one.close(), false);

  const std::size_t before = one.told.size();
  (void)own.answer(request::set{root, "changed"});  // its watch fires into nothing
  Stat stat{};
  EXPECT_EQ(zoo_exists(theirs.handle, root.c_str(), 0, &stat), ZOK);
  EXPECT_EQ(one.told.size(), before);
}

TEST_F(adopted_handle, a_loss_and_a_reconnect_are_told_through_a_node_watch) {
  proxy between(port);
  program theirs(between.address());
  linked one(adopted_factory(theirs.handle));
  ASSERT_EQ(one.answer(request::get{root, 101}).code, code::ok);
  ASSERT_TRUE(one.told.wait_state(connection_state::connected)) << "the answer alone says so";
  const std::size_t before = one.told.size();
  between.cut_now();
  EXPECT_TRUE(one.told.wait_state(connection_state::connecting, before));
  EXPECT_TRUE(one.told.wait_state(connection_state::connected, before));
  EXPECT_EQ(one.told.size(), before + 2);
  EXPECT_TRUE(theirs.reaches(ZOO_CONNECTED_STATE)) << "its own watcher is still there";
}

TEST_F(adopted_handle, without_watches_a_loss_is_told_by_failed_answers_and_a_reconnect_by_polling) {
  proxy between(port);
  program theirs(between.address());
  linked one(adopted_factory(theirs.handle));
  ASSERT_EQ(one.answer(request::get{root}).code, code::ok);
  ASSERT_TRUE(one.told.wait_state(connection_state::connected));
  const std::size_t before = one.told.size();
  between.set_mode(proxy_mode::hold);
  const auto lost = one.ask(request::get{root});
  between.set_mode(proxy_mode::cut);
  EXPECT_EQ(one.told.reply_to(lost).code, code::connection_loss);
  EXPECT_TRUE(one.told.wait_state(connection_state::connecting, before));
  between.set_mode(proxy_mode::pass);
  EXPECT_TRUE(eventually([&] {
    one.to->poll();
    const auto told = one.told.told();
    const auto* last = std::get_if<session_event>(&told.back());
    return last != nullptr && last->state == connection_state::connected;
  }));
}

TEST_F(adopted_handle, an_expiry_is_told_before_the_reply_that_shows_it) {
  proxy between(port);
  program theirs(between.address());
  linked one(adopted_factory(theirs.handle));
  ASSERT_EQ(one.answer(request::get{root}).code, code::ok);
  expire(between);
  ASSERT_TRUE(theirs.reaches(ZOO_EXPIRED_SESSION_STATE));
  const auto late = one.ask(request::get{root});
  EXPECT_EQ(one.told.reply_to(late).code, code::invalid_state);
  const auto told = one.told.told();
  ASSERT_GE(told.size(), 2U);
  const auto* event = std::get_if<session_event>(&told[told.size() - 2]);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->state, connection_state::expired);
}

TEST_F(adopted_handle, an_expired_one_says_so_when_it_is_adopted) {
  proxy between(port);
  program theirs(between.address());
  ASSERT_TRUE(theirs.reaches(ZOO_CONNECTED_STATE));
  expire(between);
  ASSERT_TRUE(theirs.reaches(ZOO_EXPIRED_SESSION_STATE));
  linked one(adopted_factory(theirs.handle));
  EXPECT_TRUE(one.told.wait_state(connection_state::expired));
}

// The handle goes on with what it was given, after the connection is gone.
TEST_F(adopted_handle, f80_answers_that_come_after_close_are_not_delivered) {
  program theirs(connect);
  ASSERT_TRUE(theirs.reaches(ZOO_CONNECTED_STATE));
  for (int round = 0; round < 50; ++round) {
    linked one(adopted_factory(theirs.handle));
    for (watch_id watch = 1; watch <= 10; ++watch) {
      (void)one.ask(request::get{root, watch});
      (void)one.ask(request::multi{{request::set{root, "x"}, request::create{root + "/s-"}}});
    }
    ASSERT_EQ(one.close(), false);
    EXPECT_TRUE(std::holds_alternative<recorder::closed_told>(one.told.told().back()));
  }
  Stat stat{};
  EXPECT_EQ(zoo_exists(theirs.handle, root.c_str(), 0, &stat), ZOK);
}

}  // namespace
}  // namespace zklock::client
