#include "src/operations/joint_hold.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace zklock::operations {

namespace event = recipes::event;
using detail::hold;

// ---- the grant ------------------------------------------------------------------------------------------------------

std::shared_ptr<hold> joint_hold::begin_holds(const acquire_request& of, recipes::fencing_token token,
                                              engine::out& wants) {
  for (std::size_t at = 0; at < places_.size(); ++at) {
    places_[at].one->set_listener(this, at);
  }
  std::vector<std::shared_ptr<hold>> parts;
  for (std::size_t part = 0; part < of.parts.size(); ++part) {
    parts.push_back(begin_part(part, *of.parts[part].target, token, wants));
  }
  hold_ = !of.of_multi_lock ? parts.front()
                            : std::make_shared<hold>(*wants.session().lease, wants.make_notice(), token, std::move(parts));
  return hold_;
}

/// The hold of a part that has several nodes stands for all of them.
std::shared_ptr<hold> joint_hold::begin_part(std::size_t part, const detail::lock_target& of,
                                             recipes::fencing_token token, engine::out& wants) {
  std::vector<std::shared_ptr<hold>> nodes;
  for (const held_place& at : places_) {
    if (at.part == part && !at.passing) {
      const recipes::fencing_token own = at.one->machine().token();
      nodes.push_back(at.one->begin_hold(own.value == 0 ? token : own, wants));
    }
  }
  if (std::count_if(places_.begin(), places_.end(), [part](const held_place& at) { return at.part == part; }) == 1) {
    return nodes.front();
  }
  const recipes::fencing_token first = nodes.front()->token();
  of_several_.push_back(
      std::make_shared<hold>(*wants.session().lease, wants.make_notice(), first, std::move(nodes), of.path));
  return of_several_.back();
}

// ---- its end --------------------------------------------------------------------------------------------------------

void joint_hold::on_place_event(std::size_t place, const place_event& what, engine::out& wants) {
  if (std::holds_alternative<place_is::released>(what)) {
    ungroup(wants);
  } else if (const auto* const lost = std::get_if<place_is::lost>(&what)) {
    place_lost(place, lost->why, wants);
  }  // granted before; refused or void only while all is stopped
}

void joint_hold::place_lost(std::size_t place, loss_reason why, engine::out& wants) {
  if (nodes_until_) {  // lost before: the other nodes stand until then
    std::exchange(places_[place].one, nullptr)->set_listener(nullptr);
  } else if (lose(place, why, wants)) {
    end_places(event::stop{recipes::refusal::abandoned}, wants);
  }
}

void joint_hold::holds_over(loss_reason why, engine::instant nodes_until, engine::out& wants) {
  if (hold_) {
    if (why == loss_reason::deadline_passed) {
      nodes_until_ = nodes_until;
    }
    (void)lose(std::nullopt, why, wants);
  }
}

/// False: it has been released just before, and each place is on its own.
bool joint_hold::lose(std::optional<std::size_t> by, loss_reason why, engine::out& wants) {
  const std::shared_ptr<hold> lost = std::exchange(hold_, nullptr);
  if (!lost) {
    return true;
  }
  // What ends the session, or its lease, takes all places, and is told of the first of them: that one is not to blame.
  const bool is_whole = of_several_.empty() || of_several_.front() != lost;
  const bool blamed = by && why == loss_reason::node_removed && is_whole;
  lost->end_by_loss(why, blamed ? lost->parts()[places_[*by].part].get() : nullptr);
  if (lost->why_lost() == loss_reason::none) {
    const std::shared_ptr<contender> alone = by ? places_[*by].one : nullptr;
    ungroup(wants);
    if (alone) {
      wants.call(alone, [alone, why](engine::out& its) { alone->lose(why, std::nullopt, its); });
    }
    return false;
  }
  wants.tell_loss(lost);
  for (const std::shared_ptr<hold>& several : of_several_) {
    if (several->end_by_loss(why)) {
      wants.tell_loss(several);
    }
  }
  for (const held_place& at : places_) {
    if (at.one) {
      wants.call(at.one, [one = at.one, why](engine::out& its) { one->lose(why, std::nullopt, its); });
    }
  }
  return true;
}

void joint_hold::session_over(const engine::session_end&, engine::out& wants) {
  if (nodes_until_) {  // what was lost on a handle that lives on has gone with its session
    ungroup(wants);
  }
}

void joint_hold::timer(engine::out& wants) {
  if (nodes_until_ && *nodes_until_ <= wants.session().now) {
    end_places(event::release{}, wants);
  }
}

void joint_hold::stop(const detail::failure&, engine::out& wants) {
  end_places(event::stop{recipes::refusal::abandoned}, wants);
}

/// One by one, the last first: see acquire_several::dissolve().
void joint_hold::end_places(const recipes::contender_event& by, engine::out& wants) {
  for (auto at = places_.rbegin(); at != places_.rend(); ++at) {
    if (at->one) {
      wants.call(at->one, [one = at->one, by](engine::out& its) { one->tell(by, its); });
    }
  }
  ungroup(wants);
}

/// Its contenders go on, or go, one by one.
void joint_hold::ungroup(engine::out& wants) {
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
