#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/owner_book.hpp"
#include "src/session/session_core.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/observed_factory.hpp"

namespace zklock::sim {

/// One thing that a user of the library does. Whatever waits for a grant that is refused in the end is passed over.
struct deed {
  enum class kind : std::uint8_t {
    acquire,  ///< without a limit, or with `time`
    try_once,
    abandon,  ///< while the acquire is unanswered
    reenter,  ///< while holding
    release,  ///< one count; the last one releases, and waits for the confirmation
    drop,     ///< the same, without waiting: a destructor's way
    rest,     ///< for `time`
    crash,
  };
  kind what = kind::acquire;
  std::optional<instant> time{};
};
using script = std::vector<deed>;

[[nodiscard]] std::string_view name(deed::kind what) noexcept;

/// A simulated program: the session logic that ships, a user who follows a script, and the environment of both. It
/// moves only when told to: act(), fire_timer(), and what the model tells its connections.
class program final : private detail::environment {
 public:
  program(int number, script wanted, std::string lock_path, std::chrono::milliseconds session_timeout,
          testing::ensemble& servers, int first_server, checkers& told, std::uint64_t salt);
  ~program() override;

  void open(bool keep_awake);

  // ---- steps
  /// Whether the user's next deed can be done now.
  [[nodiscard]] bool may_act() const;
  [[nodiscard]] std::size_t deeds_done() const noexcept { return next_; }
  [[nodiscard]] deed::kind next_deed() const { return wanted_[next_].what; }
  void act();
  void fire_timer();
  void crash();
  /// A stopped process (SIGSTOP): no timer, no deed, and nothing is told to it.
  void stop(bool stopped) noexcept { stopped_ = stopped; }
  /// Does what may not be done from within a call of the session.
  void tidy();

  // ---- questions
  [[nodiscard]] std::optional<instant> next_timer() const;
  /// When an unanswered acquire must be answered; nothing without a limit.
  [[nodiscard]] std::optional<instant> limit() const;
  [[nodiscard]] bool done() const;  ///< the script is through, and all is answered
  [[nodiscard]] bool running() const noexcept { return !crashed_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] bool connected() const noexcept;
  [[nodiscard]] bool waiting() const noexcept { return attempt_ != nullptr && !answered_; }
  [[nodiscard]] const detail::session_core& core() const noexcept { return *core_; }
  [[nodiscard]] std::shared_ptr<detail::hold> held() const { return book_.find(me); }
  [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }
  [[nodiscard]] std::uint64_t requests() const noexcept { return factory_.requests(); }

  /// Lines for the timeline, since the last call.
  [[nodiscard]] std::vector<std::string> take_notes();
  void keep_notes(bool keep) noexcept { keep_notes_ = keep; }
  /// ids in notes and steps, and what to call them.
  [[nodiscard]] const std::vector<std::string>& ids() const noexcept { return ids_; }

 private:
  struct ear;
  struct attempt;
  struct confirmation;
  static constexpr detail::owner_number me = 1;

  void skip_void_deeds();
  void acquire(const deed& what);
  void reenter();
  void give_back(bool wait);
  void granted(std::shared_ptr<detail::hold> proof);
  void refused(std::error_code why);
  void note(std::string line);
  [[nodiscard]] instant now() const noexcept { return servers_.now(); }

  // environment
  recipes::contender_id next_id() override;
  std::string describe_contender(std::string_view) override { return "host=sim\n"; }
  client::observer& observer_of(std::uint64_t generation) override;
  void dispose(std::unique_ptr<client::connection> dead) override;
  void notice_of_loss(std::shared_ptr<detail::hold> lost) override;
  void state_changed(detail::standing now, bool new_session) override;
  void closed(std::error_code) override {}
  void log(severity, std::string_view line) override;

  const int number_;
  const script wanted_;
  testing::ensemble& servers_;
  checkers& told_;
  const std::uint64_t salt_;
  observed_factory factory_;
  const std::shared_ptr<const detail::lock_target> target_;
  std::deque<ear> ears_;
  std::unique_ptr<detail::session_core> core_;
  detail::owner_book book_;

  std::size_t next_ = 0;
  std::shared_ptr<attempt> attempt_;
  std::uint64_t attempts_ = 0;
  bool answered_ = false;
  int releases_under_way_ = 0;
  std::optional<instant> rests_until_;
  bool crashed_ = false;
  bool stopped_ = false;
  std::uint64_t grants_ = 0;
  std::vector<std::string> ids_;
  std::vector<std::unique_ptr<client::connection>> dead_;
  std::vector<std::shared_ptr<detail::hold>> to_announce_;
  std::vector<std::string> notes_;
  bool keep_notes_ = false;
};

}  // namespace zklock::sim
