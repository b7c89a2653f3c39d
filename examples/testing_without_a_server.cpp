// Tests of code that uses zklock, without a server, with faults that real servers show rarely.
#include <chrono>
#include <iostream>
#include <thread>

#include <zklock/testing/fake_ensemble.hpp>
#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [code under test]
// Returns the number of imported records. The session is a parameter, so a test can pass its own session.
int import_records(zklock::session& session, int records) {
  zklock::recursive_mutex lock(session, "/locks/import");
  const zklock::grant g = lock.acquire();
  int imported = 0;
  while (imported < records && g.held()) {
    std::this_thread::sleep_for(1ms);  // the work for one record
    ++imported;
  }
  return imported;
}
//! [code under test]

//! [test]
bool an_import_stops_when_its_session_expires() {
  zklock::testing::fake_ensemble zookeeper;
  zklock::session session(zookeeper.clients());
  std::jthread operator_elsewhere([&](const std::stop_token& enough) {
    while (!enough.stop_requested()) {  // again and again: the first expiry can come before the grant
      std::this_thread::sleep_for(20ms);
      zookeeper.expire_sessions();
    }
  });
  return import_records(session, 1'000'000) < 1'000'000;
}

bool an_import_waits_for_a_server_that_is_away() {
  zklock::testing::fake_ensemble zookeeper;
  zookeeper.refuse();
  zklock::session session(zookeeper.clients());
  std::error_code ec;
  const bool away =
      !zklock::recursive_mutex(session, "/locks/import").try_acquire_for(50ms, ec) && ec == zklock::errc::not_connected;
  std::jthread operator_elsewhere([&] {
    std::this_thread::sleep_for(50ms);  // meanwhile the import waits
    zookeeper.restore();
  });
  return away && import_records(session, 3) == 3;
}
//! [test]

int main() {
  const bool stops = an_import_stops_when_its_session_expires();
  const bool waits = an_import_waits_for_a_server_that_is_away();
  std::cout << "stops: " << stops << ", waits: " << waits << '\n';
  return stops && waits ? 0 : 1;
}
