"""One sample: a workload, done once by a peer."""
import time

from driver import processor_time

FOREIGN_SHARE_MAX = 0.10


class Sampler:
    """Takes samples. One that other processes have disturbed is taken again, `tries` times at the most."""

    def __init__(self, sample_seconds, tries):
        self._sample_seconds = sample_seconds
        self._tries = tries
        self._number = 0
        self._operations = {}  # of (peer, workload): as many as fit into the time of a sample

    def take(self, peer, workload, warm_up=False):
        best = None
        for tries in range(1, 2 if warm_up else self._tries + 1):
            begun = time.monotonic()
            sample = self._take_once(peer, workload)
            sample["with_preparation_seconds"] = time.monotonic() - begun
            if best is None or sample["foreign"] < best["foreign"]:
                best = sample
            if best["foreign"] <= FOREIGN_SHARE_MAX:
                break
        best["tries"] = tries
        best["disturbed"] = best["foreign"] > FOREIGN_SHARE_MAX
        self._adapt(peer, workload, best)
        return best

    def _adapt(self, peer, workload, sample):
        if workload.operations == 0:
            fit = int(self._sample_seconds * sample["ops"] / sample["seconds"])
            self._operations.setdefault((peer.name, workload.name), max(workload.least, fit))

    def _operations_of(self, peer, workload):
        return workload.operations or self._operations.get((peer.name, workload.name), workload.least)

    def _take_once(self, peer, workload):
        self._number += 1
        count = workload.processes
        operations = self._operations_of(peer, workload) // count
        processes = peer.processes(count)
        for process in processes:
            process.send(f"{workload.command} n={operations} path=/bench/{self._number}")
            process.receive()
        before = _reading(peer, processes)
        for process in processes:
            process.send("go")
        results = [process.receive() for process in processes]
        after = _reading(peer, processes)
        for process in processes:
            process.send("rest")
            process.receive()
        return _sample(results, before, after)


def _reading(peer, processes):
    return {
        "clock": time.monotonic(),
        "busy": processor_time.busy(),
        "clients": sum(processor_time.of_process(process.pid) for process in processes),
        "server": sum(processor_time.of_living_threads(pid) for pid in peer.server.pids),
        "driver": time.process_time(),
    }


def _sample(results, before, after):
    taken = {name: after[name] - before[name] for name in before}
    sample = {name: sum(one[name] for one in results) for name in ("ops", "cpu", "voluntary", "involuntary")}
    # The processes of one sample begin together; the driver's clock says when the last one was done.
    sample["seconds"] = results[0]["seconds"] if len(results) == 1 else taken["clock"]
    for name in results[0]:
        if name not in sample and len(results) == 1:
            sample[name] = results[0][name]
    sample["server_cpu"] = taken["server"]
    own = taken["clients"] + taken["server"] + taken["driver"]
    sample["foreign"] = processor_time.foreign_share(taken["clock"], taken["busy"], own)
    return sample
