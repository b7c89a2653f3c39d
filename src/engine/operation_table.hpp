#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/intrusive/set.hpp>

#include "src/engine/event_ref.hpp"
#include "src/engine/out.hpp"

namespace zklock::engine {

/// The operations that are under way: tells them what happens, and applies what they want.
///
/// Order: what happens to all is told in the order of their beginning. The wishes of a call are applied in their order; a
/// call of another operation, with all that it wants, is done before the next of them.
/// Invariant: no operation is called while another one, or itself, is in a call. What a wish gives rise to by itself (a
/// dead handle answers within submit()) waits with the session_engine while `is_busy()`.
class operation_table {
 public:
  /// What is to be told to an operation later.
  using event = std::function<void(operation&, out&)>;
  /// Applies the wishes that are not about operations: session_services.
  class host {
   public:
    [[nodiscard]] virtual session_facts facts(instant now) = 0;
    /// What it gives has to be told to the operation once all its wishes are applied; empty: nothing.
    virtual event apply(std::uint64_t operation, any_wish&& what, instant now) = 0;
    /// Its watches, its requests, its wait for the deadline.
    virtual void forget(std::uint64_t operation) = 0;

   protected:
    ~host() = default;
  };
  explicit operation_table(host& applies) : host_(applies) {}
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
  /// Those that have asked for it are begun again, or refused.
  void begin_again(const std::function<std::optional<detail::failure>()>& refused, instant now);
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

  event apply(std::uint64_t number, any_wish&& what, instant now);
  void replace(std::uint64_t number, std::shared_ptr<operation> by, instant now);
  void note_due(table_entry& of);
  void end(std::uint64_t number);

  host& host_;
  std::uint64_t last_ = 0;
  by_number operations_;
  /// One timer leaves it to the next. Not of the program's default resource, which may end before.
  std::pmr::unsynchronized_pool_resource memory_{std::pmr::new_delete_resource()};
  std::pmr::set<std::pair<instant, std::uint64_t>> timers_{&memory_};
  std::vector<std::uint64_t> again_;
  bool busy_ = false;
};

}  // namespace zklock::engine
