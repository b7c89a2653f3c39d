#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "src/operations/acquire_call.hpp"
#include "src/operations/busy_reader.hpp"
#include "src/operations/place_listener.hpp"
#include "src/operations/session_nodes.hpp"
#include "src/operations/slow_wait.hpp"

namespace zklock::operations {

/// One call to acquire, until it is answered. A contender lives in one ZooKeeper session only, so the call goes from one
/// try, with new contenders, to the next (F09).
class acquire : public place_listener {
 public:
  /// An acquire_in_turn where it takes turns, an acquire_several where it takes several contenders, else an acquire_one.
  static std::shared_ptr<acquire> make(acquire_request wanted, std::shared_ptr<receiver<acquire_result>> told);

  /// Before it is begun.
  void use(session_nodes& among) noexcept { among_ = &among; }

  explicit acquire(acquire_call&& call) : call_(std::move(call)) {}

  void begin(engine::out& wants) final;
  void reply(engine::tag as, const client::reply_view& answer, engine::out& wants) final;
  void connection_closed(engine::out& wants) final;
  void timer(engine::out& wants) final;
  void stop(const detail::failure& why, engine::out& wants) final;
  [[nodiscard]] std::optional<engine::instant> due() const final;

  // ---- for circle_of()
  [[nodiscard]] std::uint64_t owner() const noexcept { return call_.owner(); }
  [[nodiscard]] grantee to() const noexcept { return call_.to(); }
  [[nodiscard]] bool is_answered() const noexcept { return call_.is_answered(); }
  [[nodiscard]] bool waits_for_ever() const noexcept { return call_.waits_for_ever(); }
  [[nodiscard]] virtual bool has_several() const noexcept { return false; }
  /// That contend for it now.
  virtual void add_contenders(std::vector<const contender_operation*>& to) const = 0;
  void add_waiting_calls(std::vector<const acquire*>& to) const override { to.push_back(this); }
  /// At whose lock node a call that waits stands. Null: between two tries.
  [[nodiscard]] virtual const contender_operation* waits_at() const;

 protected:
  /// A new try: acquire_one and acquire_several say how.
  virtual void contend(engine::out& wants) = 0;
  // The same of an operation, from contend() on.
  virtual void reply_to_try(engine::tag, const client::reply_view&, engine::out&) {}
  virtual void timer_of_try(engine::out& wants) = 0;
  virtual void stop_try(const detail::failure& why, engine::out& wants) = 0;
  [[nodiscard]] virtual std::optional<engine::instant> due_of_try() const = 0;
  /// Begins a contender that has this place of the try.
  [[nodiscard]] std::shared_ptr<contender_operation> begin_contender(
      std::size_t place, const std::shared_ptr<const detail::lock_target>& of, const recipes::place& as,
      bool created_in_transaction, engine::out& wants);

  /// A contender of it waits. True: the call would wait for itself, and why_refused() says so from here on.
  [[nodiscard]] bool closes_circle(engine::out& wants);
  /// What its caller is told, where its contender was refused so.
  [[nodiscard]] detail::failure why_refused(detail::failure by_contender);

  [[no_unique_address]] acquire_call call_;
  /// One try was refused. True: what bars it is asked, once for each node, and the call goes on by that answer.
  [[nodiscard]] bool asks_what_bars(const std::shared_ptr<const detail::lock_target>& target,
                                    const recipes::acquire_spec& wanted, engine::out& wants);

  /// `one` has stood in vain, as one try: behind which node, which the lock object's next try reads first. Null: it has not.
  [[nodiscard]] std::unique_ptr<blocking_node> stood_behind(const contender_operation* one,
                                                            const detail::lock_target& target,
                                                            const recipes::acquire_spec& wanted, engine::out& wants);

  bool reads_ = false;  ///< its answer is awaited: nothing of the try is on the servers. In the call's padding
  bool looked_again_ = false;
  session_nodes* among_ = nullptr;  ///< set before it is begun

 private:
  void look_at_slow_wait(std::chrono::nanoseconds waited, engine::out& wants);
  /// Whether it goes no further now.
  [[nodiscard]] bool follow(busy_reader::verdict seen, engine::out& wants);
  void end(detail::failure why, engine::out& wants);

  /// What few calls have, of which there may be many.
  struct seldom {
    std::optional<busy_reader> reader{};             ///< of one try, until it contends
    std::optional<slow_wait> slow{};                 ///< of one that has waited for long
    detail::failure circle{};                        ///< that it would close; no error: none
    std::unique_ptr<blocking_node> stands_behind{};  ///< of one try that stands, perhaps idle
  };
  [[nodiscard]] seldom& extra();

  std::unique_ptr<seldom> seldom_;  ///< null: it has nothing of that
};

}  // namespace zklock::operations
