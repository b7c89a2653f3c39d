"""The results as Markdown tables."""
from driver.goals import GOALS, reached
from driver.spread import Spread, median, ratios
from driver.workloads import HIGHER_IS_BETTER, value

NAMES = {"go_zk": "go-zk", "curator": "Curator", "redis": "Redis", "naive": "raw, naive", "floor": "raw, floor"}

ORDER = ("zklock", "zklock-handover", "zklock-keep", "zklock-delayed", "floor", "naive", "curator", "go_zk", "kazoo", "redis", "etcd")


def name_of(peer):
    return NAMES.get(peer, peer)


def _figure(number):
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _spread(spread):
    return f"{spread.middle:.2f} ({spread.least:.2f}-{spread.greatest:.2f})"


def markdown(heads, rows):
    """The first column is text, the others are numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|--:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def peers_of(results):
    """Those that have a sample, in the order of the tables."""
    return [peer for peer in ORDER if any(peer in of for of in results.samples.values())]


def _table(results, workloads, peers, cell):
    rows = []
    for workload in workloads:
        cells = [cell(workload, results.of(workload.name, peer), peer) for peer in peers]
        if any(cells):
            rows.append([f"{workload.title}"] + cells)
    return markdown(["work"] + [name_of(peer) for peer in peers], rows)


def _speed(workload, samples):
    values = {repetition: value(workload.measure, one) for repetition, one in samples.items()}
    return values if HIGHER_IS_BETTER[workload.measure] else {key: 1 / one for key, one in values.items()}


def speed_ratios(results, workload, peer, against):
    """How many times as fast, in each repetition."""
    ours, theirs = results.of(workload.name, peer), results.of(workload.name, against)
    return ratios(_speed(workload, ours), _speed(workload, theirs))


def ratio_table(results, workloads):
    """How many times as fast zklock is as each peer."""
    def cell(workload, _samples, peer):
        spread = Spread.of(speed_ratios(results, workload, "zklock", peer))
        return _spread(spread) if spread else ""
    return _table(results, workloads, [peer for peer in peers_of(results) if peer != "zklock"], cell)


def median_table(results, workloads):
    def cell(workload, samples, _peer):
        if not samples:
            return ""
        disturbed = sum(one["disturbed"] for one in samples.values())
        figure = _figure(median([value(workload.measure, one) for one in samples.values()]))
        return figure + ("*" * (disturbed * 2 > len(samples)))
    rows = _table(results, workloads, peers_of(results), cell)
    for workload in workloads:
        rows = rows.replace(f"| {workload.title} |", f"| {workload.title}, {workload.measure} |")
    return rows


def cost_table(results, workloads, cost):
    """Of one operation: `cost` maps a sample to a number."""
    def cell(_workload, samples, _peer):
        return _figure(median([cost(one) / one["ops"] for one in samples.values()])) if samples else ""
    return _table(results, workloads, peers_of(results), cell)


def client_cpu(sample):
    return 1e6 * sample["cpu"]


def server_cpu(sample):
    return 1e6 * sample["server_cpu"]


def context_switches(sample):
    return sample["voluntary"] + sample["involuntary"]


def queue_table(results, workloads):
    """Joining and draining, us per waiter."""
    def cell(workload, samples, _peer):
        if not samples or not workload.command.startswith("queue"):
            return ""
        parts = [median([1e6 * one[part] / one["ops"] for one in samples.values()])
                 for part in ("join_seconds", "drain_seconds")]
        return " + ".join(_figure(part) for part in parts)
    return _table(results, workloads, peers_of(results), cell)


def sample_notes(results):
    every = [one for of in results.samples.values() for by in of.values() for one in by.values()]
    failed = [f"{workload} of {peer}" for (workload, peer), why in results.unsupported.items() if why == "failed"]
    again, disturbed = (sum(one["tries"] > 1 for one in every), sum(one["disturbed"] for one in every))
    return (f"{len(every)} samples; {again} were taken again, since other processes had more\n"
            f"than 10 % of the machine; {disturbed} were disturbed all the same. A figure has a *\n"
            "when most of its samples were disturbed." + (f" Failed: {', '.join(failed)}." if failed else ""))


def goal_table(results):
    rows = []
    for goal in GOALS:
        spread, done = reached(goal, results)
        limit = f"{goal.limit:g} x or {'less' if goal.at_most else 'more'}"
        measured = _spread(spread) if spread else ""
        verdict = "not measured" if spread is None else "reached" if done else "**not reached**"
        against = "itself" if goal.other_workload else name_of(goal.against)
        rows.append([goal.work, against, limit, measured, verdict])
    return markdown(["work", "against", "to reach", "measured: median (least-greatest)", "verdict"], rows)


def all_tables(results, workloads):
    """Name, title and text of each."""
    return [
        ("goals", "To reach", goal_table(results)),
        ("ratios", "How many times as fast zklock is", ratio_table(results, workloads)),
        ("medians", "Medians", median_table(results, workloads)),
        ("queues", "Queues: join + drain, us per waiter", queue_table(results, workloads)),
        ("client_cpu", "Client CPU per operation, us", cost_table(results, workloads, client_cpu)),
        ("server_cpu", "Server CPU per operation, us", cost_table(results, workloads, server_cpu)),
        ("switches", "Client's context switches per operation", cost_table(results, workloads, context_switches)),
        ("samples", "Samples", sample_notes(results)),
    ]
