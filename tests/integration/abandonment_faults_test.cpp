// Lock objects that are destroyed just when a call of another thread begins. The steps of both are played by hand, in the
// order that no test could bring about with threads: the call is known to the object, the object goes, the call is brought
// to the session.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "src/locks/lock_state.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class a_call_that_begins : public on_a_server {
 protected:
  [[nodiscard]] detail::instant limit() const { return detail::boot_now() + patience; }

  session& session_ = open();
  const std::shared_ptr<detail::session_impl> impl_ = detail::session_access::impl(session_);
  const std::shared_ptr<detail::lock_state> lock_ =
      std::make_shared<detail::lock_state>(impl_, detail::recipe::semaphore, "/lock", lock_options{}, 3);
};

TEST_F(a_call_that_begins, f145_is_abandoned_when_its_lock_goes_before_the_session_has_it) {
  const auto call = std::make_shared<detail::waiter>(std::vector{lock_->wanted({detail::side::permits, 2})}, false,
                                                     false, std::nullopt);
  ASSERT_TRUE(lock_->calls().begin(call));
  lock_->abandon();
  impl_->acquire(call);
  call->wait();
  EXPECT_FALSE(call->take_proof());
  EXPECT_EQ(call->take_failure().ec, errc::abandoned);
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_call_that_begins, f145_is_abandoned_when_a_part_goes_before_the_session_has_it) {
  detail::lock_state other(impl_, detail::recipe::recursive_mutex, "/other", lock_options{});
  const auto call = std::make_shared<detail::waiter>(
      std::vector{other.wanted({}), lock_->wanted({detail::side::permits, 2})}, true, false, std::nullopt);
  ASSERT_TRUE(other.calls().begin(call));
  ASSERT_TRUE(lock_->calls().begin(call));
  lock_->abandon();
  impl_->acquire(call);
  call->wait();
  EXPECT_FALSE(call->take_proof());
  EXPECT_EQ(call->take_failure().ec, errc::abandoned);
  EXPECT_TRUE(contenders("/other").empty());
}

TEST_F(a_call_that_begins, f145_for_the_limit_is_abandoned_when_its_lock_goes_first) {
  const auto call = std::make_shared<detail::limit_waiter>(lock_->target(), 5, limit());
  ASSERT_TRUE(lock_->calls().begin(call));
  lock_->abandon();
  impl_->ask_limit(call);
  EXPECT_EQ(call->wait().ec, errc::abandoned);
  EXPECT_FALSE(server_.look(full("/lock"))) << "nothing was changed";
}

TEST_F(a_call_that_begins, f145_for_the_queue_is_abandoned_when_its_lock_goes_first) {
  const auto call = std::make_shared<detail::queue_waiter>(lock_->target(), limit(), lock_->its_contenders());
  ASSERT_TRUE(lock_->calls().begin(call));
  lock_->abandon();
  impl_->inspect(call);
  EXPECT_EQ(call->wait().ec, errc::abandoned);
}

}  // namespace
}  // namespace zklock::test
