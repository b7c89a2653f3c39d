#include "src/operations/owner_circle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <zklock/error.hpp>

#include "recipes/holders.hpp"
#include "src/operations/acquire.hpp"
#include "src/operations/hand_over.hpp"

namespace zklock::operations {
namespace {

/// An owner that waits, and for what.
struct waiter {
  const acquire* call;
  std::size_t behind;  ///< whose contender bars it; of the first: itself
  std::string lock;    ///< where
};

class search {
 public:
  search(const acquire& of, const session_nodes& among, engine::instant now) : among_(among), found_{{&of, 0, {}}} {
    for (const contender_operation* const one : among.registry.holders()) {
      if (!one->hold()->bounded() && one->hold()->held_at(now)) {
        holders_.emplace(one->hold()->owner(), one);
      }
    }
  }

  /// Nothing: there is no circle.
  [[nodiscard]] std::optional<detail::failure> run() {
    for (std::size_t index = 0; index < found_.size() && !closed_; ++index) {
      for (const contender_operation* const one : what_bars(*found_[index].call)) {
        add_those_behind(*one, index);
      }
    }
    if (!closed_ || one_has_another_call()) {
      return std::nullopt;
    }
    return detail::failure{errc::would_deadlock, {}, found_.front().lock, described()};
  }

 private:
  [[nodiscard]] std::vector<const contender_operation*> what_bars(const acquire& call) {
    std::vector<const contender_operation*> all;
    const auto [first, last] = holders_.equal_range(call.owner());
    for (auto one = first; one != last; ++one) {
      all.push_back(one->second);
    }
    if (!all.empty() || &call != found_.front().call || call.has_several()) {  // see the header: the last comes last
      call.add_contenders(all);
    }
    return all;
  }

  /// What bars from a later place bars no others: each is looked at once.
  void add_those_behind(const contender_operation& one, std::size_t index) {
    if (one.has_place()) {
      add_from(one, index);
    }
    if (const auto turns = among_.turns.find(one.number()); turns != among_.turns.end()) {
      add_calls_of(*turns->second, one.requests().target().path, index);
    }
  }

  void add_from(const contender_operation& one, std::size_t index) {
    const recipes::acquire_spec& spec = one.machine().wanted();
    const bool reads = one.machine().mode() == recipes::contender_mode::read;
    place& bars_all = looked_from({one.queue(), spec.kind, spec.as, false});
    place& until = reads ? looked_from({one.queue(), spec.kind, spec.as, true}) : bars_all;
    const place end = std::min(until, bars_all);
    place after = one.place();
    until = std::min(until, after);
    while (after < end && !closed_) {
      const std::vector<std::uint64_t> some = one.queue()->next_behind(after, slice);
      for (const std::uint64_t number : some) {
        const contender_operation* const other = among_.registry.find(number);
        if (other != nullptr && !other->machine().is_granted() && other->listener() != nullptr &&
            recipes::bars(one.machine(), other->machine())) {
          add_calls_of(*other->listener(), other->requests().target().path, index);
        }
      }
      if (some.size() < slice) {
        break;
      }
    }
  }

  using place = recipes::session_queue::place;
  /// Of one recipe at one lock node; by readers: those that read alone.
  struct row {
    const recipes::session_queue* queue;
    recipes::contender_kind kind;
    recipes::layout as;
    bool by_readers;
    auto operator<=>(const row&) const = default;
  };
  [[nodiscard]] place& looked_from(const row& of) {
    constexpr place nowhere{INT32_MAX, UINT64_MAX};
    const bool of_sides = of.kind == recipes::contender_kind::read || of.kind == recipes::contender_kind::write;
    return looked_from_
        .try_emplace({of.queue, of_sides ? recipes::contender_kind::write : of.kind, of.as, of.by_readers}, nowhere)
        .first->second;
  }

  void add_calls_of(const place_listener& listener, const std::string& lock, std::size_t behind) {
    calls_.clear();
    listener.add_waiting_calls(calls_);
    for (const acquire* const call : calls_) {
      if (call->owner() == 0 || !call->waits_for_ever() || closed_) {
        continue;
      }
      if (call == found_.front().call) {
        found_.front().behind = behind;
        found_.front().lock = lock;
        closed_ = true;
      } else if (seen_.insert(call).second) {
        found_.push_back({call, behind, lock});
      }
    }
  }

  template <class Use>
  void for_each_in_circle(Use&& use) const {
    std::size_t index = 0;
    do {
      use(found_[index]);
      index = found_[index].behind;
    } while (index != 0);
  }

  /// That may get on, and give back what the circle waits for.
  [[nodiscard]] bool one_has_another_call() {
    std::unordered_map<std::uint64_t, const acquire*> of_circle;
    for_each_in_circle([&of_circle](const waiter& one) { of_circle.emplace(one.call->owner(), one.call); });
    calls_.clear();
    among_.registry.for_each([this](const contender_operation& one) {
      if (one.listener() != nullptr) {
        one.listener()->add_waiting_calls(calls_);
      }
    });
    return std::any_of(calls_.begin(), calls_.end(), [&of_circle](const acquire* call) {
      const auto found = of_circle.find(call->owner());
      return found != of_circle.end() && found->second != call && !call->is_answered();
    });
  }

  [[nodiscard]] std::string described() const {
    std::string text;
    for_each_in_circle([this, &text](const waiter& one) {
      text += (text.empty() ? "owner " : "; owner ") + std::to_string(one.call->owner()) + " waits for " + one.lock +
              ", which owner " + std::to_string(found_[one.behind].call->owner()) + " has";
    });
    return text;
  }

  const session_nodes& among_;
  std::vector<waiter> found_;  ///< the first: the call itself; each waits for an earlier one
  static constexpr std::size_t slice = 64;
  std::multimap<std::uint64_t, const contender_operation*> holders_;  ///< whose holds no bound ends, by owner
  std::map<row, place> looked_from_;                                  ///< all behind it have been looked at
  std::unordered_set<const acquire*> seen_;
  std::vector<const acquire*> calls_;
  bool closed_ = false;
};

}  // namespace

std::optional<detail::failure> circle_of(const acquire& call, const session_nodes& among, engine::instant now) {
  const auto& holders = among.registry.holders();
  if (!call.has_several() && std::none_of(holders.begin(), holders.end(), [&call](const contender_operation* one) {
        return one->hold()->owner() == call.owner();
      })) {
    return std::nullopt;  // most calls
  }
  try {
    return search(call, among, now).run();
  } catch (const std::bad_alloc&) {
    return std::nullopt;  // it waits, as it would have without being asked
  }
}

}  // namespace zklock::operations
