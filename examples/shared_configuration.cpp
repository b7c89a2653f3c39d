// A configuration that many clients read and one client at a time writes. One value: readers have it in memory, without a
// lock. Two values that go together: no reader sees half of a change, and a writer that has lost its lock changes nothing.
//
//     shared_configuration SERVERS  e.g. 127.0.0.1:2181/example
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <zklock/zklock.hpp>

using namespace std::chrono_literals;

//! [settings]
// Two nodes that must be read and written together: the primary and its standby.
struct settings {
  std::string primary, standby;
  bool operator==(const settings&) const = default;
};

std::string read(zklock::session& session, const std::string& path) {
  const auto node = session.get(path);
  if (!node) throw std::runtime_error(path + ": there is no node");
  return node->data;
}

settings load(zklock::session& session) {
  return {read(session, "/config/primary"), read(session, "/config/standby")};
}
//! [settings]

//! [create]
// Once, before the first reader and writer.
void create_nodes(zklock::session& session, zklock::shared_mutex& config, const settings& first) {
  const std::scoped_lock writing(config);  // waits for a connection, and creates a chroot that is missing
  session.transaction()
      .create("/config")
      .create("/config/primary", first.primary)
      .create("/config/standby", first.standby)
      .create("/config/limit", "0")
      .commit();  // if one of them exists: errc::node_exists, and none is created
}
//! [create]

settings version(int number) { return {"primary-" + std::to_string(number), "standby-" + std::to_string(number)}; }

//! [read]
// Any number of readers hold at once. No writer holds between the two reads, so both values are of one version.
settings read_settings(zklock::session& session, zklock::shared_mutex& config) {
  const std::shared_lock reading(config);
  return load(session);
}
//! [read]

//! [write]
// Writes both nodes or neither, and only if the lock is still held. Then the writer becomes a reader and reads both
// nodes. Other readers may hold now, but no other writer has held in between.
bool publish(zklock::session& session, zklock::shared_mutex& config, const settings& changed) {
  zklock::grant g = config.write().acquire();
  session.transaction()
      .guarded_by(g)
      .set("/config/primary", changed.primary)
      .set("/config/standby", changed.standby)
      .commit();
  g.downgrade();
  return load(session) == changed;
}
//! [write]

//! [process]
// What each process has: a session, and a lock object.
struct process {
  explicit process(const char* servers) : session(servers, {.timeout = 10s}) {}
  zklock::session session;
  zklock::shared_mutex config{session, "/locks/config"};
};
//! [process]

//! [watch]
// One value, from memory: kept up to date by a watch. No lock, no request to read it, and a call at each change.
class limit {
 public:
  explicit limit(zklock::session& session) : value_(session, "/config/limit") {}

  [[nodiscard]] int now() const noexcept { return now_; }
  // A new value is written only if nobody else has written meanwhile; else f is called again with the other's value.
  void raise() {
    value_.update([](const std::string& old) { return std::to_string(std::stoi(old) + 1); });
  }

 private:
  zklock::watched_value value_;
  std::atomic<int> now_{0};
  // Last: it is destroyed first, and after that the function is not called again.
  zklock::value_observer told_ = value_.observe([this](const zklock::value_view& seen) {
    if (seen) now_ = std::stoi(seen.node->data);  // otherwise there is no node, or it is not known yet: keep the last one
  });
};
//! [watch]

constexpr int last = 10;

// Reads until it sees the last version. Returns false if it reads halves of two versions, or an older version after a
// newer one.
bool follow(process& reader) {
  int seen = 0;
  for (;;) {
    const settings now = read_settings(reader.session, reader.config);
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
    as_published = publish(writer.session, writer.config, version(i)) && as_published;
  }
  const auto whole = std::count_if(readers.begin(), readers.end(), [](auto& reader) { return reader.get(); });
  std::cout << last << " versions published; " << whole << " of 3 readers saw the last one, and only whole versions\n";
  return as_published && whole == 3;
}

// An operator removes a writer's node. The writer has lost its lock, does not notice, and writes: the servers refuse it.
bool a_stale_writer_is_refused(process& stale, process& next) {
  const zklock::grant g = stale.config.write().acquire();
  next.session.transaction().remove(g.node()).commit();
  const bool published = publish(next.session, next.config, version(last + 1));
  std::error_code ec;
  stale.session.transaction().guarded_by(g).set("/config/primary", "stale").commit(ec);
  const settings now = read_settings(next.session, next.config);
  std::cout << "a stale writer: " << ec.message() << "; there is " << now.primary << '\n';
  return published && ec == zklock::errc::lost && now == version(last + 1);
}

//! [wait]
// Waits until the node has this value. False: a stop was requested, or it has not changed for a minute.
bool wait_for(const zklock::watched_value& value, const std::string& sought, std::stop_token stop = {}) {
  for (zklock::value_view seen = value.current(); !seen || seen.node->data != sought;) {
    const auto next = value.wait_change(seen.change, 1min, stop);
    if (!next) return false;
    seen = *next;
  }
  return true;
}
//! [wait]

//! [get]
// Nothing: there is no node. Behind a write that changes nothing, so that it is no older than this call.
std::optional<int> limit_on_the_servers(zklock::session& session) {
  const auto node = session.get("/config/limit", {.fresh = true});
  return node ? std::optional(std::stoi(node->data)) : std::nullopt;
}
//! [get]

// Each of two processes raises the limit ten times.
bool two_processes_share_a_limit(process& one, process& other) {
  limit here(one.session), there(other.session);
  auto raising = std::async(std::launch::async, [&there] {
    for (int i = 0; i < 10; ++i) there.raise();
  });
  for (int i = 0; i < 10; ++i) here.raise();
  raising.get();
  const zklock::watched_value value(other.session, "/config/limit");
  const bool seen = wait_for(value, "20") && limit_on_the_servers(one.session) == 20;
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (here.now() != 20 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  std::cout << "two processes have raised the limit to " << here.now() << '\n';
  return seen && here.now() == 20;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: shared_configuration SERVERS\n";
    return 64;
  }
  try {
    process writer(arguments[1]), other(arguments[1]);
    create_nodes(writer.session, writer.config, version(0));
    const bool followed = readers_follow_one_writer(arguments[1], writer);
    const bool refused = a_stale_writer_is_refused(writer, other);
    const bool shared = two_processes_share_a_limit(writer, other);
    other.session.transaction()
        .remove("/config/primary")
        .remove("/config/standby")
        .remove("/config/limit")
        .remove("/config")
        .commit();
    return followed && refused && shared ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 69;
  }
}
