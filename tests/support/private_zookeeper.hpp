#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::test_support {

class proxy;

struct zookeeper_options {
  std::size_t servers = 1;                   ///< 1 or 3
  std::chrono::milliseconds tick_time{500};  ///< also the shortest session timeout
  std::optional<std::chrono::milliseconds> reaper_interval =
      std::nullopt;  ///< how often empty containers go; none: every minute
  /// Of three servers: each follower reaches its leader through a proxy, see quorum_link().
  bool quorum_links = false;
  int sync_limit = 4;  ///< for so many ticks a follower and its leader may be silent to each other
  std::vector<std::string> configuration = {};  ///< more lines of each server's zoo.cfg

  friend bool operator==(const zookeeper_options&, const zookeeper_options&) = default;
};

struct timeout_bounds {
  std::chrono::milliseconds least;
  std::chrono::milliseconds most;
};

/// ZooKeeper servers of one test's own, run by scripts/zookeeper: for tests that stop or kill servers, or that count
/// what is on them. The others use shared_zookeeper(), which is faster.
///
/// The constructor returns when all servers serve, and throws std::runtime_error with the script's words otherwise.
/// The destructor kills them and removes their files; so does a guard process when the test program is gone, however
/// it went. Servers are counted from 0. Not thread-safe.
class private_zookeeper {
 public:
  explicit private_zookeeper(const zookeeper_options& options = {});
  ~private_zookeeper();
  private_zookeeper(const private_zookeeper&) = delete;
  private_zookeeper& operator=(const private_zookeeper&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return ports_.size(); }
  /// "127.0.0.1:2181,127.0.0.1:2182,…"
  [[nodiscard]] const std::string& connect_string() const noexcept { return connect_string_; }
  [[nodiscard]] std::uint16_t port(std::size_t server = 0) const { return ports_.at(server); }
  [[nodiscard]] std::string address(std::size_t server = 0) const;
  [[nodiscard]] pid_t pid(std::size_t server = 0) const;
  /// Which server leads; none while there is no leader. Of a single server: 0.
  [[nodiscard]] std::optional<std::size_t> leader() const;

  /// A stopped server keeps its connections and answers nothing (SIGSTOP) until it continues (SIGCONT).
  void stop(std::size_t server = 0);
  void cont(std::size_t server = 0);
  /// SIGKILL; returns when the process is gone. Its data and its ports stay.
  void kill(std::size_t server = 0);
  /// Kills the server if it runs, and starts it again. Returns when it serves; without `wait_until_serving` at once,
  /// as is needed for a server whose ensemble has no majority.
  void restart(std::size_t server = 0, bool wait_until_serving = true);

  /// The shortest and the longest session timeout that the server grants, from its next start on. None: as at first.
  void set_session_timeouts(std::optional<timeout_bounds> bounds, std::size_t server = 0);

  /// The way on which `follower` speaks to `leader` once it follows that one; elections go by other ways. Requests are
  /// what the follower says. Only with zookeeper_options::quorum_links.
  [[nodiscard]] proxy& quorum_link(std::size_t follower, std::size_t leader);

  /// Where a server keeps its snapshots and logs ("version-2" below it).
  [[nodiscard]] std::filesystem::path data_directory(std::size_t server = 0) const {
    return directory_ / std::to_string(server + 1) / "data";
  }

  /// A four-letter word: "ruok", "mntr", "cons", "wchp" … Empty when there is no answer within 10 s.
  [[nodiscard]] std::string ask(std::string_view word, std::size_t server = 0) const;

 private:
  void put_quorum_links_between();
  void configure(const std::vector<std::string>& lines) const;

  pid_t owner_;
  timeout_bounds usual_timeouts_;
  std::filesystem::path directory_;
  std::string connect_string_;
  std::vector<std::uint16_t> ports_;
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<proxy>> quorum_links_;
};

/// The connect string of a server that many tests share; each test works in a chroot (or under a node) of its own, and
/// leaves the server alone. From the environment variable ZKLOCK_TEST_ZOOKEEPER if ctest's fixture has set it: a
/// connect string, or the directory of scripts/zookeeper. Otherwise this process starts one, once.
[[nodiscard]] const std::string& shared_zookeeper();

/// The ports of a connect string with a port at each address. Throws std::invalid_argument.
[[nodiscard]] std::vector<std::uint16_t> ports_of(std::string_view connect_string);

}  // namespace zklock::test_support
