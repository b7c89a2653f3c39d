#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/soak/fault_plan.hpp"
#include "tests/soak/operator_hand.hpp"
#include "tests/soak/worker_process.hpp"
#include "tests/support/private_zookeeper.hpp"
#include "tests/support/proxy.hpp"

namespace zklock::soak {

struct stage_options {
  std::filesystem::path directory{};  ///< of logs and stores
  std::uint64_t seed = 1;
  std::string planted = "nothing";
};

/// Three servers, the workers, the ways between them, and the faults that come over all of these. One thread, which must
/// outlive it: the workers die with it.
class stage {
 public:
  static constexpr std::size_t servers = 3;
  static constexpr std::size_t workers = 6;
  /// Of the sessions; the longest that a worker asks for.
  static constexpr std::chrono::milliseconds longest_timeout{5'000};
  static constexpr std::chrono::milliseconds tick{500};

  explicit stage(stage_options options);

  /// False when what it would hit has a fault already: another time. An operator's fault is reported when it is done.
  bool begin(const planned_fault& fault);
  /// Ends what has lasted long enough.
  void end_what_is_due();
  /// Ends all faults, and waits until all servers serve. False if they do not.
  [[nodiscard]] bool calm();
  /// How often they said that they did, and committed nothing until they were started anew.
  [[nodiscard]] std::uint64_t standstills() const noexcept { return standstills_; }

  void say_to_all(const std::string& order);
  /// The names of the processes that run; each process has a name of its own.
  [[nodiscard]] std::vector<std::string> running() const;
  /// Processes that were killed, since the last time.
  [[nodiscard]] std::vector<std::string> take_killed() { return std::exchange(killed_, {}); }
  /// Lets the workers end, destroying all that they have. What they ended with, if not well.
  [[nodiscard]] std::vector<std::string> dismiss();
  /// Processes that have ended by themselves, and how.
  [[nodiscard]] std::vector<std::string> ended_by_themselves();
  [[nodiscard]] std::vector<forced_end> take_forced_ends() { return operator_.take_forced_ends(); }

  [[nodiscard]] const std::map<fault_kind, std::uint64_t>& done() const noexcept { return done_; }
  /// What an operator was told to do has come to something.
  [[nodiscard]] bool orders_are_done() const { return orders_given_ == orders_settled_ && undone_.empty(); }
  /// An operator's faults that could not be done, since the last time: they may be begun once more.
  [[nodiscard]] std::vector<planned_fault> take_undone();

  [[nodiscard]] const lock_nodes& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::filesystem::path store_of(const std::string& lock) const;
  /// Copies what the servers have logged, and what they say of themselves and of each client, to where the workers'
  /// logs are.
  void keep_server_logs(const std::string& prefix = {}) const;
  /// Where there are watches below the chroot; and which servers do not say: a server that does not answer may have
  /// some.
  [[nodiscard]] std::vector<std::string> watches() const;

 private:
  struct worker {
    std::array<std::unique_ptr<test_support::proxy>, servers> ways;
    std::unique_ptr<worker_process> process;
    int incarnation = 0;
    bool way_busy = false;
    bool process_busy = false;
    [[nodiscard]] std::string name(std::size_t number) const {
      return "worker-" + std::to_string(number + 1) + "." + std::to_string(incarnation);
    }
  };
  struct ending {
    instant at;
    std::string of;
    std::function<void()> act;
  };
  struct ordered {
    planned_fault fault;
    std::size_t worker;
    bool done;
  };

  bool begin_on_server(const planned_fault& fault);
  bool begin_on_links(const planned_fault& fault);
  bool begin_on_way(const planned_fault& fault);
  bool begin_on_process(const planned_fault& fault);
  bool begin_by_operator(const planned_fault& fault);
  void begun(const planned_fault& fault, const std::string& on_what, std::function<void()> end);
  void note(const std::string& line);
  void spawn(std::size_t number);
  void settle_orders();

  [[nodiscard]] std::optional<std::size_t> leader() const;
  [[nodiscard]] bool serves(std::size_t server) const;
  [[nodiscard]] bool all_serve() const;
  [[nodiscard]] bool all_commit() const;
  void start_anew();
  [[nodiscard]] std::optional<std::size_t> free_server(std::uint64_t choice) const;

  const stage_options options_;
  test_support::private_zookeeper zookeeper_;
  const lock_nodes nodes_;
  std::ofstream notes_;
  std::array<bool, servers> server_busy_{};
  std::array<worker, workers> workers_;
  bool told_to_work_ = false;
  std::vector<ending> endings_;
  std::map<fault_kind, std::uint64_t> done_;
  std::uint64_t standstills_ = 0;
  std::vector<std::string> killed_;
  std::vector<planned_fault> undone_;
  std::uint64_t orders_given_ = 0;
  std::uint64_t orders_settled_ = 0;
  std::mutex orders_mutex_;
  std::vector<ordered> orders_;  ///< guarded by orders_mutex_
  operator_hand operator_;       // the last member: what it calls uses the others
};

}  // namespace zklock::soak
