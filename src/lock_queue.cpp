#include <utility>

#include <zklock/error.hpp>

#include "src/lock_state.hpp"
#include "src/session/error_of.hpp"

namespace zklock::detail {
namespace {

participant participant_of(seen_contender&& seen, std::size_t position, const std::string& path) {
  participant one;
  one.position = position;
  one.standing = position == 0 ? zklock::standing::held : zklock::standing::waiting;
  one.node = path + "/" + seen.name;
  one.token = {seen.czxid};
  one.host = std::move(seen.told.host);
  one.pid = seen.told.pid;
  one.label = std::move(seen.told.label);
  one.since = seen.told.time;
  return one;
}

}  // namespace

std::vector<participant> lock_state::queue(std::error_code* ec) {
  queue_waiter::result found = inspect();
  if (ec != nullptr) {
    *ec = found.ec;
  } else if (found.ec) {
    throw error_with(found.ec, found.answer, "list the queue of", path());
  }
  std::vector<participant> queue;
  queue.reserve(found.queue.size());
  for (seen_contender& seen : found.queue) {
    queue.push_back(participant_of(std::move(seen), queue.size(), path()));
  }
  return queue;
}

queue_waiter::result lock_state::inspect() {
  if (session_->forked()) {
    return {{}, errc::forked};
  }
  if (session_->on_client_thread()) {
    return {{}, errc::would_deadlock};  // the answer would come to this very thread
  }
  const auto mine = std::make_shared<queue_waiter>(target_, end_of_one_try(boot_now()));
  if (!calls_.begin(mine)) {
    return {{}, errc::abandoned};
  }
  session_->inspect(mine);
  queue_waiter::result found = mine->wait();
  calls_.end(mine);
  return found;
}

}  // namespace zklock::detail
