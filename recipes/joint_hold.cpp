#include "recipes/joint_hold.hpp"

#include <utility>

namespace zklock::recipes {

using joint = joint_action::kind;

joint_hold::action_vector joint_hold::resume(const joint_hold_event& what) {
  action_vector out;
  std::visit([&](const auto& one) { on(one, out); }, what);
  return out;
}

// ---- its loss -------------------------------------------------------------------------------------------------------

void joint_hold::on(const joint_event::lost& one, action_vector& out) {
  switch (state_) {
    case state::held:
      state_ = state::ending;
      by_ = one.place;
      out.push_back(of_parts_ && one.alone ? joint_action{joint::blame, one.place} : joint_action{joint::end});
      break;
    case state::kept:
      if (there_[one.place]) {
        there_[one.place] = false;
        out.push_back({joint::forget, one.place});
      }
      break;
    case state::ending:
    case state::lost:
    case state::apart: break;
  }
}

void joint_hold::on(const joint_event::holds_over& all, action_vector& out) {
  if (state_ == state::held) {
    state_ = state::ending;
    nodes_stand_ = all.nodes_stand;
    out.push_back({joint::end});
  }
}

void joint_hold::on(const joint_event::ended& what, action_vector& out) {
  if (state_ != state::ending) {
    return;
  }
  const std::optional<std::size_t> by = std::exchange(by_, std::nullopt);
  const bool nodes_stand = std::exchange(nodes_stand_, false);
  if (!what.by_loss) {
    if (by) {
      out.push_back({joint::lose, *by});
    }
    ungroup(out);
    return;
  }
  out.push_back({joint::report_loss});
  for (std::size_t place = 0; place < there_.size(); ++place) {
    out.push_back({joint::lose, place});
  }
  if (by) {
    end_each(joint::stop, out);
  } else if (nodes_stand) {
    state_ = state::kept;
    out.push_back({joint::keep});
  } else {
    state_ = state::lost;
  }
}

// ---- its end --------------------------------------------------------------------------------------------------------

void joint_hold::on(const joint_event::released&, action_vector& out) { ungroup(out); }

void joint_hold::on(const joint_event::margin_over&, action_vector& out) {
  if (state_ == state::kept) {
    end_each(joint::release, out);
  }
}

/// What was lost before has gone with its session.
void joint_hold::on(const joint_event::session_over&, action_vector& out) {
  if (state_ == state::kept) {
    ungroup(out);
  }
}

void joint_hold::on(const joint_event::stop&, action_vector& out) { end_each(joint::stop, out); }

/// One by one, the last first: see multi_action::dissolve.
void joint_hold::end_each(joint_action::kind how, action_vector& out) {
  for (std::size_t place = there_.size(); place-- > 0;) {
    if (there_[place]) {
      out.push_back({how, place});
    }
  }
  ungroup(out);
}

void joint_hold::ungroup(action_vector& out) {
  if (state_ != state::apart) {
    state_ = state::apart;
    there_.clear();
    by_.reset();
    nodes_stand_ = false;
    out.push_back({joint::ungroup});
  }
}

}  // namespace zklock::recipes
