"""--many: 100,000 locks of one session, 10,000 waiters of one session, 1,000 sessions in 100 processes (bench/many)."""
import dataclasses
import socket
import time

from driver import processor_time
from driver.peers import Process
from driver.tables import markdown

ALL_WAIT_LIMIT_SECONDS = 600
WATCHES_STAND_SECONDS = 8  # two twelfths of the session timeout of 30 s, and some


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    what: str
    processes: int
    count: int  # in each process
    sessions: int = 1  # in each process

    @property
    def all(self):
        return self.processes * self.count


CASES = (
    Case("100,000 locks held by one session", "hold", 1, 100_000),
    Case("1,000 waiters of one session", "wait", 1, 1_000),
    Case("10,000 waiters of one session", "wait", 1, 10_000),
    Case("1,000 sessions in 100 processes wait for one lock", "wait", 100, 10, 10),
)


def counters(address):
    """What the server says of itself: mntr."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), 30) as server:
        server.sendall(b"mntr")
        text = b"".join(iter(lambda: server.recv(65536), b"")).decode()
    return {name: value for name, _, value in (line.partition("\t") for line in text.splitlines())}


class Load:
    """Of the server, from its making on."""

    def __init__(self, server):
        self._pid = server.pids[0]
        self._begun = processor_time.of_living_threads(self._pid)

    def seconds(self):
        return processor_time.of_living_threads(self._pid) - self._begun


def await_nodes(server, count):
    """The seconds until so many ephemeral nodes stand."""
    begun = time.monotonic()
    while int(counters(server.connect)["zk_ephemerals_count"]) < count:
        if time.monotonic() - begun > ALL_WAIT_LIMIT_SECONDS:
            raise TimeoutError(f"not {count} nodes in {ALL_WAIT_LIMIT_SECONDS} s")
        time.sleep(0.02)
    return time.monotonic() - begun


def held(case, path, start, server):
    load = Load(server)
    client = start(path, "hold", case.count)
    taken = client.receive()
    busy = load.seconds()
    time.sleep(WATCHES_STAND_SECONDS)
    watches = int(counters(server.connect)["zk_watch_count"])
    client.send("")
    kept = client.receive()["count"]
    if kept != case.count:
        raise RuntimeError(f"{case.count - kept} of {case.count} holds were lost")
    client.send("")
    given_back = client.receive()
    client.send("")
    return taken["seconds"], given_back["seconds"], taken["ours"], watches, busy


def waited(case, path, start, server):
    holder = start(path, "hold", 1)
    holder.receive()
    clients = [start(f"{path}/0", "wait", case.count, case.sessions) for _ in range(case.processes)]
    for client in clients:
        client.receive()
    load = Load(server)
    standing = int(counters(server.connect)["zk_ephemerals_count"])
    for client in clients:
        client.send("")
    joined = await_nodes(server, standing + case.all)
    time.sleep(WATCHES_STAND_SECONDS)
    watches = int(counters(server.connect)["zk_watch_count"])
    for client in clients:
        client.send("")
    ours = sum(client.receive()["ours"] for client in clients)
    begun = time.monotonic()
    for client in [*clients, holder, holder]:  # each of the holder's two phases
        client.send("")
    for client in clients:
        client.receive()
    drained = time.monotonic() - begun
    busy = load.seconds()
    for client in clients:
        client.send("")
    return joined, drained, ours, watches, busy


def measure(build, server):
    """A table of all cases."""
    rows = []
    for number, case in enumerate(CASES):
        started = []

        def start(path, *what):
            started.append(Process([str(build / "bench/zklock_bench_many"), server.connect, path, *map(str, what)]))
            return started[-1]

        try:
            into, out, ours, watches, busy = (held if case.what == "hold" else waited)(case, f"/many/{number}", start, server)
        finally:
            for process in started:
                process.stop()
        each = 1e6 / case.all
        rows.append([case.title, f"{into * each:,.0f}", f"{out * each:,.0f}", f"{ours / case.all:,.0f}", f"{watches:,}",
                     f"{busy * each:,.0f}"])
        print(" | ".join(rows[-1]), flush=True)
    heads = ["what", "taken or joined, us each", "given back or drained, us each", "zklock's memory, bytes each",
             "watches on the server", "server's CPU, us each"]
    return markdown(heads, rows)
