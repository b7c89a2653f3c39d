"""The results as plots, each as SVG and PNG."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402  pylint: disable=wrong-import-position

from driver.spread import Spread, median
from driver.tables import client_cpu, name_of, peers_of, server_cpu, speed_ratios
from driver.workloads import PER_WAITER, value

COLOURS = {"zklock": "#0b6e4f", "zklock-handover": "#6fb98f", "floor": "#444444", "naive": "#999999",
           "curator": "#c1440e", "go_zk": "#1f77b4", "kazoo": "#8c6bb1", "redis": "#d9a400", "etcd": "#17becf"}
ORIENTATION = ("redis", "etcd")  # no queues
CPU_OF = ("mutex", "sessions_8", "threads_8", "locks_16")


def _save(figure, out, name):
    figure.tight_layout()
    figure.savefig(out / f"{name}.svg", metadata={"Date": None})
    figure.savefig(out / f"{name}.png", dpi=110)
    pyplot.close(figure)


def _ratios(out, results, workloads):
    """A row for each workload, a point with its spread for each peer."""
    rows = [one for one in workloads
            if any(speed_ratios(results, one, "zklock", peer) for peer in ("curator", "go_zk", "floor"))]
    figure, axes = pyplot.subplots(figsize=(8, 1.4 + 0.33 * len(rows)))
    for offset, peer in ((-0.2, "floor"), (0, "go_zk"), (0.2, "curator")):
        found = [(row, Spread.of(speed_ratios(results, one, "zklock", peer))) for row, one in enumerate(rows)]
        found = [(row + offset, spread) for row, spread in found if spread]
        if found:
            axes.errorbar([spread.middle for _, spread in found], [row for row, _ in found], fmt="o", markersize=4,
                          xerr=[[spread.middle - spread.least for _, spread in found],
                                [spread.greatest - spread.middle for _, spread in found]],
                          color=COLOURS[peer], label=name_of(peer))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    ticks = (0.1, 0.25, 0.5, 1, 2, 4, 10)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(rows)), [one.title for one in rows])
    axes.invert_yaxis()
    axes.set_xlabel("how many times as fast zklock is: median, least and greatest of the ratios within a repetition")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="best", fontsize=8)
    _save(figure, out, "ratios")


def _lines(out, results, name, points, x_label, y_label):
    """`points`: pairs of a number for the x-axis and a workload. One line for each peer."""
    figure, axes = pyplot.subplots(figsize=(6.4, 4))
    for peer in [one for one in peers_of(results) if one not in ORIENTATION]:
        drawn = []
        for x, workload in points:
            samples = results.of(workload.name, peer).values()
            if samples:
                drawn.append((x, median([value(workload.measure, one) for one in samples])))
        if len(drawn) > 1:
            axes.plot(*zip(*drawn), marker="o", markersize=4, color=COLOURS.get(peer), label=name_of(peer))
    if not axes.lines:
        pyplot.close(figure)
        return
    axes.set_xscale("log")
    axes.set_yscale("log" if points[0][1].measure == PER_WAITER else "linear")
    axes.set_ylim(bottom=None if points[0][1].measure == PER_WAITER else 0)
    axes.set_xticks([x for x, _ in points], [f"{x:,}" for x, _ in points])
    axes.minorticks_off()
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    _save(figure, out, name)


def _processor_time(out, results, workloads):
    """Client's and server's CPU of an operation, stacked."""
    chosen = [one for one in workloads if one.name in CPU_OF and results.of(one.name, "zklock")]
    if not chosen:
        return
    figure, all_axes = pyplot.subplots(1, len(chosen), figsize=(3 * len(chosen), 3.6), squeeze=False)
    for axes, workload in zip(all_axes[0], chosen):
        peers = [peer for peer in peers_of(results) if results.of(workload.name, peer) and peer not in ORIENTATION]
        samples = [results.of(workload.name, peer).values() for peer in peers]
        costs = [[median([cost(one) / one["ops"] for one in of]) for of in samples]
                 for cost in (client_cpu, server_cpu)]
        names = [name_of(peer) for peer in peers]
        axes.bar(names, costs[0], color=[COLOURS.get(peer) for peer in peers])
        axes.bar(names, costs[1], bottom=costs[0], color="#dddddd")
        axes.set_title(workload.title, fontsize=8)
        axes.tick_params(axis="x", rotation=60, labelsize=7)
        axes.tick_params(axis="y", labelsize=7)
    all_axes[0][0].set_ylabel("CPU of one operation, us (grey: the server's)", fontsize=8)
    _save(figure, out, "processor_time")


def draw(out, results, workloads):
    matplotlib.rcParams["svg.hashsalt"] = "zklock"  # the same file from the same figures
    matplotlib.rcParams["font.size"] = 8
    of = {one.name: one for one in workloads}

    def series(pairs):
        return [(x, of[name]) for x, name in pairs if name in of]

    _ratios(out, results, workloads)
    _lines(out, results, "contention",
           series([(1, "mutex"), (2, "sessions_2"), (8, "sessions_8"), (32, "sessions_32")]),
           "sessions that contend for one lock", "acquisitions in a second")
    _lines(out, results, "in_flight", series([(count, f"flight_{count}") for count in (1, 16, 64, 256)]),
           "threads of one session, each with a lock of its own", "acquisitions in a second")
    for sessions in (1, 100):
        points = series([(count, f"queue_{count}_of_{sessions}") for count in (100, 1000, 4000)])
        _lines(out, results, f"queue_of_{sessions}", points, f"waiters, of {sessions} session{'s' * (sessions > 1)}",
               "to join and to drain, us per waiter")
    _processor_time(out, results, workloads)
