#include "src/testing/deposition.hpp"

namespace zklock::testing {

using client::code;

deposition::deposition(const session_table& known, instant steps_down_at) : steps_down_at_(steps_down_at) {
  for (const auto& [id, session] : known.all()) owners_.emplace(id, session.owner);
}

code deposition::revalidate(std::int64_t session, int server) {
  const auto known = owners_.find(session);
  if (known == owners_.end()) return code::session_expired;
  known->second = server;
  return code::ok;
}

code deposition::check(std::int64_t session, int server) const {
  const auto known = owners_.find(session);
  if (known == owners_.end()) return code::session_expired;
  return known->second == server ? code::ok : code::session_moved;
}

}  // namespace zklock::testing
