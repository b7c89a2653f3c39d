#include <algorithm>
#include <utility>

#include <zklock/error.hpp>

#include "src/zookeeper/request_check.hpp"
#include "src/session/session_core.hpp"

namespace zklock::detail {
namespace {

using at = transaction_failure::at;

/// Asked now, just before it would be sent: past its deadline a hold proves nothing, whatever the servers would say.
std::optional<transaction_failure> failure_of_guards(const transaction_request& wanted, instant now) {
  for (std::size_t place = 0; place < wanted.guards.size(); ++place) {
    hold& one = *wanted.guards[place];
    if (!one.held_at(now)) {
      const bool given_back = one.why_lost() == loss_reason::none;
      const std::string part = one.lost_part();
      return transaction_failure{given_back ? errc::not_owner : errc::lost, client::code::ok, at::guard, place,
                                 part.empty() ? one.path() : part};
    }
  }
  return std::nullopt;
}

}  // namespace

/// Sent at once, or not at all: whoever waits for a connection with a write in hand writes later than it believes.
void session_core::transact(std::shared_ptr<transaction_request> wanted, instant now) {
  if (const auto why = failure_before_sending(*wanted, now)) {
    wanted->failed(*why);
    return;
  }
  guarded_multi what = guarded_multi::make(*wanted, config_.root);
  client::any_request request = std::move(what.request);
  if (!client::may_be_sent(request)) {  // its paths have been looked at before
    wanted->failed({errc::request_too_large, client::code::ok, at::whole, 0});
    return;
  }
  const std::uint64_t number = ++last_transaction_;
  transactions_.emplace(number,
                        transaction_under_way{std::move(wanted), std::move(what.guard_of), std::move(what.checked)});
  send(number, purpose::transaction, std::move(request), true, now);
}

std::optional<transaction_failure> session_core::failure_before_sending(const transaction_request& wanted,
                                                                        instant now) const {
  if (const auto over = failure_of_session()) {
    return transaction_failure{over->ec, over->answer, at::whole, 0};
  }
  if (auto lost = failure_of_guards(wanted, now)) {
    return lost;
  }
  const auto in_doubt = [this](const std::shared_ptr<hold>& one) { return node_in_doubt(*one); };
  if (!connected_at_ || std::any_of(wanted.guards.begin(), wanted.guards.end(), in_doubt)) {
    return transaction_failure{errc::not_connected, client::code::ok, at::whole, 0};
  }
  return std::nullopt;
}

/// Whether it is not known which node stands for it, until a request that has failed is repeated.
bool session_core::node_in_doubt(const hold& guard) const {
  const recipes::contender* const machine = find_contender(guard.contender());
  return (machine != nullptr && machine->node_in_doubt()) ||
         std::any_of(guard.parts().begin(), guard.parts().end(),
                     [this](const std::shared_ptr<hold>& part) { return node_in_doubt(*part); });
}

/// Behind a downgrade that was refused, or of which it is not known: the reader that was checked may never have been there.
bool session_core::stands_on_another_node(hold& guard, const std::string& checked, instant now) const {
  return guard.held_at(now) && (guard.node() != checked || node_in_doubt(guard));
}

void session_core::on_transaction_reply(const pending_request& asked, client::reply& answer, instant now) {
  const auto found = transactions_.find(asked.contender);
  if (found == transactions_.end()) {
    return;
  }
  const transaction_under_way one = std::move(found->second);
  transactions_.erase(found);
  if (auto why = failure_in(answer, one.guard_of, servers_->adopted())) {
    const bool guard_gone = why->part == at::guard && why->answer == client::code::no_node;
    const bool moved = guard_gone && stands_on_another_node(*one.guard_of[why->place], one.checked[why->place], now);
    if (moved) {
      why->ec = errc::not_connected;
    }
    one.wanted->failed(*why);
    if (guard_gone && !moved) {
      // its loss is to be told
      tell(one.guard_of[why->place]->contender(), recipes::event::look_after_own{}, now);
    }
    return;
  }
  answer.parts.erase(answer.parts.begin(), answer.parts.begin() + static_cast<std::ptrdiff_t>(one.guard_of.size()));
  for (client::part_result& part : answer.parts) {
    part.name.erase(0, std::min(part.name.size(), config_.root.size()));
  }
  one.wanted->applied(std::move(answer.parts));
}

/// The connection goes, and no answer will come on it. What is under way may be applied all the same.
void session_core::leave_transactions_unknown() {
  for (const auto& [number, one] : std::exchange(transactions_, {})) {
    one.wanted->failed({errc::outcome_unknown, client::code::ok, at::whole, 0});
  }
}

}  // namespace zklock::detail
