"""A peer's processes: lines in, JSON out."""
import json
import subprocess
import threading

ANSWER_LIMIT_SECONDS = 180


class PeerFailed(Exception):
    pass


class Unsupported(Exception):
    """The library lacks what the workload needs."""


class Process:
    """One process of a peer. Not fit for use after PeerFailed."""

    def __init__(self, arguments):
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = self._process.pid

    def send(self, line):
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as failure:
            raise PeerFailed(f"{self._process.args[0]}: {failure}") from failure

    def receive(self):
        watchdog = threading.Timer(ANSWER_LIMIT_SECONDS, self._process.kill)
        watchdog.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        if not line:
            raise PeerFailed(f"{self._process.args[0]} ended, or did not answer in {ANSWER_LIMIT_SECONDS} s")
        answer = json.loads(line)
        if "unsupported" in answer:
            raise Unsupported(answer["unsupported"])
        if "error" in answer:
            raise PeerFailed(answer["error"])
        return answer

    def stop(self):
        self._process.kill()
        self._process.wait()


class Peer:
    """A peer's processes: one for most workloads, more when a workload says so. They live until stop()."""

    def __init__(self, name, arguments, server):
        self.name = name
        self.server = server
        self._arguments = arguments
        self._processes = []

    def processes(self, count):
        while len(self._processes) < count:
            self._processes.append(Process(self._arguments))
        return self._processes[:count]

    def stop(self):
        for process in self._processes:
            process.stop()
        self._processes = []
