#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/engine/out.hpp"

namespace zklock::engine {

/// The operations that are under way: brings them what happens, in the order of their beginning, and has done what they
/// want.
///
/// Invariant: no operation is called while another one, or itself, is in a call. What a wish gives rise to while it is
/// applied (a dead handle answers within submit()) waits with the host until `is_busy()` says no.
class operation_table {
 public:
  /// What applies the wishes.
  class host {
   public:
    virtual session_facts facts(instant now) const = 0;
    virtual void send(std::uint64_t operation, tag as, client::any_request&& what, bool first, instant now) = 0;
    virtual void forget_requests(std::uint64_t operation) noexcept = 0;
    virtual void note_containers_refused() noexcept = 0;
    virtual void log(detail::environment::severity level, const std::string& text) = 0;

   protected:
    ~host() = default;
  };

  explicit operation_table(host& applies) noexcept : host_(applies) {}

  /// `number`: new, never 0. Where there is a reason to refuse it, and when it was stopped before, it ends at once.
  void begin(std::shared_ptr<operation> wanted, std::uint64_t number, const std::optional<detail::failure>& refused,
             instant now);
  /// Also before it was begun: then it ends when it is to begin.
  void stop(const std::shared_ptr<operation>& unwanted, const detail::failure& why, instant now);
  void stop_all(const detail::failure& why, instant now);

  void connected(instant now);
  void disconnected(instant now);
  void connection_closed(instant now);
  void session_over(instant now);
  /// False: it is no operation's.
  bool reply(const ledger::entry& asked, client::reply&& answer, instant now);
  void fire_timers(instant now);

  [[nodiscard]] std::optional<instant> due() const;
  [[nodiscard]] bool is_busy() const noexcept { return busy_; }

 private:
  struct entry {
    std::shared_ptr<operation> what;
    std::optional<instant> due;
  };
  template <class Call>
  void call(std::uint64_t number, instant now, const Call& make);
  template <class Call>
  void call_each(instant now, const Call& make);
  void apply(std::uint64_t number, out::wish&& what, instant now);
  void note_due(std::uint64_t number);
  void end(std::uint64_t number);

  host& host_;
  std::map<std::uint64_t, entry> operations_;  ///< by number
  std::set<std::pair<instant, std::uint64_t>> timers_;
  bool busy_ = false;
};

}  // namespace zklock::engine
