#include <zklock/watched_value.hpp>

#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/async_operation.hpp"
#include "src/api/async_wait.hpp"
#include "src/api/hold_notice.hpp"
#include "src/api/option_check.hpp"
#include "src/api/read_result.hpp"
#include "src/api/watched_slot.hpp"
#include "src/errors/error_of.hpp"
#include "src/operations/conditional_write.hpp"
#include "src/port/path.hpp"

namespace zklock {
namespace {

constexpr std::string_view watching = "watch";
constexpr std::string_view updating = "update";

using edit = std::function<std::string(const std::string&)>;

std::shared_ptr<detail::watched_node> begin(const session& in, std::string_view path) {
  detail::require_valid_path(path, watching);
  const auto& here = detail::session_access::impl(in);
  if (here->forked()) {
    throw error(errc::forked, watching, path);
  }
  auto node = std::make_shared<detail::watched_node>(detail::watched_node{here, std::string(path)});
  here->begin(node->follows);
  return node;
}

auto wanted_view(std::uint64_t after) {
  return [after](const value_view& one) { return one.change > after && one.is != value_view::state::unknown; };
}

/// One update: read, change, write; once more where the node was another one by then, or no server took it.
class update_steps {
 public:
  update_steps(std::shared_ptr<detail::watched_node> of, std::shared_ptr<detail::hold> guard, edit f,
               std::chrono::milliseconds time_limit)
      : of_(std::move(of)), f_(std::move(f)), until_(detail::boot_now() + time_limit) {
    if (guard) {
      guards_.push_back(std::move(guard));
    }
  }

  /// Of the guard's hold: ends the read.
  [[nodiscard]] std::stop_token lost() const {
    return guards_.empty() ? std::stop_token() : detail::lost_token(*guards_.front(), detail::boot_now());
  }
  [[nodiscard]] auto read(std::shared_ptr<operations::receiver<operations::read_result>> told) {
    return std::make_shared<operations::read_node>(of_->path, std::exchange(fresh_, true), until_, std::move(told));
  }
  /// Calls the user's function.
  [[nodiscard]] auto change(operations::read_result&& read,
                            std::shared_ptr<operations::receiver<operations::transaction_result>> told) {
    if (lost().stop_requested()) {
      fail({errc::lost});
    }
    if (read.why.ec) {
      fail({read.why.ec, read.why.answer});
    }
    if (!read.found) {
      fail({errc::node_missing});
    }
    const recipes::node_stat stat = read.found->stat;
    next_ = f_(read.found->data);
    return std::make_shared<operations::conditional_write>(
        guards_, operations::conditional_write::write{of_->path, next_, stat}, until_, of_->follows, std::move(told));
  }
  /// What was written. Nothing: once more.
  [[nodiscard]] std::optional<node_data> written(const operations::transaction_result& result) {
    const bool late = detail::boot_now() >= until_;
    if (result.failure.ec == errc::version_mismatch || (result.failure.ec == errc::not_connected && !late)) {
      return std::nullopt;
    }
    if (result.failure.ec) {
      fail(result.failure);
    }
    const client::stat& now = result.results[0].stat;
    return node_data{std::move(next_), now.version, now.czxid, now.mzxid};
  }
  [[noreturn]] void fail(const operations::transaction_failure& why) const {
    throw detail::error_with(why.ec, why.answer, updating, of_->path, of_->session->root());
  }
  [[nodiscard]] const std::shared_ptr<detail::watched_node>& of() const noexcept { return of_; }

 private:
  std::shared_ptr<detail::watched_node> of_;
  std::vector<std::shared_ptr<detail::hold>> guards_;
  edit f_;
  detail::instant until_;
  bool fresh_ = false;
  std::string next_;
};

void require_usable(const detail::watched_node& of, const edit& f, std::chrono::milliseconds time_limit) {
  detail::require_valid_duration(time_limit, "time_limit");
  if (!f) {
    throw error(errc::invalid_option, updating, of.path, "null function");
  }
}

/// Of a grant that is to guard an update.
std::shared_ptr<detail::hold> guard_of(const grant& guard, const detail::watched_node& of) {
  std::shared_ptr<detail::hold> held = detail::grant_access::held(guard);
  if (!held) {
    throw error(errc::not_owner, updating, of.path, "an empty grant");
  }
  if (detail::grant_access::session(guard) != of.session) {
    throw error(errc::wrong_session, updating, of.path);
  }
  return held;
}

node_data update_of(const std::shared_ptr<detail::watched_node>& of, std::shared_ptr<detail::hold> guard, const edit& f,
                    std::chrono::milliseconds time_limit) {
  require_usable(*of, f, time_limit);
  const std::shared_ptr<detail::session_impl> in = of->session;
  detail::require_may_wait(*in, updating, of->path);
  for (update_steps update(of, std::move(guard), f, time_limit);;) {
    auto read = detail::wait_for<operations::read_result>(
        in, [&](const auto& told) { return update.read(told); }, update.lost());
    detail::blocking_receiver<operations::transaction_result> told;
    in->begin_transaction(update.change(std::move(read), told.shared()));
    if (auto written = update.written(told.wait())) {
      return *std::move(written);
    }
  }
}

/// The same without a thread: its steps are taken on the notification thread.
class async_update final : private operations::receiver<operations::read_result>,
                           private operations::receiver<operations::transaction_result>,
                           private detail::task_thread::task,
                           public std::enable_shared_from_this<async_update> {
 public:
  using handler = detail::calls::update::handler;
  async_update(update_steps steps, std::stop_token stop, std::unique_ptr<handler> told)
      : steps_(std::move(steps)), stop_(std::move(stop)), told_(std::move(told)) {}

  void read() {
    const detail::own_tasks_only leaving_others;
    const std::shared_ptr<detail::session_impl> in = session();
    const std::shared_ptr<engine::operation> what = steps_.read({shared_from_this(), this});
    when_stopped_.emplace(stop_, detail::abandon_operation{in, what});
    when_lost_.emplace(steps_.lost(), detail::abandon_operation{in, what});
    try {
      in->begin(what);
    } catch (...) {
      forget_stops();
      throw;
    }
  }

 private:
  void complete(operations::read_result result) noexcept override {
    read_ = std::move(result);
    session()->post_answer({shared_from_this(), this});
  }
  void complete(operations::transaction_result result) noexcept override {
    written_ = std::move(result);
    session()->post_answer({shared_from_this(), this});
  }
  void run() override {
    forget_stops();
    std::optional<node_data> done;
    std::exception_ptr failure;
    try {
      done = go_on();
      if (!done) {
        return;  // another operation is under way
      }
    } catch (...) {
      failure = std::current_exception();
    }
    const std::unique_ptr<handler> told = std::move(told_);
    const update_steps ended = std::move(steps_);  // it may be the session's end
    detail::tell(*told, [&] {
      if (failure) {
        std::rethrow_exception(failure);
      }
      return *std::move(done);
    });
  }
  /// What was written. Nothing: an operation is begun, and this object is not touched any more.
  [[nodiscard]] std::optional<node_data> go_on() {
    if (read_) {
      const std::shared_ptr<detail::session_impl> in = session();
      require_wanted();  // before the function is called, which may be of a coroutine that has gone
      const auto write = steps_.change(*std::exchange(read_, std::nullopt), {shared_from_this(), this});
      require_wanted();
      in->begin_transaction(write);
      return std::nullopt;
    }
    std::optional<node_data> done = steps_.written(*std::exchange(written_, std::nullopt));
    if (!done) {
      require_wanted();
      read();
    }
    return done;
  }
  void require_wanted() const {
    if (stop_.stop_requested()) {
      steps_.fail({errc::abandoned});
    }
  }
  void forget_stops() noexcept {
    when_stopped_.reset();
    when_lost_.reset();
  }
  [[nodiscard]] const std::shared_ptr<detail::session_impl>& session() const noexcept { return steps_.of()->session; }
  [[nodiscard]] std::string name() const override { return "a handler"; }

  update_steps steps_;
  const std::stop_token stop_;
  std::unique_ptr<handler> told_;
  std::optional<operations::read_result> read_;
  std::optional<operations::transaction_result> written_;
  std::optional<std::stop_callback<detail::abandon_operation>> when_stopped_;
  std::optional<std::stop_callback<detail::abandon_operation>> when_lost_;
};

}  // namespace

std::string_view to_string(value_view::state value) noexcept {
  switch (value) {
    case value_view::state::unknown: return "unknown";
    case value_view::state::present: return "present";
    case value_view::state::absent: return "absent";
    case value_view::state::refused: return "refused";
  }
  return "?";
}

watched_value::watched_value(session& in, std::string_view path) : node_(begin(in, path)) {}
watched_value::watched_value(watched_value&& other) noexcept = default;

watched_value& watched_value::operator=(watched_value&& other) noexcept {
  watched_value before(std::move(other));
  before.node_.swap(node_);  // also of itself
  return *this;
}

watched_value::~watched_value() {
  if (node_ && !node_->session->forked()) {
    node_->session->abandon(node_->follows);
  }
}

const std::string& watched_value::path() const noexcept { return node_->path; }

value_view watched_value::current() const {
  if (node_->session->forked()) {
    throw error(errc::forked, "current", node_->path);  // the slot's mutex may stay locked for ever
  }
  return node_->slot->view();
}

std::optional<value_view> watched_value::wait_change_for(std::uint64_t after, std::chrono::nanoseconds limit,
                                                         std::stop_token stop) const {
  const auto kept = node_;  // a callback may destroy the value meanwhile
  detail::require_may_wait(*kept->session, "wait_change", kept->path);
  return kept->slot->wait(wanted_view(after), limit, stop, "wait_change", kept->path);
}

value_observer watched_value::observe(std::function<void(const value_view&)> f) {
  const auto& in = node_->session;
  if (in->forked()) {
    throw error(errc::forked, "observe", node_->path);
  }
  if (!f) {
    throw error(errc::invalid_option, "observe", node_->path, "null function");
  }
  const auto made = std::make_shared<detail::view_observation<value_view>>(std::move(f), in->options().close_time_limit,
                                                                           in->servers());
  if (auto first = node_->slot->observe(made)) {
    in->notify(std::move(first), detail::value_observer_name);
  }
  return value_observer(made);
}

node_data watched_value::update(const edit& f, std::chrono::milliseconds time_limit) {
  return update_of(node_, {}, f, time_limit);
}

node_data watched_value::update(const grant& guard, const edit& f, std::chrono::milliseconds time_limit) {
  return update_of(node_, guard_of(guard, *node_), f, time_limit);
}

// ---- without a thread -----------------------------------------------------------------------------------------------

detail::calls::wait_change::wait_change(const watched_value& from, std::uint64_t later_than, wait_options with)
    : of(from.node_), after(later_than), how(std::move(with)) {
  require_not_forked(*of->session, name, of->path);
}

void detail::calls::wait_change::start(std::unique_ptr<handler> told) {
  require_not_forked(*of->session, name, of->path);
  start_wait(of->session, std::move(told), of->slot, wanted_view(after), how, name, of->path,
             [](std::optional<value_view>&& seen) { return std::move(seen); });
}

detail::calls::update::update(const watched_value& from, edit change, const update_options& with)
    : of(from.node_),
      guard(with.guard != nullptr ? guard_of(*with.guard, *of) : nullptr),
      f(std::move(change)),
      how{nullptr, with.time_limit, with.stop} {
  require_usable(*of, f, how.time_limit);
  require_not_forked(*of->session, name, of->path);
}

void detail::calls::update::start(std::unique_ptr<handler> told) {
  require_not_forked(*of->session, name, of->path);
  edit guarded = [path = of->path, user = std::move(f)](const std::string& old) {
    try {
      return user(old);
    } catch (const std::exception& thrown) {
      throw error(make_error_code(errc::abandoned), name, path, std::string("its function threw: ") + thrown.what());
    } catch (...) {
      throw error(make_error_code(errc::abandoned), name, path, "its function threw");
    }
  };
  update_steps steps(of, std::move(guard), std::move(guarded), how.time_limit);
  std::make_shared<async_update>(std::move(steps), std::move(how.stop), std::move(told))->read();
}

value_observer::value_observer(value_observer&& other) noexcept = default;

value_observer& value_observer::operator=(value_observer&& other) noexcept {
  value_observer before(std::move(other));
  before.observation_.swap(observation_);
  return *this;
}

value_observer::~value_observer() {
  if (observation_) {
    detail::end_observation(*observation_, "an observer of a value");
  }
}

}  // namespace zklock
