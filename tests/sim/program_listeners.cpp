#include "tests/sim/program_listeners.hpp"

#include <utility>

#include <zklock/error.hpp>

namespace zklock::sim {
namespace {

constexpr std::int32_t all_but_read = 30;

std::shared_ptr<detail::lock_target> target_at(const lock_plan& lock, std::string label) {
  auto made = std::make_shared<detail::lock_target>();
  made->path = lock.path;
  made->layout = lock.layout;
  made->max_hold = lock.max_hold;
  if (lock.layout == recipes::layout::curator) {
    made->payload = "\nlabel=" + label;
  }
  made->label = std::move(label);
  made->acl = {client::acl_entry{}};
  if (lock.hidden) {
    made->acl.front().permissions = all_but_read;
  }
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

using entry = transcript::entry;

constexpr instant update_limit = std::chrono::seconds(20);

}  // namespace

detail::wanted_parts program::parts_of(const std::vector<want>& wanted, std::uint64_t attempt) {
  detail::wanted_parts parts;
  for (const want& one : wanted) {
    const lock_plan& lock = locks_[one.lock];
    auto target = target_at(lock, label_of(number_, attempt, in_turn(locks_, wanted) ? 0 : wanted.size()));
    auto& of_object = targets_[one.lock];
    if (of_object) {
      target->limit = of_object->limit;
      target->blocker = of_object->blocker;
      target->reader_blocker = of_object->reader_blocker;
    }
    of_object = target;
    parts.push_back(
        {std::move(target), {kind_of(one.of), one.permits, lock.asserted ? lock.limit : 0, false, lock.layout}});
  }
  return parts;
}

void program::ear::on_reply(client::request_id id, const client::reply_view& answer) {
  owner.engine_->on_reply(generation, id, answer, owner.now());
  if (const auto held = owner.held()) {
    owner.told_.seen().note(entry::deadline, owner.number_, held->valid_until());
  }
}

void program::ear::on_node_event(client::watch_id id, client::node_event event) {
  owner.engine_->on_node_event(generation, id, event, owner.now());
}

void program::ear::on_session_event(const client::session_event& event) {
  if (owner.engine_->servers().handles().is_current(generation)) {
    owner.told_.values().session_event(owner.number_, event.state, owner.servers_);
    owner.told_.leaders().session_event(owner.number_, event.state, owner.servers_);
  }
  owner.engine_->on_session_event(generation, event, owner.now());
}

void program::ear::on_closed(bool confirmed) { owner.engine_->on_closed(generation, confirmed, owner.now()); }

std::shared_ptr<operations::acquire> program::attempt::call(bool once) {
  operations::acquire_request request{owner.parts_of(wanted, number), wanted.size() > 1, once, until};
  if (takes_turns(owner.locks_, wanted)) {
    request.parts.front().turns = owner.process().turns_[wanted.front().lock];
  }
  return operations::acquire::make(std::move(request), shared_from_this());
}

void program::attempt::complete(operations::acquire_result result) noexcept {
  transcript& notes = owner.told_.seen();
  if (result.hold) {
    notes.note(entry::granted, owner.number_, number, *result.hold);
    owner.told_.granted(owner.number_, number, wanted, result.hold, owner.servers_);
    owner.granted(wanted, std::move(result.hold));
  } else {
    const detail::failure& why = result.why;
    notes.note(entry::refused, owner.number_, number, why.ec, why.answer, why.path, why.detail);
    owner.told_.refused(owner.number_, number, result.why.ec, owner.now());
    owner.refused(result.why.ec);
  }
}

void program::confirmation::complete(operations::release_result answer) noexcept {
  const std::error_code result = answer.ec;
  owner.told_.seen().note(entry::released, owner.number_, result, answer.answer);
  --owner.releases_under_way_;
  owner.told_.release_answered(owner.number_, hold.get(), result, owner.servers_);
  owner.note("released" + (result ? ": " + result.message() : std::string()));
  if (owner.candidate_ && owner.candidate_->now() == recipes::candidacy::state::releasing) {
    owner.go_on_as_candidate(owner.candidate_->released(owner.now()));
  }
}

std::shared_ptr<engine::operation> program::glance::begun_by(program& whose, std::size_t lock, instant limit) {
  const recipes::sought_contenders mutexes{recipes::contender_kind::mutex};
  return std::make_shared<operations::participants_query>(target_at(whose.locks_[lock], ""), limit, mutexes,
                                                          std::make_shared<glance>(whose));
}

void program::glance::complete(operations::participants_result seen) noexcept {
  owner.looking_ = false;
  transcript& notes = owner.told_.seen();
  if (seen.ec) {
    notes.note(entry::not_listed, owner.number_, seen.ec, seen.answer);
    owner.told_.participants().refused(owner.number_, seen.ec, owner.now());
    owner.note("was not told the queue: " + seen.ec.message());
    return;
  }
  const bool may_be_old = owner.servers_.view().with_deposed(owner.session_number());
  notes.note(entry::listed, owner.number_, seen.queue.size());
  for (const recipes::seen_contender& one : seen.queue) {
    notes.add(notes.number_of_path(one.name));
    notes.add(one.czxid);
    notes.add(one.session);
    notes.add(one.told.label);
    notes.add(one.permits);
    notes.add(one.holds);
  }
  owner.told_.participants().answered(owner.number_, seen.queue, owner.servers_, may_be_old);
  ++owner.looks_answered_;
  owner.queue_seen_.clear();
  std::string names;
  for (recipes::seen_contender& one : seen.queue) {
    names += " " + one.name;
    owner.queue_seen_.push_back(std::move(one.name));
  }
  owner.note("was told the queue:" + (names.empty() ? " no contender" : names));
}

std::shared_ptr<operations::commit> program::commit::begun_by(program& whose, int which,
                                                              std::shared_ptr<detail::hold> guard) {
  const std::string node =
      std::string(written_path) + "/" + std::to_string(whose.number_) + "-" + std::to_string(which) + "-";
  std::vector<client::request::operation> creates{
      client::request::create{node, "", client::create_mode::persistent_sequential}};
  return std::make_shared<operations::commit>(std::vector{std::move(guard)}, std::move(creates),
                                              std::make_shared<commit>(whose, which));
}

void program::commit::complete(operations::transaction_result told) noexcept {
  const std::error_code why = told.failure.ec;
  owner.told_.seen().note(entry::write_answered, owner.number_, number, why);
  owner.told_.writes().answered(owner.number_, number, why, owner.servers_);
  owner.writes_answered_.push_back(why);
  owner.note(why ? "did not write: " + why.message() : std::string("has written"));
}

void program::value_listener::seen(const operations::node_report& what, engine::out&) {
  owner.told_.seen().note(entry::value_told, owner.number_, what.known, what.stat.version, what.stat.czxid,
                          what.stat.mzxid, what.data, what.why, what.current, what.as_of);
  owner.told_.values().reported(owner.number_, what);
  using value = recipes::followed_node::value;
  const std::string is = what.known == value::present   ? '"' + what.data + '"'
                         : what.known == value::absent  ? "absent"
                         : what.known == value::refused ? "hidden"
                                                        : "not known";
  owner.note("the value is " + is + (what.current ? "" : ", not current"));
}

void program::value_listener::over(std::error_code why, engine::out&) {
  owner.told_.seen().note(entry::following_over, owner.number_, why);
  owner.told_.values().over(owner.number_);
}

std::shared_ptr<operations::commit> program::value_change::begun_by(program& whose, user_action::kind what, int which) {
  using kind = user_action::kind;
  const std::string path(followed_path);
  const std::string data = std::to_string(whose.number_) + "-" + std::to_string(which);
  std::vector<client::request::operation> all;
  if (what == kind::set_value) {
    all.emplace_back(client::request::set{path, data, -1});
  } else if (what == kind::remove_value) {
    all.emplace_back(client::request::remove{path, -1});
  } else {
    if (what == kind::hide_value) {
      all.emplace_back(client::request::remove{path, -1});
    }
    client::request::create made{path, data};
    made.acl.front().permissions = what == kind::hide_value ? all_but_read : made.acl.front().permissions;
    all.emplace_back(std::move(made));
  }
  return std::make_shared<operations::commit>(std::vector<std::shared_ptr<detail::hold>>{}, std::move(all),
                                              std::make_shared<value_change>(whose));
}

void program::value_change::complete(operations::transaction_result told) noexcept {
  ++owner.changes_answered_;
  owner.told_.seen().note(entry::value_changed, owner.number_, told.failure.ec);
  owner.note(told.failure.ec ? "did not change the value: " + told.failure.ec.message() : "has changed the value");
}

std::shared_ptr<engine::operation> program::value_read::begun_by(program& whose, int which, bool alike) {
  std::string data = alike ? "alike" : std::to_string(whose.number_) + "-" + std::to_string(which);
  return std::make_shared<operations::read_node>(std::string(followed_path), false, whose.now() + update_limit,
                                                 std::make_shared<value_read>(whose, std::move(data), alike));
}

void program::value_read::complete(operations::read_result told) noexcept {
  if (!told.found) {
    ++owner.changes_answered_;
    owner.note("found no value to update");
    return;
  }
  owner.to_call_.push_back([one = *this, read = told.found->stat] {
    one.owner.process().operations_->begin_transaction(value_update::begun_by(one, read), one.owner.now());
  });
}

std::shared_ptr<operations::commit> program::value_update::begun_by(const value_read& one,
                                                                    const recipes::node_stat& read) {
  std::vector<std::shared_ptr<detail::hold>> guards;
  if (one.guard) {
    guards.push_back(one.guard);
  }
  operations::conditional_write::write what{std::string(followed_path), one.data, read};
  return std::make_shared<operations::conditional_write>(
      std::move(guards), std::move(what), one.owner.now() + update_limit, one.owner.follows_,
      std::make_shared<value_update>(one.owner, one.data, one.alike));
}

void program::value_update::complete(operations::transaction_result told) noexcept {
  ++owner.changes_answered_;
  const std::error_code why = told.failure.ec;
  owner.told_.seen().note(entry::value_updated, owner.number_, why);
  if (!why) {
    const client::stat& now = told.results.front().stat;
    owner.told_.values().updated(owner.number_, {now.version, now.czxid, now.mzxid}, data);
  } else if (!may_have_applied(why) && !alike) {
    owner.told_.values().not_updated(owner.number_, data);
  }
  owner.note(why ? "did not update the value: " + why.message() : std::string("has updated the value"));
}

void program::leader_listener::seen(const operations::leader_report& what, engine::out&) {
  owner.told_.seen().note(entry::leader_told, owner.number_, what.known, what.leader.czxid, what.leader.mzxid,
                          what.leader.data, what.why, what.current, what.as_of);
  owner.told_.leaders().reported(owner.number_, what);
  using value = recipes::leader_watch::value;
  const std::string is = what.known == value::present  ? what.leader.node
                         : what.known == value::absent ? "nobody"
                                                       : "not known";
  owner.note("the leader is " + is + (what.current ? "" : ", not current"));
}

void program::leader_listener::over(std::error_code why, engine::out&) {
  owner.told_.seen().note(entry::observing_over, owner.number_, why);
  owner.told_.leaders().over(owner.number_);
}

std::shared_ptr<operations::proclaim> program::said::begun_by(program& whose,
                                                              const std::shared_ptr<operations::proclamations>& among,
                                                              int which) {
  std::string says = leader_checker::proclamation(whose.number_, which) +
                     "\nlabel=" + label_of(whose.number_, whose.attempts_, 1);  // checkers know contenders by it
  return std::make_shared<operations::proclaim>(among, std::move(says),
                                                std::make_shared<said>(whose, among->of, which));
}

void program::said::complete(detail::failure why) noexcept {
  owner.told_.seen().note(entry::proclaimed, owner.number_, number, why.ec);
  if (!why.ec) {
    owner.told_.nodes_may_have_changed(owner.servers_);
    owner.told_.leaders().proclaimed(owner.number_, of->token().czxid, number);
  }
  owner.note(why.ec ? "did not proclaim: " + why.ec.message() : std::string("has proclaimed"));
}

std::shared_ptr<engine::operation> program::new_limit::begun_by(program& whose, std::size_t lock, std::uint32_t to,
                                                                instant limit) {
  return std::make_shared<operations::permit_limit_operation>(target_at(whose.locks_[lock], ""), to, limit,
                                                              std::make_shared<new_limit>(whose));
}

void program::new_limit::complete(operations::permit_limit_result told) noexcept {
  owner.setting_limit_ = false;
  owner.told_.seen().note(entry::limit_answered, owner.number_, told.ec, told.answer, told.limit, told.as_of);
  owner.note(told.ec ? "the limit was not set: " + told.ec.message() : std::string("has set the limit"));
}

}  // namespace zklock::sim
