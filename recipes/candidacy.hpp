#pragma once

#include <chrono>
#include <cstdint>

#include "recipes/local_deadline.hpp"

namespace zklock::recipes {

/// One candidate of an election, term after term: it stands, leads while its work runs, gives back when the work has returned,
/// and stands again at the end of the queue.
///
/// | state       | what is under way                      | goes on with                                                     |
/// |-------------|----------------------------------------|------------------------------------------------------------------|
/// | idle        | nothing                                | standing                                                         |
/// | standing    | a contender waits for its turn         | leading; releasing (granted behind a stop); pausing; over      |
/// | leading     | the work                               | ending (enough); releasing (it has returned)                   |
/// | ending      | the work, which was asked to return    | releasing                                                      |
/// | releasing | the removal of the node                | standing (the term was lost, or the interval is over); pausing; over |
/// | pausing     | nothing, until `due()`                 | standing; over                                                   |
/// | over        | nothing                                |                                                                  |
///
/// Invariants: a node is given back only when the work has returned, and after it in any case, so work and node of one candidate
/// never overlap with its next (F130); work begins only under a grant.
class candidacy {
 public:
  enum class state : std::uint8_t { idle, standing, leading, ending, releasing, pausing, over };
  enum class command : std::uint8_t {
    none,
    stand,
    work,
    release,
    pause,  ///< until due(); then timer()
    end,    ///< `why()`
  };
  /// Why it is over.
  enum class end : std::uint8_t {
    none,
    stopped,  ///< a stop was asked for
    failed,   ///< the work has thrown
    refused,  ///< no candidate can stand, for good
  };
  enum class answer : std::uint8_t {
    granted,
    later,    ///< transient: it stands again
    refused,  ///< for good
  };

  /// From one stand to the next, but behind a loss.
  explicit candidacy(std::chrono::nanoseconds stand_interval) noexcept : interval_(stand_interval) {}

  [[nodiscard]] state now() const noexcept { return state_; }
  [[nodiscard]] end why() const noexcept { return why_; }
  [[nodiscard]] instant due() const noexcept;

  command begin(instant now) noexcept;
  command answered(answer what, instant now) noexcept;
  /// The term is lost.
  void lost() noexcept;
  /// It is to end. While the work runs, or is about to, it is awaited.
  command stop() noexcept;
  /// The work has returned.
  command returned(bool threw) noexcept;
  /// `refused`: the servers do not let the node be removed, so that nobody can lead.
  command released(instant now, bool refused = false) noexcept;
  command timer(instant now) noexcept;

 private:
  command stand(instant now) noexcept;
  command stand_in_time(instant now) noexcept;
  command finish(end why) noexcept;

  std::chrono::nanoseconds interval_;
  state state_ = state::idle;
  end why_ = end::none;
  instant stood_at_{0};
  bool lost_ = false;    ///< the latest term
  bool failed_ = false;  ///< the latest attempt to stand
};

}  // namespace zklock::recipes
