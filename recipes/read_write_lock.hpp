#pragma once

#include "recipes/contender_data.hpp"
#include "recipes/mark.hpp"
#include "recipes/queue.hpp"
#include "recipes/waiting_turn.hpp"

namespace zklock::recipes {

/// The turns of a read/write lock's contenders. The recipe:
///   1. create `read-<id>-` or `write-<id>-`, ephemeral and sequential; 2. list the children;
///   3. a reader holds the lock if no writer is before it, a writer if no contender is;
///   4. else watch: a reader the nearest writer before it (F57), a writer the contender right before it;
///   5. when that goes: 2, or at once 3 if no other was in the way. A contender that comes later never counts (F55).
/// Source: "Shared Locks" in ZooKeeper's recipes. Downgrade, which is not there: a writer that holds says `mode=read` in
/// its data; the readers behind watch it, read that, and go by 3 without it.
///
/// | state of either            | goes on with                                                |
/// |----------------------------|-------------------------------------------------------------|
/// | resting                    | a complete round: pass, or follow the predecessor           |
/// | watching, passing, waiting | as in predecessor_watch                                     |
/// | resting, with a mark       | a writer that holds goes on as a reader: as in mark         |
class read_turn : public waiting_turn {
 public:
  explicit read_turn(bool one_try) noexcept : waiting_turn(one_try) {}

  decision decide(const round_answers& round, const own_node& own, action_list& out);
  template <class Event>
  decision on(const Event& what, const own_node& own, action_list&) {
    return unless_one_try(behind_.on(what, own));
  }
  decision on(const event::predecessor_watched& told, const own_node& own, action_list& out);

  [[nodiscard]] static contender_mode mode() noexcept { return contender_mode::read; }
  static constexpr bool stands_in_rows = true;
  [[nodiscard]] static bool is_exclusive() noexcept { return false; }

  bool operator==(const read_turn&) const = default;

 private:
  [[nodiscard]] decision unless_one_try(const decision& next) const noexcept;
};

class write_turn : public waiting_turn {
 public:
  explicit write_turn(bool one_try) noexcept : waiting_turn(one_try) {}
  [[nodiscard]] static node_terms terms(const acquire_spec&) noexcept { return {.mark = mark_meaning::downgraded}; }

  decision decide(const round_answers& round, const own_node& own, action_list& out);
  using waiting_turn::on;
  decision on(const event::downgrade&, const own_node& own, action_list& out);
  decision on(const event::marked& told, const own_node& own, action_list& out);
  decision on(const event::connected&, const own_node& own, action_list& out);

  [[nodiscard]] marking marks() const noexcept { return downgraded_.now(); }
  [[nodiscard]] contender_mode mode() const noexcept {
    return marks() == marking::none ? contender_mode::write : contender_mode::read;
  }
  static constexpr bool stands_in_rows = true;
  [[nodiscard]] bool is_exclusive() const noexcept { return mode() == contender_mode::write; }

  bool operator==(const write_turn&) const = default;

 private:
  mark downgraded_;
};

/// What a contender for a side wants. `in`: in which layout.
[[nodiscard]] acquire_spec spec_to_read(acquire_spec in) noexcept;
[[nodiscard]] acquire_spec spec_to_write(acquire_spec in) noexcept;

/// First is a reader with no writer before it but `marked`. It waits for the nearest one.
[[nodiscard]] verdict read_policy(const queue_view& seen);
/// First is the contender with the lowest number, readers included.
[[nodiscard]] verdict write_policy(const queue_view& seen);

}  // namespace zklock::recipes
