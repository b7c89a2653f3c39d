#pragma once

#include <chrono>

namespace zklock::test {

class trial;

/// Schedules in which the servers end a session earlier than a plausible local deadline: for way_to_lose.

// A rolling restart changes the timeouts that a server grants, and the holder's client moves to another server.
inline constexpr std::chrono::milliseconds low_session_timeout{2'000};
inline constexpr std::chrono::milliseconds high_session_timeout{8'000};
void lower_the_timeouts_of_the_other_follower(trial& here);
void raise_the_timeouts_of_the_other_follower(trial& here);
void move_to_the_other_follower(trial& here);
/// The new leader gives each session the timeout of its creation.
void cut_the_holder_and_kill_the_leader(trial& here);
void let_the_holder_through_and_restart_the_leader(trial& here);

/// Requests reach the follower late, and in order. It answers them, and is killed before it has told its leader.
void delay_requests_and_kill_the_follower(trial& here);

/// The follower is killed at the end of the time for which it may keep a touch to itself, half a tick.
/// The timeout is such that the leader rounds the session's end up by little.
void fit_the_timeout_to_the_ticks(trial& here);
void kill_the_follower_before_it_tells_its_leader(trial& here);

/// The followers have lost their leader, and the leader does not know. It goes on answering syncs.
void depose_the_leader_silently(trial& here);
void tell_the_deposed_leader(trial& here);

}  // namespace zklock::test
