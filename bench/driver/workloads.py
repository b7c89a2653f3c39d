"""What is measured. bench/common/workloads.hpp says what each command does."""
import dataclasses

ALL = ("zklock", "floor", "naive", "curator", "kazoo", "go_zk", "redis", "etcd")
ZOOKEEPER = ALL[:6]
WITHOUT_KAZOO = ("zklock", "floor", "naive", "curator", "go_zk")

# Measures: how to read a result, and whether more is better.
RATE = "ops/s"
LATENCY = "p50, us"
PER_WAITER = "us per waiter"
PER_OPERATION_NS = "ns"
HIGHER_IS_BETTER = {RATE: True, LATENCY: False, PER_WAITER: False, PER_OPERATION_NS: False}


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    title: str
    command: str
    measure: str = RATE
    peers: tuple = ZOOKEEPER
    operations: int = 0  # 0: as many as fit into the time of a sample
    least: int = 100  # of an adapted number
    processes: int = 1
    in_quick: bool = True


def _queue(waiters, sessions, peers, in_quick=True):
    of = "one session" if sessions == 1 else f"{sessions} sessions"
    return Workload(f"queue_{waiters}_of_{sessions}", f"queue of {waiters:,} waiters, {of}",
                    f"queue sessions={sessions}", PER_WAITER, peers, operations=waiters, in_quick=in_quick)


WORKLOADS = (
    Workload("mutex", "mutex cycle", "cycle", peers=("zklock", "zklock-keep") + ALL[1:]),
    Workload("awaited", "acquire + awaited release", "cycle confirmed=1 latency=1", LATENCY),
    Workload("read", "read cycle", "cycle recipe=read"),
    Workload("write", "write cycle", "cycle recipe=write"),
    Workload("semaphore", "semaphore cycle (limit 3)", "cycle recipe=semaphore"),
    Workload("multi", "multi-lock of 3", "cycle recipe=multi"),
    Workload("reentry", "re-entry", "reentry", PER_OPERATION_NS, least=100_000),
    Workload("hand_over", "hand-over between two sessions", "hand_over", LATENCY, ALL, operations=50),
    Workload("sessions_2", "2 contending sessions", "cycle sessions=2", peers=("zklock", "zklock-keep") + ZOOKEEPER[1:]),
    Workload("sessions_8", "8 contending sessions", "cycle sessions=8", peers=("zklock", "zklock-keep") + ALL[1:]),
    Workload("sessions_32", "32 contending sessions", "cycle sessions=32", peers=WITHOUT_KAZOO),
    Workload("threads_8", "8 threads, one session, one lock", "cycle threads=8",
             peers=("zklock", "zklock-handover") + ALL[1:]),
    Workload("locks_16", "16 threads, 16 locks, one session", "cycle threads=16 locks=16", least=500),
    Workload("readers_writers", "8 sessions, 1 write in 10", "cycle sessions=8 recipe=readers_writers every=10",
             peers=("zklock", "curator")),
    Workload("flight_1", "1 acquisition in flight", "cycle threads=1 locks=1", in_quick=False),
    Workload("flight_16", "16 acquisitions in flight", "cycle threads=16 locks=16", in_quick=False),
    Workload("flight_64", "64 acquisitions in flight", "cycle threads=64 locks=64", peers=WITHOUT_KAZOO, least=1000),
    Workload("flight_256", "256 acquisitions in flight", "cycle threads=256 locks=256", peers=WITHOUT_KAZOO,
             least=2000, in_quick=False),
    _queue(100, 1, ZOOKEEPER),
    _queue(1000, 1, WITHOUT_KAZOO),
    _queue(4000, 1, ("zklock", "floor", "curator", "go_zk"), in_quick=False),
    _queue(100, 100, ("zklock", "floor", "curator", "go_zk"), in_quick=False),
    _queue(1000, 100, ("zklock", "floor", "curator", "go_zk"), in_quick=False),
    _queue(4000, 100, ("zklock", "floor", "curator", "go_zk"), in_quick=False),
    Workload("processes_10", "100 sessions in 10 processes, one lock", "cycle sessions=10",
             peers=("zklock", "floor", "curator", "go_zk"), operations=1000, processes=10),
)


def value(measure, sample):
    """A sample in its measure's unit."""
    if measure == LATENCY:
        return 1e6 * sample["p50"]
    if measure == PER_WAITER:
        return 1e6 * sample["seconds"] / sample["ops"]
    if measure == PER_OPERATION_NS:
        return 1e9 * sample["seconds"] / sample["ops"]
    return sample["ops"] / sample["seconds"]
