#include "src/locks/giving_back.hpp"

#include <atomic>
#include <utility>

namespace zklock::detail {
namespace {

/// Waits for all parts of a multi-lock, or all nodes of a lock, and tells the first failure.
class joined_release final : public operations::release_receiver {
 public:
  joined_release(std::size_t count, std::shared_ptr<operations::release_receiver> told) : left_(count), told_(std::move(told)) {}

  void complete(operations::release_result result) noexcept override {
    if (result.ec && !failed_.exchange(true)) {
      result_ = result;
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      told_->complete(result_);
    }
  }

 private:
  std::atomic<std::size_t> left_;
  std::atomic<bool> failed_{false};
  operations::release_result result_;
  const std::shared_ptr<operations::release_receiver> told_;
};

/// Of a lock that has several nodes: all of them.
void release_nodes(session_impl& session, const hold& whole, instant now,
                   const std::shared_ptr<operations::release_receiver>& joined) {
  for (const std::shared_ptr<hold>& node : whole.parts()) {
    node->end_by_release(now);
    session.release(node, joined);
  }
}

void release_parts(session_impl& session, const owner_book& book, const hold& whole,
                   const std::shared_ptr<operations::release_receiver>& joined) {
  for (std::size_t i = 0; i < whole.parts().size(); ++i) {
    const owner_book::part_book& part = book.part(i);
    if (!give_back(session, *part.book, whole.parts()[i], part.of, joined).removing && joined) {
      joined->complete({});  // the thread has it for itself, too
    }
  }
}

}  // namespace

given_back give_back(session_impl& session, owner_book& book, const std::shared_ptr<hold>& proof, side of,
                     std::shared_ptr<operations::release_receiver> listener) {
  return follow_up(session, book, proof, book.give_back(*proof, of), std::move(listener));
}

given_back follow_up(session_impl& session, owner_book& book, const std::shared_ptr<hold>& proof,
                     owner_book::remainder left, std::shared_ptr<operations::release_receiver> listener) {
  const instant now = boot_now();
  switch (left) {
    case owner_book::remainder::held: return {proof->held_at(now), false};
    case owner_book::remainder::read:
      proof->downgrade();
      session.downgrade(proof);
      return {proof->held_at(now), false};
    case owner_book::remainder::nothing: break;
  }
  const bool stood = proof->end_by_release(now);
  const std::size_t several = proof->parts().size();
  if (several == 0) {
    session.release(proof, std::move(listener));
    return {stood, true};
  }
  const auto joined = listener ? std::make_shared<joined_release>(several, std::move(listener)) : nullptr;
  if (book.has_parts()) {
    release_parts(session, book, *proof, joined);
  } else {
    release_nodes(session, *proof, now, joined);
  }
  return {stood, true};
}

}  // namespace zklock::detail
