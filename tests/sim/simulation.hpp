#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/testing/ensemble_model.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/choice.hpp"
#include "tests/sim/java_peer.hpp"
#include "tests/sim/program.hpp"
#include "tests/sim/scenario.hpp"

namespace zklock::sim {

/// One world: an ensemble, programs that contend for one lock, virtual time, and the checkers that watch. The owner
/// of the schedule asks for choices() and performs one of them.
///
/// Time. There is one clock, and every program is given its value. Steps take no time. The clock moves
/// - when nothing else can happen: to the next timer (`choice::kind::time`);
/// - to a user's limit, at any step (`limit`): limits are shorter than any other timer, so that nothing is left out;
/// - at any step, by the fault `time_passes`: to the next timer, past what is under way;
/// - when the random run wants it to.
/// So a heartbeat, a ping, a deadline or an expiry comes only after all that could have happened before, unless the
/// fault of that run says otherwise. Slow programs and networks are late deliveries.
class simulation {
 public:
  explicit simulation(const scenario& plays);
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  ~simulation();

  /// The fault that may strike, once.
  void allow(const trouble& one);
  /// It may strike no more, and what lasts is healed. (The random run.)
  void heal();

  /// Everything that can happen now, likely things first: what a client hears, timers, servers, users, limits, faults.
  /// Empty: it is over; `found()` says how.
  void choices(std::vector<choice>& out);
  /// The same without limits, faults and time, and without judging.
  void collect(std::vector<choice>& out);
  void perform(const choice& what);
  /// Faults beyond the one that was allowed. False: it would change nothing now.
  bool strike(const trouble& what);
  /// The same at a later instant, if it would change something then.
  void strike_later(const trouble& what, instant when);
  void advance_to(instant when);

  [[nodiscard]] std::optional<violation> found() const { return checkers_.found(); }
  [[nodiscard]] bool struck() const noexcept { return struck_; }
  [[nodiscard]] instant now() const noexcept { return servers_.now(); }
  [[nodiscard]] std::optional<instant> next_timer() const;

  /// "c0 -> s0: create /l/…-lock-"
  [[nodiscard]] std::string describe(const choice& what) const;
  /// From here on, what happens is written down; false: as fast as can be.
  void write_timeline(std::vector<std::string>* lines);

  [[nodiscard]] testing::ensemble& servers() noexcept { return servers_; }
  [[nodiscard]] program& client(std::size_t number) { return *programs_[number]; }
  [[nodiscard]] std::size_t clients() const noexcept { return programs_.size(); }
  [[nodiscard]] checkers& judges() noexcept { return checkers_; }

  /// Performs the first choice again and again until it is over. False: it found a violation.
  bool run_to_end();
  /// The same until nothing is under way, without moving the clock.
  void settle();

 private:
  struct lasting {
    trouble what;
    instant until;
    int target = 0;  ///< also of what hits the leader: which server that was
  };
  void prepare();
  [[nodiscard]] choice inside(choice::kind what, std::size_t program) const;
  void collect_faults(std::vector<choice>& out);
  [[nodiscard]] bool may_strike(const trouble& what) const;
  [[nodiscard]] const testing::fault* model_fault(const trouble& what) const;
  [[nodiscard]] std::string node_of(int client) const;
  [[nodiscard]] instant length_of(const trouble& what) const;
  void strike_further(const trouble& what);
  void undo(const lasting& ended);
  void heal_due();
  void strike_due();
  void conclude();
  [[nodiscard]] bool nothing_is_queued() const;
  [[nodiscard]] bool all_done() const;
  [[nodiscard]] bool excludes(const testing::step& one) const;
  [[nodiscard]] bool is_java(std::int32_t client) const { return client >= std::ssize(programs_); }
  [[nodiscard]] java_peer& java(std::int32_t client) const {
    return *java_[static_cast<std::size_t>(client) - programs_.size()];
  }
  void after_step();
  void write(const std::string& line);
  const scenario& plays_;
  const std::vector<lock_node> lock_nodes_;
  testing::ensemble servers_;
  checkers checkers_;
  std::vector<std::unique_ptr<program>> programs_;
  std::vector<std::unique_ptr<java_peer>> java_;  ///< clients, too, numbered behind the programs
  std::vector<std::size_t> actions_allowed_;

  trouble allowed_{};
  bool struck_ = false;
  std::vector<lasting> lasting_;
  std::vector<lasting> later_;  ///< what is still to strike, and when
  instant last_trouble_{0};
  instant patience_{0};  ///< how long it may take to come to rest after the last trouble
  bool over_ = false;
  std::uint64_t steps_ = 0;

  std::vector<testing::step> steps_buffer_;
  mutable std::vector<testing::fault> faults_buffer_;
  std::vector<choice> choices_buffer_;
  std::vector<std::string>* lines_ = nullptr;
};

}  // namespace zklock::sim
