"""What is to be reached: zklock against a peer, as a median of the ratios within repetitions."""
import dataclasses

from driver.spread import Spread, ratios
from driver.workloads import HIGHER_IS_BETTER, WORKLOADS, value

CPU = "client CPU"
DRAIN = "drain, us per waiter"


@dataclasses.dataclass(frozen=True)
class Goal:
    work: str
    workload: str
    against: str
    limit: float
    measure: str = ""  # empty: the workload's
    at_most: bool = False  # else: at least
    ours: str = "zklock"
    other_workload: str = ""  # empty: the same


GOALS = (
    Goal("mutex cycle, ops/s", "mutex", "curator", 2.0),
    Goal("mutex cycle, ops/s", "mutex", "floor", 0.95),
    Goal("mutex cycle, client CPU", "mutex", "curator", 0.62, CPU, at_most=True),
    Goal("mutex cycle, client CPU", "mutex", "floor", 1.15, CPU, at_most=True),
    Goal("acquire + awaited release, p50", "awaited", "floor", 1.05, at_most=True),
    Goal("read cycle, ops/s", "read", "curator", 2.1),
    Goal("write cycle, ops/s", "write", "curator", 2.1),
    Goal("semaphore cycle, ops/s", "semaphore", "curator", 4.3),
    Goal("multi-lock of 3, ops/s", "multi", "curator", 2.3),
    Goal("hand-over between two sessions, p50", "hand_over", "floor", 1.1, at_most=True),
    Goal("2 contending sessions, ops/s", "sessions_2", "curator", 1.05),
    Goal("8 contending sessions, ops/s", "sessions_8", "curator", 1.3),
    Goal("32 contending sessions, ops/s", "sessions_32", "curator", 1.3),
    Goal("2 contending sessions, ops/s", "sessions_2", "go_zk", 1.05),
    Goal("8 contending sessions, ops/s", "sessions_8", "go_zk", 1.05),
    Goal("32 contending sessions, ops/s", "sessions_32", "go_zk", 1.05),
    Goal("8 threads of one session, ops/s", "threads_8", "curator", 2.2),
    Goal("8 threads of one session, ops/s", "threads_8", "go_zk", 2.0),
    Goal("the same with local hand-over, ops/s", "threads_8", "curator", 25, ours="zklock-handover"),
    Goal("the same with local hand-over, ops/s", "threads_8", "redis", 5, ours="zklock-handover"),
    Goal("mutex cycle with keep, ops/s", "mutex", "redis", 20, ours="zklock-keep"),
    Goal("2 contending sessions with keep, ops/s", "sessions_2", "zklock", 0.91, ours="zklock-keep"),
    Goal("16 threads, 16 locks, ops/s", "locks_16", "go_zk", 0.95),
    Goal("16 threads, 16 locks, ops/s", "locks_16", "floor", 0.95),
    Goal("1,000 waiters of one session, waiters/s", "queue_1000_of_1", "curator", 4),
    Goal("1,000 waiters of one session, waiters/s", "queue_1000_of_1", "floor", 0.85),
    Goal("drain, per waiter, 4,000 against 100", "queue_4000_of_1", "zklock", 1.3, DRAIN, at_most=True,
         other_workload="queue_100_of_1"),
    Goal("100 sessions in 10 processes, ops/s", "processes_10", "curator", 1.2),
)

MEASURES = {one.name: one.measure for one in WORKLOADS}


def _values(results, workload, peer, measure, as_rate):
    samples = results.of(workload, peer)
    if measure == CPU:
        return {repetition: one["cpu"] / one["ops"] for repetition, one in samples.items()}
    if measure == DRAIN:
        return {repetition: one["drain_seconds"] / one["ops"] for repetition, one in samples.items()}
    values = {repetition: value(MEASURES[workload], one) for repetition, one in samples.items()}
    inverse = as_rate and not HIGHER_IS_BETTER[MEASURES[workload]]
    return {repetition: 1 / one if inverse else one for repetition, one in values.items()}


def reached(goal, results):
    """The spread of the goal's ratios, and whether their median reaches it; None, None if it was not measured."""
    as_rate = not goal.at_most
    ours = _values(results, goal.workload, goal.ours, goal.measure, as_rate)
    theirs = _values(results, goal.other_workload or goal.workload, goal.against, goal.measure, as_rate)
    spread = Spread.of(ratios(ours, theirs))
    if spread is None:
        return None, None
    return spread, spread.middle <= goal.limit if goal.at_most else spread.middle >= goal.limit
