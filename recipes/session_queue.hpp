#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

#include "recipes/contender_name.hpp"

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
/// The same numbers tell that a contender stands alone (`last_alone`), also behind one that has gone: 2 requests a cycle.
///
/// Of those whose recipe does not go by rows (`stands_in_rows()`) it knows that they list, and where they stand.
///
/// Invariant: has each contender once.
class session_queue {
 public:
  struct entry {
    const contender* machine;
    std::uint64_t number;                      ///< as its owner names it
    std::optional<std::int32_t> waited_for{};  ///< the number of the contender that it waits behind without a watch
    std::int32_t sequence = 0;                 ///< the number in its name, once that is known
    bool lists = false;                        ///< it awaits the answer to a list
    bool named = false;                        ///< else `sequence` is the place of its first create among the others'
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

  /// A contender of this session that was granted while no other child was at the lock node, and has removed its own node
  /// since. Whoever gets the next number there is alone as well: each child that is made takes a number, and no leader gives
  /// one twice. That holds in the same lock node: its czxid is none other's.
  struct alone {
    std::int32_t number = 0;
    fencing_token token{};       ///< czxid
    std::int64_t lock_node = 0;  ///< its czxid
    bool in_row = false;         ///< its own number had come in a row: so will the next, perhaps
  };

  /// By number in the queue, and its owner's.
  using place = std::pair<std::int32_t, std::uint64_t>;
  [[nodiscard]] static place place_of(const entry& one) noexcept { return {one.sequence, one.number}; }

  session_queue() = default;
  session_queue(const session_queue&) = delete;  // members are linked to it
  session_queue& operator=(const session_queue&) = delete;

  /// An event has come to its contender: the create may be under way, or the name be known, from now on.
  void update(member& of);
  void remove(member& of);
  // ---- numbers in a row behind one that has gone
  /// The next contender goes, perhaps, by its number alone: of what was alone last, or is just being removed. 0: no. Else the
  /// lock node's czxid.
  [[nodiscard]] std::int64_t next_is_alone_in() const;
  /// Whether the contender with that name was made right behind the last that was alone: the czxid of the lock node in which it
  /// is alone then. 0: no.
  [[nodiscard]] std::int64_t alone_in(std::string_view name, fencing_token token) const;
  /// Whether a contender with that name has come in a row, as far as is known.
  [[nodiscard]] bool in_row(std::string_view name) const;
  /// A watch stands on the lock node with that czxid: it was not removed before an answer that comes before the watch's event.
  void watch_lock_node(std::int64_t czxid) noexcept { watched_ = czxid; }
  void lose_watch() noexcept { watched_ = 0; }
  [[nodiscard]] bool has_watch() const noexcept { return watched_ != 0; }
  [[nodiscard]] bool is_watched(std::int64_t lock_node) const noexcept {
    return watched_ != 0 && watched_ == lock_node;
  }
  /// There is something to be known of the lock node when all contenders have left it.
  [[nodiscard]] bool knows_last_alone() const noexcept { return last_alone_.has_value(); }
  void forget_last_alone() noexcept { last_alone_.reset(); }

  [[nodiscard]] bool empty() const noexcept { return unnamed_.empty() && named_.empty(); }

  /// Whether one of them awaits the answer to a list, or a list is being shown: those that need one meanwhile share one.
  [[nodiscard]] bool list_under_way() const noexcept { return lists_under_way_ != 0 || is_shown_; }
  /// A list that has let one in is being shown to those behind it. One at a time: their watches tell them the rest.
  void show_list(bool begins) noexcept { is_shown_ = begins; }
  [[nodiscard]] bool list_is_shown() const noexcept { return is_shown_; }
  /// Whether a contender that is created now most likely comes right behind an exclusive one of this session, so that it need
  /// not list.
  [[nodiscard]] bool ends_exclusively() const;
  /// The exclusive contender right before the one with this name, by numbers in a row, if its removal is not under way. Null:
  /// there is none, two have that number, or it is of another recipe.
  [[nodiscard]] const contender* right_before(std::string_view name) const;
  /// With a node, by number. Null: none.
  [[nodiscard]] const entry* first() const noexcept { return named_.empty() ? nullptr : &*named_.begin(); }
  /// Null: none of this session's.
  [[nodiscard]] const entry* find(std::string_view name) const;
  /// The first that waits behind that one without a watch. Null: none does.
  [[nodiscard]] const entry* first_behind(std::string_view name) const;
  /// Those behind that one by number, whatever they wait for: the next ones, `most` at the most. `after` goes on with them.
  [[nodiscard]] std::vector<std::uint64_t> next_behind(place& after, std::size_t most) const;
  /// Whether any has to look at the queue when that one leaves, or when its mark lets others pass.
  [[nodiscard]] bool concerns_others(const contender& one) const;
  /// That one leaves, or its mark lets others pass. It may be gone before all are told.
  struct news {
    explicit news(const contender& one);
    std::string of;
    std::string passed_to;  ///< that has the turn already
    place told_up_to{INT32_MIN, 0};
  };
  /// The next of those that have to look at the queue then: they wait behind it without a watch, and it has not passed the turn
  /// on to them. `most` at the most; fewer: there are no more.
  [[nodiscard]] std::vector<std::uint64_t> told_by(news& what, std::size_t most) const;

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
  /// Those that wait so, in their order, behind one of them; until it says true.
  template <class Use>
  void for_each_behind(std::string_view name, place last, Use&& use) const;
  /// False: it has not come yet.
  bool enter(member& of);
  void note_waited_for(member& of, std::optional<std::int32_t> number);
  void note_list(entry& of, bool under_way) noexcept;

  by_sequence unnamed_;  ///< in the order of their first creates
  by_sequence named_;
  by_predecessor waiters_;
  std::optional<alone> last_alone_;
  std::int64_t watched_ = 0;  ///< the lock node's czxid; 0: no watch stands
  std::size_t lists_under_way_ = 0;
  bool is_shown_ = false;
};

}  // namespace zklock::recipes
