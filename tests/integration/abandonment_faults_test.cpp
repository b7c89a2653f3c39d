// Lock objects that are destroyed just when a call of another thread begins. The steps of both are played by hand, in the
// order that no test could bring about with threads: the call is known to the object, the object goes, the call is brought
// to the session.
#include <gtest/gtest.h>

#include <zklock/zklock.hpp>

#include <memory>
#include <vector>

#include "src/api/blocking_receiver.hpp"
#include "src/api/lock_state.hpp"
#include "src/api/mutex_terms.hpp"
#include "src/api/semaphore_limit.hpp"
#include "tests/integration/on_a_server.hpp"

namespace zklock::test {
namespace {

class a_call_that_begins : public on_a_server {
 protected:
  [[nodiscard]] detail::instant limit() const { return detail::boot_now() + patience; }

  session& session_ = open();
  const std::shared_ptr<detail::session_impl> impl_ = detail::session_access::impl(session_);
  const std::shared_ptr<detail::lock_state> lock_ = std::make_shared<detail::lock_state>(
      impl_, std::make_shared<detail::semaphore_limit>(3), "/lock", lock_options{});
};

using acquired = detail::blocking_receiver<operations::acquire_result>;

TEST_F(a_call_that_begins, f145_is_abandoned_when_its_lock_goes_before_the_session_has_it) {
  const auto told = std::make_shared<acquired>();
  const auto call = operations::acquire::make({{lock_->wanted({detail::side::permits, 2})}}, told);
  detail::lock_owners::call in_lock(*lock_->owners(), {});
  ASSERT_TRUE(in_lock.enter(call));
  lock_->abandon();
  impl_->begin_acquire(call);
  const operations::acquire_result result = told->wait();
  EXPECT_FALSE(result.hold);
  EXPECT_EQ(result.why.ec, errc::abandoned);
  EXPECT_TRUE(contenders().empty());
}

TEST_F(a_call_that_begins, f145_is_abandoned_when_a_part_goes_before_the_session_has_it) {
  detail::lock_state other(impl_, std::make_shared<detail::mutex_terms>(), "/other", lock_options{});
  const auto told = std::make_shared<acquired>();
  const auto call =
      operations::acquire::make({{other.wanted({}), lock_->wanted({detail::side::permits, 2})}, true}, told);
  detail::lock_owners::call in_other(*other.owners(), {});
  detail::lock_owners::call in_lock(*lock_->owners(), {});
  ASSERT_TRUE(in_other.enter(call));
  ASSERT_TRUE(in_lock.enter(call));
  lock_->abandon();
  impl_->begin_acquire(call);
  const operations::acquire_result result = told->wait();
  EXPECT_FALSE(result.hold);
  EXPECT_EQ(result.why.ec, errc::abandoned);
  EXPECT_TRUE(contenders("/other").empty());
}

/// The caller's thread has not taken the grant yet when another one stops its call.
TEST_F(a_call_that_begins, f172_and_is_stopped_just_behind_its_grant_keeps_its_nodes) {
  detail::lock_state other(impl_, std::make_shared<detail::mutex_terms>(), "/other", lock_options{});
  const auto told = std::make_shared<acquired>();
  const auto call =
      operations::acquire::make({{other.wanted({}), lock_->wanted({detail::side::permits, 2})}, true}, told);
  impl_->begin_acquire(call);
  const operations::acquire_result granted = told->wait();
  ASSERT_TRUE(granted.hold);
  impl_->abandon(call);
  const auto limit_told = std::make_shared<detail::blocking_receiver<operations::permit_limit_result>>();
  impl_->begin(std::make_shared<operations::permit_limit_operation>(lock_->target(), 3, limit(), limit_told));
  EXPECT_FALSE(limit_told->wait().ec) << "whatever the stop has sent is answered by now";
  EXPECT_EQ(contenders("/other").size(), 1U);
  EXPECT_EQ(contenders("/lock").size(), 1U);
  EXPECT_TRUE(granted.hold->held_at(detail::boot_now()));
  for (const auto& part : granted.hold->parts()) {
    const auto removed = std::make_shared<detail::blocking_receiver<operations::release_result>>();
    impl_->release(part, removed);
    EXPECT_FALSE(removed->wait().ec);
  }
}

TEST_F(a_call_that_begins, f145_for_the_limit_is_abandoned_when_its_lock_goes_first) {
  const auto told = std::make_shared<detail::blocking_receiver<operations::permit_limit_result>>();
  const std::shared_ptr<engine::operation> call =
      std::make_shared<operations::permit_limit_operation>(lock_->target(), 5, limit(), told);
  detail::lock_owners::call in_lock(*lock_->owners(), {});
  ASSERT_TRUE(in_lock.enter(call));
  lock_->abandon();
  impl_->begin(call);
  EXPECT_EQ(told->wait().ec, errc::abandoned);
  EXPECT_FALSE(server_.look(full("/lock"))) << "nothing was changed";
}

TEST_F(a_call_that_begins, f145_for_the_queue_is_abandoned_when_its_lock_goes_first) {
  const auto told = std::make_shared<detail::blocking_receiver<operations::participants_result>>();
  const std::shared_ptr<engine::operation> call = std::make_shared<operations::participants_query>(
      lock_->target(), limit(), recipes::sought_contenders_of(lock_->wanted({}).spec), told);
  detail::lock_owners::call in_lock(*lock_->owners(), {});
  ASSERT_TRUE(in_lock.enter(call));
  lock_->abandon();
  impl_->begin(call);
  EXPECT_EQ(told->wait().ec, errc::abandoned);
}

}  // namespace
}  // namespace zklock::test
