// A configuration that many clients read and one client at a time writes. No reader sees half of a change, and a writer
// that has lost its lock changes nothing.
//
//     shared_configuration SERVERS  e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <zklock/adopt.hpp>
#include <zklock/zklock.hpp>

#include "program_handle.hpp"

using namespace std::chrono_literals;

//! [settings]
// Two nodes that must be read and written together: the primary and its standby.
struct settings {
  std::string primary, standby;
  bool operator==(const settings&) const = default;
};

settings load(const program_handle& zookeeper) {
  return {zookeeper.read("/config/primary"), zookeeper.read("/config/standby")};
}
//! [settings]

//! [create]
// Once, before the first reader and writer. The transaction does not wait for a connection; this function does.
void create_nodes(zklock::session& session, const settings& first) {
  if (!session.wait_connected_for(10s)) throw std::runtime_error("no ZooKeeper");
  session.transaction()
      .create("/config")
      .create("/config/primary", first.primary)
      .create("/config/standby", first.standby)
      .commit();  // if one of them exists: errc::node_exists, and none is created
}
//! [create]

settings version(int number) { return {"primary-" + std::to_string(number), "standby-" + std::to_string(number)}; }

//! [read]
// Any number of readers hold at once. No writer holds between the two reads, so both values are of one version.
settings read_settings(zklock::shared_mutex& config, const program_handle& zookeeper) {
  const std::shared_lock reading(config);
  return load(zookeeper);
}
//! [read]

//! [write]
// Writes both nodes or neither, and only if the lock is still held. Then the writer becomes a reader and reads both
// nodes. Other readers may hold now, but no other writer has held in between.
bool publish(zklock::session& session, zklock::shared_mutex& config, const program_handle& zookeeper,
             const settings& changed) {
  zklock::grant g = config.write().acquire();
  session.transaction()
      .guarded_by(g)
      .set("/config/primary", changed.primary)
      .set("/config/standby", changed.standby)
      .commit();
  g.downgrade();
  return load(zookeeper) == changed;
}
//! [write]

//! [process]
// What each process has: a ZooKeeper handle, a session that adopts this handle, and a lock object.
struct process {
  explicit process(const char* servers) : zookeeper(servers) {}
  const program_handle zookeeper;
  zklock::session session = zklock::adopt(zookeeper.get());
  zklock::shared_mutex config{session, "/locks/config"};
};
//! [process]

constexpr int last = 10;

// Reads until it sees the last version. Returns false if it reads halves of two versions, or an older version after a
// newer one.
bool follow(process& reader) {
  int seen = 0;
  for (;;) {
    const settings now = read_settings(reader.config, reader.zookeeper);
    const int number = std::stoi(now.primary.substr(now.primary.find('-') + 1));
    if (now != version(number) || number < seen) return false;
    seen = number;
    if (seen == last) return true;
  }
}

bool readers_follow_one_writer(const char* servers, process& writer) {
  std::vector<std::future<bool>> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(std::async(std::launch::async, [servers] {
      process reader(servers);
      return follow(reader);
    }));
  }
  bool as_published = true;
  for (int i = 1; i <= last; ++i) {
    as_published = publish(writer.session, writer.config, writer.zookeeper, version(i)) && as_published;
  }
  const auto whole = std::count_if(readers.begin(), readers.end(), [](auto& reader) { return reader.get(); });
  std::cout << last << " versions published; " << whole << " of 3 readers saw the last one, and only whole versions\n";
  return as_published && whole == 3;
}

// An operator removes a writer's node. The writer has lost its lock, does not notice, and writes: the servers refuse it.
bool a_stale_writer_is_refused(process& stale, process& next) {
  const zklock::grant g = stale.config.write().acquire();
  next.session.transaction().remove(g.node()).commit();
  const bool published = publish(next.session, next.config, next.zookeeper, version(last + 1));
  std::error_code ec;
  stale.session.transaction().guarded_by(g).set("/config/primary", "stale").commit(ec);
  const settings now = read_settings(next.config, next.zookeeper);
  std::cout << "a stale writer: " << ec.message() << "; there is " << now.primary << '\n';
  return published && ec == zklock::errc::lost && now == version(last + 1);
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: shared_configuration SERVERS\n";
    return 64;
  }
  try {
    process writer(arguments[1]), other(arguments[1]);
    create_nodes(writer.session, version(0));
    const bool followed = readers_follow_one_writer(arguments[1], writer);
    const bool refused = a_stale_writer_is_refused(writer, other);
    other.session.transaction().remove("/config/primary").remove("/config/standby").remove("/config").commit();
    return followed && refused ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
