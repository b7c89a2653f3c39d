#include "src/locks/multi_lock_state.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <zklock/error.hpp>

#include "recipes/places.hpp"
#include "src/runtime/blocking_receiver.hpp"
#include "src/locks/contract.hpp"
#include "src/locks/giving_back.hpp"

namespace zklock::detail {
namespace {

constexpr std::string_view making = "make a multi-lock of";

std::vector<multi_lock_state::part> checked(std::vector<multi_lock_state::part> parts) {
  if (parts.empty()) {
    throw error(errc::invalid_parts, making, "nothing");
  }
  std::set<std::string> paths;
  for (const auto& one : parts) {
    const std::string& path = one.state->path();
    if (one.state->its_session() != parts.front().state->its_session()) {
      throw error(errc::wrong_session, making, path);
    }
    if (!paths.insert(path).second) {
      throw error(errc::invalid_parts, making, path);
    }
  }
  for (const auto& one : parts) {  // a semaphore of Curator's waits for the mutex below its path: not for itself
    recipes::place_plan plan;
    plan.add(one.state->wanted(one.what).claim);
    for (const recipes::place& place : plan.places) {
      const std::string lock_node = one.state->path() + std::string(place.below);
      if (place.turn.passing && paths.contains(lock_node)) {
        throw error(errc::invalid_parts, making, lock_node);
      }
    }
  }
  return parts;
}

std::string paths_of(const std::vector<multi_lock_state::part>& parts) {
  std::string text;
  for (const auto& one : parts) {
    text.append(text.empty() ? "" : ", ").append(one.state->path());
  }
  return text;
}

std::shared_ptr<owner_book> book_of(const std::vector<multi_lock_state::part>& parts) {
  std::vector<owner_book::part_book> books;
  books.reserve(parts.size());
  for (const auto& one : parts) {
    books.push_back({one.state->book(), one.what.of});
  }
  return std::make_shared<owner_book>(std::move(books));
}

}  // namespace

multi_lock_state::multi_lock_state(std::vector<part> parts)
    : parts_(checked(std::move(parts))),
      path_(paths_of(parts_)),
      session_(parts_.front().state->its_session()),
      book_(book_of(parts_)) {}

grant multi_lock_state::acquire(wait_limit limit, std::error_code* ec, std::stop_token stop,
                                std::string_view operation) {
  return grant_or_failure(acquire(limit, std::move(stop)), ec, operation, path());
}

acquired multi_lock_state::acquire(wait_limit limit, std::stop_token stop) {
  if (session_->forked()) {
    return {{}, {errc::forked}};
  }
  for (const part& one : parts_) {
    if (const std::error_code obstacle = one.state->obstacle()) {
      return {{}, {obstacle, {}, one.state->path()}};
    }
    if (failure fault = one.state->fault(one.what); fault.ec) {
      return {{}, std::move(fault)};
    }
  }
  if (stop.stop_requested()) {
    return {{}, {errc::abandoned}};
  }
  if (session_->on_client_thread()) {
    return {{}, {errc::would_deadlock}};  // the answer would come to this very thread
  }
  return wait_in_queues(limit, std::move(stop));
}

acquired multi_lock_state::wait_in_queues(wait_limit limit, std::stop_token stop) {
  const auto told = std::make_shared<blocking_receiver<operations::acquire_result>>();
  const std::shared_ptr<operations::acquire> mine = operations::acquire::make(request_within(limit), told);
  if (!calls_.begin(mine)) {
    return {{}, {errc::abandoned}};
  }
  if (const part* const gone = begin(mine)) {
    end(mine);
    return {{}, {errc::abandoned, {}, gone->state->path()}};
  }
  session_->begin_acquire(mine);
  operations::acquire_result result;
  {
    const std::stop_callback when_stopped(stop, [this, &mine] { session_->abandon(mine); });
    result = told->wait();
  }
  end(mine);
  std::shared_ptr<hold> proof = std::move(result.hold);
  if (!proof) {
    return {{}, blaming(std::move(result.why))};
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const part& one = parts_[i];
    one.state->book()->enter(this_thread_number(), one.what.of, proof->parts()[i], one.what.permits);
  }
  book_->enter(this_thread_number(), side::whole, proof);
  return {grant_access::make(session_, book_, std::move(proof), side::whole), {}};
}

/// If the session names no part for an abandoned call, the part to blame is one whose lock object has gone.
failure multi_lock_state::blaming(failure why) const {
  if (why.path.empty() && why.ec == errc::abandoned) {
    const auto gone =
        std::find_if(parts_.begin(), parts_.end(), [](const part& one) { return one.state->calls().abandoned(); });
    why.path = gone != parts_.end() ? gone->state->path() : std::string();
  }
  return why;
}

/// One try takes as long as the least patient part would.
operations::acquire_request multi_lock_state::request_within(wait_limit limit) const {
  call_end first = parts_.front().state->end_of(limit);
  wanted_parts wanted;
  for (const part& one : parts_) {
    wanted.push_back(one.state->wanted(one.what));
    const call_end end = one.state->end_of(limit);
    if (end.until && (!first.until || *end.until < *first.until)) {
      first.until = end.until;
    }
  }
  return {std::move(wanted), true, first.once, first.until};
}

const multi_lock_state::part* multi_lock_state::begin(const std::shared_ptr<engine::operation>& mine) {
  for (const part& one : parts_) {
    if (!one.state->calls().begin(mine)) {
      return &one;
    }
  }
  return nullptr;
}

void multi_lock_state::end(const std::shared_ptr<engine::operation>& mine) {
  for (const part& one : parts_) {
    one.state->calls().end(mine);
  }
  calls_.end(mine);
}

bool multi_lock_state::lock_within(wait_limit limit) {
  grant taken = acquire(limit, nullptr, {}, "lock");
  if (!taken) {
    return false;
  }
  const bool kept = calls_.unless_abandoned([&] {
    book_->mark_locked(*grant_access::proof(taken), side::whole);
    grant_access::keep_count(std::move(taken));
  });
  if (!kept) {
    throw error(errc::abandoned, "lock", path());  // no thread could unlock it: the grant is given back here
  }
  return true;
}

void multi_lock_state::unlock() noexcept {
  const std::shared_ptr<session_impl> session = session_;  // the next holder may destroy all of it at once
  const std::shared_ptr<owner_book> book = book_;
  if (session->forked()) {
    return;  // the parent holds it
  }
  const owner_book::unlocked given = book_->give_back_locked(this_thread_number(), side::whole, true);
  if (!given.proof) {
    contract_violated("unlock", path().c_str());
    return;
  }
  follow_up(*session, *book, given.proof, given.left, nullptr);
}

void multi_lock_state::abandon() noexcept {
  if (session_->forked()) {
    return;
  }
  calls_.abandon(*session_);
  for (const owner_book::unlocked& given : book_->give_back_all_locked()) {
    follow_up(*session_, *book_, given.proof, given.left, nullptr);
  }
}

std::shared_ptr<hold> multi_lock_state::find_mine() const { return book_->find(this_thread_number()); }

std::shared_ptr<hold> multi_lock_state::require_mine(std::string_view operation) const {
  if (session_->forked()) {
    throw error(errc::forked, operation, path());
  }
  std::shared_ptr<hold> mine = find_mine();
  if (!mine) {
    throw error(errc::not_owner, operation, path());
  }
  return mine;
}

}  // namespace zklock::detail
