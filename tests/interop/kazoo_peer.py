"""A process that holds a lock of kazoo's; the words are those of interop_test.cpp.

Arguments: servers, then the name patterns beyond kazoo's own that count as contenders.
"""
import sys

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout


def acquire(client, path, limit, patterns):
    lock = client.Lock(path, "a kazoo", extra_lock_patterns=patterns)
    try:
        lock.acquire(timeout=limit)
        return lock, "held"
    except LockTimeout:
        return lock, "not in time"


def main(servers, *patterns):
    client = KazooClient(hosts=servers, timeout=10)
    client.start(timeout=30)
    lock = None
    for line in sys.stdin:
        order = line.split()
        if order[0] == "acquire":
            lock, answer = acquire(client, order[1], int(order[2]) / 1000, patterns)
        else:
            lock.release()
            answer = "released"
        print(answer, flush=True)
    client.stop()
    client.close()


main(*sys.argv[1:])
