#include "src/operations/busy_reader.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "src/operations/contender_operation.hpp"

namespace zklock::operations {

using recipes::busy_check;

blocking_node note_blocker(contender_operation& refused, const engine::out& wants) {
  const std::optional<std::string_view> by = refused.machine().blocked_by();
  recipes::seen_blocker& seen = blocker_of(refused.requests().target(), refused.machine().wanted().kind);
  by ? seen.refuses(wants.session().id, *by) : seen.forget();
  return {by && !by->empty() ? refused.requests().node(*by) : std::string()};
}

busy_reader::verdict busy_reader::begin(const session_nodes& among, engine::out& wants) {
  contender_operation* const holder = among.registry.first_holder(target_->path, wants.session().now);
  const busy_check::next next =
      machine_.begin(blocker_, {.holder = holder != nullptr ? &holder->machine() : nullptr,
                                .connected = wants.session().connected,
                                .session = wants.session().id,
                                .other_sessions = wants.session().world->has_other_sessions()});
  if (next != busy_check::next::busy) {
    return go_on(next, wants);
  }
  blocked_by_ = {holder->requests().node(machine_.name()), holder->requests().data_of(holder->machine(), wants),
                 holder->machine().token().czxid};
  return verdict::busy;
}

busy_reader::verdict busy_reader::answered(const client::reply_view& answer, engine::out& wants) {
  const std::int64_t session = wants.session().id;
  if (lists_) {
    const recipes::limit_node limit = target_->limit.session == session ? target_->limit.node : recipes::limit_node();
    return go_on(machine_.listed(answer.code, answer.children, limit, answer.stat.mzxid), wants);
  }
  blocked_by_ = {recipes::joined({target_->path, "/", machine_.name()}), std::string(answer.data), answer.stat.czxid};
  round_trip_ = wants.session().now - asked_at_;
  const std::int64_t owner = answer.stat.ephemeral_owner;
  const bool of_own_process = owner != session && wants.session().world->has_had_session(owner);
  return go_on(machine_.read(answer.code, answer.data, of_own_process), wants);
}

busy_reader::verdict busy_reader::go_on(busy_check::next next, engine::out& wants) {
  switch (next) {
    case busy_check::next::read:
      lists_ = false;
      asked_at_ = wants.session().now;
      wants.request(asked, client::request::get{wants.full(target_->path, machine_.name()), client::no_watch});
      return verdict::asks;
    case busy_check::next::list:
      lists_ = true;
      wants.request(asked, client::request::list{
                               wants.full(machine_.of_leases() ? target_->path + std::string(recipes::curator_leases)
                                                               : target_->path),
                               client::no_watch});
      return verdict::asks;
    case busy_check::next::busy: blocker_.is_held(wants.session().id, machine_.name()); return verdict::busy;
    case busy_check::next::contend: break;
  }
  blocker_.forget();
  return verdict::contend;
}

}  // namespace zklock::operations
