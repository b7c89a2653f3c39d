#include "tests/costs/crowd.hpp"

#include <stdexcept>
#include <string>

#include "recipes/permit_limit.hpp"

namespace zklock::costs {
namespace {

using recipes::contender_kind;

/// A session, and the lock at which its crowd stands.
class stage {
 public:
  explicit stage(std::size_t members) : members_(members) {
    servers_.administrator().create_node("/l", "", true);
    const auto all = static_cast<std::uint32_t>(members);
    servers_.administrator().create_node("/s", recipes::limit_data({all, all}));
    target_->acl = {client::acl_entry{}};
  }

  void one_of(contender_kind kind, std::uint32_t permits = 1) {
    target_->path = kind == contender_kind::permit ? "/s" : "/l";
    one_.begin_acquire({{target_, {kind, permits}}});
    one_.settle();
  }
  void crowd_of(contender_kind kind) {
    target_->path = kind == contender_kind::permit ? "/s" : "/l";
    for (std::size_t i = 0; i < members_; ++i) {
      one_.begin_acquire({{target_, {kind}}});
    }
  }
  void expect_holds(std::size_t several) const {
    if (one_.hold_count() != several) {
      throw std::logic_error(std::to_string(one_.hold_count()) + " hold");
    }
  }
  void reconnect() {
    servers_.network().cut(0);
    one_.settle();
  }

  [[nodiscard]] metered_client& session() noexcept { return one_; }
  [[nodiscard]] std::size_t members() const noexcept { return members_; }
  [[nodiscard]] std::uint32_t all_permits() const noexcept { return static_cast<std::uint32_t>(members_); }

 private:
  const std::size_t members_;
  testing::ensemble servers_;
  std::shared_ptr<detail::lock_target> target_ = std::make_shared<detail::lock_target>();
  metered_client one_{servers_, 0};
};

/// What is there before.
void prepare(crowd_does what, stage& on) {
  switch (what) {
    case crowd_does::readers_join: on.one_of(contender_kind::read); break;
    case crowd_does::readers_wait:
    case crowd_does::readers_are_freed:
    case crowd_does::readers_pass_mark:
    case crowd_does::readers_cancel: on.one_of(contender_kind::write); break;
    case crowd_does::mutexes_cancel:
    case crowd_does::waiters_reconnect: on.one_of(contender_kind::mutex); break;
    case crowd_does::permits_wait:
    case crowd_does::permits_are_freed:
    case crowd_does::permits_cancel: on.one_of(contender_kind::permit, on.all_permits()); break;
    case crowd_does::permits_join:
    case crowd_does::joiners_reconnect: return;
  }
  switch (what) {
    case crowd_does::readers_are_freed:
    case crowd_does::readers_pass_mark:
    case crowd_does::readers_cancel: on.crowd_of(contender_kind::read); break;
    case crowd_does::mutexes_cancel:
    case crowd_does::waiters_reconnect: on.crowd_of(contender_kind::mutex); break;
    case crowd_does::permits_are_freed:
    case crowd_does::permits_cancel: on.crowd_of(contender_kind::permit); break;
    default: break;
  }
  on.session().settle();
  on.expect_holds(1);
}

}  // namespace

std::vector<crowd_does> all_crowds() {
  std::vector<crowd_does> all;
  for (auto one = crowd_does::readers_join; one <= crowd_does::joiners_reconnect;
       one = static_cast<crowd_does>(static_cast<int>(one) + 1)) {
    all.push_back(one);
  }
  return all;
}

const char* name_of(crowd_does what) noexcept {
  switch (what) {
    case crowd_does::readers_join: return "readers_join";
    case crowd_does::readers_wait: return "readers_wait";
    case crowd_does::readers_are_freed: return "readers_are_freed";
    case crowd_does::readers_pass_mark: return "readers_pass_mark";
    case crowd_does::readers_cancel: return "readers_cancel";
    case crowd_does::mutexes_cancel: return "mutexes_cancel";
    case crowd_does::permits_join: return "permits_join";
    case crowd_does::permits_wait: return "permits_wait";
    case crowd_does::permits_are_freed: return "permits_are_freed";
    case crowd_does::permits_cancel: return "permits_cancel";
    case crowd_does::waiters_reconnect: return "waiters_reconnect";
    case crowd_does::joiners_reconnect: break;
  }
  return "joiners_reconnect";
}

meter measure_crowd(crowd_does what, std::size_t members) {
  stage on(members);
  prepare(what, on);
  metered_client& session = on.session();
  session.reset();
  switch (what) {
    case crowd_does::readers_join:
      on.crowd_of(contender_kind::read);
      session.settle();
      on.expect_holds(members + 1);
      break;
    case crowd_does::readers_wait:
      on.crowd_of(contender_kind::read);
      session.settle();
      on.expect_holds(1);
      break;
    case crowd_does::readers_are_freed:
    case crowd_does::permits_are_freed:
      session.release();
      on.expect_holds(members);
      break;
    case crowd_does::readers_pass_mark:
      session.downgrade();
      on.expect_holds(members + 1);
      break;
    case crowd_does::readers_cancel:
    case crowd_does::permits_cancel:
      session.abandon_each(1);
      on.expect_holds(1);
      break;
    case crowd_does::mutexes_cancel:
      session.abandon_each(2);
      on.expect_holds(1);
      break;
    case crowd_does::permits_join:
      on.crowd_of(contender_kind::permit);
      session.settle();
      on.expect_holds(members);
      break;
    case crowd_does::permits_wait:
      on.crowd_of(contender_kind::permit);
      session.settle();
      on.expect_holds(1);
      break;
    case crowd_does::waiters_reconnect:
      on.reconnect();
      on.expect_holds(1);
      break;
    case crowd_does::joiners_reconnect:
      on.crowd_of(contender_kind::mutex);
      on.reconnect();
      on.expect_holds(1);
      break;
  }
  return session.read();
}

}  // namespace zklock::costs
