"""CPU time of processes and of the machine, from /proc."""
import os

TICK = os.sysconf("SC_CLK_TCK")
PROCESSORS = os.cpu_count()


def of_process(pid):
    """Seconds, of all its threads that ever were; in ticks of 10 ms."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def of_living_threads(pid):
    """Seconds, exact, but without the threads that have ended: for servers."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        except FileNotFoundError:
            pass  # it ended meanwhile
    return total * 1e-9


def busy():
    """Seconds in which a processor of this machine was not idle, steal included."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK


def foreign_share(elapsed, busy_seconds, own_seconds):
    """The part of the machine that other processes took. Two ticks are within the reading's error."""
    return max(0.0, busy_seconds - own_seconds - 2 / TICK) / (elapsed * PROCESSORS)
