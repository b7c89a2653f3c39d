#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recipes/contender.hpp"
#include "recipes/local_deadline.hpp"
#include "recipes/multi_contender.hpp"
#include "src/zookeeper/client.hpp"
#include "src/session/acquisition.hpp"
#include "src/session/contender_place.hpp"
#include "src/engine/environment.hpp"
#include "src/engine/ledger.hpp"
#include "src/engine/operation_table.hpp"
#include "src/engine/hold.hpp"
#include "src/operations/hold_nodes.hpp"
#include "src/operations/lock_node_making.hpp"
#include "src/operations/transaction.hpp"
#include "src/session/own_node_looks.hpp"
#include "src/engine/retry_pace.hpp"

namespace zklock::detail {

struct session_config {
  std::string root;                           ///< the chroot: put in front of every path. Empty: none
  std::chrono::milliseconds timeout{10'000};  ///< asked for, if the handle is our own
  std::chrono::milliseconds margin{0};        ///< 0: a twelfth of the least timeout that the servers grant
  std::chrono::milliseconds tick{0};          ///< the servers' greatest; 0: recipes::assumed_tick()
  std::string auth_scheme;
  std::string auth_credentials;
};

/// The session's logic: one ZooKeeper session after the other, the contenders that live in it, its heartbeat and local
/// deadline, the removals that are still owed.
///
/// It decides nothing about locks (recipes/ does) and knows no thread and no clock: calls come one at a time (on the
/// session's strand, or from the simulator), time comes in as a value, and `next_timer()` says when it wants to be
/// called again. It sends on the port and calls its environment, and expects their answers as later calls.
class session_core final : engine::operation_table::host, operations::hold_nodes {
 public:
  session_core(session_config config, client::factory& servers, environment& world);
  session_core(const session_core&) = delete;
  session_core& operator=(const session_core&) = delete;
  ~session_core();

  // ---- what the user asks for
  void open(instant now);
  /// Asks an adopted handle whether its session has expired, and ends it then. Whether the state is `expired`.
  [[nodiscard]] bool ask_for_expiry(instant now);
  /// After an expiry of an adopted handle: goes on with another one, in a new session.
  void reopen_with(client::factory& servers, instant now);
  void acquire(std::shared_ptr<acquisition> wanted, instant now);
  /// Ends an acquisition that is not answered yet, or not begun. Its contender is removed in the background.
  void stop(const std::shared_ptr<acquisition>& unwanted, recipes::refusal why, instant now);
  /// Gives a hold back (of a multi-lock: one of its parts): the removal is queued, and repeated until done. `listener` may
  /// be null.
  void release(const std::shared_ptr<hold>& given_back, std::shared_ptr<release_listener> listener, instant now);
  /// A write lock's hold goes on as a read lock's: told to the servers, and repeated until done.
  void downgrade(const std::shared_ptr<hold>& writing, instant now);
  /// Begins an operation that knows by itself how it ends.
  void begin(std::shared_ptr<engine::operation> wanted, instant now);
  void begin(const std::shared_ptr<operations::transaction>& wanted, instant now);
  void abandon(const std::shared_ptr<engine::operation>& unwanted, instant now);
  /// Ends everything; the answer is environment::closed. At the latest at `limit` + what zookeeper_close takes.
  void close(instant limit, instant now);

  // ---- what the servers say
  void on_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now);
  void on_node_event(std::uint64_t generation, client::watch_id id, client::node_event event, instant now);
  void on_session_event(std::uint64_t generation, const client::session_event& event, instant now);
  void on_closed(std::uint64_t generation, bool confirmed, instant now);

  // ---- time
  /// Also while no client holds or waits: so that the first grant after an idle spell finds a deadline that is ahead.
  void beat_when_idle() noexcept { beats_when_idle_ = true; }
  void on_timer(instant now);
  [[nodiscard]] std::optional<instant> next_timer() const;

  // ---- for tests and checkers
  [[nodiscard]] standing state() const noexcept { return state_; }
  [[nodiscard]] std::size_t contender_count() const noexcept { return contenders_.size(); }
  [[nodiscard]] std::size_t watch_count() const noexcept { return watches_.size(); }
  [[nodiscard]] const recipes::contender* find_contender(std::uint64_t number) const;
  [[nodiscard]] instant deadline() const noexcept { return lease_->deadline(); }
  [[nodiscard]] const recipes::deadline_terms& terms() const noexcept { return deadline_.terms(); }
  [[nodiscard]] std::chrono::milliseconds granted_timeout() const noexcept { return granted_; }

  /// Connections that are closed, but have not said so yet.
  [[nodiscard]] std::size_t closing_count() const noexcept { return closing_.size(); }

 private:
  /// A machine, and what it takes to do what the machine wants.
  struct contender_shell {
    explicit contender_shell(recipes::contender decides) : machine(std::move(decides)) {}
    recipes::contender machine;
    std::shared_ptr<acquisition> wanted;  ///< null once it is answered
    std::shared_ptr<const lock_target> target;
    std::shared_ptr<hold> proof;  ///< once the grant is delivered, until the hold has ended
    bool grant_waits = false;     ///< granted by the machine; delivered when the deadline is ahead
    bool over_budget = false;     ///< it wanted a watch, and there was none to be had
    std::vector<std::shared_ptr<release_listener>> releasing;
    std::optional<instant> release_limit;
    std::optional<instant> retry_at;
    retry_pace pace;
    client::watch_id own_watch = client::no_watch;
    client::watch_id predecessor_watch = client::no_watch;
    client::watch_id limit_watch = client::no_watch;
    client::watch_id children_watch = client::no_watch;
    std::string_view below;   ///< where the lock node is, below the path that the user has named
    std::uint64_t group = 0;  ///< whose member it is; 0: nobody's
    std::size_t part = 0;     ///< of the acquisition
    std::size_t place = 0;    ///< among the group's members
    bool enlisted = false;    ///< its node, and its lock node, are made with those of the others
    std::string data;         ///< of the own node, if it may be marked
    lock_node_making making;
  };
  using shell_map = std::unordered_map<std::uint64_t, contender_shell>;

  /// An attempt that takes several contenders (a multi-lock's, or one at permits in Curator's layout), and what it takes to
  /// do what its machine wants. It stays as long as it has a contender.
  struct group_shell {
    explicit group_shell(recipes::multi_contender decides) : machine(std::move(decides)) {}
    recipes::multi_contender machine;
    std::shared_ptr<acquisition> wanted;  ///< null once it is answered
    std::vector<contender_place> places;  ///< what its contenders are: a part of the acquisition has one, or several
    std::vector<std::uint64_t> members;   ///< its contenders, by place; 0: not begun
    std::size_t left = 0;                 ///< of these, not dropped
    std::shared_ptr<hold> proof;          ///< once the grant is delivered, until the hold has ended
    std::vector<std::shared_ptr<hold>> of_several;  ///< parts of `proof` that have several nodes each
    bool grant_waits = false;
    std::optional<instant> retry_at;
    retry_pace pace;
  };

  enum class purpose : engine::tag {
    heartbeat,
    lock_node,
    create_own,
    sync,
    list,
    look_beside,
    read_limit,
    keep_limit,
    store_limit,
    mark_own,
    go_on_as_reader,
    watch_own,
    watch_predecessor,
    watch_limit,
    watch_children,
    remove,
    create_all,
    read_token
  };
  enum class watched : std::uint8_t { own, predecessor, limit, children };
  struct watch_entry {
    std::uint64_t contender;
    watched what;
    std::string path;
  };

  // contenders (session_contenders.cpp)
  void begin(std::shared_ptr<acquisition> wanted, instant now);
  void tell(std::uint64_t number, const recipes::contender_event& what, instant now);
  void tell_all(const recipes::contender_event& what, instant now);
  void perform(std::uint64_t number, contender_shell& shell, recipes::action what, instant now);
  void make_lock_node(std::uint64_t number, contender_shell& shell, instant now);
  void send_creates(std::uint64_t number, purpose what, const lock_node_plan& plan, lock_node_making& making,
                    instant now);
  bool note_created(lock_node_making& making, recipes::code answer);
  [[nodiscard]] client::request::create own_node_of(contender_shell& shell);
  [[nodiscard]] static std::string limit_claimed_by(const contender_shell& shell);
  [[nodiscard]] std::shared_ptr<hold> hold_of(std::uint64_t number, const contender_shell& shell,
                                              recipes::fencing_token token) const;
  void deliver(std::uint64_t number, contender_shell& shell, instant now);
  void refuse(contender_shell& shell);
  void lose(contender_shell& shell);
  [[nodiscard]] failure failure_of(const contender_shell& shell, recipes::refusal why, recipes::code with) const;
  void answer_releases(contender_shell& shell, std::error_code result, recipes::code with);
  void drop(std::uint64_t number, contender_shell& shell);
  std::uint64_t add_contender(const acquisition& wanted, const contender_place& place);
  static void note_progress(acquisition& wanted, const contender_shell& shell);
  void answer(std::shared_ptr<acquisition> wanted, const failure& why);
  void begin_again(instant now);
  void on_contender_reply(const engine::ledger::entry& asked, client::reply&& answer, instant now);
  void schedule_retry(std::uint64_t number, instant now);
  void retry_at_once();
  void fire_contender_timers(instant now);
  [[nodiscard]] std::string full(std::string_view path) const;
  [[nodiscard]] std::string lock_node(const contender_shell& shell) const;
  [[nodiscard]] std::string node_path(const contender_shell& shell, std::string_view name) const;

  // marks and downgrades (session_downgrades.cpp)
  void go_on_as_reader(std::uint64_t number, contender_shell& shell, instant now);
  void went_on_as_reader(std::uint64_t number, contender_shell& shell, recipes::code answer, instant now);
  void log_unmarked(const contender_shell& shell, recipes::code answer);

  // watches (session_watches.cpp)
  [[nodiscard]] static bool is_granted(const contender_shell& shell) noexcept;
  void watch(std::uint64_t number, contender_shell& shell, watched what, instant now);
  [[nodiscard]] static client::watch_id& watch_of(contender_shell& shell, watched what) noexcept;
  [[nodiscard]] std::string watched_path(const contender_shell& shell, watched what) const;
  client::watch_id new_watch(std::uint64_t number, contender_shell& shell, watched what, const std::string& path);
  void forget(client::watch_id& watch);
  void forget_watches(contender_shell& shell);

  // multi-locks (session_multi_locks.cpp)
  void begin_group(std::shared_ptr<acquisition> wanted, instant now);
  void tell_group(std::uint64_t number, const recipes::multi_contender_event& what, instant now);
  void tell_all_groups(const recipes::multi_contender_event& what, instant now);
  void tell_group_of_member(contender_shell& shell, recipes::action what, instant now);
  void perform(std::uint64_t number, group_shell& group, recipes::multi_action what, instant now);
  std::uint64_t add_member(std::uint64_t number, group_shell& group, std::size_t place);
  void create_all(std::uint64_t number, group_shell& group, instant now);
  void begin_step(std::uint64_t number, group_shell& group, instant now);
  void let_pass(const group_shell& group, instant now);
  [[nodiscard]] std::shared_ptr<hold> hold_of_part(group_shell& group, std::size_t part, instant now);
  [[nodiscard]] bool drop_if_over(std::uint64_t number);
  void dissolve(const group_shell& group, instant now);
  void ungroup(std::uint64_t number);
  void note_progress(const group_shell& group);
  void deliver(std::uint64_t number, group_shell& group, instant now);
  void refuse(group_shell& group);
  void lose(std::uint64_t number, group_shell& group, std::size_t place);
  void lose_all_holds();
  void on_group_reply(const engine::ledger::entry& asked, client::reply&& answer, instant now);
  void fire_group_timers(std::uint64_t number, instant now);

  // operations (session_operations.cpp)
  [[nodiscard]] engine::session_facts facts(instant now) const override;
  void send(std::uint64_t operation, engine::tag as, client::any_request&& what, bool first, instant now) override;
  void forget_requests(std::uint64_t operation) noexcept override { ledger_.forget(operation); }
  void note_containers_refused() noexcept override { containers_ = false; }
  void log(environment::severity level, const std::string& text) override { world_.log(level, text); }
  [[nodiscard]] bool node_in_doubt(const hold& one) const override;
  void look_after(const hold& one, instant now) override;
  [[nodiscard]] static bool is_heartbeat(const engine::ledger::entry& asked) noexcept;
  void stop_operations_of_no_use(instant now);
  void handle_reply(std::uint64_t generation, client::request_id id, client::reply&& answer, instant now);
  void settle(instant now);

  // the session itself (session_core.cpp)
  void reopen(instant now);
  void poll(instant now);
  void connected(const client::session_event& event, instant now);
  void suspended(instant now);
  void end_session(loss_reason why, instant now);
  void leave_unconfirmed(instant given_up);
  void end_holds_in_session();
  void retire_connection(instant now, std::optional<instant> close_at = {});
  void close_lingering(instant until);
  [[nodiscard]] instant end_of_margin() const;
  void remove_lost(instant now);
  void enter(standing state, bool new_session = false);
  [[nodiscard]] std::optional<failure> failure_of_session() const;
  void go_on_closing(instant now);
  void answer_close(instant now);

  // heartbeat and deadline (session_heartbeat.cpp)
  void send(std::uint64_t contender, purpose what, client::any_request&& request, instant now);
  void heartbeat(instant now);
  void lose_by_deadline(instant now);
  void send_heartbeat(instant now);
  void send_beat(recipes::local_deadline::request_kind kind, instant now);
  [[nodiscard]] client::any_request quorum_write() const;
  [[nodiscard]] client::code quorum_answer(client::code answer);
  void look_after_holds(instant now);
  void prove(const engine::ledger::entry& asked, client::code answer, instant now);
  [[nodiscard]] bool is_pressed() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds beat_interval() const noexcept;
  void deliver_waiting_grants(instant now);
  [[nodiscard]] std::optional<instant> heartbeat_due() const;
  void warn_of_terms(std::chrono::milliseconds granted);
  void watch_soon(std::uint64_t number, instant now);
  void look_again(std::uint64_t number, instant now);

  const session_config config_;
  client::factory* servers_;  ///< never null
  environment& world_;

  standing state_ = standing::connecting;
  std::uint64_t generation_ = 0;
  std::unique_ptr<client::connection> connection_;
  std::unordered_map<std::uint64_t, std::unique_ptr<client::connection>> closing_;  ///< by generation
  using at_the_margins_end = std::multimap<instant, std::uint64_t>;
  at_the_margins_end lingering_;          ///< generations in `closing_`, whose close is still to come
  at_the_margins_end lost_nodes_;         ///< contenders of holds that were lost by the deadline, on an adopted handle
  std::chrono::milliseconds granted_{0};  ///< the latest timeout, of any session
  std::int64_t session_id_ = 0;
  bool warned_of_timeout_ = false;
  std::chrono::nanoseconds warned_of_margin_{-1};
  bool containers_ = true;  ///< the servers know containers
  std::optional<instant> reopen_at_;
  std::optional<instant> poll_at_;

  std::shared_ptr<lease> lease_ = std::make_shared<lease>();
  recipes::local_deadline deadline_;
  std::optional<instant> connected_at_;  ///< nothing while there is no connection
  bool beats_when_idle_ = false;
  bool root_is_hidden_ = false;  ///< the root's access list forbids to read it

  std::uint64_t last_contender_ = 0;
  shell_map contenders_;
  std::map<std::uint64_t, group_shell> groups_;  ///< numbered like contenders
  std::size_t holds_ = 0;                        ///< delivered and not ended
  std::size_t waiting_grants_ = 0;
  own_node_looks own_looks_;                         ///< of holders whose own node is not watched (yet)
  loss_reason ending_ = loss_reason::node_removed;   ///< why a machine that says `lose` does so now
  std::vector<std::shared_ptr<acquisition>> again_;  ///< to begin with a new contender

  engine::operation_table operations_{*this};
  struct late_reply {
    std::uint64_t generation;
    client::request_id id;
    client::reply answer;
  };
  std::deque<late_reply> inbox_;  ///< what came while an operation was busy, the first first

  engine::ledger ledger_;
  client::watch_id last_watch_ = 0;
  std::unordered_map<client::watch_id, watch_entry> watches_;
  std::size_t watched_bytes_ = 0;

  std::set<std::pair<instant, std::uint64_t>> timers_;  ///< of contenders; stale ones are harmless

  std::optional<instant> close_limit_;  ///< set once close() was called
  bool close_unconfirmed_ = false;
  instant nodes_may_stand_until_{0};  ///< of sessions that were given up without a server's word
  bool close_answered_ = false;
};

}  // namespace zklock::detail
