#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

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
    std::uint64_t number;                      ///< as its owner names it
    std::optional<std::int32_t> waited_for{};  ///< the number of the contender that it waits behind without a watch
    std::int32_t sequence = 0;                 ///< the number in its name, once that is known
    bool lists = false;                        ///< it awaits the answer to a list
  };

 private:
  template <class Tag>
  using hook = boost::intrusive::set_base_hook<boost::intrusive::tag<Tag>, boost::intrusive::optimize_size<true>,
                                               boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  using sequence_hook = hook<struct by_sequence_tag>;
  using waiter_hook = hook<struct by_predecessor_tag>;

 public:
  /// A contender's own, so that none is allocated. Its owner removes it before it ends.
  class member : public entry, public sequence_hook, public waiter_hook {
   public:
    member(const contender& one, std::uint64_t known_as) noexcept : entry{&one, known_as} {}
    member(const member&) = delete;
    member& operator=(const member&) = delete;
  };

  session_queue() = default;
  session_queue(const session_queue&) = delete;  // members are linked to it
  session_queue& operator=(const session_queue&) = delete;

  /// An event has come to its contender: the create may be under way, or the name be known, from now on.
  void update(member& of);
  void remove(member& of);
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
  struct sequence_key {
    using type = std::pair<std::int32_t, std::uint64_t>;
    type operator()(const entry& one) const noexcept { return {one.sequence, one.number}; }
  };
  struct waiter_key {
    using type = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
    type operator()(const entry& one) const noexcept { return {one.waited_for.value_or(0), one.sequence, one.number}; }
  };
  template <class Hook, class Key>
  using members = boost::intrusive::set<member, boost::intrusive::base_hook<Hook>, boost::intrusive::key_of_value<Key>,
                                        boost::intrusive::constant_time_size<false>>;
  using by_sequence = members<sequence_hook, sequence_key>;
  using by_predecessor = members<waiter_hook, waiter_key>;

  [[nodiscard]] by_sequence::const_iterator named_of(std::string_view name) const;
  /// Those that wait so, in their order, until it says true.
  template <class Use>
  void for_each_behind(std::string_view name, Use&& use) const;
  /// False: it has not come yet.
  bool enter(member& of);
  void remove_unnamed(member& of);
  void note_waited_for(member& of, std::optional<std::int32_t> number);
  void note_list(entry& of, bool under_way) noexcept;

  static constexpr std::size_t few = 64;  ///< the room that is kept for what comes next

  std::vector<member*> unnamed_;  ///< in the order of their first creates
  by_sequence named_;
  by_predecessor waiters_;
  std::size_t lists_under_way_ = 0;
};

}  // namespace zklock::recipes
