#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/engine/session_engine.hpp"
#include "src/operations/lock_operations.hpp"
#include "tests/support/scripted_server.hpp"

namespace zklock::test_support {

/// A call to acquire, and what it was answered.
class asked_lock final : public operations::receiver<operations::acquire_result> {
 public:
  void complete(operations::acquire_result result) noexcept override {
    ++answers;
    hold = std::move(result.hold);
    error = result.why.ec;
    code = result.why.answer;
    path = result.why.path;
    detail = result.why.detail;
    blocked_by = result.blocked_by ? result.blocked_by->path : "";
    blocker_is_read = result.blocked_by && result.blocked_by->data;
  }

  std::weak_ptr<operations::acquire> call;
  int answers = 0;
  std::shared_ptr<zklock::detail::hold> hold;
  std::error_code error;
  recipes::code code = recipes::code::ok;
  std::string path;
  std::string detail;
  std::string blocked_by;  ///< of one try: the node
  bool blocker_is_read = false;
};

class asked_release final : public operations::release_receiver {
 public:
  void complete(operations::release_result result) noexcept override {
    ++answers;
    error = result.ec;
    code = result.answer;
  }

  int answers = 0;
  std::error_code error;
  recipes::code code = recipes::code::ok;
};

/// A lock object, as its calls know it.
[[nodiscard]] std::shared_ptr<zklock::detail::lock_target> target_at(std::string_view path,
                                                                     recipes::layout layout = recipes::layout::native);

/// A session, and what locks ask of it, in a world of which every step is scripted: time, connections, the answer to
/// each request, which the server gives when it is told to.
class scripted_port final : public scripted_server,
                            public client::factory,
                            public detail::environment,
                            private client::observer {
 public:
  struct sent_request {
    std::uint64_t generation;
    client::request_id id;
    client::any_request what;
  };

  explicit scripted_port(detail::session_config config = default_config(), bool handle_is_adopted = false);
  static detail::session_config default_config();

  // ---- what the session's user does
  std::shared_ptr<asked_lock> acquire(std::string_view path, std::optional<detail::instant> until = {},
                                      bool one_try = false);
  std::shared_ptr<asked_lock> acquire_as(const recipes::acquire_spec& wanted, std::string_view path,
                                         std::optional<detail::instant> until = {}, bool one_try = false);
  /// By a lock object that the test keeps: target_at().
  std::shared_ptr<asked_lock> acquire_by(const std::shared_ptr<detail::lock_target>& object,
                                         const recipes::acquire_spec& wanted, bool one_try = false);
  /// A multi-lock.
  using path_and_spec = std::pair<std::string_view, recipes::acquire_spec>;
  std::shared_ptr<asked_lock> acquire_all(const std::vector<path_and_spec>& parts,
                                          std::optional<detail::instant> until = {}, bool one_try = false);
  void abandon(const std::shared_ptr<asked_lock>& unwanted);
  std::shared_ptr<asked_release> release(const std::shared_ptr<asked_lock>& of) { return release(of->hold); }
  std::shared_ptr<asked_release> release(const std::shared_ptr<detail::hold>& of);

  // ---- what happens
  void connect(std::int64_t session = 0x100, std::chrono::milliseconds timeout = std::chrono::seconds(6));
  void disconnect();  ///< and every request under way fails
  void session_event(client::connection_state state);
  /// To the instant `to`, with a call of on_timer whenever the session asked for one.
  void advance_to(detail::instant to);
  /// Answers the oldest request, truly or with this failure.
  void answer(recipes::code failure = recipes::code::ok);
  void answer_all();
  /// The oldest request is done, but its answer is lost.
  void lose_answer();
  void closed_by_client(std::uint64_t generation, bool confirmed) { engine.on_closed(generation, confirmed, now); }

  // ---- what is seen
  /// "create list": requests under way, the oldest first. "check": a multi of one check, which only asks the quorum.
  [[nodiscard]] std::string asked() const;
  /// The same of one connection.
  [[nodiscard]] std::string asked_of(std::uint64_t its_generation) const;
  [[nodiscard]] const std::string& path_of(std::size_t place) const;
  template <class Request>
  [[nodiscard]] const Request& request(std::size_t place) const {
    return std::get<Request>(requests.at(place).what);
  }
  [[nodiscard]] bool warned_of(std::string_view text) const;
  [[nodiscard]] bool adopted() const noexcept override { return adopted_; }

  detail::instant now = std::chrono::seconds(100);
  std::deque<sent_request> requests;
  std::vector<std::uint64_t> opened;  ///< generations
  std::vector<std::uint64_t> closing;
  std::optional<recipes::code>
      answers_at_once;  ///< each request with this, from within submit(), as a dead handle does
  int answered_at_once = 0;
  bool resolvable = true;
  bool closes_attempts = true;                  ///< a server does; else none is found
  bool newcomers = false;                       ///< are to be had
  std::vector<std::uint64_t> newcomers_opened;  ///< generations
  std::vector<std::string> newcomers_at;        ///< the last server that each was told
  std::vector<std::function<void()>> notices;   ///< of the user's
  std::vector<std::string> refusals;            ///< that users would be told
  client::watch_budget budget;
  int polls = 0;
  bool handle_has_expired = false;  ///< and has not said so
  int disposed = 0;
  std::set<std::uint64_t> observed;  ///< generations whose connection may still call
  std::vector<std::pair<session_state, bool>> states;
  std::vector<std::error_code> closed_with;
  std::vector<std::shared_ptr<detail::hold>> lost;
  std::vector<std::string> asked_at_loss;  ///< asked(), when each of them was told
  std::vector<log_line> lines;

 private:
  class connection;
  const bool adopted_;  // asked for while `locks` is made

 public:
  engine::session_engine engine;
  operations::lock_operations locks;

 private:
  // client::factory
  std::unique_ptr<client::connection> open(const client::parameters& with, client::observer& to) override;
  std::unique_ptr<client::connection> open_newcomer(const client::parameters& with, client::observer& to,
                                                    std::string_view last_server) override;
  bool last_attempt_was_closed() const override { return closes_attempts; }
  std::size_t server_count() const noexcept override { return 3; }
  client::watch_budget budget_of_watches() const noexcept override { return budget; }
  std::string describe() const override { return "scripted"; }

  // detail::environment
  recipes::contender_id next_id() override { return {0xabc, ++ids_}; }
  std::string describe_contender(recipes::contender_mode, std::uint64_t, std::string_view label, std::string) override {
    return "label=" + std::string(label);
  }
  client::observer& observer_of(std::uint64_t generation) override {
    opening_ = generation;
    observed.insert(generation);
    return *this;
  }
  void dispose(std::uint64_t generation, std::unique_ptr<client::connection>) override {
    ++disposed;
    observed.erase(generation);
  }
  std::shared_ptr<detail::hold> make_hold(detail::hold_facts of) override {
    return std::make_shared<detail::hold>(std::move(of));
  }
  void notice_of_loss(std::shared_ptr<detail::hold> hold) override {
    lost.push_back(std::move(hold));
    asked_at_loss.push_back(asked());
  }
  void notify(std::function<void()> what, std::string) override { notices.push_back(std::move(what)); }
  void note_refusal(const std::string& why) override { refusals.push_back(why); }
  void state_changed(session_state state, bool new_session) override { states.emplace_back(state, new_session); }
  void closed(std::error_code result) override { closed_with.push_back(result); }
  void log(log_line line) override { lines.push_back(std::move(line)); }

  // client::observer, which is not called: the script speaks to the core itself
  void on_reply(client::request_id, const client::reply_view&) override {}
  void on_node_event(client::watch_id, client::node_event) override {}
  void on_session_event(const client::session_event&) override {}
  void on_closed(bool) override {}

  // scripted_server
  void on_fired(client::watch_id id, client::node_event event) override {
    engine.on_node_event(generation(), id, event, now);
  }

  [[nodiscard]] std::uint64_t generation() const { return opened.empty() ? 0 : opened.back(); }

  std::uint64_t opening_ = 0;
  std::uint64_t ids_ = 0;
};

}  // namespace zklock::test_support
