#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

#include "src/engine/event_ref.hpp"
#include "src/engine/session_services.hpp"

namespace zklock::engine {

/// The operations that are under way: tells them what happens, and does what they want of each other.
///
/// Order: what happens to all is told in the order of their beginning. What a call wants of operations is done behind it,
/// in its order; a call of another one, with all that it wants, is done before the next.
/// Invariant: no operation is called while another one, or itself, is in a call. What a request gives rise to by itself (a
/// dead handle answers within submit()) waits with the session_engine while `is_busy()`.
class operation_table {
 public:
  /// What is to be told to an operation later.
  using event = std::function<void(operation&, out&)>;
  /// `slice`: how many operations are told in one go what happens to many.
  explicit operation_table(session_services& services, std::size_t slice = 64) noexcept
      : services_(services), slice_(slice) {}
  operation_table(const operation_table&) = delete;
  operation_table& operator=(const operation_table&) = delete;
  ~operation_table() { clear(); }

  /// Where there is a reason to refuse it, and when it was stopped before, it ends at once.
  void begin(std::shared_ptr<operation> wanted, const std::optional<detail::failure>& refused, instant now);
  /// Also before it was begun: then it ends when it is to begin.
  void stop(const std::shared_ptr<operation>& unwanted, const detail::failure& why, instant now);
  /// False: it is not there.
  bool call(std::uint64_t number, instant now, event_ref what);
  /// In the order of their beginning: those that are there now, and still are when their turn comes.
  void call_each(instant now, event_ref what);
  /// The same, a slice now and the others by go_on(). One that is called before its turn is told first.
  void broadcast(instant now, event what);
  /// The next slice of what was put off: `due()` says when there is one.
  void go_on(instant now);
  /// Before something is taken for it that it may not want any more once it is told what it has missed.
  void catch_up(std::uint64_t number, instant now);
  void drop_broadcasts() noexcept {
    broadcasts_.clear();
    telling_many_ = false;
  }
  /// Those that have asked for it are begun again, or refused: a slice, and the others at the next call.
  void begin_again(const std::function<std::optional<detail::failure>()>& refused, instant now);
  /// A slice of what is due: each operation once.
  void fire_timers(instant now);
  void clear() noexcept;

  [[nodiscard]] std::optional<instant> due() const;
  [[nodiscard]] bool is_busy() const noexcept { return busy_; }

 private:
  struct number_of {
    using type = std::uint64_t;
    type operator()(const table_entry& one) const noexcept { return one.number; }
  };
  using by_number = boost::intrusive::set<table_entry, boost::intrusive::key_of_value<number_of>>;

  /// What some operations have still to be told.
  struct telling {
    event what;
    std::uint64_t next;                         ///< the first one that has to be
    std::uint64_t last;                         ///< none that was begun later
    std::unordered_set<std::uint64_t> early{};  ///< those behind `next` that were
    instant since;
  };
  bool tell_slice(telling& one, instant now);
  bool call_now(std::uint64_t number, instant now, event_ref what);
  void take(std::uint64_t number, out::step::any&& next, instant now);
  void replace(std::uint64_t number, std::shared_ptr<operation> by, instant now);
  void note_due(table_entry& of);
  void end(std::uint64_t number);

  session_services& services_;
  const std::size_t slice_;
  std::uint64_t last_ = 0;
  by_number operations_;
  /// One timer leaves it to the next. Not of the program's default resource, which may end before.
  std::pmr::unsynchronized_pool_resource memory_{std::pmr::new_delete_resource()};
  std::pmr::set<std::pair<instant, std::uint64_t>> timers_{&memory_};
  std::deque<std::uint64_t> again_;
  std::optional<instant> again_since_;  ///< some were left for another slice
  std::deque<telling> broadcasts_;      ///< the first first
  bool telling_many_ = false;           ///< from the begin of what takes more than a slice until nothing is put off
  bool busy_ = false;
};

}  // namespace zklock::engine
