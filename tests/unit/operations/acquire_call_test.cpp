#include "src/operations/acquire_call.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "tests/unit/engine/recorded_session.hpp"

namespace zklock::operations {
namespace {

using namespace std::chrono_literals;
namespace event = recipes::event;
using client::code;
using recipes::contender_kind;
using recipes::refusal;

struct caller final : receiver<acquire_result> {
  void complete(acquire_result with) noexcept override {
    ++answers;
    last = with.why.ec;
  }
  int answers = 0;
  std::error_code last;
};

class a_call_to_acquire : public testing::Test {
 protected:
  a_call_to_acquire() {
    facts.now = {};
    facts.timeout = {};
  }

  acquire_call of_permits(std::optional<engine::instant> until = {}) { return {{false, until}, told}; }
  /// Of a thread that may wait for itself.
  acquire_call of_itself(std::optional<engine::instant> until = {}) {
    return {{false, until, 0, late_line_of([this] { return log_line{log_level::warning, warning}; })}, told};
  }
  std::string warning = "thread 7 waits for itself";  ///< when it is asked
  /// What it warns of when its timer is due at this instant.
  std::vector<std::string> warnings_at(acquire_call& call, engine::instant now) {
    facts.now = now;
    engine::out wants(session.services, facts, 1);
    call.timer(wants);
    std::vector<std::string> lines;
    for (const log_line& one : std::exchange(session.world.lines, {})) {
      lines.push_back(one.text);
    }
    return lines;
  }
  std::shared_ptr<contender_operation> contender_of(const acquire_call& call) {
    engine::out wants(session.services, facts, 1);
    return call.make_contender(target, {.spec = three_permits}, false, among, wants);
  }
  /// It is created, and sees no other contender, and this limit.
  void look_alone(contender_operation& one, std::string_view limit) {
    engine::out wants(session.services, facts, 1);
    const std::string own = std::string(one.machine().prefix()) + "0000000001";
    one.dispatch(event::connected{}, wants);
    one.dispatch(event::created{code::ok, own, {7}}, wants);
    one.dispatch(event::limit_read{code::ok, limit, 0}, wants);
    one.dispatch(event::listed{code::ok, std::vector{own}}, wants);
  }

  /// Of a semaphore that has to have 3.
  const recipes::acquire_spec three_permits{contender_kind::permit, 1, 3};
  const std::shared_ptr<const detail::lock_target> target =
      std::make_shared<detail::lock_target>(detail::lock_target{"/s", "", {}});
  std::shared_ptr<caller> told = std::make_shared<caller>();
  test_support::diary seen;
  test_support::recorded_session session{seen};
  engine::session_facts facts = session.services.facts({});
  session_nodes among;
};

TEST_F(a_call_to_acquire, is_answered_once) {
  acquire_call call = of_permits();
  EXPECT_FALSE(call.is_answered());
  call.answer({nullptr, {errc::lost}});
  call.answer({nullptr, {errc::abandoned}});
  EXPECT_TRUE(call.is_answered());
  EXPECT_EQ(told->answers, 1);
  EXPECT_EQ(told->last, errc::lost);
}

TEST_F(a_call_to_acquire, has_its_time_limit_until_it_is_answered) {
  acquire_call call = of_permits(100s);
  EXPECT_EQ(call.due(), 100s);
  EXPECT_FALSE(call.is_late(100s - 1ns));
  EXPECT_TRUE(call.is_late(100s));
  call.answer({});
  EXPECT_EQ(call.due(), std::nullopt);
  EXPECT_FALSE(call.is_late(101s));
  EXPECT_FALSE(of_permits().is_late(101s)) << "it has none";
}

TEST_F(a_call_to_acquire, has_the_places_that_its_parts_take) {
  const recipes::place_plan plan =
      plan_of({{{target, {}}, {target, {contender_kind::permit, 2, 3, false, recipes::layout::curator}}}, true});
  ASSERT_EQ(plan.places.size(), 4U);  // a mutex; the mutex beside the leases, and two leases
  EXPECT_EQ(plan.places[0].part, 0U);
  EXPECT_EQ(plan.places[3].part, 1U);
}

TEST_F(a_call_to_acquire, does_not_compare_the_limit_once_more_in_the_next_try) {
  acquire_call call = of_permits();
  recipes::acquire_spec spec = three_permits;
  EXPECT_FALSE(spec.agreed);
  EXPECT_FALSE(call.queue_seen());
  const auto one = contender_of(call);
  call.note_progress(*one, spec);
  EXPECT_FALSE(spec.agreed) << "it has seen nothing yet";
  look_alone(*one, "limit=3\n");
  ASSERT_TRUE(one->machine().is_granted());
  call.note_progress(*one, spec);
  EXPECT_TRUE(spec.agreed);
  EXPECT_TRUE(call.queue_seen());
  call.note_progress(*contender_of(of_permits()), spec);
  EXPECT_TRUE(spec.agreed) << "what was once found out stays so";
}

TEST_F(a_call_to_acquire, names_the_lock_and_both_limits_in_its_failure) {
  const acquire_call call = of_permits();
  const auto one = contender_of(call);
  look_alone(*one, "limit=5\n");
  const detail::failure why = failure_of(*one, one->machine().why_refused(), code::ok);
  EXPECT_EQ(why.ec, errc::permit_limit_mismatch);
  EXPECT_EQ(why.path, "/s");
  EXPECT_EQ(why.detail, "3 here, 5 on the server");
}

TEST_F(a_call_to_acquire, warns_once_of_a_wait_that_lasts_a_twelfth_of_the_timeout) {
  facts.now = 100s;
  facts.timeout = 12s;
  acquire_call call = of_itself(110s);
  const engine::out wants(session.services, facts, 1);
  call.begin(wants);
  EXPECT_EQ(call.due(), 101s);
  EXPECT_TRUE(warnings_at(call, 101s - 1ns).empty());
  call.begin(wants);  // another try
  EXPECT_EQ(warnings_at(call, 101s), std::vector<std::string>{"thread 7 waits for itself"});
  EXPECT_EQ(call.due(), 110s);
  call.begin(wants);
  EXPECT_TRUE(warnings_at(call, 105s).empty());
}

TEST_F(a_call_to_acquire, asks_what_to_warn_of_when_it_is_due) {
  facts.timeout = 12s;
  acquire_call call = of_itself();
  call.begin(engine::out(session.services, facts, 1));
  warning.clear();  // what stood before it is given back
  EXPECT_TRUE(warnings_at(call, 5s).empty());
  EXPECT_EQ(call.due(), std::nullopt);
}

TEST_F(a_call_to_acquire, warns_of_nothing_once_it_is_answered_or_where_nothing_is_to_be_said) {
  facts.timeout = 12s;
  acquire_call call = of_itself();
  const engine::out wants(session.services, facts, 1);
  call.begin(wants);
  EXPECT_EQ(call.due(), 1s);
  call.answer({});
  EXPECT_EQ(call.due(), std::nullopt);
  EXPECT_TRUE(warnings_at(call, 5s).empty());
  acquire_call quiet = of_permits();
  quiet.begin(wants);
  EXPECT_EQ(quiet.due(), std::nullopt);
}

}  // namespace
}  // namespace zklock::operations
