#include "src/operations/joint_hold_operation.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace zklock::operations {

namespace event = recipes::event;
namespace joint_event = recipes::joint_event;
using detail::hold;

// ---- the grant ------------------------------------------------------------------------------------------------------

std::shared_ptr<hold> joint_hold_operation::begin_holds(const detail::wanted_parts& of, bool of_multi_lock,
                                                        recipes::fencing_token token, const grantee& to,
                                                        engine::out& wants) {
  for (std::size_t at = 0; at < places_.size(); ++at) {
    places_[at].one->set_listener(this, at);
  }
  std::vector<std::shared_ptr<hold>> parts;
  for (std::size_t part = 0; part < of.size(); ++part) {
    parts.push_back(begin_part(part, of[part].target, token, to, wants));
  }
  hold_ = of_multi_lock ? wants.make_hold({.token = token, .since = parts.front()->since(), .parts = std::move(parts)})
                        : parts.front();
  return hold_;
}

/// The hold of a part that has several nodes stands for all of them.
std::shared_ptr<hold> joint_hold_operation::begin_part(std::size_t part,
                                                       const std::shared_ptr<const detail::lock_target>& of,
                                                       recipes::fencing_token token, const grantee& to,
                                                       engine::out& wants) {
  std::vector<std::shared_ptr<hold>> nodes;
  for (const held_place& at : places_) {
    if (at.part == part && !at.passing) {
      if (nodes.empty()) {
        at.one->speak_for_lock();
      }
      nodes.push_back(at.one->begin_hold(at.in_turn ? at.one->machine().token() : token, to, wants));
    }
  }
  if (std::count_if(places_.begin(), places_.end(), [part](const held_place& at) { return at.part == part; }) == 1) {
    return nodes.front();
  }
  const recipes::fencing_token first = nodes.front()->token();
  of_several_.push_back(wants.make_hold({.token = first,
                                         .path = path_of(of),
                                         .since = nodes.front()->since(),
                                         .parts = std::move(nodes),
                                         .meter = of->meter.get()}));
  return of_several_.back();
}

// ---- what happens to it ---------------------------------------------------------------------------------------------

/// What was asked for before the grant.
void joint_hold_operation::begin(engine::out& wants) {
  for (const held_place& at : places_) {
    if (at.one && at.one->asked_to_let_go()) {
      tell_of_revocation(at, wants);
    }
  }
}

void joint_hold_operation::on_place_event(std::size_t place, const place_event& what, engine::out& wants) {
  if (std::holds_alternative<place_is::asked_for>(what)) {
    tell_of_revocation(places_[place], wants);
  } else if (std::holds_alternative<place_is::released>(what)) {
    dispatch(joint_event::released{}, {}, wants);
  } else if (const auto* const lost = std::get_if<place_is::lost>(&what);
             lost != nullptr && lost->why == loss_reason::held_too_long) {
    if (hold_) {  // else it is told
      const std::optional<engine::instant> until = places_[place].one->node_until(lost->why, wants);
      static_cast<void>(hold_->held_at(wants.session().now));  // knows the part that is to blame
      dispatch(joint_event::holds_over{true}, {lost->why, until.value_or(wants.session().now)}, wants);
    }
  } else if (lost != nullptr) {
    dispatch(joint_event::lost{place, lost->why == loss_reason::node_removed}, {lost->why}, wants);
  }  // granted before; refused or void only while all is stopped
}

void joint_hold_operation::holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) {
  dispatch(joint_event::holds_over{why == loss_reason::deadline_passed}, {why, nodes_until}, wants);
}

void joint_hold_operation::session_over(const engine::session_end&, engine::out& wants) {
  dispatch(joint_event::session_over{}, {}, wants);
}

void joint_hold_operation::timer(engine::out& wants) {
  if (nodes_until_ && *nodes_until_ <= wants.session().now) {
    dispatch(joint_event::margin_over{}, {}, wants);
  }
}

void joint_hold_operation::stop(const detail::failure&, engine::out& wants) {
  dispatch(joint_event::stop{}, {}, wants);
}

// ---- the machine and what it wants ----------------------------------------------------------------------------------

void joint_hold_operation::dispatch(const recipes::joint_hold_event& what, const loss& by, engine::out& wants) {
  for (const recipes::joint_action& one : machine_.resume(what)) {
    perform(one, by, wants);
  }
}

void joint_hold_operation::perform(const recipes::joint_action& what, const loss& by, engine::out& wants) {
  using kind = recipes::joint_action::kind;
  switch (what.is) {
    case kind::end: end_hold(nullptr, by, wants); break;
    case kind::blame: end_hold(hold_->parts()[places_[what.place].part].get(), by, wants); break;
    case kind::report_loss: report_loss(by.why, wants); break;
    case kind::lose:
      wants.call(places_[what.place].one, [one = places_[what.place].one, why = by.why](engine::out& its) {
        one->lose(why, std::nullopt, its);
      });
      break;
    case kind::keep: nodes_until_ = by.nodes_until; break;
    case kind::forget: std::exchange(places_[what.place].one, nullptr)->set_listener(nullptr); break;
    case kind::stop: dispatch_to_place(what.place, event::stop{recipes::refusal::abandoned}, wants); break;
    case kind::release: dispatch_to_place(what.place, event::release{}, wants); break;
    case kind::ungroup: ungroup(wants); break;
  }
}

void joint_hold_operation::end_hold(const hold* blamed, const loss& by, engine::out& wants) {
  hold_->end_by_loss(by.why, blamed);
  dispatch(joint_event::ended{hold_->why_lost() != loss_reason::none}, by, wants);
}

void joint_hold_operation::report_loss(loss_reason why, engine::out& wants) {
  wants.report_loss(std::exchange(hold_, nullptr));
  for (const std::shared_ptr<hold>& several : of_several_) {
    if (several->end_by_loss(why) || several->why_lost() == loss_reason::held_too_long) {  // the clock was asked before
      wants.report_loss(several);
    }
  }
}

/// The hold of all, and that of the part, if it has several nodes.
void joint_hold_operation::tell_of_revocation(const held_place& of, engine::out& wants) {
  if (hold_ && of.one) {
    wants.report_revocation(hold_);
  }
  for (const std::shared_ptr<hold>& several : of_several_) {
    const auto& nodes = several->parts();
    if (several != hold_ && of.one && std::find(nodes.begin(), nodes.end(), of.one->hold()) != nodes.end()) {
      wants.report_revocation(several);
    }
  }
}

void joint_hold_operation::dispatch_to_place(std::size_t place, const recipes::contender_event& what,
                                             engine::out& wants) {
  const std::shared_ptr<contender_operation>& one = places_[place].one;
  wants.call(one, [one, what](engine::out& its) { one->dispatch(what, its); });
}

void joint_hold_operation::ungroup(engine::out& wants) {
  for (const held_place& at : places_) {
    if (at.one) {
      at.one->set_listener(nullptr);
    }
  }
  places_.clear();
  nodes_until_.reset();
  wants.finish();
}

}  // namespace zklock::operations
