#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <zklock/lock_event.hpp>
#include <zklock/log.hpp>
#include <zklock/session_state.hpp>

#include "recipes/contender_data.hpp"
#include "recipes/contender_name.hpp"
#include "src/engine/hold.hpp"
#include "src/port/client.hpp"

namespace zklock::detail {

/// What the session's logic needs of the world: everything that is neither a decision nor ZooKeeper. The library's own
/// (src/api/session_runner) and the simulator's implement it. Called on the session's strand; nothing here may block
/// or call back into the session.
class environment {
 public:
  virtual ~environment() = default;

  /// 128 random bits.
  virtual recipes::contender_id next_id() = 0;
  /// What a contender's node says about itself and its client: lines of `key=value`. `owner`: 0: none.
  /// Written into `into`, which is empty, and may have memory.
  virtual std::string describe_contender(recipes::contender_mode mode, std::uint64_t owner, std::string_view label,
                                         std::string into) = 0;
  /// Whether this process has, or has had, that session; or any other than this one's.
  [[nodiscard]] virtual bool has_had_session(std::int64_t /*id*/) const { return false; }
  [[nodiscard]] virtual bool has_other_sessions() const { return false; }
  /// The observer of the connection that is about to be opened. It must pass on, with this generation, to
  /// session_engine.
  virtual client::observer& observer_of(std::uint64_t generation) = 0;
  /// A connection that has said on_closed (null: it could not be opened): to be destroyed, and then what observer_of()
  /// gave for it, but not from within this call.
  virtual void dispose(std::uint64_t generation, std::unique_ptr<client::connection> dead) = 0;
  /// One that is about to be granted. Without a notice its loss is not announced.
  virtual std::shared_ptr<hold> make_hold(hold_facts of) = 0;
  /// The hold was lost: announce it by its notice, but not from within this call.
  virtual void notice_of_loss(std::shared_ptr<hold> lost) = 0;
  /// Another client asks the holder to let go: announce it likewise.
  virtual void notice_of_revocation(std::shared_ptr<hold> /*asked*/) {}
  /// Calls a function of the user's, but not from within this call, and one at a time. `name`: for messages.
  virtual void notify(std::function<void()> what, std::string name) = 0;
  /// The servers refuse the current handle, as it seems: what users are told of its last attempt to connect.
  virtual void note_refusal(const std::string& /*why*/) {}
  /// Whether anybody is to be told what becomes of its locks, by lock_changed().
  [[nodiscard]] virtual bool observes_locks() const noexcept { return false; }
  virtual void lock_changed(lock_event /*what*/) {}
  virtual void state_changed(session_state now, bool new_session) = 0;
  /// The answer to session_engine::close.
  virtual void closed(std::error_code result) = 0;

  /// Adds the session to the line.
  virtual void log(log_line line) = 0;
};

}  // namespace zklock::detail
