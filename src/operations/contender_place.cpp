#include "src/operations/contender_place.hpp"

#include <algorithm>

namespace zklock::detail {
namespace {

using recipes::claim;
using recipes::contender_kind;

constexpr std::uint32_t any_number = UINT32_MAX;

/// A semaphore of Curator's: the mutex beside the leases lets in one at a time, who waits there for as many leases as are
/// wanted. All of them at once: who comes one by one can wait for a rest that another one has (F58).
/// Source: InterProcessSemaphoreV2.
void add_leases(std::vector<contender_place>& to, std::size_t part, const claim& wanted, std::size_t& step) {
  const claim mutex{contender_kind::mutex, 1, 0, false, wanted.as, true};
  claim lease{contender_kind::lease, 1, any_number, true, wanted.as, true};
  to.push_back({part, mutex, recipes::curator_locks, {step, true}});
  for (std::uint32_t permit = 1; permit < wanted.permits; ++permit) {
    to.push_back({part, lease, recipes::curator_leases, {step + 1}});
  }
  lease.limit = wanted.limit;  // the last one is made behind all others: it counts, and waits, for all
  to.push_back({part, lease, recipes::curator_leases, {step + 1}});
  step += 2;
}

}  // namespace

bool in_turn(const std::vector<wanted_part>& parts) noexcept {
  return std::any_of(parts.begin(), parts.end(),
                     [](const wanted_part& part) { return part.claim.as == recipes::layout::curator; });
}

bool of_several(const claim& wanted) noexcept {
  return wanted.as == recipes::layout::curator && wanted.kind == contender_kind::permit;
}

std::vector<contender_place> places_of(const std::vector<wanted_part>& parts, const std::vector<bool>& agreed) {
  std::vector<contender_place> places;
  const bool one_by_one = in_turn(parts);
  std::size_t step = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    claim of_part = parts[part].claim;
    of_part.agreed = agreed[part];
    if (of_several(of_part)) {
      add_leases(places, part, of_part, step);
      continue;
    }
    places.push_back({part, of_part, {}, {step}});
    step += one_by_one ? 1 : 0;
  }
  return places;
}

std::vector<recipes::place_turn> turns_of(const std::vector<contender_place>& places) {
  std::vector<recipes::place_turn> turns;
  turns.reserve(places.size());
  for (const contender_place& place : places) {
    turns.push_back(place.turn);
  }
  return turns;
}

}  // namespace zklock::detail
