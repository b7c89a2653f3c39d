#include "tests/sim/program.hpp"

#include <algorithm>
#include <utility>

#include <zklock/loss.hpp>

#include "src/api/hold_notice.hpp"
#include "tests/sim/mixed.hpp"
#include "tests/sim/program_listeners.hpp"

namespace zklock::sim {
namespace {

std::string_view name(session_state state) {
  switch (state) {
    case session_state::connecting: return "connecting";
    case session_state::connected: return "connected";
    case session_state::suspended: return "suspended";
    case session_state::expired: return "expired";
    case session_state::authentication_failed: return "auth failed";
    case session_state::closed: return "closed";
  }
  return "?";
}

}  // namespace

program::program(int number, script wanted, const std::vector<lock_plan>& locks, const session_settings& session,
                 testing::ensemble& servers, int first_server, checkers& told, std::uint64_t salt, program* host)
    : number_(number),
      wanted_(std::move(wanted)),
      servers_(servers),
      told_(told),
      salt_(salt),
      host_(host),
      factory_(number, servers.clients(number, first_server, session.stays), told),
      locks_(locks) {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    owners_.push_back(std::make_shared<detail::lock_owners>());
    targets_.emplace_back();
    const auto& bounds = locks_[i].hand_over;
    turns_.push_back(bounds ? std::make_shared<operations::hand_over>(*bounds) : nullptr);
  }
  if (host_ != nullptr) {
    host_->guests_.push_back(this);
    told_.same_session(number_, host_->number_);
    return;
  }
  detail::session_config config;
  config.timeout = session.timeout;
  config.tick = session.tick;
  config.slice = slice_of_programs;
  engine_ =
      std::make_unique<engine::session_engine>(std::move(config), factory_, static_cast<detail::environment&>(*this));
  operations_ = std::make_unique<operations::lock_operations>(*engine_);
}

program::~program() {
  if (turn_) {
    turn_->wait.reset();  // which has it
  }
}

void program::open(bool beats_when_idle) {
  if (host_ != nullptr) {
    return;
  }
  if (beats_when_idle) {
    engine_->beat_when_idle();
  }
  engine_->open(now());
}

void program::fire_timer() {
  process().engine_->on_timer(now());
  if (candidate_ && candidate_->now() == recipes::candidacy::state::pausing && candidate_->due() <= now()) {
    go_on_as_candidate(candidate_->timer(now()));
  }
}

void program::crash() {
  program& all = process();
  all.note("crashes");
  all.crashed_ = true;
  told_.crashed(all.number_);
  for (program* const guest : all.guests_) {
    guest->crashed_ = true;
    told_.crashed(guest->number_);
  }
  servers_.network().crash(all.number_);
}

void program::stop(bool stopped) noexcept {
  stopped_ = stopped;
  for (program* const guest : guests_) {
    guest->stopped_ = stopped;
  }
}

void program::tidy() {
  dead_.clear();
  for (const auto& what : std::exchange(to_call_, {})) {
    what();
  }
  for (const auto& lost : std::exchange(to_announce_, {})) {
    lost->notice()->announce();
  }
}

// ---- questions ------------------------------------------------------------------------------------------------------

std::optional<instant> program::next_timer() const {
  if (crashed_) {
    return std::nullopt;
  }
  std::optional<instant> first;
  if (host_ == nullptr) {
    first = engine_->next_timer();
  }
  if (rests_until_ && *rests_until_ > now() && (!first || *rests_until_ < *first)) {
    first = rests_until_;
  }
  if (candidate_ && candidate_->now() == recipes::candidacy::state::pausing && (!first || candidate_->due() < *first)) {
    first = candidate_->due();
  }
  return first;
}

std::optional<instant> program::limit() const {
  return waiting() && !crashed_ && !stopped_ ? attempt_->until : std::nullopt;
}

bool program::done() const {
  return crashed_ || (next_ >= wanted_.size() && (!attempt_ || answered_) && releases_under_way_ == 0 && !held() &&
                      !is_candidate() && !turn_ && !closing_ && !looking_ && !setting_limit_ &&
                      std::ssize(writes_answered_) == writes_ && changes_answered_ == changes_ &&
                      operations().contender_count() == 0);
}

bool program::connected() const noexcept { return !crashed_ && engine().session().state() == session_state::connected; }

std::vector<std::string> program::take_notes() { return std::exchange(notes_, {}); }

void program::note(std::string line) {
  if (keep_notes_) {
    notes_.push_back(std::move(line));
  }
}

// ---- environment ----------------------------------------------------------------------------------------------------

recipes::contender_id program::next_id() {
  const std::uint64_t which = ids_.size() + 1;
  constexpr std::uint64_t version = 0xF000, version_random = 0x4000, variant = 0x8000'0000'0000'0000;
  const std::uint64_t drawn = mixed(salt_ ^ (which << 8U) ^ static_cast<std::uint64_t>(number_ + 1));
  // a UUID as it is, so that the same digits are found in both layouts' names
  const recipes::contender_id made((drawn & ~version) | version_random,
                                   variant | ((static_cast<std::uint64_t>(number_) << 32U) + which));
  ids_.emplace_back(made.text());
  told_.id_made(number_, made.text());
  return made;
}

client::observer& program::observer_of(std::uint64_t generation) { return ears_.emplace_back(*this, generation); }

void program::dispose(std::uint64_t /*generation*/, std::unique_ptr<client::connection> dead) {
  dead_.push_back(std::move(dead));
}

std::string program::describe_contender(recipes::contender_mode mode, std::uint64_t /*owner*/, std::string_view label,
                                        std::string /*into*/) {
  return recipes::with_mode(
      mode, "\nhost=sim\nlabel=" + std::string(label) + "\ntime=" + std::to_string(wall_clock_.count()) + "\n");
}

void program::closed(std::error_code result) {
  closing_ = false;
  told_.seen().note(transcript::entry::session_closed, number_, result);
  note("session closed" + (result ? ": " + result.message() : std::string()));
}

std::shared_ptr<detail::hold> program::make_hold(detail::hold_facts of) {
  return detail::make_noticed_hold(std::move(of));
}

void program::notice_of_loss(std::shared_ptr<detail::hold> lost) {
  const auto was_granted = [&lost](const program* one) {
    return std::find(one->holds_.begin(), one->holds_.end(), lost) != one->holds_.end();
  };
  const auto guest = std::find_if(guests_.begin(), guests_.end(), was_granted);
  program& whose = guest == guests_.end() ? *this : **guest;
  whose.note("lost " + lost->node() + ": " + std::string(to_string(lost->why_lost())));
  told_.seen().note(transcript::entry::loss_told, whose.number_, *lost);
  told_.loss_told(whose.number_, *lost);
  if (whose.works_) {
    whose.candidate_->lost();
  }
  to_announce_.push_back(std::move(lost));
}

void program::state_changed(session_state state, bool new_session) {
  told_.seen().note(transcript::entry::state_changed, number_, name(state), new_session);
  note("session " + std::string(name(state)) + (new_session ? " (new)" : ""));
  if (state == session_state::expired) {
    if (!engine_->deadline().has_holds()) {  // else one was lost at its deadline
      told_.session_given_up(number_, last_session_, servers_);
    }
  } else if (state == session_state::connected) {
    last_session_ = engine_->session().id();
  }
}

void program::log(log_line line) { note("log: " + line.text); }

}  // namespace zklock::sim
