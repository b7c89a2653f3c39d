#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/candidacy.hpp"
#include "src/api/lock_owners.hpp"
#include "src/engine/session_engine.hpp"
#include "src/operations/hand_over.hpp"
#include "src/operations/lock_operations.hpp"
#include "src/operations/turn_wait.hpp"
#include "tests/sim/checkers.hpp"
#include "tests/sim/observed_factory.hpp"
#include "tests/sim/wanted.hpp"

namespace zklock::operations {
class follow_leader;
class follow_node;
struct proclamations;
}  // namespace zklock::operations

namespace zklock::sim {

/// One thing that a user of the library does. Whatever waits for a grant that is refused in the end is passed over.
struct user_action {
  enum class kind : std::uint8_t {
    acquire,  ///< without a limit, or with `time`
    try_once,
    abandon,     ///< while the acquire is unanswered
    reenter,     ///< while holding
    release,     ///< the latest count; the last one releases, and waits for the confirmation
    drop,        ///< the same, without waiting: a destructor's way
    drop_first,  ///< the same with the count that was taken first
    downgrade,   ///< the latest count of a write lock
    set_limit,   ///< of the semaphore `of`, to `limit`
    rest,        ///< for `time`
    crash,
    close,              ///< the session, within `time`; whatever the user waits for
    list_participants,  ///< the holders and the waiters, within `time`; goes on meanwhile
    write,              ///< while holding: a node that the latest grant guards; goes on meanwhile
    follow,             ///< the followed node, until the end; goes on meanwhile
    unfollow,           ///< whatever is under way for it
    set_value,          ///< of the followed node; the next change waits for the answer
    make_value,         ///< makes it
    hide_value,         ///< makes it anew, in one transaction, so that nobody may read it
    remove_value,
    update_value,  ///< reads it first; guarded if it holds something; the next change waits for the answer
    update_alike,  ///< the same, to what everybody writes
    observe,       ///< who is first on the first lock, until the end; goes on meanwhile
    proclaim,      ///< while holding; goes on meanwhile
    lead,          ///< whenever it is its turn: as election::run(), at the earliest `time` behind its last stand
    return_from_work,
    throw_from_work,
    stop_leading,
    acquire_behind,  ///< as acquire, perhaps behind an earlier call of its owner, which is under way
    extend,          ///< the bound of the latest count's hold: to `time` from now
    revoke,          ///< while holding: another client asks it to let go, by a mark in its node
  };
  kind what = kind::acquire;
  std::optional<instant> time{};
  std::vector<want> of{};  ///< nothing: the first lock as a whole; several: a multi-lock
  std::uint32_t limit = 0;
  /// For which owner it acquires: nothing: for its own thread, as lock() does. Else for this one, or for none, as a job on the
  /// host's thread.
  std::optional<detail::owner_number> owner{};
};
using script = std::vector<user_action>;

[[nodiscard]] std::string_view name(user_action::kind what) noexcept;

/// Of all programs: how many operations one task tells what happens to many (session_config::slice). Set before the first one.
inline std::size_t slice_of_programs = 64;

struct session_settings {
  std::chrono::milliseconds timeout;
  std::chrono::milliseconds tick;  ///< the servers'
  bool stays = false;              ///< with its first server: it knows no other
};

/// A simulated program: the session logic that ships, a user that follows a script, and the environment of both. It
/// moves only when told to: act(), fire_timer(), and what the model tells its connections.
///
/// With a host it is a further thread of the host's program: a user of its own, with the host's session and on the
/// host's lock object. What happens to the process happens to the host.
class program final : private detail::environment {
 public:
  program(int number, script wanted, const std::vector<lock_plan>& locks, const session_settings& session,
          testing::ensemble& servers, int first_server, checkers& told, std::uint64_t salt, program* host = nullptr);
  ~program() override;

  void open(bool beats_when_idle);

  // ---- steps
  /// Whether the user's next action can be done now.
  [[nodiscard]] bool may_act() const;
  [[nodiscard]] std::size_t actions_done() const noexcept { return next_; }
  [[nodiscard]] user_action::kind next_action() const { return wanted_[next_].what; }
  void act();
  void fire_timer();
  void crash();
  /// A stopped process (SIGSTOP): no timer, no action, and nothing is told to it.
  void stop(bool stopped) noexcept;
  /// Does what may not be done from within a call of the session.
  void tidy();
  /// Whatever it follows.
  void unfollow();
  /// Gives a grant back, whichever thread got it: as the thread that it was moved to does.
  void release_count(const std::shared_ptr<detail::hold>& hold, bool wait = true);
  /// Gives back, once more, what some thread held before.
  void release_again(const std::shared_ptr<detail::hold>& hold) { release(hold, true, true); }
  /// What people call the time. Nothing but contenders' data tells it.
  void set_wall_clock(std::chrono::hours hour) noexcept { wall_clock_ = hour; }

  // ---- questions
  [[nodiscard]] std::optional<instant> next_timer() const;
  /// When an unanswered acquire must be answered; nothing without a limit.
  [[nodiscard]] std::optional<instant> limit() const;
  [[nodiscard]] bool done() const;  ///< the script is through, and all is answered
  [[nodiscard]] bool running() const noexcept { return !crashed_; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  [[nodiscard]] bool connected() const noexcept;
  [[nodiscard]] bool waiting() const noexcept { return attempt_ != nullptr && !answered_; }
  [[nodiscard]] bool waits() const noexcept { return waiting() || turn_ != nullptr; }
  [[nodiscard]] bool is_guest() const noexcept { return host_ != nullptr; }
  [[nodiscard]] const std::vector<program*>& guests() const noexcept { return guests_; }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] int session_number() const noexcept { return process().number_; }
  [[nodiscard]] const engine::session_engine& engine() const noexcept { return *process().engine_; }
  [[nodiscard]] const operations::lock_operations& operations() const noexcept { return *process().operations_; }
  /// What was acquired last of all that is not given back.
  [[nodiscard]] std::shared_ptr<detail::hold> held() const { return taken_.empty() ? nullptr : taken_.back().hold; }
  [[nodiscard]] std::size_t counts_held() const noexcept { return taken_.size(); }
  [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }
  [[nodiscard]] std::uint64_t requests() const noexcept { return process().factory_.requests(); }

  /// What the last look has told, by name; and how often one was told.
  [[nodiscard]] const std::vector<std::string>& queue_seen() const noexcept { return queue_seen_; }
  [[nodiscard]] int looks_answered() const noexcept { return looks_answered_; }
  /// What each guarded write that was answered has been told.
  [[nodiscard]] const std::vector<std::error_code>& writes_answered() const noexcept { return writes_answered_; }

  /// It waits for the end of an earlier call of its owner, and there is none.
  [[nodiscard]] bool sleeps_behind_nobody() const;
  /// Lines for the timeline, since the last call.
  [[nodiscard]] std::vector<std::string> take_notes();
  void keep_notes(bool keep) noexcept { keep_notes_ = keep; }
  /// ids in notes and steps, and what to call them.
  [[nodiscard]] const std::vector<std::string>& ids() const noexcept { return ids_; }

 private:
  struct ear;
  struct attempt;
  struct turn;
  struct confirmation;
  struct glance;
  struct commit;
  struct new_limit;
  /// A call of which it is known that it is its owner's one.
  struct called {
    std::shared_ptr<detail::lock_owners> on;
    detail::lock_owners::call call;
  };
  struct value_listener;
  struct value_change;
  struct value_read;
  struct value_update;
  struct leader_listener;
  struct said;
  /// One count.
  struct count {
    std::shared_ptr<detail::hold> hold;
    std::shared_ptr<detail::lock_owners> owners;
    detail::side of;
  };

  [[nodiscard]] detail::caller caller_of(const user_action& what) const noexcept;
  [[nodiscard]] detail::wanted_parts parts_of(const std::vector<want>& wanted, std::uint64_t attempt);
  [[nodiscard]] std::vector<std::size_t> reentered_locks_of(const user_action& what) const;
  /// Its owner has no call under way there.
  [[nodiscard]] bool may_call(const user_action& what) const;
  [[nodiscard]] bool is_candidate() const noexcept {
    return candidate_ && candidate_->now() != recipes::candidacy::state::over;
  }
  void end_call();
  void await_turn(const user_action& what);
  void turn_ended(const operations::turn_wait_result& how);
  [[nodiscard]] program& process() noexcept { return host_ != nullptr ? *host_ : *this; }
  [[nodiscard]] const program& process() const noexcept { return host_ != nullptr ? *host_ : *this; }
  void skip_void_actions();
  [[nodiscard]] bool reentrant(std::size_t lock) const { return locks_[lock].kind != recipe::semaphore; }
  [[nodiscard]] std::vector<want> wanted_of(const user_action& what) const;
  [[nodiscard]] const std::shared_ptr<detail::lock_owners>& owners_of(std::size_t lock) const {
    return process().owners_[lock];
  }
  void acquire(const user_action& what);
  void enter(const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& hold);
  /// False: it contends.
  bool reenter(const want& what, const detail::caller& by);
  void downgrade();
  void extend(instant by);
  void set_limit(const user_action& what);
  void release_count(const count& one, bool wait);
  void look(const user_action& what);
  void write();
  void revoke();
  void follow();
  void observe();
  void proclaim();
  void stand_for_election(const user_action& what);
  void go_on_as_candidate(recipes::candidacy::command next);
  void give_term_back();
  void end_work(bool threw);
  void stop_leading();
  void change_value(user_action::kind what);
  void update_value(bool alike);
  void release(const std::shared_ptr<detail::hold>& hold, bool wait, bool again = false);
  void granted(const std::vector<want>& wanted, std::shared_ptr<detail::hold> hold);
  void refused(std::error_code why);
  void note(std::string line);
  [[nodiscard]] instant now() const noexcept { return servers_.now(); }

  // environment
  recipes::contender_id next_id() override;
  std::string describe_contender(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                 std::string into) override;
  client::observer& observer_of(std::uint64_t generation) override;
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) override;
  std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) override;
  void notice_of_loss(std::shared_ptr<detail::hold> lost) override;
  void notify(std::function<void()> what, std::string) override { to_call_.push_back(std::move(what)); }
  void state_changed(session_state now, bool new_session) override;
  void closed(std::error_code result) override;
  void log(log_line line) override;

  const int number_;
  const script wanted_;
  testing::ensemble& servers_;
  checkers& told_;
  const std::uint64_t salt_;
  program* const host_;
  std::vector<program*> guests_;
  observed_factory factory_;
  const std::vector<lock_plan> locks_;
  std::deque<ear> ears_;
  std::unique_ptr<engine::session_engine> engine_;             ///< of the process
  std::unique_ptr<operations::lock_operations> operations_;    ///< likewise
  std::vector<std::shared_ptr<detail::lock_owners>> owners_;   ///< of the process, one a lock
  std::vector<std::shared_ptr<operations::hand_over>> turns_;  ///< likewise; null: without
  /// Of the latest attempts, one a lock: what its lock object has seen of a permit limit goes on to the next one.
  std::vector<std::shared_ptr<const detail::lock_target>> targets_;
  std::chrono::hours wall_clock_{0};

  std::size_t next_ = 0;
  std::shared_ptr<attempt> attempt_;           ///< the latest
  std::shared_ptr<operations::acquire> call_;  ///< of which it hears
  std::shared_ptr<turn> turn_;                 ///< that it waits for; null: none
  std::uint64_t attempts_ = 0;
  detail::caller by_;                       ///< whose it is
  std::map<std::size_t, called> calls_on_;  ///< the locks on which it is its owner's one call
  bool answered_ = false;
  int releases_under_way_ = 0;
  bool closing_ = false;
  bool looking_ = false;
  int looks_answered_ = 0;
  std::vector<std::string> queue_seen_;
  int writes_ = 0;
  std::vector<std::error_code> writes_answered_;
  bool setting_limit_ = false;
  std::shared_ptr<operations::follow_node> follows_;
  std::shared_ptr<operations::follow_leader> observes_;
  std::shared_ptr<operations::proclamations> says_;  ///< of the latest hold that said something
  int said_ = 0;
  std::optional<recipes::candidacy> candidate_;  ///< election_state's
  bool works_ = false;                           ///< as the leader
  int changes_ = 0;
  int changes_answered_ = 0;
  std::vector<count> taken_;                          ///< and not given back
  std::vector<std::shared_ptr<detail::hold>> holds_;  ///< all that was granted, and the parts of it
  std::optional<instant> rests_until_;
  bool crashed_ = false;
  bool stopped_ = false;
  std::uint64_t grants_ = 0;
  std::int64_t last_session_ = 0;  ///< that it was connected in
  std::vector<std::string> ids_;
  std::vector<std::unique_ptr<client::connection>> dead_;
  std::vector<std::shared_ptr<detail::hold>> to_announce_;
  std::vector<std::function<void()>> to_call_;
  std::vector<std::string> notes_;
  bool keep_notes_ = false;
};

}  // namespace zklock::sim
