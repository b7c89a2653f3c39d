#include <zklock/watched_value.hpp>

#include <utility>
#include <vector>

#include <zklock/error.hpp>

#include "src/api/acquirable_state.hpp"
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

[[noreturn]] void fail(const detail::watched_node& of, const operations::transaction_failure& why) {
  throw detail::error_with(why.ec, why.answer, updating, of.path, of.session->root());
}

/// One try: read, change, write. Nothing: the node was another one by then, or no server took it.
std::optional<node_data> try_update(const detail::watched_node& of,
                                    const std::vector<std::shared_ptr<detail::hold>>& guards, const edit& f, bool fresh,
                                    detail::instant until) {
  const auto& in = of.session;
  const std::stop_token lost =
      guards.empty() ? std::stop_token() : detail::lost_token(*guards.front(), detail::boot_now());
  operations::read_result read = detail::read(in, of.path, fresh, until, lost);
  if (lost.stop_requested()) {
    fail(of, {errc::lost});
  }
  if (read.why.ec) {
    fail(of, {read.why.ec, read.why.answer});
  }
  if (!read.found) {
    fail(of, {errc::node_missing});
  }
  const recipes::node_stat stat = read.found->stat;
  std::string next = f(read.found->data);
  detail::blocking_receiver<operations::transaction_result> told;
  in->begin_transaction(std::make_shared<operations::conditional_write>(
      guards, operations::conditional_write::write{of.path, next, stat}, until, of.follows, told.shared()));
  const operations::transaction_result result = told.wait();
  const bool late = detail::boot_now() >= until;
  if (result.failure.ec == errc::version_mismatch || (result.failure.ec == errc::not_connected && !late)) {
    return std::nullopt;
  }
  if (result.failure.ec) {
    fail(of, result.failure);
  }
  const client::stat& now = result.results[0].stat;
  return node_data{std::move(next), now.version, now.czxid, now.mzxid};
}

node_data update_of(const detail::watched_node& of, const std::vector<std::shared_ptr<detail::hold>>& guards,
                    const edit& f, std::chrono::milliseconds time_limit) {
  detail::require_valid_duration(time_limit, "time_limit");
  detail::require_may_wait(*of.session, updating, of.path);
  if (!f) {
    throw error(errc::invalid_option, updating, of.path, "null function");
  }
  const detail::instant until = detail::boot_now() + time_limit;
  for (bool fresh = false;; fresh = true) {
    if (auto written = try_update(of, guards, f, fresh, until)) {
      return *std::move(written);
    }
  }
}

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
  const auto is_later = [after](const value_view& one) {
    return one.change > after && one.is != value_view::state::unknown;
  };
  return kept->slot->wait(is_later, limit, stop, "wait_change", kept->path);
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
  const auto kept = node_;
  return update_of(*kept, {}, f, time_limit);
}

node_data watched_value::update(const grant& guard, const edit& f, std::chrono::milliseconds time_limit) {
  const std::shared_ptr<detail::hold> held = detail::grant_access::held(guard);
  if (!held) {
    throw error(errc::not_owner, updating, node_->path, "an empty grant");
  }
  if (detail::grant_access::session(guard) != node_->session) {
    throw error(errc::wrong_session, updating, node_->path);
  }
  const auto kept = node_;
  return update_of(*kept, {held}, f, time_limit);
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
