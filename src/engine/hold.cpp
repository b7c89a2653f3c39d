#include "src/engine/hold.hpp"

#include <algorithm>
#include <utility>

#include "recipes/joined.hpp"

namespace zklock::detail {

bool movable_deadline::extend(instant to) noexcept {
  const std::int64_t wanted = to.count() & ~over_bit;
  std::int64_t seen = word_.load(std::memory_order_acquire);
  while ((seen & over_bit) == 0) {
    if (seen >= wanted || word_.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

void session_deadline::limit(instant to) noexcept {
  const std::int64_t wanted = to.count() & ~over_bit;
  std::int64_t seen = word_.load(std::memory_order_acquire);
  while ((seen & over_bit) == 0 && seen > wanted &&
         !word_.compare_exchange_weak(seen, wanted, std::memory_order_acq_rel)) {}
}

bool movable_deadline::covers(instant now) noexcept {
  std::int64_t seen = word_.load(std::memory_order_acquire);
  while ((seen & over_bit) == 0) {
    if (now.count() < seen) {
      return true;
    }
    if (word_.compare_exchange_weak(seen, seen | over_bit, std::memory_order_acq_rel)) {
      return false;
    }
  }
  return false;
}

bool session_deadline::is_ahead_of(instant now) const noexcept {
  const std::int64_t seen = word_.load(std::memory_order_acquire);
  return (seen & over_bit) == 0 && now.count() < seen;
}

void session_deadline::end(loss_reason reason) noexcept {
  loss_reason none = loss_reason::none;
  reason_.compare_exchange_strong(none, reason);
  word_.fetch_or(over_bit, std::memory_order_acq_rel);
}

loss_reason session_deadline::ended_by() const noexcept {
  const bool over = (word_.load(std::memory_order_acquire) & over_bit) != 0;
  if (!over) {
    return loss_reason::none;
  }
  const loss_reason told = reason_.load();
  return told == loss_reason::none ? loss_reason::deadline_passed : told;  // the clock alone leaves no word
}

namespace {

std::string one_a_line(const std::vector<std::shared_ptr<hold>>& parts, std::string (hold::*what)() const) {
  std::string lines;
  for (const auto& part : parts) {
    lines.append(lines.empty() ? "" : "\n").append((*part.*what)());
  }
  return lines;
}

}  // namespace

hold::hold(hold_facts of, hold_notice* notice)
    : of_(std::move(of)),
      notice_(notice),
      bound_(of_.ends),
      bounded_(of_.ends != instant::max() ||
               std::any_of(parts().begin(), parts().end(), [](const auto& part) { return part->bounded(); })),
      version_(of_.version),
      exclusive_(of_.exclusive) {}

std::string hold::path() const { return of_.path != nullptr ? *of_.path : one_a_line(parts(), &hold::path); }

std::string hold::node() const {
  if (of_.lock_node == nullptr) {
    return one_a_line(parts(), &hold::node);
  }
  return moved_.load(std::memory_order_acquire) ? moved_to_ : recipes::joined({*of_.lock_node, "/", of_.node});
}

void hold::add_guards(std::vector<guard>& to) const {
  for (const auto& part : parts()) {
    part->add_guards(to);
  }
  if (parts().empty()) {
    to.push_back({node(), version()});
  }
}

void hold::accept_version(std::int32_t read) noexcept {
  std::int32_t seen = version_.load(std::memory_order_acquire);
  while (seen != any_version && seen < read && !version_.compare_exchange_weak(seen, read, std::memory_order_acq_rel)) {
  }
}

std::string hold::lost_part() const {
  const hold* const part = lost_part_.load(std::memory_order_acquire);
  return part != nullptr ? part->path() : std::string();
}

void hold::move_to(std::string_view node) {
  if (moved_to_.empty()) {
    moved_to_ = node;
  }
  moved_.store(true, std::memory_order_release);
}

bool hold::held_at(instant now) noexcept {
  if (end_.load(std::memory_order_acquire) != ongoing) {
    return false;
  }
  if (bounded_ && !within_bounds(now)) {
    return false;
  }
  if (of_.until->covers(now)) {
    return end_.load(std::memory_order_acquire) == ongoing;
  }
  end_by_loss(of_.until->ended_by());
  return false;
}

/// Of the two deadlines that have passed the earlier one has ended it.
bool hold::within_bounds(instant now) noexcept {
  if (bound_.deadline() > of_.until->deadline() && !of_.until->covers(now)) {
    end_by_loss(of_.until->ended_by());
    return false;
  }
  if (!bound_.covers(now)) {
    end_by_loss(loss_reason::held_too_long);
    return false;
  }
  for (const std::shared_ptr<hold>& part : parts()) {
    if (!part->held_at(now) && part->why_lost() == loss_reason::held_too_long) {
      end_by_loss(loss_reason::held_too_long, of_.path == nullptr ? part.get() : nullptr);
      return false;
    }
  }
  return true;
}

instant hold::valid_until() const noexcept {
  instant first = std::min(of_.until->deadline(), bound_.deadline());
  for (const std::shared_ptr<hold>& part : parts()) {
    first = std::min(first, part->valid_until());
  }
  return first;
}

bool hold::extend(instant now, instant to) noexcept {
  bool all = held_at(now);
  if (of_.ends != instant::max()) {
    all = all && bound_.extend(to);
  }
  for (const std::shared_ptr<hold>& part : parts()) {
    all = all && (!part->bounded() || part->extend(now, to));
  }
  return all;
}

std::optional<instant> hold::bound_due() const noexcept {
  const std::uint8_t end = end_.load(std::memory_order_acquire);
  const bool stands = end == ongoing || end == static_cast<std::uint8_t>(loss_reason::held_too_long);
  return of_.ends != instant::max() && stands ? std::optional(bound_.deadline()) : std::nullopt;
}

loss_reason hold::why_lost() const noexcept {
  const std::uint8_t end = end_.load(std::memory_order_acquire);
  return end == released ? loss_reason::none : static_cast<loss_reason>(end);
}

bool hold::end_by_release(instant now) noexcept {
  if (!held_at(now)) {
    return false;
  }
  std::uint8_t expected = ongoing;
  return end_.compare_exchange_strong(expected, released, std::memory_order_acq_rel);
}

bool hold::end_by_loss(loss_reason reason, const hold* part) noexcept {
  const hold* none = nullptr;
  const bool blamed = part != nullptr && lost_part_.compare_exchange_strong(none, part, std::memory_order_acq_rel);
  std::uint8_t expected = ongoing;
  const bool ended =
      end_.compare_exchange_strong(expected, static_cast<std::uint8_t>(reason), std::memory_order_acq_rel);
  if (blamed && !ended) {
    lost_part_.store(nullptr, std::memory_order_release);  // it has ended for another reason
  }
  return ended;
}

}  // namespace zklock::detail
