#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
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
/// predecessor proves: it is answered `ok` only if that node stood all the time. Behind a lock node that was made anew a number
/// comes twice, until the contender of the earlier one learns of its end.
///
/// Invariant: has only contenders that `stand_in_rows()`, each once.
class session_queue {
 public:
  struct entry {
    const contender* machine;
    std::uint64_t number;                      ///< as the caller of update() names it
    std::optional<std::int32_t> waited_for{};  ///< the number of the contender that it waits behind without a watch
    bool lists = false;                        ///< it awaits the answer to a list
  };

  session_queue() = default;
  session_queue(const session_queue&) = delete;  // the maps stay with their memory
  session_queue& operator=(const session_queue&) = delete;
  explicit session_queue(std::shared_ptr<std::pmr::memory_resource> memory)
      : memory_(std::move(memory)), named_(memory_.get()), waiters_(memory_.get()) {}

  /// An event has come to it: its create may be under way, or its name be known, from now on. It must outlive its place.
  void update(const contender& one, std::uint64_t number);
  void remove(const contender& one, std::uint64_t number);
  [[nodiscard]] bool empty() const noexcept { return unnamed_.empty() && named_.empty(); }

  /// Whether one of them awaits the answer to a list: those that need one meanwhile share one.
  [[nodiscard]] bool list_under_way() const noexcept { return lists_under_way_ != 0; }
  /// Whether a contender that is created now most likely comes right behind an exclusive one of this session, so that it need
  /// not list.
  [[nodiscard]] bool ends_exclusively() const;
  /// The exclusive contender right before the one with this name, by numbers in a row, if its removal is not under way. Null:
  /// there is none, two have that number, or it is of another recipe.
  [[nodiscard]] const contender* right_before(std::string_view name) const;
  /// Null: none of this session's.
  [[nodiscard]] const entry* find(std::string_view name) const;
  /// The first that waits behind that one without a watch. Null: none does.
  [[nodiscard]] const entry* first_behind(std::string_view name) const;
  /// All that have to look at the queue when that one leaves, or when its mark lets them pass: they wait behind it without a
  /// watch, and it has not passed the turn on to them.
  [[nodiscard]] std::vector<entry> told_by(const contender& one) const;

 private:
  using place = std::pair<std::int32_t, std::uint64_t>;  ///< the sequence number, and entry::number
  using by_sequence = std::pmr::map<place, entry>;
  using by_predecessor = std::pmr::set<std::pair<std::int32_t, place>>;  ///< the number waited for, and the own place
  [[nodiscard]] by_sequence::const_iterator place_of(std::string_view name) const;
  /// Those that wait so, in their order, until it says true.
  template <class Use>
  void for_each_behind(std::string_view name, Use&& use) const;
  [[nodiscard]] std::vector<entry>::iterator unnamed_of(std::uint64_t number);
  void remove_unnamed(std::uint64_t number);
  void note_waited_for(by_sequence::iterator of, std::optional<std::int32_t> number);
  void note_list(entry& of, bool under_way) noexcept;

  std::shared_ptr<std::pmr::memory_resource> memory_;
  std::vector<entry> unnamed_;  ///< in the order of their first creates
  by_sequence named_;
  by_predecessor waiters_;
  std::size_t lists_under_way_ = 0;
};

}  // namespace zklock::recipes
