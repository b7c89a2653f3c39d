#include "src/operations/first_look.hpp"

#include "recipes/contender_name.hpp"
#include "src/operations/contender_operation.hpp"

namespace zklock::operations {

using recipes::busy_look;

void note_bar(const recipes::contender& refused, const detail::lock_target& target, const engine::out& wants) {
  const recipes::contender_kind kind = refused.wanted().kind;
  const bool of_permits = kind == recipes::contender_kind::permit;
  if (of_permits || !refused.barred_by().empty()) {
    bar_of(target, kind) = {wants.session().id, refused.barred_by()};
  }
}

barring_node bar_seen_by(contender_operation& one) {
  const std::string_view name = one.machine().barred_by();
  return {name.empty() ? std::string() : one.requests().node(name)};
}

first_look::verdict first_look::begin(const session_nodes& among, engine::out& wants) {
  contender_operation* const holder = among.registry.exclusive_holder(target_->path, wants.session().now);
  if (holder != nullptr && recipes::of_one_recipe(holder->machine().wanted().kind, kind_)) {
    barred_by_ = {holder->requests().node(holder->machine().own()),
                  holder->requests().data_of(holder->machine(), wants), holder->machine().token().czxid};
    return verdict::busy;
  }
  const std::int64_t session = wants.session().id;
  if (!wants.session().connected || (machine_.counts() && wants.session().world->has_sibling(0))) {
    return verdict::contend;
  }
  const bool seen = session != 0 && bar_.session == session;
  return go_on(machine_.begin(seen ? bar_ : recipes::seen_bar(), target_->read_first), wants);
}

first_look::verdict first_look::answered(const client::reply_view& answer, engine::out& wants) {
  if (lists_) {
    const detail::seen_limit& limit = target_->limit;
    const bool known = limit.session == wants.session().id;
    return go_on(
        machine_.listed(answer.code, answer.children, known ? limit.node : recipes::limit_node(), answer.stat.mzxid),
        wants);
  }
  barred_by_ = {recipes::joined({target_->path, "/", machine_.name()}), std::string(answer.data), answer.stat.czxid};
  const std::int64_t owner = answer.stat.ephemeral_owner;
  const bool of_sibling =
      answer.code == client::code::ok && owner != wants.session().id && wants.session().world->has_sibling(owner);
  return go_on(machine_.read(answer.code, recipes::parse_contender_mode(answer.data), of_sibling), wants);
}

first_look::verdict first_look::go_on(busy_look::next next, engine::out& wants) {
  switch (next) {
    case busy_look::next::read:
      lists_ = false;
      wants.request(asked, client::request::get{wants.full(target_->path, machine_.name()), client::no_watch});
      return verdict::asks;
    case busy_look::next::list:
      lists_ = true;
      wants.request(asked, client::request::list{
                               wants.full(machine_.of_leases() ? target_->path + std::string(recipes::curator_leases)
                                                               : target_->path),
                               client::no_watch});
      return verdict::asks;
    case busy_look::next::busy: bar_ = {wants.session().id, machine_.name()}; return verdict::busy;
    case busy_look::next::contend: break;
  }
  bar_ = {};
  return verdict::contend;
}

}  // namespace zklock::operations
