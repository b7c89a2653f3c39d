#include "src/api/election_state.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <zklock/error.hpp>

#include "recipes/joined.hpp"
#include "src/api/async_call.hpp"
#include "src/api/boot_now.hpp"
#include "src/api/option_check.hpp"
#include "src/api/target_of.hpp"
#include "src/errors/error_of.hpp"
#include "src/log/log.hpp"
#include "src/port/request_check.hpp"
#include "src/threads/user_code.hpp"

namespace zklock::detail {
namespace {

using recipes::candidacy;

class election_terms final : public lock_terms {
 public:
  explicit election_terms(election_names names) noexcept : names_(names) {}
  [[nodiscard]] owner_again again() const noexcept override { return owner_again::would_deadlock; }
  [[nodiscard]] lock_class measured_as() const noexcept override { return lock_class::election; }
  [[nodiscard]] recipes::acquire_spec spec_of(lock_mode, recipes::acquire_spec in) const override {
    in.kind = names_ == election_names::latch ? recipes::contender_kind::latch : recipes::contender_kind::mutex;
    return in;
  }

 private:
  const election_names names_;
};

std::shared_ptr<const lock_target> target_of_election(std::string_view path, const election_options& options,
                                                      session_impl& in) {
  const lock_options as_lock{.acl = options.acl, .layout = layout::curator, .max_hold = options.max_hold};
  require_valid_name(options.name);
  auto target = std::make_shared<lock_target>(
      *target_of(path, as_lock, in.options(), !in.adopted(), in.meter_of(options.name, lock_class::election)));
  target->payload = options.data;
  target->revocable = false;
  require_valid_names(options.names);
  require_valid_duration(options.stand_interval, "stand_interval");
  const std::string node = recipes::joined({in.root(), path, "/_c_00000000-0000-0000-0000-000000000000-latch-"});
  const client::request::create made{node, options.data, client::create_mode::ephemeral_sequential, target->acl};
  if (!client::may_be_sent(client::any_request(made))) {
    throw error(make_error_code(errc::request_too_large), "stand for", path,
                std::to_string(options.data.size()) + " bytes of data");
  }
  return target;
}

/// Whether standing again may go well, without a person.
bool may_stand_again(const std::error_code& why, const session_impl& in) {
  return is_transient(why) || why == errc::abandoned || (in.adopted() && why == errc::session_expired);
}

election_status::state state_of(candidacy::state now) {
  switch (now) {
    case candidacy::state::idle: return election_status::state::idle;
    case candidacy::state::standing: return election_status::state::standing;
    case candidacy::state::leading: return election_status::state::leading;
    case candidacy::state::ending:
    case candidacy::state::releasing: return election_status::state::ending;
    case candidacy::state::pausing: return election_status::state::pausing;
    case candidacy::state::over: return election_status::state::over;
  }
  return election_status::state::idle;
}

/// What stands in the way while the work runs on: asked each time, since a term that is to end may be lost as well.
std::function<log_line()> overrun_of(const lock_state& of, std::shared_ptr<hold> term) {
  return [path = of.path(), servers = of.its_session()->servers(), term = std::move(term)] {
    const bool lost = !term->held_at(boot_now());
    const std::string what = lost ? " was lost, and its work still runs: another one may lead beside it"
                                  : " is to end, and its work still runs: nobody else leads until it returns";
    return log_line{log_level::warning, "a term of " + path + what, path, {}, servers};
  };
}

/// The servers do not let the node be removed.
bool is_refusal_of_removal(const std::error_code& ec) {
  return ec && ec != errc::lost && ec != errc::release_unconfirmed && ec != errc::session_closed && ec != errc::forked;
}

/// A rest ends when the session is closed: it is looked at so often.
constexpr std::chrono::milliseconds closed_noticed_within{100};

}  // namespace

struct election_state::course {
  term current{};
  std::exception_ptr failure{};
  std::stop_source of_term{};
  std::shared_ptr<operations::overrun> overrun{};
};

class election_state::claim {
 public:
  claim(election_state& of, bool campaigns, std::string_view operation) : of_(of) {
    if (of.session()->forked()) {
      throw error(errc::forked, operation, of.path());
    }
    const bool has_term = of.lock_->owners()->find(of.owner_) != nullptr;
    std::stop_source stopping;  // allocates: before anything is claimed
    const scoped_lock_on lock(of.mutex_);
    if (of.claimed_ || has_term) {
      throw error(make_error_code(errc::would_deadlock), operation, of.path(), "this object stands or leads already");
    }
    of.claimed_ = true;
    of.campaigning_ = campaigns;
    of.stopping_.swap(stopping);
    of.candidacy_ = candidacy(of.options_.stand_interval);
    of.since_ = boot_now();
  }
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  ~claim() {
    const scoped_lock_on lock(of_.mutex_);
    of_.claimed_ = of_.working_ = false;
    if (of_.campaigning_) {
      of_.candidacy_ = candidacy(of_.options_.stand_interval);  // a stop has ended it: it is run()'s machine
    }
    of_.since_ = boot_now();
    of_.changed_.notify_all();
  }

 private:
  election_state& of_;
};

election_state::election_state(std::shared_ptr<session_impl> session, std::string_view path, election_options options)
    : options_(std::move(options)),
      lock_(std::make_shared<lock_state>(session, std::make_shared<election_terms>(options_.names),
                                         target_of_election(path, options_, *session))),
      owner_(new_owner_number()),
      candidacy_(options_.stand_interval) {}

/// With the machine; what is told of the state goes by it.
template <class Event>
election_state::command election_state::on(Event&& event) {
  const scoped_lock_on lock(mutex_);
  const auto before = state_of(candidacy_.now());
  const command next = event(candidacy_);
  if (state_of(candidacy_.now()) != before) {
    since_ = boot_now();
  }
  if (next == command::work) {
    ++terms_;
    working_ = true;
  }
  return next;
}

void election_state::stop() {
  static_cast<void>(on([](candidacy& one) { return one.stop(); }));
  std::stop_source all(std::nostopstate);
  {
    const scoped_lock_on lock(mutex_);
    changed_.notify_all();
    all = stopping_;
  }
  all.request_stop();
}

void election_state::run(const election::lead_function& f, const std::stop_token& stop) {
  if (!f) {
    throw error(errc::invalid_option, "run", path(), "null function");
  }
  if (in_user_code()) {
    throw error(errc::would_deadlock, "run", path());  // the end of a term is told on the thread that this would block
  }
  const claim claimed(*this, false, "run");
  course of;
  const std::stop_callback when_stopped(stop, [this] { this->stop(); });
  command next = on([](candidacy& one) { return one.begin(boot_now()); });
  while (next != command::end) {
    switch (next) {
      case command::stand: next = stand(of); break;
      case command::work: next = work(of, f); break;
      case command::release: next = release(of); break;
      default: next = pause(); break;
    }
  }
  if (of.failure) {
    std::rethrow_exception(of.failure);
  }
}

election_state::command election_state::stand(course& of) {
  using answer = candidacy::answer;
  answer what = answer::granted;
  bool stopped = false;
  try {
    of.current = make_term(lock_->acquire(mine(), {}, nullptr, stopping()));
  } catch (const error& why) {
    what = may_stand_again(why.code(), *session()) ? answer::later : answer::refused;
    if (what == answer::refused) {
      of.failure = std::current_exception();
    }
    stopped = why.code() == errc::abandoned;  // nothing else abandons it
    const scoped_lock_on lock(mutex_);
    last_error_ = why.code();
  } catch (...) {
    what = answer::refused;
    of.failure = std::current_exception();
  }
  return on([what, stopped](candidacy& one) {
    if (stopped) {
      static_cast<void>(one.stop());
    }
    return one.answered(what, boot_now());
  });
}

election_state::command election_state::work(course& of, const election::lead_function& f) {
  of.of_term = std::stop_source();
  bool threw = false;
  {
    const std::stop_callback when_lost(of.current.lost(), [this, &of] { enough(of, true); });
    const std::stop_callback when_stopped(stopping(), [this, &of] { enough(of, false); });
    try {
      f(of.current, of.of_term.get_token());
    } catch (...) {
      of.failure = std::current_exception();
      threw = true;
    }
  }
  if (of.overrun) {
    session()->abandon(std::exchange(of.overrun, nullptr));
  }
  {
    const scoped_lock_on lock(mutex_);
    working_ = false;
    changed_.notify_all();
  }
  return on([threw](candidacy& one) { return one.returned(threw); });
}

void election_state::enough(course& of, bool lost) {
  std::shared_ptr<operations::overrun> begun;
  static_cast<void>(on([&](candidacy& one) {
    if (lost) {
      one.lost();
    }
    return command::none;
  }));
  {
    const scoped_lock_on lock(mutex_);
    if (!of.overrun) {
      of.overrun = begun = std::make_shared<operations::overrun>(overrun_of(*lock_, grant_access::held(of.current)),
                                                                 session()->status().timeout());
    }
  }
  if (begun) {
    session()->begin(begun);
  }
  of.of_term.request_stop();
}

/// Waits for the removal, so that who is told of the end finds it done; not in a known outage, in which it goes on by itself.
election_state::command election_state::release(course& of) {
  const bool lost = !of.current.held();
  std::error_code ec;
  if (session()->status().state() == session_state::connected) {
    of.current.resign(ec);
  }
  of.current = term();
  const bool refused = is_refusal_of_removal(ec);
  if (refused) {  // it would stand behind its own node, and nobody would lead
    of.failure = std::make_exception_ptr(error(ec, "resign from", path()));
    const scoped_lock_on lock(mutex_);
    last_error_ = ec;
  }
  return on([lost, refused](candidacy& one) {
    if (lost) {
      one.lost();
    }
    return one.released(boot_now(), refused);
  });
}

election_state::command election_state::pause() {
  {
    const scoped_lock_on lock(mutex_);
    for (instant now = boot_now(); candidacy_.now() == candidacy::state::pausing && now < candidacy_.due() &&
                                   session()->status().state() != session_state::closed;
         now = boot_now()) {
      const instant rest = std::min<instant>(candidacy_.due() - now, closed_noticed_within);
      changed_.wait_until(mutex_, std::chrono::steady_clock::now() + rest);
    }
    if (candidacy_.now() == candidacy::state::over) {
      return command::end;
    }
  }
  const bool closed = session()->status().state() == session_state::closed;
  return on([closed](candidacy& one) { return one.timer(closed ? one.due() : boot_now()); });
}

term election_state::campaign(time_limit limit, std::stop_token stop) {
  const claim claimed(*this, true, "campaign");
  const std::stop_callback when_stopped(stop, [this] { this->stop(); });
  grant got;
  try {
    got = lock_->acquire(mine(), limit, nullptr, stopping());
  } catch (const error& why) {
    note_failure(why.code());
    throw;
  }
  return term_of(std::move(got));
}

void election_state::note_failure(std::error_code why) {
  const scoped_lock_on lock(mutex_);
  last_error_ = why;
}

term election_state::term_of(grant&& got) {
  if (!got) {
    return {};
  }
  {
    const scoped_lock_on lock(mutex_);
    ++terms_;
  }
  return make_term(std::move(got));
}

/// A campaign without a thread, until it is told.
class election_state::campaigner final : public answer_handler<grant> {
 public:
  campaigner(const std::shared_ptr<election_state>& of, std::stop_token stop,
             std::unique_ptr<calls::campaign::handler> told)
      : of_(of), told_(std::move(told)) {
    claimed_.emplace(*of_, true, "campaign");
    when_stopped_.emplace(std::move(stop), stopping{of_.get()});
  }
  void complete(std::error_code ec, const error* why, grant got) override {
    when_stopped_.reset();
    if (ec) {
      of_->note_failure(ec);
    }
    term made;
    try {
      made = of_->term_of(std::move(got));
    } catch (const std::bad_alloc&) {
      ec = make_error_code(std::errc::not_enough_memory);
    }
    claimed_.reset();  // before it is told: it may stand again
    told_->complete(ec, why, std::move(made));
  }

 private:
  struct stopping {
    void operator()() const {
      if (!of->session()->forked()) {
        of->stop();
      }
    }
    election_state* of;
  };
  const std::shared_ptr<election_state> of_;
  const std::unique_ptr<calls::campaign::handler> told_;
  std::optional<claim> claimed_{};
  std::optional<std::stop_callback<stopping>> when_stopped_{};
};

void election_state::start_campaign(acquire_options how, std::unique_ptr<calls::campaign::handler> told) {
  auto mine_alone = std::make_unique<campaigner>(shared_from_this(), std::exchange(how.stop, {}), std::move(told));
  how.stop = stopping();
  start_async_call(lock_, mine(), std::move(how), std::move(mine_alone));
}

void term_state::begin_proclaim(std::string says_now, std::shared_ptr<operations::receiver<failure>> told,
                                std::uint64_t& number) {
  const scoped_lock_on lock(mutex);  // the order of the calls is that of their numbers
  number = ++said;
  session->begin(std::make_shared<operations::proclaim>(says, std::move(says_now), std::move(told)));
}

void term_state::proclaimed(std::uint64_t number, const std::string& says_now, const failure& why,
                            std::string_view path) {
  if (why.ec) {
    throw error_with(why.ec, why.answer, "proclaim", path, session->root());
  }
  const scoped_lock_on lock(mutex);
  if (number > stored) {
    stored = number;
    data = says_now;
  }
}

term election_state::make_term(grant&& of) {
  auto state = std::make_shared<term_state>(session(), grant_access::held(of), options_.data);
  return {std::move(of), std::move(state)};
}

election_status election_state::status() const {
  if (session()->forked()) {
    throw error(errc::forked, "status", path());
  }
  const std::shared_ptr<hold> term = lock_->owners()->find(owner_);
  const bool leads = term && term->held_at(boot_now());
  election_status told;
  const scoped_lock_on lock(mutex_);
  const bool runs = claimed_ && !campaigning_;
  if (runs || (!term && candidacy_.now() == candidacy::state::over)) {
    told.is = state_of(candidacy_.now());
    if (told.is == election_status::state::leading && !leads) {
      told.is = election_status::state::ending;  // it is over, and its work is not told yet
    }
  } else if (claimed_) {
    told.is = election_status::state::standing;
  } else if (leads) {
    told.is = election_status::state::leading;
  }
  if (leads) {
    told.token = {term->token().czxid, term->token().turn};
  }
  told.since = boot_clock::time_point(since_);
  told.terms = terms_;
  told.last_error = last_error_;
  return told;
}

bool election_state::is_healthy(instant max_late) const {
  if (session()->forked()) {
    throw error(errc::forked, "healthy", path());
  }
  const instant now = boot_now();
  if (now - session()->status().last_connected(now) > max_late) {
    return false;
  }
  const std::shared_ptr<hold> term = lock_->owners()->find(owner_);
  const bool untold = term && now - term->valid_until() > max_late;  // it is over, and its work is not told yet
  const scoped_lock_on lock(mutex_);
  const bool is_late = (candidacy_.now() == candidacy::state::ending && now - since_ > max_late) ||
                       (candidacy_.now() == candidacy::state::leading && untold);
  const bool has_failed = candidacy_.now() == candidacy::state::over && candidacy_.why() != candidacy::end::stopped;
  return !is_late && !has_failed;
}

void election_state::abandon() noexcept {
  if (session()->forked()) {
    return;
  }
  stop();
  lock_->abandon();
  const std::chrono::nanoseconds limit = session()->options().close_time_limit;
  const auto until = user_code_deadline(limit);
  bool still_works = false;
  {
    const scoped_lock_on lock(mutex_);
    while (working_ && changed_.wait_until(mutex_, until) != std::cv_status::timeout) {}
    still_works = working_;
  }
  if (still_works && !in_user_code()) {
    log::write({log_level::warning,
                "an election at " + path() + " is destroyed, and its leader's function still runs after " +
                    milliseconds_text(limit),
                path(),
                {},
                session()->servers()});
  }
}

}  // namespace zklock::detail
