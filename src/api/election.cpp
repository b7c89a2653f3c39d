#include <zklock/election.hpp>

#include <utility>

#include <zklock/error.hpp>

#include "src/api/acquirable_state.hpp"
#include "src/api/async_operation.hpp"
#include "src/api/async_wait.hpp"
#include "src/api/boot_now.hpp"
#include "src/api/election_state.hpp"
#include "src/api/election_view.hpp"
#include "src/api/option_check.hpp"
#include "src/api/waited_operation.hpp"
#include "src/errors/error_of.hpp"
#include "src/operations/proclaim.hpp"
#include "src/operations/read_leader.hpp"
#include "src/port/path.hpp"
#include "src/port/request_check.hpp"

namespace zklock {
namespace {

constexpr std::string_view following = "follow the leader of";
constexpr std::string_view asking = "ask for the leader of";
constexpr std::string_view proclaiming = "proclaim";

std::optional<leader_view> leader_or_thrown(std::optional<leader_view>&& seen, std::string_view path) {
  if (seen && seen->error) {
    throw error(seen->error, asking, path);
  }
  return std::move(seen);
}

/// That there is somebody, or that nobody may know.
bool is_answer(const leader_view& one) {
  return one.is == leader_view::state::present || one.is == leader_view::state::refused;
}

}  // namespace

std::string_view to_string(election_status::state value) noexcept {
  switch (value) {
    case election_status::state::idle: return "idle";
    case election_status::state::standing: return "standing";
    case election_status::state::leading: return "leading";
    case election_status::state::ending: return "ending";
    case election_status::state::pausing: return "pausing";
    case election_status::state::over: return "over";
  }
  return "?";
}

std::string_view to_string(leader_view::state value) noexcept {
  switch (value) {
    case leader_view::state::unknown: return "unknown";
    case leader_view::state::present: return "present";
    case leader_view::state::none: return "none";
    case leader_view::state::refused: return "refused";
  }
  return "?";
}

// ---- a term ---------------------------------------------------------------------------------------------------------

term::term() noexcept = default;
term::term(grant&& of, std::shared_ptr<detail::term_state> state) noexcept
    : grant(std::move(of)), state_(std::move(state)) {}
term::term(term&&) noexcept = default;
term& term::operator=(term&&) noexcept = default;
term::~term() = default;

std::string term::data() const {
  if (!state_) {
    return {};
  }
  if (state_->session->forked()) {
    throw error(errc::forked, "data", path());  // the mutex may stay locked for ever
  }
  const scoped_lock_on lock(state_->mutex);
  return state_->data;
}

void term::proclaim(std::string_view data) const {
  const detail::calls::proclaim said(*this, data);
  detail::require_may_wait(*said.in->session, proclaiming, said.path);
  detail::blocking_receiver<detail::failure> told;
  std::uint64_t number = 0;
  said.in->begin_proclaim(said.data, told.shared(), number);
  said.in->proclaimed(number, said.data, told.wait(), said.path);
}

void term::proclaim(std::string_view data, std::error_code& ec) const {
  ec.clear();
  try {
    proclaim(data);
  } catch (const error& failure) {
    ec = failure.code();
  }
}

// ---- a candidate ----------------------------------------------------------------------------------------------------

election::election(session& in, std::string_view path, election_options options)
    : state_(std::make_shared<detail::election_state>(detail::session_access::impl(in), path, std::move(options))) {}

election::~election() { state_->abandon(); }

const std::string& election::path() const noexcept { return state_->path(); }

// This object may go while a call of it waits: what the call needs is in the state that it keeps.
void election::run(const lead_function& f, std::stop_token stop) {
  const auto kept = state_;
  kept->run(f, stop);
}

term election::campaign(std::stop_token stop) { return campaign_within({}, std::move(stop)); }

term election::campaign_within(detail::time_limit limit, std::stop_token stop) {
  const auto kept = state_;
  return kept->campaign(limit, std::move(stop));
}

election_status election::status() const { return state_->status(); }

bool election::healthy(std::chrono::milliseconds max_late) const {
  detail::require_valid_duration(max_late, "max_late");
  return state_->is_healthy(max_late);
}

std::vector<participant> election::queue() const {
  const auto kept = state_;
  return detail::queue_of(kept->lock(), nullptr);
}

// ---- who leads ------------------------------------------------------------------------------------------------------

namespace {

std::shared_ptr<detail::followed_election> follow(const std::shared_ptr<detail::session_impl>& in,
                                                  std::string_view path) {
  detail::require_valid_path(path, following);
  if (in->forked()) {
    throw error(errc::forked, following, path);
  }
  auto made = std::make_shared<detail::followed_election>(detail::followed_election{in, std::string(path)});
  in->begin(made->follows);
  return made;
}

}  // namespace

election_observer::election_observer(session& in, std::string_view path, std::function<void(const leader_view&)> f)
    : followed_(follow(detail::session_access::impl(in), path)) {
  if (f) {
    const auto& here = followed_->session;
    followed_->told = std::make_shared<detail::view_observation<leader_view>>(
        std::move(f), here->options().close_time_limit, here->servers());
    if (auto first = followed_->slot->observe(followed_->told)) {
      here->notify(std::move(first), "an observer of an election");
    }
  }
}

election_observer::election_observer(election_observer&& other) noexcept = default;

election_observer& election_observer::operator=(election_observer&& other) noexcept {
  election_observer before(std::move(other));
  before.followed_.swap(followed_);  // also of itself
  return *this;
}

election_observer::~election_observer() {
  if (followed_ && !followed_->session->forked()) {
    if (followed_->told) {  // first: it is not to hear that nothing is followed any more
      detail::end_observation(*followed_->told, "an observer of an election");
    }
    followed_->session->abandon(followed_->follows);
  }
}

const std::string& election_observer::path() const noexcept { return followed_->path; }

leader_view election_observer::current() const {
  if (followed_->session->forked()) {
    throw error(errc::forked, "current", followed_->path);  // the slot's mutex may stay locked for ever
  }
  return followed_->slot->view();
}

leader_view leader(session& in, std::string_view path, std::chrono::milliseconds time_limit) {
  detail::require_valid_path(path, asking);
  detail::require_valid_duration(time_limit, "time_limit");
  const std::shared_ptr<detail::session_impl> here = detail::session_access::impl(in);  // the session object may go
  detail::require_may_wait(*here, asking, path);
  const std::string of(path);
  const auto until = detail::boot_now() + time_limit;
  const auto result = detail::wait_for<operations::read_leader_result>(
      here, [&](const auto& told) { return std::make_shared<operations::read_leader>(of, until, told); });
  if (result.why.ec) {
    throw detail::error_with(result.why.ec, result.why.answer, asking, path, here->root());
  }
  leader_view told = detail::view_of_leader(result.is, result.leader, recipes::code::ok, of);
  if (told.error) {
    throw error(told.error, asking, path);
  }
  told.current = true;
  told.as_of = boot_clock::now();
  return told;
}

namespace {

struct followed_until_told {
  followed_until_told() = default;
  followed_until_told(const followed_until_told&) = delete;
  followed_until_told& operator=(const followed_until_told&) = delete;
  ~followed_until_told() {
    if (of && !of->session->forked()) {
      of->session->abandon(of->follows);
    }
  }
  std::shared_ptr<detail::followed_election> of{};
};

}  // namespace

std::optional<leader_view> detail::wait_leader_for(session& in, std::string_view path, std::chrono::nanoseconds limit,
                                                   std::stop_token stop) {
  require_may_wait(*session_access::impl(in), asking, path);
  followed_until_told here;
  here.of = follow(session_access::impl(in), path);
  return leader_or_thrown(here.of->slot->wait(is_answer, limit, stop, asking, here.of->path), path);
}

// ---- without a thread -----------------------------------------------------------------------------------------------

detail::calls::proclaim::proclaim(const term& by, std::string_view says) : in(by.state_), path(by.path()), data(says) {
  if (!by || !in) {
    throw error(make_error_code(errc::not_owner), proclaiming, path, "an empty term");
  }
  // Before it is sent: those that fall together have one answer.
  const client::request::set sent{in->session->root() + by.node(), data, -1};
  if (!client::may_be_sent(client::any_request(sent))) {
    throw error(make_error_code(errc::request_too_large), proclaiming, path, std::to_string(says.size()) + " bytes");
  }
}

void detail::calls::proclaim::start(std::unique_ptr<handler> told) {
  require_not_forked(*in->session, name, path);
  const auto number = std::make_shared<std::uint64_t>(0);
  const auto call = make_async<failure>(
      in->session, std::move(told),
      [of = in, at = path, says = data, number](const failure& why) { of->proclaimed(*number, says, why, at); });
  const own_tasks_only leaving_others;
  in->begin_proclaim(data, call, *number);
}

detail::calls::campaign::campaign(const election& of, acquire_options with) : in(of.state_), how(std::move(with)) {}

void detail::calls::campaign::start(std::unique_ptr<handler> told) {
  in->start_campaign(std::move(how), std::move(told));
}

detail::calls::wait_leader::wait_leader(const session& of, std::string_view at, wait_options with)
    : in(session_access::impl(of)), path(at), how(std::move(with)) {
  require_valid_path(path, asking);
}

void detail::calls::wait_leader::start(std::unique_ptr<handler> told) {
  const own_tasks_only leaving_others;
  const auto here = std::make_shared<followed_until_told>();
  here->of = follow(in, path);
  start_wait(in, std::move(told), here->of->slot, is_answer, how, name, path,
             [here, at = path](std::optional<leader_view>&& seen) { return leader_or_thrown(std::move(seen), at); });
}

}  // namespace zklock
