#include "src/runtime/session_impl.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <future>
#include <utility>

#include <zklock/clock.hpp>
#include <zklock/error.hpp>

#include "recipes/contender_data.hpp"
#include "recipes/local_deadline.hpp"
#include "src/runtime/log.hpp"
#include "src/runtime/fork_guard.hpp"

namespace zklock::detail {
namespace {

session_config config_of(const session_options& options, std::string root) {
  session_config config;
  config.root = std::move(root);
  config.timeout = options.timeout;
  config.margin = options.margin;
  config.tick = options.tick;
  if (!options.auth.empty()) {
    config.auth_scheme = "digest";
    config.auth_credentials = options.auth;
  }
  return config;
}

session_state state_of(standing state) {
  switch (state) {
    case standing::connecting: return session_state::connecting;
    case standing::connected: return session_state::connected;
    case standing::suspended: return session_state::suspended;
    case standing::expired: return session_state::expired;
    case standing::auth_failed: return session_state::authentication_failed;
    case standing::closed: return session_state::closed;
  }
  return session_state::closed;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string wall_clock_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

}  // namespace

instant boot_now() noexcept { return boot_clock::now().time_since_epoch(); }

session_impl::session_impl(std::shared_ptr<client::factory> servers, std::string root, session_options options)
    : options_(std::move(options)),
      servers_(std::move(servers)),
      description_(servers_->describe()),
      host_(host_name()),
      fork_generation_(detail::fork_generation()),
      timeout_ms_(options_.timeout.count()),
      margin_ns_(recipes::expected_terms({options_.timeout, options_.tick, options_.margin}).margin.count()),
      strand_([this] { settle(); }, [this] { return call_for_help(); }),
      core_(config_of(options_, std::move(root)), *servers_, *this) {}

session_impl::~session_impl() {
  if (time_thread_.joinable()) {
    std::error_code ignored;
    close(ignored);
  }
}

void session_impl::start() {
  time_thread_ = std::thread([this] { keep_time(); });
  helpless_ = false;
  std::exception_ptr failure;
  strand_.run([this, &failure] {
    core_.beat_when_idle();
    try {
      core_.open(boot_now());
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure) {
    {
      const scoped_lock_on lock(mutex_);
      ended_ = true;
    }
    stop_threads();
    std::rethrow_exception(failure);
  }
}

bool session_impl::forked() const noexcept { return detail::fork_generation() != fork_generation_; }

// ---- what the user asks for -----------------------------------------------------------------------------------------

void session_impl::begin(std::shared_ptr<engine::operation> wanted) {
  strand_.run([this, wanted = std::move(wanted)] { core_.begin(wanted, boot_now()); });
}

void session_impl::begin(std::shared_ptr<operations::acquire> wanted) {
  strand_.run([this, wanted = std::move(wanted)] { core_.begin(wanted, boot_now()); });
}

void session_impl::begin(std::shared_ptr<operations::transaction> wanted) {
  strand_.run([this, wanted = std::move(wanted)] { core_.begin(wanted, boot_now()); });
}

void session_impl::abandon(const std::shared_ptr<engine::operation>& unwanted) {
  strand_.run([this, unwanted] { core_.abandon(unwanted, boot_now()); });
}

void session_impl::release(const std::shared_ptr<hold>& given_back,
                           std::shared_ptr<operations::release_receiver> caller) {
  strand_.run([this, given_back, caller = std::move(caller)] { core_.release(given_back, caller, boot_now()); });
}

void session_impl::downgrade(const std::shared_ptr<hold>& writing) {
  strand_.run([this, writing] { core_.downgrade(writing, boot_now()); });
}

bool session_impl::on_client_thread() const noexcept {
  return client_thread_.load(std::memory_order_relaxed) == this_thread_number();
}

void session_impl::close(std::error_code& ec) noexcept {
  const instant now = boot_now();
  strand_.run([this, now] { core_.close(now + options_.close_limit, now); });
  {
    const scoped_lock_on lock(mutex_);
    while (!closed_) {
      changed_.wait(mutex_);
    }
    ec = *closed_;
    if (std::exchange(ended_, true)) {
      return;  // another thread is about it
    }
    helpless_ = true;
  }
  stop_threads();
}

void session_impl::stop_threads() noexcept {
  timer_.ring();
  if (time_thread_.joinable()) {
    time_thread_.join();
  }
  strand_.take_over();
  notices_.stop();
  std::vector<dead_connection> dead;
  {
    const scoped_lock_on lock(mutex_);
    dead.swap(dead_);
  }
}

bool session_impl::wait_connected(std::chrono::nanoseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  const scoped_lock_on lock(mutex_);
  for (;;) {
    switch (state()) {
      case session_state::connected: return true;
      case session_state::closed:
      case session_state::authentication_failed: return false;
      default: break;
    }
    if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) {
      return state() == session_state::connected;
    }
  }
}

void session_impl::observe(state_observer::function observer) { observer_->set(std::move(observer)); }

std::chrono::milliseconds session_impl::timeout() const noexcept {
  return std::chrono::milliseconds(timeout_ms_.load(std::memory_order_relaxed));
}

std::chrono::nanoseconds session_impl::margin() const noexcept {
  return std::chrono::nanoseconds(margin_ns_.load(std::memory_order_relaxed));
}

bool session_impl::readopt(std::shared_ptr<client::factory> servers) {
  const auto answer = std::make_shared<std::promise<std::optional<std::size_t>>>();
  auto done = answer->get_future();
  strand_.run([this, servers = std::move(servers), answer]() mutable {
    std::optional<std::size_t> gone_then;
    if (servers_->adopted() && core_.ask_for_expiry(boot_now())) {
      gone_then = count_disposed() + core_.closing_count();
      former_servers_.push_back(std::exchange(servers_, std::move(servers)));
      core_.reopen_with(*servers_, boot_now());
    }
    answer->set_value(gone_then);
  });
  const std::optional<std::size_t> gone_then = done.get();
  if (gone_then) {
    const scoped_lock_on lock(mutex_);
    while (disposed_ < *gone_then) {  // the program may close the dead handle when we return
      changed_.wait(mutex_);
    }
  }
  return gone_then.has_value();
}

std::size_t session_impl::count_disposed() {
  const scoped_lock_on lock(mutex_);
  return disposed_;
}

std::size_t session_impl::observer_count() const {
  const scoped_lock_on lock(mutex_);
  return observers_.size();
}

// ---- what the connections say ---------------------------------------------------------------------------------------

void session_impl::connection_observer::on_reply(client::request_id id, client::reply&& answer) {
  if (recipes::answered_by_server(answer.code)) {  // other answers may come on the thread that has asked
    owner_.client_thread_.store(this_thread_number(), std::memory_order_relaxed);
  }
  owner_.strand_.run([this, id, answer = std::move(answer)]() mutable {
    owner_.core_.on_reply(generation_, id, std::move(answer), boot_now());
  });
}

void session_impl::connection_observer::on_node_event(client::watch_id id, client::node_event event) {
  owner_.strand_.run([this, id, event] { owner_.core_.on_node_event(generation_, id, event, boot_now()); });
}

void session_impl::connection_observer::on_session_event(const client::session_event& event) {
  owner_.strand_.run([this, event] {
    owner_.core_.on_session_event(generation_, event, boot_now());
    owner_.note_terms();
  });
}

void session_impl::connection_observer::on_closed(bool confirmed) {
  owner_.strand_.run([this, confirmed] { owner_.core_.on_closed(generation_, confirmed, boot_now()); });
}

// ---- what the core asks for (on the strand) -------------------------------------------------------------------------

recipes::contender_id session_impl::next_id() { return random_.next_id(); }

std::string session_impl::describe_contender(recipes::contender_mode mode, std::string_view label) {
  return recipes::contender_data(mode, host_, getpid(), label, wall_clock_text());
}

client::observer& session_impl::observer_of(std::uint64_t generation) {
  const scoped_lock_on lock(mutex_);
  const auto made = observers_.emplace(generation, std::make_unique<connection_observer>(*this, generation));
  return *made.first->second;
}

void session_impl::dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) {
  const scoped_lock_on lock(mutex_);
  dead_.push_back({std::move(observers_[generation]), std::move(dead)});
  observers_.erase(generation);
  ++disposed_;
  changed_.notify_all();
  timer_.ring();  // the time thread destroys it: this may be a thread that it joins
}

std::shared_ptr<hold_notice> session_impl::make_notice() { return std::make_shared<hold_notice>(); }

void session_impl::notice_of_loss(std::shared_ptr<hold> lost) {
  std::string nodes = lost->node();
  std::replace(nodes.begin(), nodes.end(), '\n', ' ');  // a multi-lock's
  log::write(log::level::warn, "lost " + nodes + ": " + std::string(to_string(lost->why_lost())));
  notices_.post([lost = std::move(lost)] { lost->notice()->announce(); });
}

/// Before a new state is told, and behind what changes without one.
void session_impl::note_terms() {
  if (const recipes::deadline_terms& terms = core_.terms(); terms.timeout.count() > 0) {
    timeout_ms_.store(core_.granted_timeout().count(), std::memory_order_relaxed);
    margin_ns_.store(terms.margin.count(), std::memory_order_relaxed);
  }
}

void session_impl::state_changed(standing now, bool new_session) {
  note_terms();
  const session_state changed_to = state_of(now);
  log::write(log::level::info, std::string("session ") + (new_session ? "new, " : "") +
                                   std::string(to_string(changed_to)) + " (" + description_ + ")");
  const scoped_lock_on lock(mutex_);
  state_.store(changed_to, std::memory_order_release);
  changed_.notify_all();
  notices_.post([told = observer_, change = session_change{changed_to, new_session}] { told->tell(change); });
}

void session_impl::closed(std::error_code result) {
  const scoped_lock_on lock(mutex_);
  closed_ = result;
  changed_.notify_all();
}

void session_impl::log(severity level, std::string_view line) {
  switch (level) {
    case severity::debug: log::write(log::level::debug, line); break;
    case severity::info: log::write(log::level::info, line); break;
    case severity::warning: log::write(log::level::warn, line); break;
    case severity::error: log::write(log::level::error, line); break;
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

/// What is due is done by whoever is on the strand; for the rest the alarm is set. One that is set too early does no harm,
/// so it is only ever moved forward.
void session_impl::settle() {
  std::optional<instant> next = core_.next_timer();
  if (const instant now = boot_now(); next && *next <= now) {
    core_.on_timer(now);
    next = core_.next_timer();
  }
  if (next && *next < timer_set_to_) {
    timer_set_to_ = *next;
    timer_.set(*next);
  }
}

bool session_impl::call_for_help() {
  if (helpless_.load()) {
    return false;
  }
  timer_.ring();
  return true;
}

void session_impl::keep_time() {
  for (;;) {
    timer_.wait();
    std::vector<dead_connection> dead;
    {
      const scoped_lock_on lock(mutex_);
      if (ended_) {
        return;
      }
      dead.swap(dead_);
    }
    dead.clear();
    strand_.run([this] {
      timer_set_to_ = instant::max();
      core_.on_timer(boot_now());
    });
    strand_.take_over();
  }
}

}  // namespace zklock::detail
