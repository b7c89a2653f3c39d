#include "src/operations/transaction.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <zklock/error.hpp>

#include "src/zookeeper/first_failed_operation.hpp"
#include "src/zookeeper/request_check.hpp"

namespace zklock::operations {
namespace {

using at = detail::transaction_failure::at;
using detail::transaction_failure;

enum question : engine::tag {
  whole,
  session_lives,  ///< a write that changes nothing
};

transaction_failure of_all(errc why) { return {why, client::code::ok, at::whole, 0}; }

}  // namespace

transaction::transaction(std::vector<std::shared_ptr<detail::hold>> guards,
                         std::vector<client::request::operation> operations,
                         std::shared_ptr<receiver<transaction_result>> told)
    : guards_(std::move(guards)), operations_(std::move(operations)), told_(std::move(told)) {}

void transaction::begin(engine::out& wants) {
  if (const auto why = failure_of_guards(wants)) {
    fail(*why, wants);
    return;
  }
  const auto doubtful = [this](const std::shared_ptr<detail::hold>& one) { return in_doubt(*one); };
  if (!wants.session().connected || std::any_of(guards_.begin(), guards_.end(), doubtful)) {
    fail(of_all(errc::not_connected), wants);
    return;
  }
  auto what = detail::guarded_multi::make(guards_, operations_, *wants.session().root);
  client::any_request request = std::move(what.request);
  if (!client::may_be_sent(request)) {  // its paths have been looked at before
    fail(of_all(errc::request_too_large), wants);
    return;
  }
  guard_of_ = std::move(what.guard_of);
  checked_ = std::move(what.checked);
  sent_ = true;
  for (const auto& guard : guard_of_) {
    guard->write_sent();
  }
  wants.request_heard_first(whole, std::move(request));
}

/// Asked now, just before it would be sent: past its deadline a hold proves nothing, whatever the servers would say.
std::optional<transaction_failure> transaction::failure_of_guards(const engine::out& wants) const {
  for (std::size_t place = 0; place < guards_.size(); ++place) {
    detail::hold& one = *guards_[place];
    if (!one.held_at(wants.session().now)) {
      const bool given_back = one.why_lost() == loss_reason::none;
      const std::string part = one.lost_part();
      return transaction_failure{given_back ? errc::not_owner : errc::lost, client::code::ok, at::guard, place,
                                 part.empty() ? one.path() : part};
    }
  }
  return std::nullopt;
}

bool transaction::in_doubt(const detail::hold& guard) const {
  return nodes_->node_in_doubt(guard) ||
         std::any_of(guard.parts().begin(), guard.parts().end(),
                     [this](const std::shared_ptr<detail::hold>& part) { return in_doubt(*part); });
}

/// Behind a downgrade that was refused, or that is to be asked for again, it is not known that the reader that was checked has
/// ever been there. So it is also if the hold has been released since.
bool transaction::stands_on_another_node(const transaction_failure& why, detail::instant now) const {
  detail::hold& guard = *guard_of_[why.place];
  const bool lost = !guard.held_at(now) && guard.why_lost() != loss_reason::none;
  return !lost && !nodes_->was_node_of(guard, checked_[why.place]);
}

/// The leader says of a local session, which it does not know, that it is over, when that creates an ephemeral node. A
/// session with a grant is none. So whether this one lives is asked before the program is told to commit once more (F194).
bool transaction::asks_for_session(const client::reply_view& answer, const transaction_failure& why,
                                   engine::out& wants) {
  const auto failed = client::first_failed_operation(answer);
  if (answer.code != client::code::session_expired || !guard_of_.empty() || !failed || !wants.session().connected) {
    return false;
  }
  in_question_ = why;
  first_failed_ = *failed;
  wants.quorum_write(session_lives);
  return true;
}

void transaction::reply(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == session_lives) {
    const auto refused_with = client::code::ephemeral_on_local_session;
    const bool lives = answer.code == client::code::ok;
    fail(lives ? transaction_failure{errc::server_error, refused_with, at::operation, first_failed_} : *in_question_,
         wants);
    return;
  }
  const auto why = detail::failure_in(answer, guard_of_, wants.session().adopted);
  if (!why || why->ec != errc::outcome_unknown) {
    for (const auto& guard : guard_of_) {
      guard->write_answered();
    }
  }
  if (why && asks_for_session(answer, *why, wants)) {
    return;
  }
  if (!why) {
    const auto theirs = answer.parts.subspan(guard_of_.size());
    std::vector<client::part_result> parts(theirs.begin(), theirs.end());
    for (client::part_result& part : parts) {
      part.name.erase(0, std::min(part.name.size(), wants.session().root->size()));
    }
    told_->complete({std::move(parts)});
    wants.finish();
    return;
  }
  const bool guard_gone = why->part == at::guard && why->answer == client::code::no_node;
  if (guard_gone && stands_on_another_node(*why, wants.session().now)) {
    transaction_failure not_so = *why;
    not_so.ec = errc::not_connected;
    fail(not_so, wants);
    return;
  }
  told_->complete({{}, *why});
  if (guard_gone) {
    nodes_->look_after(*guard_of_[why->place], wants);
  }
  wants.finish();
}

/// What is under way may be applied all the same.
void transaction::connection_closed(engine::out& wants) {
  fail(in_question_ ? *in_question_ : of_all(errc::outcome_unknown), wants);
}

/// Once it is sent, its answer or the end of its connection says what became of it.
void transaction::stop(const detail::failure& why, engine::out& wants) {
  if (sent_) {
    return;
  }
  fail({why.ec, why.answer, at::whole, 0}, wants);
}

void transaction::fail(const transaction_failure& why, engine::out& wants) {
  told_->complete({{}, why});
  wants.finish();
}

}  // namespace zklock::operations
