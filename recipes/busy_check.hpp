#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "recipes/acquire_spec.hpp"
#include "recipes/code.hpp"
#include "recipes/contender_data.hpp"
#include "recipes/names_view.hpp"
#include "recipes/node_name.hpp"
#include "recipes/permit_limit.hpp"

namespace zklock::recipes {

class contender;

/// What has blocked the last try of a lock object, in the session with this id.
struct seen_blocker {
  std::int64_t session = 0;  ///< 0: nothing is known to
  heap_text name{};          ///< of the node; empty: no single one has
  heap_text asked{};         ///< the node that was last asked whether it may be idle

  /// A try's own node stood behind it. Empty: behind no single one.
  void refuses(std::int64_t in_session, std::string_view node);
  /// It was asked, or a try stood behind it till it would have gone: it is held.
  void is_held(std::int64_t in_session, std::string_view node);
  void forget() noexcept { session = 0; }
  /// A try of it was refused. True, once for each node: what that node says is to be read (busy_check::look_again), since a mutex's
  /// node that is kept while nobody holds it (lock_options::keep) goes by now: the try's own node has told its process.
  [[nodiscard]] bool is_to_be_asked(const acquire_spec& wanted) noexcept;
};

/// Whether a lock is busy, asked by one read: for a try, before it makes a node. It is blocked
///   - by an exclusive hold of its own session: without a read;
///   - as a mutex's contender, or a writer: by the node that has blocked the last try, if it stands: whatever comes stands behind it;
///   - as a reader: likewise, if it is a writer's whose data do not say that it reads by now;
///   - for permits: by the contenders in a list, if they leave too few of the limit, and that was not written since it was read;
///   - for permits in Curator's layout: by the leases in a list, if they leave too few.
/// Else nothing is decided: the try makes its node, as the recipe has it.
///
/// "Busy" is as old as what the server has seen that was asked: no older than this session's own requests, perhaps older than
/// another client's release. So it is never said of a node of another session of the own process, whose release the caller may
/// know of; nor of a node that its process may keep between two holds, before a try's node has told it that another one has come.
/// A try has no place in the queue, so its order is untouched.
class busy_check {
 public:
  enum class next : std::uint8_t {
    read,     ///< the node `name()`
    list,     ///< the lock node; for leases the node that they stand in
    busy,     ///< `name()` blocks it, if that is not empty
    contend,  ///< nothing is known
  };

  /// `always`: also if nothing was seen.
  busy_check(const acquire_spec& wanted, bool always) noexcept : wanted_(wanted), always_(always) {}

  /// Behind a try of the same call that was refused: what stands still blocks it, whosever it is, but for what may be idle.
  void look_again() noexcept { again_ = true; }

  /// What is known without a request.
  struct facts {
    const contender* holder = nullptr;  ///< the first of the own session there, if its hold stands
    bool connected = false;
    std::int64_t session = 0;     ///< 0: there is none
    bool other_sessions = false;  ///< the process has, or had, others
  };
  [[nodiscard]] next begin(const seen_blocker& last, const facts& known);
  /// `of_own_process`: it is of another session of it.
  [[nodiscard]] next read(code answer, std::string_view data, bool of_own_process) noexcept;
  /// `limit`: as it was read last in this session; `written`: the list's mzxid.
  [[nodiscard]] next listed(code answer, names_view children, const limit_node& limit, std::int64_t written);

  /// Behind `contend`: for how long the try stands behind the node read, which may be idle, and goes when another one comes.
  /// `round_trip`: as long as that read took. 0: not, it is refused at its list.
  [[nodiscard]] std::chrono::nanoseconds time_to_stand(std::chrono::nanoseconds round_trip) const noexcept;

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] bool of_leases() const noexcept { return counts() && wanted_.as == layout::curator; }

 private:
  /// Several nodes, which a list shows without their sessions.
  [[nodiscard]] bool counts() const noexcept { return wanted_.kind == contender_kind::permit; }
  [[nodiscard]] bool too_few_left(names_view children, const limit_node& limit, std::int64_t written) const noexcept;

  const acquire_spec wanted_;
  const bool always_;
  heap_text name_;
  bool again_ = false;
  bool remembered_ = false;   ///< it has blocked a try before
  bool may_be_idle_ = false;  ///< what was read
};

/// Of the contenders of the wanted one's recipe the first that blocks it, by name alone: of a reader the last writer. Empty: none.
[[nodiscard]] std::string_view first_blocker(names_view children, const acquire_spec& wanted,
                                             std::string_view own = {});

}  // namespace zklock::recipes
