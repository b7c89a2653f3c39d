#include "tests/sim/program.hpp"

#include <algorithm>
#include <utility>

#include <zklock/error.hpp>
#include <zklock/loss.hpp>

namespace zklock::sim {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

std::shared_ptr<const detail::lock_target> target_at(const std::string& path, std::string label) {
  auto made = std::make_shared<detail::lock_target>();
  made->path = path;
  made->label = std::move(label);
  made->acl = {client::acl_entry{}};
  return made;
}

recipes::contender_kind kind_of(detail::side of) {
  switch (of) {
    case detail::side::read: return recipes::contender_kind::read;
    case detail::side::write: return recipes::contender_kind::write;
    case detail::side::permits: return recipes::contender_kind::permit;
    case detail::side::whole: break;
  }
  return recipes::contender_kind::mutex;
}

std::vector<detail::wanted_part> parts_of(const std::vector<lock_plan>& locks, const std::vector<want>& wanted,
                                          int user, std::uint64_t attempt) {
  std::vector<detail::wanted_part> parts;
  for (const want& one : wanted) {
    const lock_plan& lock = locks[one.lock];
    parts.push_back({target_at(lock.path, label_of(user, attempt, wanted.size())),
                     {kind_of(one.of), one.permits, lock.asserted ? lock.limit : 0}});
  }
  return parts;
}

std::string_view name(detail::standing state) {
  switch (state) {
    case detail::standing::connecting: return "connecting";
    case detail::standing::connected: return "connected";
    case detail::standing::suspended: return "suspended";
    case detail::standing::expired: return "expired";
    case detail::standing::auth_failed: return "auth failed";
    case detail::standing::closed: return "closed";
  }
  return "?";
}

}  // namespace

std::string_view name(deed::kind what) noexcept {
  switch (what) {
    case deed::kind::acquire: return "acquires";
    case deed::kind::try_once: return "tries once";
    case deed::kind::abandon: return "abandons";
    case deed::kind::reenter: return "re-enters";
    case deed::kind::release: return "releases";
    case deed::kind::drop: return "drops its grant";
    case deed::kind::drop_first: return "drops its first grant";
    case deed::kind::downgrade: return "downgrades";
    case deed::kind::set_limit: return "sets the limit";
    case deed::kind::rest: return "rests";
    case deed::kind::crash: return "crashes";
    case deed::kind::close: return "closes its session";
    case deed::kind::look: return "looks at the queue";
    case deed::kind::write: return "writes, guarded";
  }
  return "?";
}

/// Hears one connection, and passes on what it hears.
struct program::ear final : client::observer {
  ear(program& whose, std::uint64_t which) : owner(whose), generation(which) {}
  void on_reply(client::request_id id, client::reply&& answer) override {
    owner.core_->on_reply(generation, id, std::move(answer), owner.now());
  }
  void on_node_event(client::watch_id id, client::node_event event) override {
    owner.core_->on_node_event(generation, id, event, owner.now());
  }
  void on_session_event(const client::session_event& event) override {
    owner.core_->on_session_event(generation, event, owner.now());
  }
  void on_closed(bool confirmed) override { owner.core_->on_closed(generation, confirmed, owner.now()); }
  program& owner;
  const std::uint64_t generation;
};

struct program::attempt final : detail::acquisition {
  attempt(program& whose, std::uint64_t which, std::vector<want> of, bool one_try, std::optional<instant> limit)
      : acquisition(parts_of(whose.locks_, of, whose.number_, which), of.size() > 1, one_try, limit),
        owner(whose),
        number(which),
        wanted(std::move(of)) {}
  void granted(std::shared_ptr<detail::hold> proof) noexcept override {
    owner.told_.granted(owner.number_, number, wanted, proof, owner.servers_);
    owner.granted(wanted, std::move(proof));
  }
  void refused(detail::failure why) noexcept override {
    owner.told_.refused(owner.number_, number, why.ec, owner.now());
    owner.refused(why.ec);
  }
  program& owner;
  const std::uint64_t number;
  const std::vector<want> wanted;
};

struct program::confirmation final : detail::release_listener {
  explicit confirmation(program& whose) : owner(whose) {}
  void released(std::error_code result, recipes::code) noexcept override {
    --owner.releases_under_way_;
    owner.told_.release_answered(owner.number_);
    owner.note("released" + (result ? ": " + result.message() : std::string()));
  }
  program& owner;
};

struct program::glance final : detail::inspection {
  glance(program& whose, std::size_t lock, instant limit)
      : inspection(target_at(whose.locks_[lock].path, ""), limit), owner(whose) {}
  void seen(std::vector<detail::seen_contender> queue) noexcept override {
    owner.told_.listings().answered(owner.number_, queue, owner.servers_);
    owner.looking_ = false;
    ++owner.looks_answered_;
    owner.queue_seen_.clear();
    std::string names;
    for (detail::seen_contender& one : queue) {
      names += " " + one.name;
      owner.queue_seen_.push_back(std::move(one.name));
    }
    owner.note("was told the queue:" + (names.empty() ? " nobody" : names));
  }
  void refused(std::error_code why, recipes::code) noexcept override {
    owner.told_.listings().refused(owner.number_, why, owner.now());
    owner.looking_ = false;
    owner.note("was not told the queue: " + why.message());
  }
  program& owner;
};

struct program::commit final : detail::transaction_request {
  commit(program& whose, int which, std::shared_ptr<detail::hold> guard)
      : transaction_request({std::move(guard)},
                            {client::request::create{std::string(written_path) + "/" + std::to_string(whose.number_) +
                                                         "-" + std::to_string(which) + "-",
                                                     "", client::create_mode::persistent_sequential}}),
        owner(whose),
        number(which) {}
  void applied(std::vector<client::part_result>) noexcept override { answered({}); }
  void failed(const detail::transaction_failure& why) noexcept override { answered(why.ec); }
  void answered(std::error_code why) {
    owner.told_.writes().answered(owner.number_, number, why, owner.servers_);
    owner.writes_answered_.push_back(why);
    owner.note(why ? "did not write: " + why.message() : std::string("has written"));
  }
  program& owner;
  const int number;
};

struct program::new_limit final : detail::limit_request {
  new_limit(program& whose, const std::string& path, std::uint32_t to, instant limit)
      : limit_request(target_at(path, ""), to, limit), owner(whose) {}
  void answered(const detail::limit_answer& what) noexcept override {
    owner.setting_limit_ = false;
    owner.note(what.ec ? "the limit was not set: " + what.ec.message() : std::string("has set the limit"));
  }
  program& owner;
};

program::program(int number, script wanted, const std::vector<lock_plan>& locks,
                 std::chrono::milliseconds session_timeout, testing::ensemble& servers, int first_server,
                 checkers& told, std::uint64_t salt, program* host)
    : number_(number),
      wanted_(std::move(wanted)),
      servers_(servers),
      told_(told),
      salt_(salt),
      host_(host),
      factory_(number, servers.clients(number, first_server), told),
      locks_(locks) {
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    books_.push_back(std::make_shared<detail::owner_book>());
  }
  if (host_ != nullptr) {
    host_->guests_.push_back(this);
    told_.same_session(number_, host_->number_);
    return;
  }
  detail::session_config config;
  config.timeout = session_timeout;
  core_ = std::make_unique<detail::session_core>(std::move(config), factory_, static_cast<detail::environment&>(*this));
}

program::~program() = default;

void program::open(bool keep_awake) {
  if (host_ != nullptr) {
    return;
  }
  if (keep_awake) {
    core_->keep_awake();
  }
  core_->open(now());
}

// ---- the user -------------------------------------------------------------------------------------------------------

bool program::may_act() const {
  if (crashed_ || stopped_ || next_ >= wanted_.size()) {
    return false;
  }
  const bool waits = attempt_ && !answered_;
  switch (wanted_[next_].what) {
    case deed::kind::acquire:
    case deed::kind::try_once: return !waits && releases_under_way_ == 0;
    case deed::kind::abandon: return waits;
    case deed::kind::reenter:
    case deed::kind::release:
    case deed::kind::drop:
    case deed::kind::drop_first:
    case deed::kind::downgrade: return !waits;
    case deed::kind::set_limit: return !waits && !setting_limit_;
    case deed::kind::rest: return !waits && (!rests_until_ || now() >= *rests_until_);
    case deed::kind::crash:
    case deed::kind::close: return true;
    case deed::kind::look: return !looking_;
    case deed::kind::write: return !waits;
  }
  return false;
}

void program::act() {
  const deed what = wanted_[next_++];
  switch (what.what) {
    case deed::kind::acquire:
    case deed::kind::try_once: acquire(what); break;
    case deed::kind::abandon: process().core_->stop(attempt_, recipes::refusal::abandoned, now()); break;
    case deed::kind::reenter: reenter(wanted_of(what).front()); break;
    case deed::kind::release: give_back(held(), true); break;
    case deed::kind::drop: give_back(held(), false); break;
    case deed::kind::drop_first: {
      const count first = taken_.front();
      taken_.erase(taken_.begin());
      give_back(first, false);
      break;
    }
    case deed::kind::downgrade: downgrade(); break;
    case deed::kind::set_limit: set_limit(what); break;
    case deed::kind::rest:
      if (!rests_until_) {  // begins; the deed is done when the time has passed
        rests_until_ = now() + *what.time;
        --next_;
      } else {
        rests_until_.reset();
      }
      break;
    case deed::kind::crash: crash(); break;
    case deed::kind::close:
      process().closing_ = true;
      process().core_->close(now() + what.time.value_or(instant{0}), now());
      break;
    case deed::kind::look: look(what); break;
    case deed::kind::write: write(); break;
  }
  skip_void_deeds();
}

/// What was to be done with a grant that did not come, or with a wait that has ended, is passed over.
void program::skip_void_deeds() {
  while (next_ < wanted_.size() && !crashed_) {
    const bool waits = attempt_ && !answered_;
    const deed::kind what = wanted_[next_].what;
    const bool of_wait = what == deed::kind::abandon;
    const bool of_hold = what == deed::kind::reenter || what == deed::kind::release || what == deed::kind::drop ||
                         what == deed::kind::drop_first || what == deed::kind::downgrade || what == deed::kind::write;
    if ((of_wait && !waits) || (of_hold && !waits && !held())) {
      ++next_;
      continue;
    }
    return;
  }
}

std::vector<want> program::wanted_of(const deed& what) const {
  return what.of.empty() ? std::vector<want>{want{}} : what.of;
}

/// As lock_state and multi_lock_state do it: what the thread holds already is counted, or stands in the way.
void program::acquire(const deed& what) {
  const std::vector<want> wanted = wanted_of(what);
  for (const want& one : wanted) {
    if (reentrant(one.lock) && book_of(one.lock)->find(me())) {
      if (wanted.size() == 1) {
        reenter(one);
      } else {
        note("not granted: it holds a part already");
      }
      return;
    }
  }
  const bool once = what.what == deed::kind::try_once;
  std::optional<instant> until;
  if (what.time) {
    until = now() + *what.time;
  }
  answered_ = false;
  attempt_ = std::make_shared<attempt>(*this, ++attempts_, wanted, once, until);
  told_.attempt_begun(number_, attempts_, until, once, servers_);
  process().core_->acquire(attempt_, now());
}

void program::reenter(const want& what) {
  using detail::owner_book;
  const std::uint64_t before = requests();
  const std::shared_ptr<owner_book>& book = book_of(what.lock);
  const owner_book::reentered mine = book->reenter(me(), what.of, now());
  if (!mine.proof) {
    return;
  }
  const bool counted = mine.what == owner_book::reentry::counted;
  const bool upgrade = mine.what == owner_book::reentry::would_deadlock;
  told_.reentered(number_, *mine.proof, counted || upgrade, requests() != before, now());
  note(counted ? "re-entered" : upgrade ? "not re-entered: it reads" : "not re-entered: lost");
  if (counted) {
    taken_.push_back({mine.proof, book, what.of});
  }
}

/// As grant::downgrade does it.
void program::downgrade() {
  count& one = taken_.back();
  if (one.of != detail::side::write || !one.proof->held_at(now()) || !one.book->downgrade(*one.proof)) {
    note("not downgraded");
    return;
  }
  one.of = detail::side::read;
  one.proof->downgrade();
  told_.downgraded(*one.proof);
  process().core_->downgrade(one.proof, now());
}

void program::set_limit(const deed& what) {
  const std::string& path = locks_[wanted_of(what).front().lock].path;
  setting_limit_ = true;
  told_.limit_change_begun(number_);
  process().core_->ask_limit(
      std::make_shared<new_limit>(*this, path, what.limit, now() + what.time.value_or(std::chrono::seconds(20))),
      now());
}

void program::look(const deed& what) {
  const instant limit = now() + what.time.value_or(std::chrono::seconds(2));
  looking_ = true;
  told_.look_begun(number_, limit, servers_);
  process().core_->inspect(std::make_shared<glance>(*this, wanted_of(what).front().lock, limit), now());
}

void program::write() {
  const std::shared_ptr<detail::hold> guard = held();
  told_.writes().begun(number_, ++writes_, *guard, servers_);
  process().core_->transact(std::make_shared<commit>(*this, writes_, guard), now());
}

/// The latest count of it, whoever of the process has it.
void program::give_back(const std::shared_ptr<detail::hold>& proof, bool wait) {
  std::vector<program*> threads = process().guests_;
  threads.push_back(&process());
  threads.push_back(this);
  for (auto one = threads.rbegin(); one != threads.rend(); ++one) {
    std::vector<count>& taken = (*one)->taken_;
    const auto latest =
        std::find_if(taken.rbegin(), taken.rend(), [&proof](const count& each) { return each.proof == proof; });
    if (latest != taken.rend()) {
      const count given = *latest;
      taken.erase(std::next(latest).base());
      give_back(given, wait);
      return;
    }
  }
}

/// As grant::release and grant::~grant do it (giving_back.cpp).
void program::give_back(const count& one, bool wait) {
  using detail::owner_book;
  switch (one.book->give_back(*one.proof, one.of)) {
    case owner_book::remainder::held: return;
    case owner_book::remainder::read:
      one.proof->downgrade();
      told_.downgraded(*one.proof);
      process().core_->downgrade(one.proof, now());
      return;
    case owner_book::remainder::nothing: break;
  }
  one.proof->end_by_release(now());
  told_.given_back(number_, *one.proof);
  for (std::size_t i = 0; i < one.proof->parts().size(); ++i) {
    const owner_book::part_book& part = one.book->part(i);
    give_back({one.proof->parts()[i], part.book, part.of}, wait);
  }
  if (one.proof->parts().empty()) {
    release(one.proof, wait);
  }
}

void program::release(const std::shared_ptr<detail::hold>& proof, bool wait) {
  std::shared_ptr<confirmation> listener;
  if (wait) {
    listener = std::make_shared<confirmation>(*this);
    ++releases_under_way_;
    told_.release_awaited(number_);
  }
  process().core_->release(proof, std::move(listener), now());
}

void program::granted(const std::vector<want>& wanted, std::shared_ptr<detail::hold> proof) {
  answered_ = true;
  ++grants_;
  note("granted token " + std::to_string(proof->token().value) + " " + proof->node());
  proofs_.push_back(proof);
  proofs_.insert(proofs_.end(), proof->parts().begin(), proof->parts().end());
  enter_books(wanted, proof);
  skip_void_deeds();
}

void program::enter_books(const std::vector<want>& wanted, const std::shared_ptr<detail::hold>& proof) {
  using detail::owner_book;
  if (proof->parts().empty()) {
    const want& one = wanted.front();
    book_of(one.lock)->enter(me(), one.of, proof, one.permits);
    taken_.push_back({proof, book_of(one.lock), one.of});
    return;
  }
  std::vector<owner_book::part_book> parts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const want& one = wanted[i];
    book_of(one.lock)->enter(me(), one.of, proof->parts()[i], one.permits);
    parts.push_back({book_of(one.lock), one.of});
  }
  const auto book = std::make_shared<owner_book>(std::move(parts));
  book->enter(me(), detail::side::whole, proof);
  taken_.push_back({proof, book, detail::side::whole});
}

void program::refused(std::error_code why) {
  answered_ = true;
  note("not granted: " + (why ? why.message() : std::string("not in time")));
  skip_void_deeds();
}

void program::fire_timer() { process().core_->on_timer(now()); }

void program::crash() {
  program& all = process();
  all.note("crashes");
  all.crashed_ = true;
  told_.crashed(all.number_);
  for (program* const guest : all.guests_) {
    guest->crashed_ = true;
    told_.crashed(guest->number_);
  }
  servers_.crash(all.number_);
}

void program::stop(bool stopped) noexcept {
  stopped_ = stopped;
  for (program* const guest : guests_) {
    guest->stopped_ = stopped;
  }
}

void program::tidy() {
  dead_.clear();
  for (const auto& lost : std::exchange(to_announce_, {})) {
    lost->announce();
  }
}

// ---- questions ------------------------------------------------------------------------------------------------------

std::optional<instant> program::next_timer() const {
  if (crashed_) {
    return std::nullopt;
  }
  std::optional<instant> first;
  if (host_ == nullptr) {
    first = core_->next_timer();
  }
  if (rests_until_ && *rests_until_ > now() && (!first || *rests_until_ < *first)) {
    first = rests_until_;
  }
  return first;
}

std::optional<instant> program::limit() const {
  return waiting() && !crashed_ && !stopped_ ? attempt_->until : std::nullopt;
}

bool program::done() const {
  return crashed_ ||
         (next_ >= wanted_.size() && (!attempt_ || answered_) && releases_under_way_ == 0 && !held() && !closing_ &&
          !looking_ && !setting_limit_ && std::ssize(writes_answered_) == writes_ && core().contender_count() == 0);
}

bool program::connected() const noexcept { return !crashed_ && core().state() == detail::standing::connected; }

std::vector<std::string> program::take_notes() { return std::exchange(notes_, {}); }

void program::note(std::string line) {
  if (keep_notes_) {
    notes_.push_back(std::move(line));
  }
}

// ---- environment ----------------------------------------------------------------------------------------------------

recipes::contender_id program::next_id() {
  const std::uint64_t which = ids_.size() + 1;
  const recipes::contender_id made(mixed(salt_ ^ (which << 8U) ^ static_cast<std::uint64_t>(number_ + 1)),
                                   (static_cast<std::uint64_t>(number_) << 32U) + which);
  ids_.emplace_back(made.text());
  told_.id_made(number_, made.text());
  return made;
}

client::observer& program::observer_of(std::uint64_t generation) { return ears_.emplace_back(*this, generation); }

void program::dispose(std::unique_ptr<client::connection> dead) { dead_.push_back(std::move(dead)); }

std::string program::describe_contender(recipes::contender_mode mode, std::string_view label) {
  return recipes::with_mode(
      mode, "\nhost=sim\nlabel=" + std::string(label) + "\ntime=" + std::to_string(wall_clock_.count()) + "\n");
}

void program::closed(std::error_code result) {
  closing_ = false;
  note("session closed" + (result ? ": " + result.message() : std::string()));
}

void program::notice_of_loss(std::shared_ptr<detail::hold> lost) {
  const auto was_granted = [&lost](const program* one) {
    return std::find(one->proofs_.begin(), one->proofs_.end(), lost) != one->proofs_.end();
  };
  const auto guest = std::find_if(guests_.begin(), guests_.end(), was_granted);
  program& whose = guest == guests_.end() ? *this : **guest;
  whose.note("lost " + lost->node() + ": " + std::string(to_string(lost->why_lost())));
  told_.loss_told(whose.number_, *lost);
  to_announce_.push_back(std::move(lost));
}

void program::state_changed(detail::standing state, bool new_session) {
  note("session " + std::string(name(state)) + (new_session ? " (new)" : ""));
}

void program::log(severity, std::string_view line) { note("log: " + std::string(line)); }

}  // namespace zklock::sim
