#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/port/client.hpp"
#include "src/testing/administration.hpp"
#include "src/testing/client_network.hpp"
#include "src/testing/ensemble_config.hpp"
#include "src/testing/ensemble_view.hpp"
#include "src/testing/fault.hpp"
#include "src/testing/server_control.hpp"
#include "src/testing/step.hpp"

namespace zklock::testing {

class world;

/// A ZooKeeper ensemble in memory: deterministic, single-threaded, in virtual time. It implements the port, with the
/// C client's ways, and does nothing by itself: each request, reply, event, transaction and timer is a step, and the
/// caller of perform() is the schedule. Not thread-safe; fake_ensemble is the form with a thread.
///
/// Observers are called from within perform(), as its last act, and may submit, open, forget and apply faults from
/// there; they must not call perform(). Refusals that the C client makes on the spot (a bad path, a dead handle) are
/// told from within submit().
///
/// Left out: TTL nodes, quotas, read-only mode, persistent watches, the even-list bug of the C client (the port's lists
/// are of odd length).
class ensemble {
 public:
  using config = ensemble_config;

  ensemble() : ensemble(config{}) {}
  explicit ensemble(const config& with);
  ensemble(const ensemble&) = delete;
  ensemble& operator=(const ensemble&) = delete;
  /// Connections may outlive it: nothing is told to their observers any more.
  ~ensemble();

  /// Connections opened through it belong to that client (the number in steps and faults). It tries `first_server`,
  /// then the ones behind it, round and round; or knows that one `only`.
  [[nodiscard]] std::shared_ptr<client::factory> clients(int client = 0, int first_server = 0, bool only = false);

  /// What can happen now, in an order that depends on nothing but the past.
  [[nodiscard]] std::vector<step> steps() const;
  void steps(std::vector<step>& out) const;  ///< the same, without allocating anew
  void perform(const step& what);
  /// "c1 -> s0: create /l/abc-lock-"
  [[nodiscard]] std::string describe(const step& what) const;
  /// Performs steps (the first of the list each time) until none is left. False: `limit` was not enough.
  bool settle(int limit = 100'000);

  [[nodiscard]] instant now() const noexcept;
  /// Only moves the clock: timers that fall due become steps. To keep the timing of a healthy ensemble, advance no
  /// further than next_timer() and perform what is due before going on.
  void advance(instant by) noexcept;
  /// When the next timer falls due that is not due yet.
  [[nodiscard]] std::optional<instant> next_timer() const;

  /// The faults that can be applied now and would change something.
  [[nodiscard]] std::vector<fault> faults() const;
  void apply(const fault& what);
  [[nodiscard]] std::string describe(const fault& what) const;

  // Faults by name, and what no client can see.
  [[nodiscard]] client_network network() noexcept;
  [[nodiscard]] server_control control() noexcept;
  [[nodiscard]] administration administrator() noexcept;
  [[nodiscard]] ensemble_view view() const noexcept;

  struct child {
    std::string name;
    std::int64_t czxid = 0;
    std::int64_t owner = 0;
    std::string data;
  };
  /// The leader's view.
  [[nodiscard]] std::vector<child> children(std::string_view path) const;
  [[nodiscard]] bool exists(std::string_view path) const;
  [[nodiscard]] std::optional<std::string> data(std::string_view path) const;
  [[nodiscard]] std::size_t node_count() const;  ///< without the root
  [[nodiscard]] std::int64_t last_zxid() const noexcept;
  [[nodiscard]] int leader() const noexcept;  ///< -1: none

 private:
  std::shared_ptr<world> world_;
};

}  // namespace zklock::testing
