#include "src/operations/acquire_several.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <zklock/error.hpp>

#include "src/errors/error_of.hpp"
#include "src/zookeeper/culprit.hpp"
#include "src/zookeeper/path.hpp"

namespace zklock::operations {
namespace {

using recipes::multi_action;
using recipes::refusal;
namespace event = recipes::event;
namespace multi_event = recipes::multi_event;

enum step : engine::tag { all_created, token_read };

}  // namespace

void acquire_several::contend(engine::out& wants) {
  const recipes::place_plan wanted_places = plan();
  places_ = wanted_places.places;
  members_.assign(places_.size(), nullptr);
  if (wanted_places.in_turn) {
    machine_.emplace(wanted_places.turns());
  } else {
    machine_.emplace(places_.size(), lock_nodes_missing_);
    for (std::size_t place = 0; place < places_.size(); ++place) {
      add_member(place, wants);
    }
  }
  if (wants.session().connected) {
    tell(multi_event::connected{}, wants);
  }
}

void acquire_several::add_member(std::size_t place, engine::out& wants) {
  const bool created_by_transaction = wanted().of_multi_lock && !machine_->in_turn();
  members_[place] = make_contender(place, places_[place], created_by_transaction, wants);
  wants.begin(members_[place]);
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void acquire_several::connected(engine::out& wants) {
  retry_at_.reset();
  pace_.start_anew();
  tell(multi_event::connected{}, wants);
}

void acquire_several::tell(const recipes::multi_contender_event& what, engine::out& wants) {
  if (members_.empty()) {
    return;  // between two tries
  }
  for (const multi_action one : machine_->resume(what)) {
    perform(one, wants);
  }
  if (wants.session().connected && machine_->needs_connection() && !retry_at_) {
    retry_at_ = pace_.next_try(wants.session().now, wants.session().timeout);
  }
}

void acquire_several::perform(multi_action what, engine::out& wants) {
  switch (what) {
    case multi_action::begin_step: begin_step(wants); break;
    case multi_action::let_pass: let_pass(wants); break;
    case multi_action::make_lock_nodes: make_lock_nodes(wants); break;
    case multi_action::create_all: create_all(wants); break;
    case multi_action::read_token: read_token(wants); break;
    case multi_action::grant: wants.await_cover(); break;
    case multi_action::refuse: refuse(wants); break;
    case multi_action::start_over:
      lock_nodes_missing_ = machine_->lock_nodes_missing();
      try_again(wants);
      break;
    case multi_action::lose: lose(ending_, wants); break;
    case multi_action::dissolve: dissolve(event::stop{refusal::abandoned}, wants); break;
  }
}

void acquire_several::make_lock_nodes(engine::out& wants) {
  for (const member& one : members_) {
    wants.call(one, [one](engine::out& its) { one->make_lock_node(its); });
  }
}

void acquire_several::create_all(engine::out& wants) {
  client::request::multi all;
  for (const member& one : members_) {
    all.operations.emplace_back(one->own_node(wants));
  }
  wants.request(all_created, std::move(all));
  enlisted_ = members_;
  for (const member& one : members_) {
    tell_member(one, event::enlisted{}, wants);
  }
}

void acquire_several::read_token(engine::out& wants) {
  const contender& first = *members_.front();
  wants.request(token_read, client::request::get{first.node(first.machine().own(), wants), client::no_watch});
}

void acquire_several::begin_step(engine::out& wants) {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (places_[place].turn.step == machine_->step()) {
      add_member(place, wants);
    }
  }
}

void acquire_several::let_pass(engine::out& wants) {
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const recipes::place_turn& turn = places_[place].turn;
    if (turn.passing && turn.step + 1 < machine_->step()) {
      tell_member(members_[place], event::release{}, wants);
    }
  }
}

/// One by one: a transaction of removals does nothing when one of the nodes is gone already (F108). The last first: a client
/// that takes places in turn finds the way open behind the first.
void acquire_several::dissolve(const recipes::contender_event& by, engine::out& wants) {
  for (auto place = members_.size(); place-- > 0;) {
    if (const member& one = members_[place]) {
      note_progress(*one, places_[place].part);
      tell_member(one, by, wants);
    }
  }
  ungroup(wants);
}

/// Its contenders go on, or go, one by one.
void acquire_several::ungroup(engine::out& wants) {
  for (const member& one : members_) {
    if (one) {
      one->detach();
    }
  }
  members_.clear();
  finish_if_over(wants);
}

/// Its contenders have to be told of a transaction that is under way, whatever has become of the call.
void acquire_several::finish_if_over(engine::out& wants) {
  if (is_answered() && members_.empty() && enlisted_.empty()) {
    wants.finish();
  }
}

void acquire_several::tell_member(const member& one, recipes::contender_event what, engine::out& wants) {
  wants.call(one, [one, what = std::move(what)](engine::out& its) { one->tell(what, its); });
}

// ---- what its contenders say ----------------------------------------------------------------------------------------

void acquire_several::place_granted(std::size_t place, engine::out& wants) {
  if (members_.empty()) {
    return;
  }
  members_[place]->watch_soon(wants);  // it is held while others are waited for
  note_progress(*members_[place], places_[place].part);
  tell(multi_event::granted{place, members_[place]->machine().token()}, wants);
}

void acquire_several::place_refused(std::size_t place, engine::out& wants) {
  if (members_.empty()) {
    return;
  }
  const recipes::contender& machine = members_[place]->machine();
  note_progress(*members_[place], places_[place].part);
  tell(multi_event::refused{place, machine.why_refused(), machine.refused_with()}, wants);
}

void acquire_several::place_void(std::size_t place, engine::out& wants) {
  if (members_.empty()) {
    return;
  }
  note_progress(*members_[place], places_[place].part);
  tell(multi_event::gone{place}, wants);
}

void acquire_several::place_lost(std::size_t place, loss_reason why, engine::out& wants) {
  if (nodes_until_ && !members_.empty()) {  // lost before: the nodes of the other parts stand until then
    members_[place]->detach();
    members_[place] = nullptr;
    return;
  }
  ending_ = why;
  place_void(place, wants);
  ending_ = loss_reason::node_removed;
}

void acquire_several::lock_node_made(std::size_t place, recipes::code answer, bool without_root, engine::out& wants) {
  tell(multi_event::lock_node_made{place, answer, without_root}, wants);
}

// ---- what the servers say, and time ---------------------------------------------------------------------------------

void acquire_several::reply(engine::tag as, client::reply&& answer, engine::out& wants) {
  if (as == all_created) {
    tell_created(answer, wants);
  } else if (as == token_read) {
    const bool owned = answer.stat.ephemeral_owner == wants.session().id;
    tell(multi_event::token_read{answer.code, {answer.stat.czxid}, owned}, wants);
  }
}

void acquire_several::tell_created(const client::reply& answer, engine::out& wants) {
  const std::vector<member> members = std::exchange(enlisted_, {});
  const std::size_t at = std::min(client::culprit(answer).value_or(members.size()), members.size());
  const bool makeable = at == members.size() || members[at]->machine().terms().lock_node_data.has_value();
  tell(multi_event::created{client::cause(answer), at, makeable}, wants);
  for (std::size_t place = 0; place < members.size(); ++place) {
    const bool named = place < answer.parts.size();
    std::string name(named ? detail::base_name(answer.parts[place].name) : std::string_view());
    wants.call(members[place], [one = members[place], code = answer.code,
                                          name = std::move(name)](engine::out& its) {
      one->tell(event::created{code, name, {}}, its);
    });
  }
  finish_if_over(wants);
}

void acquire_several::timer(engine::out& wants) {
  const engine::instant now = wants.session().now;
  if (retry_at_ && *retry_at_ <= now) {
    retry_at_.reset();
    if (wants.session().connected && machine_->needs_connection()) {
      tell(multi_event::connected{}, wants);
    }
  }
  if (is_late(wants) && !members_.empty()) {
    tell(multi_event::stop{refusal::not_in_time}, wants);
  }
  if (nodes_until_ && *nodes_until_ <= now) {
    nodes_until_.reset();
    dissolve(event::release{}, wants);
  }
}

std::optional<engine::instant> acquire_several::due() const {
  std::optional<engine::instant> first;
  if (!members_.empty()) {  // else it is between two tries: the next one follows at this very instant
    first = time_limit();
  }
  for (const auto& one : {retry_at_, nodes_until_}) {
    if (one && (!first || *one < *first)) {
      first = one;
    }
  }
  return first;
}

void acquire_several::stop(const detail::failure& why, engine::out& wants) {
  if (std::count(members_.begin(), members_.end(), nullptr) == std::ssize(members_)) {  // no place could say why
    members_.clear();
    answer({nullptr, why});
    finish_if_over(wants);
    return;
  }
  tell(multi_event::stop{why.ec == errc::session_closed ? refusal::closed : refusal::abandoned}, wants);
}

void acquire_several::session_over(const engine::session_end&, engine::out& wants) {
  enlisted_.clear();
  if (nodes_until_.has_value()) {  // what was lost on a handle that lives on has gone with its session
    nodes_until_.reset();
    ungroup(wants);
  }
  finish_if_over(wants);
}

// ---- the caller -----------------------------------------------------------------------------------------------------

void acquire_several::covered(engine::out& wants) {
  std::vector<std::shared_ptr<detail::hold>> parts;
  for (std::size_t part = 0; part < wanted().parts.size(); ++part) {
    parts.push_back(begin_part(part, wants));
  }
  hold_ = !wanted().of_multi_lock ? parts.front()
                                  : std::make_shared<detail::hold>(*wants.session().lease, wants.make_notice(),
                                                                   machine_->token(), std::move(parts));
  answer({hold_, {}});
}

/// The hold of a part that has several nodes stands for all of them.
std::shared_ptr<detail::hold> acquire_several::begin_part(std::size_t part, engine::out& wants) {
  std::vector<std::shared_ptr<detail::hold>> nodes;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (places_[place].part == part && !places_[place].turn.passing) {
      contender& one = *members_[place];
      nodes.push_back(one.begin_hold(machine_->in_turn() ? one.machine().token() : machine_->token(), wants));
    }
  }
  const detail::wanted_part& of = wanted().parts[part];
  if (std::count_if(places_.begin(), places_.end(), [part](const auto& one) { return one.part == part; }) == 1) {
    return nodes.front();
  }
  const recipes::fencing_token token = nodes.front()->token();
  of_several_.push_back(std::make_shared<detail::hold>(*wants.session().lease, wants.make_notice(), token,
                                                       std::move(nodes), of.target->path));
  return of_several_.back();
}

void acquire_several::refuse(engine::out& wants) {
  wants.await_no_cover();
  const refusal why = machine_->why_refused();
  const std::size_t place = machine_->place();
  const recipes::code with = machine_->refused_with();
  detail::failure told = place < members_.size() ? failure_of(*members_[place], why, with)
                                                 : detail::failure{detail::error_of(why, with), with};
  bool seen = queue_seen();
  for (const member& one : members_) {
    seen = seen || (one && one->machine().queue_seen());
  }
  if (why == refusal::not_in_time) {
    told = {seen ? std::error_code() : make_error_code(errc::not_connected)};
  }
  answer({nullptr, std::move(told)});
}

void acquire_several::try_again(engine::out& wants) {
  wants.await_no_cover();
  retry_at_.reset();
  for (std::size_t place = 0; place < members_.size(); ++place) {
    if (members_[place]) {
      note_progress(*members_[place], places_[place].part);
    }
  }
  wants.begin_again();
}

void acquire_several::holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) {
  if (hold_) {
    if (why == loss_reason::deadline_passed) {
      nodes_until_ = nodes_until;
    }
    lose(why, wants);
  }
}

/// With the first part that is lost all are (F67).
void acquire_several::lose(loss_reason why, engine::out& wants) {
  if (!is_answered()) {
    try_again(wants);  // the call has not been told of the grant: it is as if it had not been
    return;
  }
  const std::shared_ptr<detail::hold> lost = std::move(hold_);
  if (!lost) {
    return;
  }
  // What ends the session, or its lease, takes all parts, and is told of the first of them: that one is not to blame.
  const bool by_place = machine_->now() == recipes::multi_contender::state::over;
  const std::size_t place = by_place ? machine_->place() : members_.size();
  const bool blamed = place < members_.size();
  const bool alone_gone = blamed && why == loss_reason::node_removed;
  const std::size_t part = alone_gone ? places_[place].part : 0;
  const bool is_whole = of_several_.empty() || of_several_.front() != lost;
  lost->end_by_loss(why, alone_gone && is_whole ? lost->parts()[part].get() : nullptr);
  if (lost->why_lost() == loss_reason::none) {  // it has been released just before: each part is on its own
    const member alone = blamed ? members_[place] : nullptr;
    ungroup(wants);
    if (alone) {
      wants.call(alone, [alone, why](engine::out& its) { alone->lose(why, std::nullopt, its); });
    }
    return;
  }
  wants.tell_loss(lost);
  for (const std::shared_ptr<detail::hold>& several : of_several_) {
    if (several->end_by_loss(why)) {
      wants.tell_loss(several);
    }
  }
  for (const member& one : members_) {
    if (one) {
      wants.call(one, [one, why](engine::out& its) { one->lose(why, std::nullopt, its); });
    }
  }
}

}  // namespace zklock::operations
