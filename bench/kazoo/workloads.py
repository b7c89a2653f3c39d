"""The same work as bench/common/workloads.cpp. Each contender has a lock object of its own."""
import itertools
import time

from kazoo.client import KazooClient

from crew import Crew
from interval import Interval, Unsupported

SESSION_TIMEOUT_SECONDS = 30


class Workloads:
    def __init__(self, servers):
        self._servers = servers
        self._counting = None

    def _connect(self, count=1):
        clients = []
        for _ in range(count):
            client = KazooClient(hosts=self._servers, timeout=SESSION_TIMEOUT_SECONDS)
            client.start()
            clients.append(client)
        return clients

    @staticmethod
    def _close(clients):
        for client in clients:
            client.stop()
            client.close()

    def _contenders(self, path):
        if self._counting is None:
            self._counting = self._connect()[0]
        stat = self._counting.exists(path)
        return stat.numChildren if stat else 0

    @staticmethod
    def _contend(client, recipe, path):
        makers = {"mutex": client.Lock, "read": client.ReadLock, "write": client.WriteLock,
                  "semaphore": lambda path: client.Semaphore(path, max_leases=3)}
        if recipe not in makers:
            raise Unsupported(recipe)
        return makers[recipe](path)

    def cycle(self, n=1000, path="/bench", recipe="mutex", sessions=1, threads=1, locks=1, latency=0, confirmed=0):
        del confirmed  # every release is
        clients = self._connect(sessions)
        contenders = []
        for number in range(sessions * threads):
            contenders.append(self._contend(clients[number % sessions], recipe, f"{path}/{number % locks}"))
            contenders[-1].acquire()  # makes the lock node
            contenders[-1].release()

        measured = Interval()
        taken = itertools.count()  # next() is atomic

        def work(number):
            mine, latencies = contenders[number], []
            while next(taken) < n:
                begun = time.monotonic()
                mine.acquire()
                mine.release()
                if latency:
                    latencies.append(time.monotonic() - begun)
            measured.add_latencies(latencies)

        workers = Crew(len(contenders), work)
        measured.begin()
        workers.start()
        workers.wait_done()
        measured.end(n)
        self._close(clients)

    def hand_over(self, n=100, path="/bench", pause_us=3000):
        pause = pause_us * 1e-6
        clients = self._connect(2)
        contenders = [self._contend(client, "mutex", path) for client in clients]
        for contender in contenders:
            contender.acquire()
            contender.release()

        measured = Interval()
        called, granted, released = [0], [0], [0.0]  # of how many acquisitions; changed by one thread at a time

        def work(number):
            mine, latencies = contenders[number], []
            for turn in range(number, n, 2):
                while granted[0] != turn:
                    time.sleep(pause / 10)
                called[0] = turn + 1
                mine.acquire()
                if turn > 0:
                    latencies.append(time.monotonic() - released[0])
                granted[0] = turn + 1
                while called[0] == turn + 1 and turn + 1 < n:
                    time.sleep(pause / 10)
                time.sleep(pause)  # by now the other one waits on the servers
                released[0] = time.monotonic()
                mine.release()
            measured.add_latencies(latencies)

        workers = Crew(2, work)
        measured.begin()
        workers.start()
        workers.wait_done()
        measured.end(n)
        self._close(clients)

    def queue(self, n=100, path="/bench", sessions=1):
        clients = self._connect(sessions)
        holder = self._contend(clients[0], "mutex", path)
        contenders = [self._contend(clients[number % sessions], "mutex", path) for number in range(n)]
        holder.acquire()

        def work(number):
            contenders[number].acquire()
            contenders[number].release()

        measured = Interval()
        workers = Crew(n, work)
        if self._contenders(path) != 1:
            raise RuntimeError("the holder is not alone")
        measured.begin()
        workers.start()
        while self._contenders(path) != n + 1:
            time.sleep(0.005)
        joined = measured.notes["join_seconds"] = measured.seconds_so_far()
        holder.release()
        workers.wait_done()
        measured.notes["drain_seconds"] = measured.seconds_so_far() - joined
        measured.end(n)
        self._close(clients)
