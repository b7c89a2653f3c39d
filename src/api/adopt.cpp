#include <zklock/adopt.hpp>

#include <string>
#include <utility>

#include <zklock/error.hpp>

#include "src/api/connector_access.hpp"
#include "src/api/lock_state.hpp"
#include "src/zookeeper/c_client.hpp"

namespace zklock {
namespace {

// The servers' default limit of a packet (jute.maxbuffer), less its head.
constexpr std::size_t packet_room = 1'048'000;
constexpr std::size_t chroot_assumed = 255;

std::shared_ptr<client::factory> factory_of(_zhandle* handle, const handle_details& details, const char* operation) {
  if (handle == nullptr) {
    throw error(errc::invalid_option, operation, "null handle");
  }
  if (details.other_watches > packet_room) {
    throw error(errc::invalid_option, operation, "other_watches = " + std::to_string(details.other_watches));
  }
  const std::size_t chroot = details.chroot ? details.chroot->size() : chroot_assumed;
  return client::adopted_factory(handle, {.bytes = packet_room - details.other_watches, .chroot = chroot});
}

}  // namespace

session adopt(_zhandle* handle, session_options options, const handle_details& details) {
  return session(detail::connector_access::make(factory_of(handle, details, "adopt")), std::move(options));
}

void readopt(session& adopted, _zhandle* handle, const handle_details& details) {
  if (detail::session_access::impl(adopted)->forked()) {
    throw error(errc::forked, "readopt", "");
  }
  if (!detail::session_access::impl(adopted)->readopt(factory_of(handle, details, "readopt"))) {
    throw error(errc::invalid_option, "readopt", "the session was not adopted, or has not expired");
  }
}

}  // namespace zklock
