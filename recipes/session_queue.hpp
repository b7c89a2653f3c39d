#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock::recipes {

class contender;

/// The contenders of one session at one lock node, as far as the client knows them without a server: those whose create is
/// under way, and those with a node, by sequence number.
///
/// Each child of a lock node takes the next number. So no other contender stands between two whose numbers are in a row: a
/// list is not needed to know the predecessor. That the lock node was not made anew in between, the removal of the
/// predecessor proves: it is answered `ok` only if that node stood all the time.
///
/// Invariant: has only contenders that `stand_in_rows()`, each once.
class session_queue {
 public:
  struct entry {
    const contender* machine;
    std::uint64_t number;                      ///< as the caller of update() names it
    std::optional<std::int32_t> waited_for{};  ///< the number of the contender that it waits behind without a watch
  };

  /// An event has come to it: its create may be under way, or its name be known, from now on. It must outlive its place.
  void update(const contender& one, std::uint64_t number);
  void remove(const contender& one, std::uint64_t number);
  [[nodiscard]] bool empty() const noexcept { return unnamed_.empty() && named_.empty(); }

  /// Whether another contender of this session is there, besides one.
  [[nodiscard]] bool has_several() const noexcept { return unnamed_.size() + named_.size() > 1; }
  /// Whether a contender that is created now most likely comes right behind an exclusive one of this session, so that it need
  /// not list.
  [[nodiscard]] bool ends_exclusively() const;
  /// The exclusive contender right before the one with this name, by numbers in a row, if its removal is not under way. Null:
  /// there is none, or it is of another recipe.
  [[nodiscard]] const contender* right_before(std::string_view name) const;
  /// Null: none of this session's.
  [[nodiscard]] const entry* find(std::string_view name) const;
  /// Those that wait behind that one without a watch, in their order.
  [[nodiscard]] std::vector<entry> behind(std::string_view name) const;
  /// The one right behind that one in this session, if it waits so. Null: there is none.
  [[nodiscard]] const entry* next_behind(std::string_view name) const;

 private:
  using by_sequence = std::map<std::int32_t, entry>;
  [[nodiscard]] by_sequence::const_iterator place_of(std::string_view name) const;
  void note_waited_for(by_sequence::iterator place, std::optional<std::int32_t> number);

  std::vector<entry> unnamed_;  ///< in the order of their first creates
  by_sequence named_;
  std::set<std::pair<std::int32_t, std::int32_t>> waiters_;  ///< the number waited for, the own number
};

}  // namespace zklock::recipes
