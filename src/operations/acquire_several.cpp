#include "src/operations/acquire_several.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/operations/joint_hold_operation.hpp"
#include "src/port/first_failed_operation.hpp"
#include "src/port/path.hpp"

namespace zklock::operations {
namespace {

using recipes::multi_action;
using recipes::refusal;
namespace event = recipes::event;
namespace multi_event = recipes::multi_event;

enum : engine::tag {
  all_created,
  token_read,
  lock_node_made,  ///< of the first place; the others follow
};

void dispatch_to_member(const std::shared_ptr<contender_operation>& one, recipes::contender_event what,
                        engine::out& wants) {
  wants.call(one, [one, what = std::move(what)](engine::out& its) { one->dispatch(what, its); });
}

client::request::multi creates_of(const std::vector<std::shared_ptr<contender_operation>>& members,
                                  const engine::out& wants) {
  client::request::multi all;
  for (const auto& one : members) {
    all.operations.emplace_back(one->requests().own_node(one->machine(), wants));
  }
  return all;
}

/// `seen`: the queue, by a try before.
detail::failure failure_of(const recipes::multi_contender& machine,
                           const std::vector<std::shared_ptr<contender_operation>>& members, bool seen) {
  const refusal why = machine.why_refused();
  const recipes::code with = machine.refused_with();
  if (why == refusal::not_in_time) {
    for (const auto& one : members) {
      seen = seen || (one && one->machine().queue_seen());
    }
    return {seen ? std::error_code() : make_error_code(errc::not_connected)};
  }
  return machine.place() < members.size() ? failure_of(*members[machine.place()], why, with)
                                          : detail::failure{detail::error_of(why, with), with};
}

}  // namespace

void acquire_several::contend(engine::out& wants) {
  const auto& places = plan_.places;
  const bool lock_nodes_missing = machine_ && machine_->lock_nodes_missing();  // as the try before says
  members_.assign(places.size(), nullptr);
  making_.clear();
  if (plan_.in_turn) {
    machine_.emplace(plan_.turns());
  } else {
    machine_.emplace(places.size(), lock_nodes_missing);
    for (std::size_t place = 0; place < places.size(); ++place) {
      members_[place] = begin_contender(place, parts_[places[place].part].target, places[place], of_multi_lock_, wants);
    }
  }
  if (wants.session().connected) {
    dispatch(multi_event::connected{}, wants);
  }
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void acquire_several::dispatch(const recipes::multi_contender_event& what, engine::out& wants) {
  if (members_.empty()) {
    return;  // between two tries
  }
  for (const multi_action one : machine_->resume(what)) {
    perform(one, wants);
  }
  if (wants.session().connected && machine_->needs_connection()) {
    retry_.failed(wants.session().now, wants.session().timeout);
  }
}

void acquire_several::perform(multi_action what, engine::out& wants) {
  switch (what) {
    case multi_action::begin_step: begin_step(wants); break;
    case multi_action::let_pass: let_pass(wants); break;
    case multi_action::make_lock_nodes:
      for (const member& one : members_) {
        const auto plan = one->requests().plan_of_lock_node(one->machine(), wants);
        const auto as = static_cast<engine::tag>(lock_node_made + making_.size());
        making_.push_back(request_creates(plan, as, wants));
      }
      break;
    case multi_action::create_all:
      wants.request(all_created, creates_of(members_, wants));
      enlisted_ = members_;
      for (const member& one : members_) {
        dispatch_to_member(one, event::enlisted{}, wants);
      }
      break;
    case multi_action::read_token: {
      contender_operation& first = *members_.front();
      const std::string node = wants.full(first.requests().lock_node(), first.machine().own());
      wants.request(token_read, client::request::get{node, client::no_watch});
      break;
    }
    case multi_action::grant: wants.await_cover(); break;  // goes on in covered()
    case multi_action::refuse:
      wants.await_no_cover();
      note_leases(wants);
      call_.answer({nullptr, why_refused(failure_of(*machine_, members_, call_.queue_seen()))});
      break;
    case multi_action::start_over:
      wants.await_no_cover();
      retry_.cancel();
      wants.begin_again();
      break;
    case multi_action::dissolve: dissolve(wants); break;
  }
}

/// For the next try at permits in Curator's layout.
void acquire_several::note_leases(const engine::out& wants) const {
  if (call_.once() && !of_multi_lock_ && machine_->why_refused() == refusal::not_in_time) {
    parts_.front().target->blocker.refuses(wants.session().id, {});
  }
}

void acquire_several::begin_step(engine::out& wants) {
  const auto& places = plan_.places;
  for (std::size_t place = 0; place < places.size(); ++place) {
    if (places[place].turn.step == machine_->step()) {
      members_[place] = begin_contender(place, parts_[places[place].part].target, places[place], false, wants);
    }
  }
}

void acquire_several::let_pass(engine::out& wants) {
  const auto& places = plan_.places;
  for (std::size_t place = 0; place < places.size(); ++place) {
    const recipes::place_turn& turn = places[place].turn;
    if (turn.passing && turn.step + 1 < machine_->step()) {
      dispatch_to_member(members_[place], event::release{}, wants);
    }
  }
}

/// One by one: a transaction of removals does nothing when one of the nodes is gone already (F108). The last first: a client
/// that takes places in turn finds the way open behind the first.
void acquire_several::dissolve(engine::out& wants) {
  for (auto place = members_.size(); place-- > 0;) {
    if (const member& one = members_[place]) {
      call_.note_progress(*one, plan_.places[place].spec);
      dispatch_to_member(one, event::stop{refusal::abandoned}, wants);
      one->set_listener(nullptr);
    }
  }
  members_.clear();
  finish_if_over(wants);
}

/// Its contenders have to be told of a transaction that is under way, whatever has become of the call.
void acquire_several::finish_if_over(engine::out& wants) {
  if (call_.is_answered() && members_.empty() && enlisted_.empty()) {
    wants.finish();
  }
}

// ---- what its contenders say ----------------------------------------------------------------------------------------

void acquire_several::on_place_event(std::size_t place, const place_event& what, engine::out& wants) {
  if (members_.empty()) {
    return;
  }
  const contender_operation& one = *members_[place];
  call_.note_progress(one, plan_.places[place].spec);
  if (std::holds_alternative<place_is::granted>(what)) {
    among_->watch->watch_soon(one.number(), wants);  // it is held while others are waited for
    const recipes::contender& machine = one.machine();
    dispatch(multi_event::granted{place, machine.token(), machine.bounds()}, wants);
  } else if (std::holds_alternative<place_is::waiting>(what)) {
    if (closes_circle(wants)) {
      dispatch(multi_event::stop{refusal::abandoned}, wants);
    }
  } else if (std::holds_alternative<place_is::refused>(what)) {
    dispatch(multi_event::refused{place, one.machine().why_refused(), one.machine().refused_with()}, wants);
  } else {
    dispatch(multi_event::gone{place}, wants);
  }
}

void acquire_several::add_contenders(std::vector<const contender_operation*>& to) const {
  for (const member& one : members_) {
    if (one) {
      to.push_back(one.get());
    }
  }
}

// ---- what the servers say, and time ---------------------------------------------------------------------------------

void acquire_several::connected(engine::out& wants) {
  retry_.start_anew();
  dispatch(multi_event::connected{}, wants);
}

void acquire_several::reply_to_try(engine::tag as, const client::reply_view& answer, engine::out& wants) {
  if (as == all_created) {
    dispatch_created(answer, wants);
  } else if (as == token_read) {
    const bool owned = answer.stat.ephemeral_owner == wants.session().id;
    dispatch(multi_event::token_read{answer.code, {answer.stat.czxid}, owned}, wants);
  } else {
    const std::size_t place = as - lock_node_made;
    if (place < making_.size() && making_[place].answered(answer.code, wants)) {
      dispatch(multi_event::lock_node_made{place, making_[place].result(), making_[place].without_root()}, wants);
    }
  }
}

void acquire_several::dispatch_created(const client::reply_view& answer, engine::out& wants) {
  const std::vector<member> members = std::exchange(enlisted_, {});
  const std::size_t at = std::min(client::first_failed_operation(answer).value_or(members.size()), members.size());
  const bool makeable = at == members.size() || members[at]->machine().terms().makes_lock_node;
  dispatch(multi_event::created{client::cause(answer), at, makeable}, wants);
  for (std::size_t place = 0; place < members.size(); ++place) {
    const bool named = place < answer.parts.size();
    std::string name(named ? detail::base_name(answer.parts[place].name) : std::string_view());
    wants.call(members[place], [one = members[place], code = answer.code, name = std::move(name)](engine::out& its) {
      one->dispatch(event::created{code, name, {}}, its);
    });
  }
  finish_if_over(wants);
}

void acquire_several::timer_of_try(engine::out& wants) {
  const engine::instant now = wants.session().now;
  if (retry_.fired(now) && wants.session().connected && machine_->needs_connection()) {
    dispatch(multi_event::connected{}, wants);
  }
  if (call_.is_late(now) && !members_.empty()) {
    dispatch(multi_event::stop{refusal::not_in_time}, wants);
  }
}

std::optional<engine::instant> acquire_several::due_of_try() const {
  std::optional<engine::instant> first = retry_.due();
  const auto of_call = call_.due();
  if (!members_.empty() && of_call) {  // else it is between two tries: the next one follows at this very instant
    first = std::min(first.value_or(*of_call), *of_call);
  }
  return first;
}

void acquire_several::stop_try(const detail::failure& why, engine::out& wants) {
  if (std::count(members_.begin(), members_.end(), nullptr) == std::ssize(members_)) {  // no place could say why
    members_.clear();
    call_.answer({nullptr, why});
    finish_if_over(wants);
    return;
  }
  dispatch(multi_event::stop{why.ec == errc::session_closed ? refusal::closed : refusal::abandoned}, wants);
}

void acquire_several::session_over(const engine::session_end&, engine::out& wants) {
  enlisted_.clear();
  finish_if_over(wants);
}

// ---- the caller -----------------------------------------------------------------------------------------------------

void acquire_several::covered(engine::out& wants) {
  const auto& places = plan_.places;
  std::vector<joint_hold_operation::held_place> held;
  for (std::size_t place = 0; place < places.size(); ++place) {
    held.push_back({members_[place], places[place].part, places[place].turn.passing, plan_.in_turn});
  }
  const auto whole = std::make_shared<joint_hold_operation>(std::move(held), of_multi_lock_);
  acquire_result granted{whole->begin_holds(parts_, of_multi_lock_, machine_->token(), call_.to(), wants), {}};
  wants.replace_with(whole);
  members_.clear();
  call_.answer(std::move(granted));
}

}  // namespace zklock::operations
