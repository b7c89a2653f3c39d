#include "src/api/session_runner.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "recipes/deadline_terms.hpp"
#include "src/api/blocking_receiver.hpp"
#include "src/api/hold_notice.hpp"
#include "src/errors/printable.hpp"
#include "src/log/log.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {
session_runner::session_runner(std::shared_ptr<client::factory> servers, session_config config)
    : threads_per_connection_(servers->threads_per_connection()),
      servers_(std::move(servers)),
      status_(servers_->describe(), config.timeout,
              recipes::expected_terms({config.timeout, config.tick, config.margin}).margin),
      time_([this] { keep_time(); }),
      strand_([this] { do_what_is_due(); }, [this] { return time_.ring_if_running(); }),
      engine_(std::move(config), *servers_, *this),
      locks_(engine_) {}

std::size_t session_runner::threads() const noexcept {
  const std::size_t own = running() ? 2 + (loss_exit_.has_thread() ? 1 : 0) : 0;  // time_, notices_
  return own + connections_.observer_count() * threads_per_connection_;
}

void session_runner::start() {
  time_.start();
  std::exception_ptr failure;
  strand_.run([this, &failure] {
    engine_.beat_when_idle();
    try {
      engine_.open(boot_now());
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure) {
    stop_threads();
    std::rethrow_exception(failure);
  }
}

std::error_code session_runner::close(std::chrono::nanoseconds limit) noexcept {
  const auto until = user_code_deadline(limit);
  const instant now = boot_now();
  strand_.run([this, now, limit] { engine_.close(now + limit, now); });
  const std::error_code result = status_.wait_closed();
  if (time_.end()) {  // otherwise another thread is about it
    stop_threads();
  }
  if (const auto running = notices_.end_by(until); running && !in_user_code()) {
    log({log_level::warning,
         "close " + status_.servers() + ": " + *running + " still runs after " + milliseconds_text(limit)});
  }
  return result;
}

void session_runner::stop_threads() noexcept {
  time_.stop();
  strand_.take_over();
  loss_exit_.stop();
  connections_.take_dead().clear();
}

bool session_runner::readopt(std::shared_ptr<client::factory> servers) {
  blocking_receiver<std::optional<std::size_t>> answer;
  strand_.run([this, servers = std::move(servers), &answer]() mutable {
    std::optional<std::size_t> gone_then;
    if (servers_->adopted() && engine_.ask_for_expiry(boot_now())) {
      gone_then = connections_.disposed_count() + engine_.servers().handles().closing();
      former_servers_.push_back(std::exchange(servers_, std::move(servers)));
      engine_.reopen_with(*servers_, boot_now());
    }
    answer.complete(gone_then);
  });
  const std::optional<std::size_t> gone_then = answer.wait();
  if (gone_then) {
    connections_.wait_disposed(*gone_then);  // the program may close the dead handle when we return
  }
  return gone_then.has_value();
}

// ---- what the connections say ---------------------------------------------------------------------------------------

namespace {

/// An answer in a task of the strand: moved into the strand's queue, it takes its texts along.
class told_reply {
 public:
  explicit told_reply(const client::reply_view& answer) noexcept : seen_(&answer) {}
  told_reply(told_reply&& other) noexcept : kept_(other.answer().copy()) {}

  [[nodiscard]] client::reply_view answer() const noexcept { return seen_ != nullptr ? *seen_ : kept_; }

 private:
  const client::reply_view* seen_ = nullptr;
  client::reply kept_;
};

}  // namespace

void session_runner::connection_observer::on_reply(client::request_id id, const client::reply_view& answer) {
  if (recipes::answered_by_server(answer.code)) {  // other answers may come on the thread that has asked
    owner_.status_.note_client_thread();
  }
  owner_.strand_.run(
      [this, id, told = told_reply(answer)] { owner_.engine_.on_reply(generation_, id, told.answer(), boot_now()); });
}

void session_runner::connection_observer::on_node_event(client::watch_id id, client::node_event event) {
  owner_.strand_.run([this, id, event] { owner_.engine_.on_node_event(generation_, id, event, boot_now()); });
}

void session_runner::connection_observer::on_session_event(const client::session_event& event) {
  owner_.strand_.run([this, event] {
    owner_.told_password_ = event.password;
    owner_.engine_.on_session_event(generation_, event, boot_now());
    owner_.told_password_.clear();
    owner_.note_terms();
  });
}

void session_runner::connection_observer::on_closed(bool confirmed) {
  owner_.strand_.run([this, confirmed] { owner_.engine_.on_closed(generation_, confirmed, boot_now()); });
}

// ---- what the core asks for (on the strand) -------------------------------------------------------------------------

std::string session_runner::describe_contender(recipes::contender_mode mode, std::uint64_t owner,
                                               std::string_view label, std::string into) {
  return identity_.describe(mode, owner, label, std::move(into));
}

client::observer& session_runner::observer_of(std::uint64_t generation) {
  return connections_.add(generation, std::make_unique<connection_observer>(*this, generation));
}

void session_runner::dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) {
  connections_.dispose(generation, std::move(dead));
  time_.ring();  // the time thread destroys it: this may be a thread that it joins
}

std::shared_ptr<hold> session_runner::make_hold(hold_facts of) { return make_noticed_hold(std::move(of)); }

namespace {

/// Of a multi-lock its parts are told, too.
void count_loss(const hold& lost, instant now) {
  if (lost.meter() != nullptr) {
    lock_meter::side_meter& side = lost.meter()->side(!lost.exclusive());
    side.lost.add(now - lost.since());
    side.lost_by.at(static_cast<std::size_t>(lost.why_lost())).add();
  }
}

}  // namespace

void session_runner::notice_of_revocation(std::shared_ptr<hold> asked) {
  notices_.post([asked] { asked->notice()->announce_revocation(); },
                "a callback on revocation_requested() of " + in_one_line(asked->path()));
  log_line line{log_level::info, "asked to let go of " + in_one_line(asked->node()) + " by another client"};
  if (asked->parts().empty()) {
    line.lock = asked->path();
    line.contender = asked->node();
  }
  log(std::move(line));
}

void session_runner::notice_of_loss(std::shared_ptr<hold> lost) {
  count_loss(*lost, boot_now());
  loss_exit_.look_soon();
  // First: a sink may be slow.
  notices_.post(
      [lost] {
        lost->notice()->announce();
        lost->notice()->end(lost->why_lost());
      },
      "a callback on lost() of " + in_one_line(lost->path()));
  std::string nodes = in_one_line(lost->node());
  log_line line{log_level::warning, "lost " + nodes + ": " + std::string(to_string(lost->why_lost()))};
  if (lost->parts().empty()) {
    line.lock = lost->path();
    line.contender = std::move(nodes);
  } else {
    line.lock = lost->lost_part();
  }
  log(std::move(line));
}

/// Before a new state is told, and behind what changes without one.
void session_runner::note_terms() {
  if (const recipes::deadline_terms& terms = engine_.deadline().local().terms(); terms.timeout.count() > 0) {
    status_.set_terms(engine_.session().granted_timeout(), terms.margin);
  }
}

void session_runner::state_changed(session_state now, bool new_session) {
  note_terms();
  if (new_session) {
    meter().sessions_opened.add();
    process_sessions::all().add(engine_.session().id());
    ++own_sessions_;
  }
  if (now == session_state::suspended) {
    meter().connections_lost.add();
  }
  if (now == session_state::connected) {
    loss_exit_.look_soon();  // the deadline may have been drawn in
    status_.set_refusal({});
    status_.set_key({engine_.session().id(), told_password_});  // who is told the state asks for it
  }
  status_.set_state(now);
  for (const std::weak_ptr<observation>& each : observations_.all()) {  // a task for each: one that throws ends its own
    notices_.post(
        [each, change = session_change{now, new_session}] {
          if (const std::shared_ptr<observation> told = each.lock()) {
            told->notify(change);
          }
        },
        "an observer");
  }
  log({log_level::info, std::string("session ") + (new_session ? "new, " : "") + std::string(to_string(now)) + " (" +
                            status_.servers() + ")"});
}

void session_runner::log(log_line line) {
  try {
    line.session = status_.servers();
  } catch (const std::exception&) {  // no memory: the line goes without it
  }
  log::write(line);
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// What is due is done by the thread that is on the strand; for the rest the alarm is set. A task does a slice of it: the
/// next one is done behind what others have brought meanwhile.
void session_runner::do_what_is_due() {
  std::optional<instant> next = engine_.next_timer();
  const instant now = boot_now();
  if (next && *next <= now) {
    engine_.on_timer(now);
    next = engine_.next_timer();
  }
  if (next && *next <= now) {
    strand_.run([this] { engine_.on_timer(boot_now()); });
  } else if (next) {
    time_.set(*next);
  }
}

void session_runner::keep_time() {
  connections_.take_dead().clear();
  strand_.run([this] {
    time_.clear();
    engine_.on_timer(boot_now());
  });
  strand_.take_over();
}

}  // namespace zklock::detail
