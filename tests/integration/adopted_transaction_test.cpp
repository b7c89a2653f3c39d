// Guarded writes on a ZooKeeper handle that the program has opened, and goes on using, itself.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <future>
#include <system_error>

#include "tests/integration/an_adopted_handle.hpp"

namespace zklock::test {
namespace {

TEST_F(an_adopted_handle, guards_writes_in_the_programs_session_and_tells_paths_in_its_chroot) {
  session& one = adopt_it();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  const auto done = one.transaction().guarded_by(held).create("/e-", "x", create_mode::ephemeral_sequential).commit();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].path, "/e-0000000001") << "the lock node is the first child";
  EXPECT_EQ(server_.look(full(done[0].path))->ephemeral_owner, theirs().session_id());
  one.transaction().guarded_by(held).remove(done[0].path).commit();
  ASSERT_TRUE(server_.remove(full(held.node())));
  std::error_code ec;
  one.transaction().guarded_by(held).create("/late").commit(ec);
  EXPECT_EQ(ec, errc::lost);
  EXPECT_FALSE(server_.look(full("/late")));
}

TEST_F(an_adopted_handle, f08_whose_reply_to_a_guarded_write_is_lost_reports_an_unknown_outcome) {
  (void)server_.create(full("/counter"));
  session& one = adopt_it();
  recursive_mutex lock(one, "/lock");
  const grant held = lock.acquire();
  std::error_code ec;
  {
    const hooks cutting(way_, [](const request_frame& asked) {
      return asked.opcode == opcode::multi ? verdict::cut_after : verdict::pass;
    });
    one.transaction().guarded_by(held).set("/counter", "1").commit(ec);
  }
  EXPECT_EQ(ec, errc::outcome_unknown) << ec.message();
  EXPECT_TRUE(eventually([&] { return server_.look(full("/counter"))->version == 1; }));
  ASSERT_TRUE(one.wait_connected_for(patience));
  EXPECT_EQ(one.transaction().guarded_by(held).set("/counter", "2").commit()[0].version, 2) << "it was done once";
}

TEST_F(an_adopted_handle, f43_refuses_a_commit_that_waits_in_a_callback_of_the_handle) {
  struct in_a_callback {
    static void run(int, const struct Stat*, const void* context) {
      const auto& self = *static_cast<const in_a_callback*>(context);
      std::error_code ec;
      self.one.transaction().create("/never").commit(ec);
      self.answer.set_value(ec);
    }
    session& one;
    mutable std::promise<std::error_code> answer{};
  };
  session& one = adopt_it();
  ASSERT_TRUE(one.wait_connected_for(patience));
  one.transaction().check("/lock").commit();  // an answer has shown on which thread answers come
  const in_a_callback callback{one};
  ASSERT_EQ(zoo_aexists(theirs().handle(), "/", 0, in_a_callback::run, &callback), ZOK);
  auto answer = callback.answer.get_future();
  ASSERT_TRUE(ready(answer));
  EXPECT_EQ(answer.get(), errc::would_deadlock);
  EXPECT_FALSE(server_.look(full("/never")));
}

}  // namespace
}  // namespace zklock::test
