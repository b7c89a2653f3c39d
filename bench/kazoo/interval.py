"""The part of a workload that is measured."""
import json
import resource
import sys
import threading
import time


class Unsupported(Exception):
    """kazoo lacks what the workload needs."""


def answer(**values):
    print(json.dumps(values), flush=True)


class Interval:
    def __init__(self):
        self._latencies = []
        self._mutex = threading.Lock()
        self.notes = {}

    def begin(self):
        """Says that all is prepared, and waits for the driver."""
        answer(prepared=True)
        if not sys.stdin.readline():
            sys.exit(0)
        self._usage = resource.getrusage(resource.RUSAGE_SELF)
        self._begun = time.monotonic()

    def seconds_so_far(self):
        return time.monotonic() - self._begun

    def add_latencies(self, seconds):
        with self._mutex:
            self._latencies += seconds

    def end(self, operations):
        seconds = self.seconds_so_far()
        before, after = self._usage, resource.getrusage(resource.RUSAGE_SELF)
        ordered = sorted(self._latencies)
        if ordered:
            for name, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
                self.notes[name] = ordered[int(part * (len(ordered) - 1))]
        answer(ops=operations, seconds=seconds,
               cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
               voluntary=after.ru_nvcsw - before.ru_nvcsw, involuntary=after.ru_nivcsw - before.ru_nivcsw, **self.notes)
