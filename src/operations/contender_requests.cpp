#include "src/operations/contender_requests.hpp"

#include <utility>

#include "src/errors/printable.hpp"
#include "src/operations/lock_node_making.hpp"
#include "src/port/first_failed_operation.hpp"
#include "src/port/path.hpp"

namespace zklock::operations {

namespace event = recipes::event;
namespace request = client::request;
using recipes::action;

contender_requests::contender_requests(std::shared_ptr<const detail::lock_target> target, std::string_view below,
                                       std::uint64_t owner)
    : target_(std::move(target)),
      below_(below.empty() ? nullptr : std::make_unique<const std::string>(recipes::joined({target_->path, below}))),
      owner_(owner) {}

std::shared_ptr<const std::string> contender_requests::shared_lock_node() const {
  return below_ ? std::make_shared<const std::string>(*below_) : path();
}

// ---- what is wanted, as requests ------------------------------------------------------------------------------------

void contender_requests::ask(action what, const recipes::contender& machine, engine::out& wants) {
  const auto at_lock = [&] { return wants.full(lock_node()); };
  const auto at_own = [&] { return wants.full(lock_node(), machine.own()); };
  switch (what) {
    case action::make_lock_node:
      making_ =
          std::make_unique<lock_node_making>(request_creates(plan_of_lock_node(machine, wants), lock_node_made, wants));
      break;
    case action::create_own: wants.request(created, own_node(machine, wants)); break;
    case action::sync: wants.quorum_write(synced); break;
    case action::list: wants.request(listed, request::list{at_lock(), client::no_watch}); break;
    case action::list_siblings:
      wants.request(siblings_listed, request::list{wants.full(target_->path), client::no_watch});
      break;
    case action::read_limit: wants.request(limit_read, request::get{at_lock(), client::no_watch}); break;
    case action::store_limit: store_limit(machine, wants); break;
    case action::mark_own:
      wants.request(marked, request::set{at_own(), recipes::with_mode(machine.mode(), data_), -1});
      break;
    case action::replace_with_reader: replace_with_reader(machine, wants); break;
    case action::watch_own: wants.get_and_watch(own, at_own()); break;
    case action::watch_predecessor:
      wants.get_and_watch(predecessor, wants.full(lock_node(), machine.predecessor()));
      break;
    case action::watch_limit: wants.get_and_watch(limit, at_lock()); break;
    case action::watch_children: wants.list_and_watch(children, at_lock()); break;
    case action::forget_predecessor: wants.forget_watch(predecessor); break;
    case action::forget_own: wants.forget_watch(own); break;
    case action::forget_limit: wants.forget_watch(limit); break;
    case action::forget_children: wants.forget_watch(children); break;
    case action::remove_own: remove_own(machine, wants); break;
    case action::share_list:
    case action::watch_lock_node:
    case action::watch_own_later:
    case action::tell_of_mark:
    case action::show_list:
    case action::warn_of_others:
    case action::pass_on:
    case action::tell_of_others:
    case action::grant:
    case action::refuse:
    case action::start_over:
    case action::lose:
    case action::finish: break;
  }
}

std::string contender_requests::data_of(const recipes::contender& machine, const engine::out& wants) const {
  std::string says = wants.spare_text();
  if (target_->payload) {
    says = *target_->payload;
    return says;
  }
  says = wants.session().world->describe_contender(machine.mode(), owner_, target_->label, std::move(says));
  if (machine.keeps()) {
    says += recipes::may_be_idle_line;
  }
  return says;
}

request::create contender_requests::own_node(const recipes::contender& machine, const engine::out& wants) {
  std::string says = data_of(machine, wants);
  if (!target_->payload && machine.terms().mark != recipes::mark_meaning::none) {
    data_ = says;
  }
  return {wants.full(lock_node(), machine.prefix()), std::move(says), client::create_mode::ephemeral_sequential,
          target_->acl};
}

lock_node_plan contender_requests::plan_of_lock_node(const recipes::contender& machine,
                                                     const engine::out& wants) const {
  const recipes::node_terms terms = machine.terms();
  return {wants.full(lock_node()), terms.makes_lock_node ? std::optional(machine.lock_node_data()) : std::nullopt,
          terms.lock_node_stays, target_->acl};
}

void contender_requests::store_limit(const recipes::contender& machine, engine::out& wants) const {
  const std::string at = wants.full(lock_node());
  wants.request(limit_kept, limit_keeper_at(at, target_->acl));
  wants.request(limit_stored, request::set{at, machine.lock_node_data(), machine.limit().version});
}

/// At once, so that no client sees the lock without either: a waiter behind the writer waits behind the reader.
void contender_requests::replace_with_reader(const recipes::contender& machine, engine::out& wants) const {
  const std::string reader = wants.full(lock_node(), recipes::curator_reader_of(machine.own()));
  request::multi both;
  both.operations.emplace_back(
      request::create{reader, target_->payload.value_or(""), client::create_mode::ephemeral, target_->acl});
  both.operations.emplace_back(request::remove{wants.full(lock_node(), machine.own()), -1});
  wants.request(replaced, std::move(both));
}

void contender_requests::remove_own(const recipes::contender& machine, engine::out& wants) const {
  request::remove own_node{wants.full(lock_node(), machine.own()), -1};
  if (machine.successor().empty()) {
    wants.request(removed, std::move(own_node));
    return;
  }
  request::multi both;
  both.operations.emplace_back(std::move(own_node));
  both.operations.emplace_back(request::check{wants.full(lock_node(), machine.successor()), -1});
  wants.request(removed, std::move(both));
}

// ---- what the servers say, as events --------------------------------------------------------------------------------

std::optional<recipes::contender_event> contender_requests::event_of(engine::tag as, const client::reply_view& answer,
                                                                     const recipes::contender& machine,
                                                                     engine::out& wants) {
  const client::code code = answer.code;
  const bool owned = answer.stat.ephemeral_owner == wants.session().id;
  switch (as) {
    case lock_node_made:
      if (!making_->answered(code, wants)) {
        return std::nullopt;
      }
      return event::lock_node_made{making_->result(), making_->without_root()};
    case created: return event::created{code, detail::base_name(answer.name), {answer.stat.czxid}};
    case synced: return event::synced{code};
    case siblings_listed: return event::siblings_listed{code, answer.children};
    case listed:
    case children:
      return event::listed{code, answer.children, answer.stat.pzxid, answer.stat.mzxid, nullptr, answer.stat.czxid};
    case limit_read:
    case limit: return event::limit_read{code, answer.data, answer.stat.version, answer.stat.mzxid};
    case limit_kept:
      if (auto warning = limit_keeper_warning(code)) {
        wants.log({log_level::warning, std::move(*warning), target_->path});
      }
      return std::nullopt;
    case limit_stored: return event::limit_stored{code};
    case marked: log_unmarked(code, machine, wants); return event::marked{code};
    case replaced: replaced_ = client::cause(answer); return event::marked{replaced_};
    case own: return event::own_watched{code, {answer.stat.czxid}, owned};
    case predecessor: return event::predecessor_watched{code, owned, recipes::parse_contender_mode(answer.data)};
    default: return event::removed{client::cause(answer), client::first_failed_operation(answer).value_or(0) > 0};
  }
}

recipes::contender_event contender_requests::event_of(engine::tag as, client::node_event what) {
  const bool gone = what == client::node_event::deleted;
  switch (as) {
    case own: return gone ? recipes::contender_event(event::own_gone{}) : event::own_changed{};
    case predecessor: return gone ? recipes::contender_event(event::predecessor_gone{}) : event::predecessor_changed{};
    case limit: return event::limit_changed{};
    default: return event::children_changed{};
  }
}

bool contender_requests::was_own(std::string_view node, const recipes::contender& machine) const {
  if (!machine.may_be_replaced()) {
    return this->node(machine.own()) == node;
  }
  switch (replaced_) {
    case client::code::ok:
    case client::code::node_exists: return this->node(recipes::curator_reader_of(machine.own())) == node;
    case client::code::no_node: return true;
    default: return false;  // it is not known which of the two has stood
  }
}

void contender_requests::keep_limit(const client::reply_view& answer, const recipes::contender& machine,
                                    const engine::out& wants) const {
  if (machine.limit().limit) {
    target_->limit = {wants.session().id, machine.limit()};
  } else if (!answer.data.empty()) {
    target_->limit.other_data = detail::printable_bytes(answer.data);
  }
}

void contender_requests::log_unmarked(client::code answer, const recipes::contender& machine,
                                      engine::out& wants) const {
  if (recipes::classify(answer) == recipes::outcome::not_done && answer != client::code::no_node) {
    const std::string node = wants.full(lock_node(), machine.own());
    wants.log({log_level::error,
               "contender " + node + " cannot be marked: " + recipes::described(answer) +
                   "; waiters that wait for the mark wait until it is released",
               target_->path, node});
  }
}

}  // namespace zklock::operations
