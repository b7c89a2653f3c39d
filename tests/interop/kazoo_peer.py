"""A process that takes part in kazoo's locks; the words are those of peer.hpp, each answered with a line.

Arguments: servers, session timeout in ms, then the name patterns beyond kazoo's own that count as contenders.
"""
import os
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout

PATIENCE_S = 60
MOST_ROUNDS_PER_SHARE = 100


class Violation(Exception):
    """Two held that exclude each other."""


class Peer:
    def __init__(self, client, patterns):
        self.client = client
        self.patterns = patterns
        self.locks = {}

    def answer(self, order):
        try:
            return self.obey(*order)
        except LockTimeout:
            return "not in time"
        except Violation as seen:
            return f"violated: {seen}"
        except Exception as failure:
            return f"failed: {failure!r}"

    def obey(self, word, *rest):
        if word == "connect":
            return "connected"
        if word == "hammer":
            return self.hammer(*rest)
        kind, path, *rest = rest
        if kind != "mutex":
            return "failed: kazoo has no " + kind
        if word == "acquire":
            self.lock(path).acquire(timeout=int(rest[0]) / 1000)
            return "held"
        if word == "release":
            self.lock(path).release()
            return "released"
        return "no such order: " + word

    def lock(self, path):
        if path not in self.locks:
            self.locks[path] = self.client.Lock(path, "a kazoo", extra_lock_patterns=self.patterns)
        return self.locks[path]

    def hammer(self, _, path, directory, letter, sides, share):
        """See hammer.hpp and marks.hpp: they are its twins."""
        name = os.path.join(directory, path.rsplit("/", 1)[1])
        for _ in range(MOST_ROUNDS_PER_SHARE * int(share)):
            if over(int(share), sides, directory):
                return "done"
            lock = self.lock(path)
            lock.acquire(timeout=PATIENCE_S)
            try:
                inside(name, letter, directory)
            except Violation:
                open(os.path.join(directory, "stopped"), "ab").close()
                raise
            finally:
                lock.release()
        return "failed: the other side does not come in"


def inside(name, letter, directory):
    try:
        os.close(os.open(name + ".alone", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError as taken:
        raise Violation("kazoo alone beside another alone") from taken
    try:
        count(name + ".counter")
        with open(os.path.join(directory, "order"), "ab", buffering=0) as order:
            order.write(letter.encode())
    finally:
        os.unlink(name + ".alone")


def count(counter):
    value = 0
    if os.path.exists(counter):
        with open(counter, encoding="ascii") as file:
            value = int(file.read())
    with open(counter, "w", encoding="ascii") as file:
        file.write(f"{value + 1}\n")


def over(share, sides, directory):
    if os.path.exists(os.path.join(directory, "stopped")):
        return True
    order = os.path.join(directory, "order")
    if not os.path.exists(order):
        return False
    with open(order, encoding="ascii") as file:
        text = file.read().upper()
    return all(text.count(side) >= share for side in sides)


def main(servers, timeout, *patterns):
    client = KazooClient(hosts=servers, timeout=int(timeout) / 1000)
    client.start(timeout=30)
    peer = Peer(client, patterns)
    for line in sys.stdin:
        print(peer.answer(line.split()), flush=True)
    client.stop()
    client.close()


main(*sys.argv[1:])
