// A plugin whose session is on the program's handle. The server answers no request, so one is under way at the end.
#include <chrono>
#include <system_error>

#include <zklock/adopt.hpp>
#include <zklock/mutex.hpp>

using namespace std::chrono_literals;

extern "C" bool plugin_adopts(_zhandle* handle) {
  zklock::session session = zklock::adopt(handle, {.close_time_limit = 100ms});
  zklock::recursive_mutex orders(session, "/locks/orders");
  std::error_code ec;
  const zklock::grant none = orders.try_acquire_for(300ms, ec);
  return ec == zklock::errc::not_connected;
}
