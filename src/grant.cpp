#include <zklock/grant.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/lock_state.hpp"
#include "src/session/error_of.hpp"

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
  const std::shared_ptr<detail::hold> kept = proof_;  // a callback that runs here may release this very grant
  if (!kept) {
    return {};
  }
  if (!session_->forked()) {
    kept->announce_if_lost(detail::boot_now());
  }
  return kept->lost_token();
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

namespace {

/// Gives the count back; with the last one the lock, waiting for the confirmation.
detail::release_waiter::result give_back(const std::shared_ptr<detail::session_impl>& session, detail::owner_book& book,
                                         const std::shared_ptr<detail::hold>& proof) {
  if (session->forked()) {
    return {errc::forked};
  }
  const bool last = book.give_back(*proof);
  const detail::instant now = detail::boot_now();
  const bool stood = last ? proof->end_by_release(now) : proof->held_at(now);
  const std::error_code lost = stood ? std::error_code() : make_error_code(errc::lost);
  if (!last) {
    return {lost};
  }
  if (session->on_client_thread()) {  // the confirmation would come to this very thread
    session->release(proof, nullptr);
    return {stood ? make_error_code(errc::release_unconfirmed) : lost};
  }
  const auto confirmation = std::make_shared<detail::release_waiter>();
  session->release(proof, confirmation);
  const auto confirmed = confirmation->wait();
  return stood ? confirmed : detail::release_waiter::result{lost};
}

}  // namespace

void grant::release() {
  const auto session = std::move(session_);
  const auto book = std::move(book_);
  if (const auto proof = std::move(proof_)) {
    const auto [ec, answer] = give_back(session, *book, proof);
    if (ec && ec != errc::lost) {
      throw detail::error_with(ec, answer, "release", proof->path());
    }
  }
}

void grant::release(std::error_code& ec) noexcept {
  ec.clear();
  const auto session = std::move(session_);
  const auto book = std::move(book_);
  if (const auto proof = std::move(proof_)) {
    ec = give_back(session, *book, proof).ec;
  }
}

}  // namespace zklock
