#include "src/api/count_release.hpp"

#include <atomic>
#include <new>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/hold_notice.hpp"
#include "src/engine/meters.hpp"

namespace zklock::detail {
namespace {

/// Waits for all parts of a multi-lock, or all nodes of a lock, and tells the first loss, or else the first failure.
class joined_release final : public operations::release_receiver {
 public:
  joined_release(std::size_t count, std::shared_ptr<operations::release_receiver> told)
      : left_(count), told_(std::move(told)) {}

  void complete(operations::release_result result) noexcept override {
    first& of_its_kind = result.ec == errc::lost ? lost_ : failed_;
    if (result.ec && !of_its_kind.is_there.exchange(true)) {
      of_its_kind.what = result;
    }
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      told_->complete(lost_.is_there ? lost_.what : failed_.what);
    }
  }

 private:
  struct first {
    std::atomic<bool> is_there{false};
    operations::release_result what;
  };
  std::atomic<std::size_t> left_;
  first lost_;
  first failed_;
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

/// Null without memory; then the listener is told at once that nothing confirms the release.
std::shared_ptr<joined_release> joined_for(std::size_t count,
                                           const std::shared_ptr<operations::release_receiver>& told) {
  try {
    return told ? std::make_shared<joined_release>(count, told) : nullptr;
  } catch (const std::bad_alloc&) {
    told->complete({errc::release_unconfirmed});
    return nullptr;
  }
}

released_count follow_up_at(instant now, session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held,
                            lock_owners::remainder left, std::shared_ptr<operations::release_receiver> listener);

/// All at one instant: a bound that comes meanwhile does not end a part.
void release_parts(instant now, session_impl& session, const lock_owners& owners, const hold& whole,
                   const std::shared_ptr<operations::release_receiver>& joined) {
  for (std::size_t i = 0; i < whole.parts().size(); ++i) {
    const lock_owners::part& part = owners.part_at(i);
    const std::shared_ptr<hold>& held = whole.parts()[i];
    const auto left = part.owners->release_count(*held, part.of, true);
    if (!follow_up_at(now, session, *part.owners, held, left, joined).removing && joined) {
      joined->complete({});  // its owner has re-entered it
    }
  }
}

released_count follow_up_at(instant now, session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held,
                            lock_owners::remainder left, std::shared_ptr<operations::release_receiver> listener) {
  switch (left) {
    case lock_owners::remainder::held: return {held->held_at(now), false};
    case lock_owners::remainder::read:
      held->downgrade();
      session.downgrade(held);
      return {held->held_at(now), false};
    case lock_owners::remainder::nothing: break;
  }
  const bool stood = held->end_by_release(now);
  if (hold_notice* const notice = held->notice(); notice != nullptr && stood) {  // else its loss tells them
    notice->end(loss_reason::none);
  }
  if (stood && held->meter() != nullptr) {
    held->meter()->side(!held->exclusive()).released.add(now - held->since());
  }
  const std::size_t several = held->parts().size();
  if (several == 0) {
    session.release(held, std::move(listener));
    return {stood, true};
  }
  const auto joined = joined_for(several, listener);
  if (owners.has_parts()) {
    release_parts(now, session, owners, *held, joined);
  } else {
    release_nodes(session, *held, now, joined);
  }
  return {stood, true};
}

}  // namespace

released_count release_count(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held, side of,
                             std::shared_ptr<operations::release_receiver> listener) {
  return follow_up(session, owners, held, owners.release_count(*held, of), std::move(listener));
}

released_count follow_up(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held,
                         lock_owners::remainder left, std::shared_ptr<operations::release_receiver> listener) {
  return follow_up_at(boot_now(), session, owners, held, left, std::move(listener));
}

void release_unentered(session_impl& session, lock_owners& owners, const std::shared_ptr<hold>& held) {
  owners.forget(*held);
  for (std::size_t i = 0; owners.has_parts() && i < held->parts().size(); ++i) {
    owners.part_at(i).owners->forget(*held->parts()[i]);
  }
  const instant now = boot_now();
  held->end_by_release(now);
  if (held->parts().empty()) {
    session.release(held, nullptr);
  }
  release_nodes(session, *held, now, nullptr);
}

}  // namespace zklock::detail
