#include "recipes/busy_check.hpp"

#include <algorithm>
#include <optional>

#include "recipes/contender.hpp"
#include "recipes/contender_name.hpp"

namespace zklock::recipes {

void seen_blocker::refuses(std::int64_t in_session, std::string_view node) {
  session = in_session;
  name = node;
}

void seen_blocker::is_held(std::int64_t in_session, std::string_view node) {
  refuses(in_session, node);
  asked = node;
}

bool seen_blocker::is_to_be_asked(const acquire_spec& wanted) noexcept {
  const bool may_be_kept = wanted.kind == contender_kind::mutex && wanted.as == layout::native && !name.empty();
  if (session == 0 || !may_be_kept || asked == name) {
    return false;
  }
  asked = name;
  return true;
}

busy_check::next busy_check::begin(const seen_blocker& last, const facts& known) {
  if (known.holder != nullptr && known.holder->excludes(wanted_)) {
    name_ = known.holder->own();
    return next::busy;
  }
  const bool seen = last.session != 0 && last.session == known.session;
  if (!known.connected || (!seen && !always_) || (counts() && known.other_sessions)) {
    return next::contend;
  }
  name_ = seen ? last.name : heap_text();
  remembered_ = !name_.empty();
  return name_.empty() ? next::list : next::read;
}

busy_check::next busy_check::read(code answer, std::string_view data, bool of_own_process) noexcept {
  if (answer != code::ok) {
    // Behind a try that was refused it has blocked this call, and nothing else is known of it.
    return again_ && answer != code::no_node ? next::busy : next::contend;
  }
  // One that has blocked a try before was told of it by that try's node: where it still stands it is held.
  may_be_idle_ = (again_ || !remembered_) && recipes::may_be_idle(data);
  const bool lets_pass = wanted_.kind == contender_kind::read && parse_contender_mode(data) == contender_mode::read;
  return lets_pass || may_be_idle_ || (of_own_process && !again_) ? next::contend : next::busy;
}

std::chrono::nanoseconds busy_check::time_to_stand(std::chrono::nanoseconds round_trip) const noexcept {
  using namespace std::chrono_literals;
  // Its process is told by one, its removal is another.
  return may_be_idle_ ? std::max<std::chrono::nanoseconds>(10ms, 2 * round_trip) : 0ns;
}

busy_check::next busy_check::listed(code answer, names_view children, const limit_node& limit, std::int64_t written) {
  if (answer != code::ok) {
    return next::contend;
  }
  if (counts()) {
    return too_few_left(children, limit, written) ? next::busy : next::contend;
  }
  name_ = first_blocker(children, wanted_);
  return name_.empty() ? next::contend : next::read;
}

bool busy_check::too_few_left(names_view children, const limit_node& limit, std::int64_t written) const noexcept {
  if (of_leases()) {
    return children.size() + wanted_.permits > wanted_.limit;
  }
  const bool known = limit.limit && limit.written != 0 && limit.written == written;
  if (!known || wanted_.permits > limit.limit->limit || (wanted_.limit != 0 && wanted_.limit != limit.limit->limit)) {
    return false;  // the try finds out, and tells
  }
  std::uint64_t taken = 0;
  for (const std::string_view child : children) {
    if (const auto other = parse_contender_name(child); other && of_one_recipe(other->kind, wanted_.kind)) {
      taken += other->permits;
    }
  }
  return taken + wanted_.permits > limit.limit->limit;
}

namespace {

/// The names of a mutex are the same in each.
bool of_one_layout(const parsed_name& one, const acquire_spec& wanted) noexcept {
  return one.kind == contender_kind::mutex || one.layout == wanted.as;
}

}  // namespace

std::string_view first_blocker(names_view children, const acquire_spec& wanted, std::string_view own) {
  const auto mine = own.empty() ? std::nullopt : parse_contender_name(own);
  const bool reads = wanted.kind == contender_kind::read;
  std::string_view found;
  sequence_number at;
  for (const std::string_view child : children) {
    const auto other = parse_contender_name(child);
    if (!other || child == own || !of_one_recipe(other->kind, wanted.kind) || !of_one_layout(*other, wanted) ||
        (mine && other->sequence > mine->sequence) || (reads && other->kind != contender_kind::write)) {
      continue;
    }
    if (found.empty() || (reads ? other->sequence > at : other->sequence < at)) {
      found = child;
      at = other->sequence;
    }
  }
  return found;
}

}  // namespace zklock::recipes
