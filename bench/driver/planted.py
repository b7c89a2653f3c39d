"""--plant-delay: the benchmark has to show a library that sleeps 100 us before it sends each request."""
from driver.spread import median
from driver.tables import speed_ratios
from driver.workloads import Workload

PEERS = ["zklock", "zklock-delayed"]
VISIBLE = 0.9  # of the sound library's speed


def workload():
    return Workload("mutex", "mutex cycle", "cycle", peers=tuple(PEERS))


def verdict(results):
    found = median(speed_ratios(results, workload(), "zklock-delayed", "zklock"))
    shown = found < VISIBLE
    print(f"\nWith the planted delay the mutex cycle is {found:.2f} times as fast: "
          + ("the benchmark shows it" if shown else f"the benchmark does not show it (below {VISIBLE} would)"))
    return 0 if shown else 1
