#include "src/operations/commit.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/port/first_failed_operation.hpp"
#include "src/port/request_check.hpp"

namespace zklock::operations {
namespace {

using at = transaction_failure::at;
using client::code;
using detail::hold;

enum : engine::tag {
  whole,
  session_lives,  ///< a write that changes nothing
  changed_guard,  ///< a guard's node, which has another version than was checked
};

transaction_failure of_all(errc why) { return {why, client::code::ok, at::whole, 0}; }

/// In the terms of a program that works on nodes; error_of has those of one that acquires a lock.
std::error_code error_of_operation(code answer) {
  switch (answer) {
    case code::node_exists: return errc::node_exists;
    case code::not_empty: return errc::node_not_empty;
    case code::no_children_for_ephemerals: return errc::server_error;
    default: return detail::error_of(answer);
  }
}

transaction_failure refused(const client::reply_view& answer, const std::vector<std::shared_ptr<hold>>& guard_of) {
  const auto place = client::first_failed_operation(answer);
  if (!place) {
    return {error_of_operation(answer.code), answer.code, at::whole, 0};
  }
  const code why = answer.parts[*place].code;
  if (*place >= guard_of.size()) {
    return {error_of_operation(why), why, at::operation, *place - guard_of.size()};
  }
  const bool gone_or_changed = why == code::no_node || why == code::bad_version;
  return {gone_or_changed ? make_error_code(errc::lost) : detail::error_of(why), why, at::guard, *place,
          guard_of[*place]->path()};
}

/// Not applied: the session was over before the transaction reached it, and with it all that was held in it.
transaction_failure without_session(code answer, const std::vector<std::shared_ptr<hold>>& guard_of,
                                    bool handle_is_adopted) {
  if (answer == code::closing) {  // it may have been on its way
    return {errc::outcome_unknown, answer, at::whole, 0};
  }
  if (answer == code::auth_failed) {
    return {errc::authentication_failed, answer, at::whole, 0};
  }
  if (!guard_of.empty()) {
    return {errc::lost, answer, at::guard, 0, guard_of.front()->path()};
  }
  return {handle_is_adopted ? errc::session_expired : errc::not_connected, answer, at::whole, 0};
}

void add_single_locks(const std::shared_ptr<hold>& one, std::vector<std::shared_ptr<hold>>& to) {
  if (one->parts().empty()) {
    to.push_back(one);
  }
  for (const std::shared_ptr<hold>& part : one->parts()) {
    add_single_locks(part, to);
  }
}

/// What an answer says of a transaction. Nothing: it was applied.
std::optional<transaction_failure> failure_in(const client::reply_view& answer,
                                              const std::vector<std::shared_ptr<hold>>& guard_of,
                                              bool handle_is_adopted) {
  switch (recipes::classify(answer.code)) {
    case recipes::outcome::done: return std::nullopt;
    case recipes::outcome::unknown: return transaction_failure{errc::outcome_unknown, answer.code, at::whole, 0};
    case recipes::outcome::retry: return transaction_failure{errc::not_connected, answer.code, at::whole, 0};
    case recipes::outcome::session_over: return without_session(answer.code, guard_of, handle_is_adopted);
    case recipes::outcome::not_done: break;
  }
  return refused(answer, guard_of);
}

}  // namespace

commit::commit(std::vector<std::shared_ptr<hold>> guards, std::vector<client::request::operation> operations,
               std::shared_ptr<receiver<transaction_result>> told)
    : guards_(std::move(guards)), operations_(std::move(operations)), told_(std::move(told)) {
  for (const std::shared_ptr<hold>& one : guards_) {
    add_single_locks(one, guard_of_);
  }
  for (const std::shared_ptr<hold>& one : guard_of_) {  // as the caller has it: until it is sent, it may be downgraded
    excluded_.push_back(one->exclusive());
  }
}

/// All in all it takes a session timeout at most: a third until the last sending, and its answer.
void commit::begin(engine::out& wants) {
  sent_until_ = wants.session().now + wants.session().timeout / 3;
  send(wants);
}

void commit::on_turn(engine::out& wants) {
  if (!std::exchange(waits_, false)) {
    return;
  }
  if (wants.session().now > sent_until_) {
    fail(in_question_.value_or(of_all(errc::not_connected)), wants);
    return;
  }
  in_question_.reset();
  send(wants);
}

void commit::send(engine::out& wants) {
  if (!among_->has_turn(*this)) {
    waits_ = true;
    among_->enter(*this);
    return;
  }
  auto why = failure_of_guards(wants);
  if (!why && sent_) {
    why = downgraded_guard();
  }
  if (why) {
    fail(*why, wants);
    return;
  }
  const auto doubtful = [this](const std::shared_ptr<hold>& one) { return in_doubt(*one); };
  if (!wants.session().connected || std::any_of(guards_.begin(), guards_.end(), doubtful)) {
    fail(of_all(errc::not_connected), wants);
    return;
  }
  client::any_request request = guarded_operations(*wants.session().root);
  if (!client::may_be_sent(request)) {  // its paths have been looked at before
    fail(of_all(errc::request_too_large), wants);
    return;
  }
  sent_ = true;
  for (const auto& guard : guard_of_) {
    guard->write_sent();
  }
  wants.request_heard_first(whole, std::move(request));
}

client::request::multi commit::guarded_operations(const std::string& root) {
  std::vector<hold::guard> nodes;
  checked_.clear();
  for (const std::shared_ptr<hold>& one : guard_of_) {
    one->add_guards(nodes);
  }
  client::request::multi all;
  for (hold::guard& one : nodes) {
    checked_.push_back(one.path);
    all.operations.emplace_back(client::request::check{std::move(one.path), one.version});
  }
  all.operations.insert(all.operations.end(), operations_.begin(), operations_.end());
  for (client::request::operation& part : all.operations) {
    std::visit([&root](auto& one) { one.path.insert(0, root); }, part);
  }
  return all;
}

client::request::multi commit::checks_of_guards(const std::string& root) const {
  std::vector<hold::guard> nodes;
  for (const std::shared_ptr<hold>& one : guard_of_) {
    one->add_guards(nodes);
  }
  client::request::multi all;
  for (const hold::guard& one : nodes) {
    all.operations.emplace_back(client::request::check{root + one.path, one.version});
  }
  return all;
}

/// Asked now, just before it would be sent: past its deadline a hold proves nothing, whatever the servers would say.
std::optional<transaction_failure> commit::failure_of_guards(const engine::out& wants) const {
  for (std::size_t place = 0; place < guards_.size(); ++place) {
    hold& one = *guards_[place];
    if (!one.held_at(wants.session().now)) {
      const bool given_back = one.why_lost() == loss_reason::none;
      const std::string part = one.lost_part();
      return transaction_failure{given_back ? errc::not_owner : errc::lost, client::code::ok, at::guard, place,
                                 part.empty() ? one.path() : part};
    }
  }
  return std::nullopt;
}

/// It was refused, and is to be sent again. A downgrade that has come since the caller committed may have let readers in: a check
/// of the reader's node would not keep the writer's transaction out. Of one that is exclusive still no downgrade has been sent, so
/// this goes first; and a first sending went before any that its caller has asked for since.
std::optional<transaction_failure> commit::downgraded_guard() const {
  for (std::size_t place = 0; place < excluded_.size(); ++place) {
    if (excluded_[place] && !guard_of_[place]->exclusive()) {
      return transaction_failure{errc::lost, client::code::bad_version, at::guard, place, guard_of_[place]->path()};
    }
  }
  return std::nullopt;
}

bool commit::in_doubt(const hold& guard) const {
  return nodes_->node_in_doubt(guard) ||
         std::any_of(guard.parts().begin(), guard.parts().end(),
                     [this](const std::shared_ptr<hold>& part) { return in_doubt(*part); });
}

/// Behind a downgrade that was refused, or that is to be asked for again, it is not known that the reader that was checked has
/// ever been there. So it is also if the hold has been released since.
bool commit::stands_on_another_node(const transaction_failure& why, detail::instant now) const {
  hold& guard = *guard_of_[why.place];
  const bool lost = !guard.held_at(now) && guard.why_lost() != loss_reason::none;
  return !lost && !nodes_->was_node_of(guard, checked_[why.place]);
}

/// The leader says of a local session, which it does not know, that it is over, when that creates an ephemeral node. A
/// session with a grant is none. So whether this one lives is asked before the program is told to commit once more (F194).
bool commit::asks_for_session(const client::reply_view& answer, const transaction_failure& why, engine::out& wants) {
  const auto failed = client::first_failed_operation(answer);
  if (answer.code != client::code::session_expired || !guard_of_.empty() || !failed || !wants.session().connected) {
    return false;
  }
  in_question_ = why;
  first_failed_ = *failed;
  wants.quorum_write(session_lives);
  return true;
}

/// Another client may have set the guard's node, to ask for the lock: then nothing was applied, and the hold goes on. Not asked
/// for ever: it may be set again each time.
bool commit::asks_for_changed_guard(transaction_failure& why, engine::out& wants) {
  constexpr int times_at_most = 8;
  if (why.part != at::guard || why.answer != code::bad_version ||
      guard_of_[why.place]->version() == hold::any_version) {
    return false;
  }
  why.ec = errc::not_connected;  // not lost, as far as is known: the program may commit once more
  if (!wants.session().connected || times_changed_ == times_at_most || wants.session().now > sent_until_) {
    return false;
  }
  ++times_changed_;
  in_question_ = why;
  among_->enter(*this);
  wants.request(changed_guard, client::request::get{wants.full(checked_[why.place]), client::no_watch});
  return true;
}

/// A writer's still: the transaction is sent once more, with a check of the version that has just been read.
void commit::changed_guard_seen(const client::reply_view& answer, engine::out& wants) {
  const std::shared_ptr<hold>& guard = guard_of_[in_question_->place];
  const recipes::outcome read = recipes::classify(answer.code);
  const bool own = answer.stat.ephemeral_owner == wants.session().id;
  const bool writers = read == recipes::outcome::done && own && recipes::guards_as_writer(answer.data);
  if (writers && wants.session().now <= sent_until_) {
    guard->accept_version(answer.stat.version);
    waits_ = true;
    on_turn(wants);
    return;
  }
  if (!writers && (read == recipes::outcome::done || read == recipes::outcome::not_done)) {
    in_question_->ec = errc::lost;
    nodes_->look_after(*guard, wants);
  }
  fail(*in_question_, wants);
}

void commit::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == changed_guard) {
    changed_guard_seen(answer, wants);
    return;
  }
  if (as == session_lives) {
    const auto refused_with = client::code::ephemeral_on_local_session;
    const bool lives = answer.code == client::code::ok;
    fail(lives ? transaction_failure{errc::server_error, refused_with, at::operation, first_failed_} : *in_question_,
         wants);
    return;
  }
  auto why = failure_in(answer, guard_of_, wants.session().adopted);
  if (!why || why->ec != errc::outcome_unknown) {
    for (const auto& guard : guard_of_) {
      guard->write_answered();
    }
  }
  if (why && (asks_for_session(answer, *why, wants) || asks_for_changed_guard(*why, wants))) {
    return;
  }
  if (!why) {
    const auto theirs = answer.parts.subspan(guard_of_.size());
    std::vector<client::part_result> parts(theirs.begin(), theirs.end());
    for (client::part_result& part : parts) {
      part.name.erase(0, std::min(part.name.size(), wants.session().root->size()));
    }
    end({std::move(parts)}, wants);
    return;
  }
  const bool guard_gone = why->part == at::guard && why->answer == client::code::no_node;
  if (guard_gone && stands_on_another_node(*why, wants.session().now)) {
    transaction_failure not_so = *why;
    not_so.ec = errc::not_connected;
    fail(not_so, wants);
    return;
  }
  if (guard_gone) {
    nodes_->look_after(*guard_of_[why->place], wants);
  }
  end({{}, *why}, wants);
}

/// What is under way may be applied all the same.
void commit::connection_closed(engine::out& wants) {
  if (!in_question_ && !waits_) {
    fail(of_all(errc::outcome_unknown), wants);
    return;
  }
  const auto lost = failure_of_guards(wants);
  fail(lost ? *lost : in_question_.value_or(of_all(errc::not_connected)), wants);
}

/// Once it is sent, its answer or the end of its connection says what became of it.
void commit::stop(const detail::failure& why, engine::out& wants) {
  if (!sent_ || waits_ || in_question_) {
    fail({why.ec, why.answer, at::whole, 0}, wants);
  }
}

void commit::fail(const transaction_failure& why, engine::out& wants) { end({{}, why}, wants); }

void commit::end(transaction_result&& with, engine::out& wants) {
  waits_ = false;
  among_->leave(*this, wants);
  conclude(std::move(with), wants);
}

void commit::conclude(transaction_result&& with, engine::out& wants) {
  told_->complete(std::move(with));
  wants.finish();
}

bool commit::shares_guard_with(const commit& other) const {
  return std::find_first_of(guard_of_.begin(), guard_of_.end(), other.guard_of_.begin(), other.guard_of_.end()) !=
         guard_of_.end();
}

bool commit::is_guarded_exclusively() const {
  return std::any_of(guard_of_.begin(), guard_of_.end(),
                     [](const std::shared_ptr<hold>& one) { return one->exclusive(); });
}

void commit::note_answered() noexcept {
  for (const auto& guard : guard_of_) {
    guard->write_answered();
  }
}

bool commit::guards_hold(engine::instant now) const {
  return std::all_of(guards_.begin(), guards_.end(),
                     [now](const std::shared_ptr<hold>& one) { return one->held_at(now); });
}

// ---- in order -------------------------------------------------------------------------------------------------------

void commits_in_order::enter(commit& one) {
  const auto at =
      std::find_if(all_.begin(), all_.end(), [&one](const commit* other) { return other->number() >= one.number(); });
  if (at == all_.end() || *at != &one) {
    all_.insert(at, &one);
  }
}

bool commits_in_order::has_turn(const commit& one) const {
  return std::none_of(all_.begin(), all_.end(), [&one](const commit* other) {
    return other->number() < one.number() && other->shares_guard_with(one);
  });
}

void commits_in_order::leave(const commit& one, engine::out& wants) {
  if (std::erase(all_, &one) == 0) {
    return;
  }
  for (commit* const next : all_) {
    if (next->waits() && has_turn(*next)) {
      wants.call(next->number(), [next](engine::out& its) { next->on_turn(its); });
    }
  }
}

}  // namespace zklock::operations
