#pragma once

#include "recipes/contender_data.hpp"
#include "recipes/curator_downgrade.hpp"
#include "recipes/queue.hpp"
#include "recipes/waiting_turn.hpp"

namespace zklock::recipes {

/// The turns of a read/write lock's contenders in Curator's layout. The recipe is that of read_write_lock.hpp, with this
/// difference: a name says what its node is, data says nothing. So a writer that goes on as a reader becomes another node,
/// at its own place, and a predecessor that goes may have become one that still stands before the own node:
/// every turn is seen in a list, none is passed by an event alone.
/// Source: Curator's InterProcessReadWriteLock.
///
/// | state of either            | goes on with                                                    |
/// |----------------------------|-----------------------------------------------------------------|
/// | resting                    | a complete round: pass, or follow the predecessor               |
/// | watching, passing, waiting | as in predecessor_watch, with `look` for `pass`                 |
/// | resting, with a downgrade  | a writer that holds goes on as a reader: as in curator_downgrade |
class curator_read_turn : public waiting_turn {
 public:
  explicit curator_read_turn(bool one_try) noexcept : waiting_turn(one_try) {}

  decision decide(const round_answers& round, const own_node& own, action_list& out);
  using waiting_turn::on;
  decision on(const event::predecessor_watched& told, const own_node& own, action_list& out);

  [[nodiscard]] static contender_mode mode() noexcept { return contender_mode::read; }

  bool operator==(const curator_read_turn&) const = default;
};

class curator_write_turn : public waiting_turn {
 public:
  explicit curator_write_turn(bool one_try) noexcept : waiting_turn(one_try) {}

  decision decide(const round_answers& round, const own_node& own, action_list& out);
  using waiting_turn::on;
  decision on(const event::predecessor_watched& told, const own_node& own, action_list& out);
  decision on(const event::downgrade&, const own_node& own, action_list& out);
  decision on(const event::marked& told, const own_node& own, action_list& out);
  decision on(const event::synced& told, const own_node& own, action_list& out);
  decision on(const event::own_watched& told, const own_node& own, action_list& out);
  decision on(const event::connected&, const own_node& own, action_list& out);

  [[nodiscard]] marking marks() const noexcept { return downgraded_.marks(); }
  [[nodiscard]] contender_mode mode() const noexcept {
    return marks() == marking::none ? contender_mode::write : contender_mode::read;
  }

  bool operator==(const curator_write_turn&) const = default;

 private:
  curator_downgrade downgraded_;
};

}  // namespace zklock::recipes
