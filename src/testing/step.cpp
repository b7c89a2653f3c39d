#include "src/testing/step.hpp"

namespace zklock::testing {
namespace {

bool same_place(std::uint64_t a, std::uint64_t b) { return a == 0 || b == 0 || a == b; }

bool overlap(const step& a, const step& b) {
  return same_place(a.path, b.path) || same_place(a.path, b.parent) || same_place(a.parent, b.path) ||
         same_place(a.parent, b.parent);
}

}  // namespace

std::string_view name(step_kind kind) noexcept {
  switch (kind) {
    case step_kind::connect: return "connect";
    case step_kind::serve: return "serve";
    case step_kind::deliver: return "deliver";
    case step_kind::lead: return "lead";
    case step_kind::follow: return "follow";
    case step_kind::client_ping: return "client ping";
    case step_kind::client_timeout: return "client timeout";
    case step_kind::leader_ping: return "leader ping";
    case step_kind::session_expiry: return "session expiry";
    case step_kind::follower_gives_up: return "follower gives up";
    case step_kind::leader_steps_down: return "leader steps down";
    case step_kind::follower_rejoins: return "follower rejoins";
    case step_kind::election: return "election";
  }
  return "?";
}

bool commute(const step& a, const step& b) noexcept {
  if (a.client == b.client) return false;  // one program's, or two of the servers'
  const bool a_is_servers = a.client < 0;
  const bool b_is_servers = b.client < 0;
  if (a_is_servers != b_is_servers) {
    const step& program = a_is_servers ? b : a;
    const bool told = program.kind == step_kind::deliver || program.kind == step_kind::client_ping;
    const step& servers = a_is_servers ? a : b;
    return told && (servers.kind == step_kind::lead || servers.kind == step_kind::follow ||
                    servers.kind == step_kind::leader_ping);
  }
  if (a.effect == access::none || b.effect == access::none) return true;
  if (a.effect == access::reads && b.effect == access::reads) return true;
  if (a.effect == access::writes && b.effect == access::writes) return false;  // their order is that of the zxids
  return !overlap(a, b);
}

std::size_t hash_value(const step& value) noexcept {
  std::uint64_t h = static_cast<std::uint64_t>(value.kind) | (std::uint64_t{value.server} << 8U) |
                    (std::uint64_t{value.position} << 16U) | (std::uint64_t{value.link} << 32U);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(value.client), static_cast<std::uint64_t>(value.session), value.path}) {
    h ^= part + 0x9e3779b97f4a7c15ULL + (h << 6U) + (h >> 2U);
  }
  return h;
}

}  // namespace zklock::testing
