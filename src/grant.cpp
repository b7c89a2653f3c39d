#include <zklock/grant.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/lock_state.hpp"

namespace zklock {

grant::grant(std::shared_ptr<detail::session_impl> session, std::shared_ptr<detail::owner_book> book,
             std::shared_ptr<detail::hold> proof) noexcept
    : session_(std::move(session)), book_(std::move(book)), proof_(std::move(proof)) {}

grant::grant(grant&& other) noexcept = default;

grant& grant::operator=(grant&& other) noexcept {
  if (this != &other) {
    grant released_at_end = std::move(*this);
    session_ = std::move(other.session_);
    book_ = std::move(other.book_);
    proof_ = std::move(other.proof_);
  }
  return *this;
}

grant::~grant() {
  if (!proof_ || session_->forked()) {
    return;
  }
  if (book_->give_back(*proof_)) {
    proof_->end_by_release(detail::boot_now());
    session_->release(proof_, nullptr);
  }
}

bool grant::held() const noexcept { return proof_ && !session_->forked() && proof_->held_at(detail::boot_now()); }

std::stop_token grant::lost() const {
  if (!proof_) {
    return {};
  }
  if (!held() && proof_->why_lost() != loss_reason::none) {
    proof_->announce();
  }
  return proof_->lost_token();
}

loss_reason grant::loss_reason() const noexcept {
  if (!proof_) {
    return loss_reason::none;
  }
  static_cast<void>(held());  // asks the clock as well
  return proof_->why_lost();
}

fencing_token grant::token() const noexcept { return {proof_ ? proof_->token().value : 0}; }

boot_clock::time_point grant::valid_until() const noexcept {
  return boot_clock::time_point(proof_ ? proof_->valid_until() : std::chrono::nanoseconds{0});
}

std::string grant::path() const { return proof_ ? proof_->path() : std::string(); }

std::string grant::node() const { return proof_ ? proof_->node() : std::string(); }

void grant::release() {
  const std::string where = path();
  std::error_code ec;
  release(ec);
  if (ec && ec != errc::lost) {
    throw error(ec, "release", where);
  }
}

void grant::release(std::error_code& ec) noexcept {
  ec.clear();
  if (!proof_) {
    return;
  }
  const std::shared_ptr<detail::session_impl> session = std::move(session_);
  const std::shared_ptr<detail::owner_book> book = std::move(book_);
  const std::shared_ptr<detail::hold> proof = std::move(proof_);
  if (session->forked()) {
    ec = errc::forked;
    return;
  }
  const bool last = book->give_back(*proof);
  const detail::instant now = detail::boot_now();
  const bool stood = last ? proof->end_by_release(now) : proof->held_at(now);
  if (!last) {
    if (!stood) {
      ec = errc::lost;
    }
    return;
  }
  if (session->on_client_thread()) {  // the confirmation would come to this very thread
    session->release(proof, nullptr);
    ec = stood ? errc::release_unconfirmed : errc::lost;
    return;
  }
  const auto confirmation = std::make_shared<detail::release_waiter>();
  session->release(proof, confirmation);
  ec = confirmation->wait();
  if (!stood) {
    ec = errc::lost;
  }
}

}  // namespace zklock
