#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <zklock/async.hpp>
#include <zklock/election.hpp>

#include "recipes/candidacy.hpp"
#include "src/api/lock_state.hpp"
#include "src/operations/overrun.hpp"
#include "src/operations/proclaim.hpp"
#include "src/threads/thread_safety.hpp"

namespace zklock::detail {

/// Of one term, for all that its leader says.
struct term_state {
  term_state(std::shared_ptr<session_impl> in, std::shared_ptr<hold> of, std::string says_now)
      : session(std::move(in)), data(std::move(says_now)) {
    says->of = std::move(of);
  }

  /// `number`: of this call among its term's, before it is begun.
  void begin_proclaim(std::string says_now, std::shared_ptr<operations::receiver<failure>> told, std::uint64_t& number)
      ZKLOCK_EXCLUDES(mutex);
  /// Throws what has become of it; `path`: for that.
  void proclaimed(std::uint64_t number, const std::string& says_now, const failure& why, std::string_view path)
      ZKLOCK_EXCLUDES(mutex);

  const std::shared_ptr<session_impl> session;
  const std::shared_ptr<operations::proclamations> says = std::make_shared<operations::proclamations>();
  annotated_mutex mutex{};
  std::string data ZKLOCK_GUARDED_BY(mutex);          ///< the node's, as far as is known
  std::uint64_t said ZKLOCK_GUARDED_BY(mutex) = 0;    ///< so many proclamations were begun
  std::uint64_t stored ZKLOCK_GUARDED_BY(mutex) = 0;  ///< which one has set `data`
};

/// What stands behind an election object; kept by a call that waits. Any thread.
class election_state final : public std::enable_shared_from_this<election_state> {
 public:
  election_state(std::shared_ptr<session_impl> session, std::string_view path, election_options options);

  [[nodiscard]] const std::string& path() const noexcept { return lock_->path(); }
  [[nodiscard]] lock_state& lock() noexcept { return *lock_; }

  void run(const election::lead_function& f, const std::stop_token& stop);
  [[nodiscard]] term campaign(time_limit limit, std::stop_token stop);
  void start_campaign(acquire_options how, std::unique_ptr<calls::campaign::handler> told);
  [[nodiscard]] election_status status() const;
  [[nodiscard]] bool is_healthy(instant max_late) const;
  /// The election object goes.
  void abandon() noexcept;

 private:
  using command = recipes::candidacy::command;
  /// One call of run().
  struct course;
  /// The one call that is under way.
  class claim;
  class campaigner;

  void stop();
  /// Of the call that is under way.
  [[nodiscard]] std::stop_token stopping() const ZKLOCK_EXCLUDES(mutex_) {
    const scoped_lock_on lock(mutex_);
    return stopping_.get_token();
  }
  [[nodiscard]] command stand(course& of);
  [[nodiscard]] command work(course& of, const election::lead_function& f);
  [[nodiscard]] command release(course& of);
  [[nodiscard]] command pause();
  /// The work is to return: its term is lost, or a stop was requested.
  void enough(course& of, bool lost);

  template <class Event>
  command on(Event&& event) ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] term make_term(grant&& of);
  /// Of campaign(): an empty one for an empty one.
  [[nodiscard]] term term_of(grant&& got) ZKLOCK_EXCLUDES(mutex_);
  void note_failure(std::error_code why) ZKLOCK_EXCLUDES(mutex_);
  [[nodiscard]] lock_mode mine() const noexcept { return {side::whole, 1, owner_}; }
  [[nodiscard]] const std::shared_ptr<session_impl>& session() const noexcept { return lock_->its_session(); }

  const election_options options_;
  const std::shared_ptr<lock_state> lock_;
  const owner_number owner_;

  mutable annotated_mutex mutex_;
  annotated_condition changed_;
  recipes::candidacy candidacy_ ZKLOCK_GUARDED_BY(mutex_);
  bool claimed_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool campaigning_ ZKLOCK_GUARDED_BY(mutex_) = false;
  bool working_ ZKLOCK_GUARDED_BY(mutex_) = false;  ///< `f` runs
  instant since_ ZKLOCK_GUARDED_BY(mutex_){0};
  std::uint64_t terms_ ZKLOCK_GUARDED_BY(mutex_) = 0;
  std::error_code last_error_ ZKLOCK_GUARDED_BY(mutex_);
  std::stop_source stopping_ ZKLOCK_GUARDED_BY(mutex_);  ///< of the call that is under way
};

}  // namespace zklock::detail
