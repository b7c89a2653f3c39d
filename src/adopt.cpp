#include <zklock/adopt.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/client/c_client.hpp"
#include "src/lock_state.hpp"

namespace zklock {
namespace {

std::shared_ptr<client::factory> factory_of(_zhandle* handle, const char* operation) {
  if (handle == nullptr) {
    throw error(errc::invalid_option, operation, "null handle");
  }
  return client::adopted_factory(handle);
}

}  // namespace

session adopt(_zhandle* handle, session_options options) {
  return session(factory_of(handle, "adopt"), std::move(options));
}

void readopt(session& adopted, _zhandle* handle) {
  if (detail::session_access::impl(adopted)->forked()) {
    throw error(errc::forked, "readopt", "");
  }
  if (!detail::session_access::impl(adopted)->readopt(factory_of(handle, "readopt"))) {
    throw error(errc::invalid_option, "readopt", "the session was not adopted, or has not expired");
  }
}

}  // namespace zklock
