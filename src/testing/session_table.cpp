#include "src/testing/session_table.hpp"

namespace zklock::testing {

std::int64_t session_table::create(std::chrono::milliseconds timeout, int owner, int client, instant now) {
  const std::int64_t id = ++last_id_;
  sessions_[id] = {timeout, deadline_after(now, timeout), owner, client};
  return id;
}

void session_table::touch(std::int64_t id, std::chrono::milliseconds timeout, instant now) {
  if (session_record* one = find(id)) one->deadline = deadline_after(now, timeout);
}

void session_table::start_clocks_afresh(instant now) {
  for (auto& [id, session] : sessions_) session.deadline = deadline_after(now, session.timeout);
}

session_record* session_table::find(std::int64_t id) {
  const auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : &it->second;
}

/// The next of the instants, a tick apart, at which the leader looks.
instant session_table::deadline_after(instant now, std::chrono::milliseconds timeout) const noexcept {
  return ((now + phase_ + timeout) / tick_ + 1) * tick_ - phase_;
}

}  // namespace zklock::testing
