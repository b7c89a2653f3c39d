#include "tests/sim/bound_checker.hpp"

#include <algorithm>
#include <variant>

namespace zklock::sim {

bound_checker::instant bound_checker::max_hold_of(const detail::hold& hold) const {
  const auto plan =
      std::find_if(locks_.begin(), locks_.end(), [&](const lock_plan& one) { return one.path == hold.path(); });
  return plan == locks_.end() ? instant{0} : plan->max_hold;
}

/// Each node's; what a user releases, and is told, is the whole.
void bound_checker::granted(const std::shared_ptr<detail::hold>& hold, const std::shared_ptr<detail::hold>& whole,
                            instant now) {
  for (const std::shared_ptr<detail::hold>& part : hold->parts()) {
    granted(part, whole, now);
  }
  if (const instant most = max_hold_of(*hold); hold->parts().empty() && most.count() > 0) {
    bounds_.push_back({hold, whole, now + most});
  }
  now_ = now;
}

bool bound_checker::is_or_has(const detail::hold& whole, const detail::hold& part) {
  return &whole == &part || std::any_of(whole.parts().begin(), whole.parts().end(),
                                        [&part](const auto& one) { return is_or_has(*one, part); });
}

void bound_checker::extended(const detail::hold& hold, bool accepted, instant to) {
  for (bound& one : bounds_) {
    if (!is_or_has(hold, *one.hold)) {
      continue;
    }
    if (accepted && now_ >= one.ends) {
      report_("extended_in_time", one.hold->node() + " was extended when its bound was over");
    }
    if (accepted) {
      one.ends = std::max(one.ends, to);
    }
  }
}

void bound_checker::released(const detail::hold& hold) {
  for (bound& one : bounds_) {
    one.released = one.released || is_or_has(hold, *one.hold);
  }
}

void bound_checker::loss_told(const detail::hold& hold) {
  if (hold.why_lost() != loss_reason::held_too_long) {
    return;
  }
  const auto is_over = [this](const bound& one) { return now_ >= one.ends; };
  const auto is_its = [&hold](const bound& one) { return is_or_has(hold, *one.hold); };
  const bool has_one = std::any_of(bounds_.begin(), bounds_.end(), is_its);  // else it is a part, lost with another one
  if (std::none_of(bounds_.begin(), bounds_.end(),
                   [&](const bound& one) { return is_over(one) && (is_its(one) || !has_one); })) {
    report_("bound_alone", hold.node() + " was lost by its bound, which is not over");
  }
}

void bound_checker::time_is(instant now) {
  now_ = now;
  for (const bound& one : bounds_) {
    const bool held = !one.released && one.hold->why_lost() == loss_reason::none && now < one.hold->valid_until();
    if (held && now >= one.ends) {
      report_("bound_kept", one.hold->node() + " is held beyond its bound");
    }
  }
}

void bound_checker::asked(const client::any_request& what) {
  if (const auto* const one = std::get_if<client::request::remove>(&what)) {
    removed(one->path);
  } else if (const auto* const several = std::get_if<client::request::multi>(&what)) {
    for (const client::request::operation& each : several->operations) {
      if (const auto* const part = std::get_if<client::request::remove>(&each)) {
        removed(part->path);
      }
    }
  }
}

void bound_checker::removed(std::string_view path) {
  for (const bound& one : bounds_) {
    const bool by_bound = one.whole->why_lost() == loss_reason::held_too_long && !one.released;  // not by another part
    if (by_bound && now_ < one.ends + margin_ && one.hold->node() == path) {
      report_("node_stands_for_the_margin", std::string(path) + " is removed with its bound, and not a margin later");
    }
  }
}

}  // namespace zklock::sim
