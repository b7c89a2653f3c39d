#include <zklock/grant.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/blocking_receiver.hpp"
#include "src/api/count_release.hpp"
#include "src/api/hold_notice.hpp"
#include "src/api/lock_owners.hpp"
#include "src/api/session_impl.hpp"
#include "src/errors/error_of.hpp"
#include "src/threads/strand.hpp"

namespace zklock {

grant::grant(std::shared_ptr<detail::session_impl> session, std::shared_ptr<detail::lock_owners> owners,
             std::shared_ptr<detail::hold> held, detail::side side) noexcept
    : session_(std::move(session)), owners_(std::move(owners)), hold_(std::move(held)), side_(side) {}

grant::grant(grant&& other) noexcept = default;

grant& grant::operator=(grant&& other) noexcept {
  if (this != &other) {
    grant released_at_end = std::move(*this);
    session_ = std::move(other.session_);
    owners_ = std::move(other.owners_);
    hold_ = std::move(other.hold_);
    side_ = other.side_;
  }
  return *this;
}

grant::~grant() {
  if (!hold_ || session_->forked()) {
    return;
  }
  const detail::own_tasks_only leaving_others;  // it may be an event loop's thread
  detail::release_count(*session_, *owners_, hold_, side_, nullptr);
}

bool grant::held() const noexcept { return hold_ && !session_->forked() && hold_->held_at(detail::boot_now()); }

std::stop_token grant::lost() const {
  const std::shared_ptr<detail::hold> kept = hold_;  // a callback that runs here may release this very grant
  if (!kept || session_->forked()) {                 // in the child the notice's mutex may stay locked for ever
    return {};
  }
  return detail::lost_token(*kept, detail::boot_now());
}

std::stop_token grant::revocation_requested() const {
  const std::shared_ptr<detail::hold> kept = hold_;  // a callback that runs here may release this very grant
  return kept && !session_->forked() ? kept->notice()->revocation_token() : std::stop_token();
}

loss_reason grant::loss_reason() const noexcept {
  if (!hold_) {
    return loss_reason::none;
  }
  static_cast<void>(held());  // asks the clock as well
  return hold_->why_lost();
}

fencing_token grant::token() const noexcept {
  const detail::fencing_token of_hold = hold_ ? hold_->token() : detail::fencing_token();
  return {of_hold.czxid, of_hold.turn};
}

boot_clock::time_point grant::valid_until() const noexcept {
  return boot_clock::time_point(hold_ ? hold_->valid_until() : std::chrono::nanoseconds{0});
}

std::string grant::path() const { return hold_ ? hold_->path() : std::string(); }

std::string grant::node() const { return hold_ ? hold_->node() : std::string(); }

std::string grant::lost_part() const {
  static_cast<void>(held());  // asks the clock as well
  return hold_ ? hold_->lost_part() : std::string();
}

namespace {

using confirmation_receiver = detail::blocking_receiver<operations::release_result>;

/// Null without memory: giving back goes on all the same, unconfirmed.
std::shared_ptr<confirmation_receiver> confirmation_if_possible() {
  try {
    return std::make_shared<confirmation_receiver>();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Gives the count back; with the last one the lock, waiting for the confirmation.
operations::release_result release_and_wait(detail::session_impl& session, detail::lock_owners& owners,
                                            const std::shared_ptr<detail::hold>& held, detail::side side) {
  if (session.forked()) {
    return {errc::forked};
  }
  const bool waits = !session.on_client_thread();  // the confirmation would come to this very thread
  const auto confirmation = waits ? confirmation_if_possible() : nullptr;
  const detail::released_count given = detail::release_count(session, owners, held, side, confirmation);
  if (!given.stood) {
    return {errc::lost};
  }
  if (!given.removing) {
    return {};
  }
  return confirmation ? confirmation->wait() : operations::release_result{errc::release_unconfirmed};
}

}  // namespace

void grant::release() {
  const auto session = std::move(session_);
  const auto owners = std::move(owners_);
  if (const auto held = std::move(hold_)) {
    const auto [ec, answer] = release_and_wait(*session, *owners, held, side_);
    if (ec) {
      throw detail::error_with(ec, answer, "release", held->path(), session->root());
    }
  }
}

void grant::release(std::error_code& ec) noexcept {
  ec.clear();
  const auto session = std::move(session_);
  const auto owners = std::move(owners_);
  if (const auto held = std::move(hold_)) {
    ec = release_and_wait(*session, *owners, held, side_).ec;
  }
}

void grant::extend(std::chrono::nanoseconds time) {
  std::error_code ec;
  extend(time, ec);
  if (ec == errc::invalid_option) {
    throw error(ec, "extend", path(),
                time.count() < 0 ? std::to_string(time.count()) + " ns" : std::string("there is no max_hold"));
  }
  if (ec) {
    throw error(ec, "extend", path());
  }
}

void grant::extend(std::chrono::nanoseconds time, std::error_code& ec) noexcept {
  constexpr std::chrono::nanoseconds far = std::chrono::hours(24 * 366 * 100);
  ec.clear();
  if (!hold_) {
    ec = errc::not_owner;
  } else if (session_->forked()) {
    ec = errc::forked;
  } else if (time.count() < 0 || !hold_->bounded()) {
    ec = errc::invalid_option;
  } else if (const detail::instant now = detail::boot_now(); !hold_->extend(now, now + std::min(time, far))) {
    ec = errc::lost;
  }
}

void grant::downgrade() {
  std::error_code ec;
  downgrade(ec);
  if (ec) {
    throw error(ec, "downgrade", path());
  }
}

void grant::downgrade(std::error_code& ec) noexcept {
  ec.clear();
  if (!hold_) {
    ec = errc::not_owner;
  } else if (side_ != detail::side::write) {
    ec = errc::not_a_write_grant;
  } else if (session_->forked()) {
    ec = errc::forked;
  } else if (!held()) {
    ec = errc::lost;
  } else if (!owners_->downgrade(*hold_)) {
    ec = errc::would_deadlock;
  } else {
    side_ = detail::side::read;
    hold_->downgrade();
    session_->downgrade(hold_);
  }
}

}  // namespace zklock
