"""The command line of each peer's program, and the server that it talks to."""
from driver.peers import Peer

CURATOR_JARS = ("curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute", "guava",
                "slf4j-api", "slf4j-nop", "jna")


def _command(name, root, build, connect):
    java_path = ":".join([str(build / "curator"), *(f"/usr/share/java/{jar}.jar" for jar in CURATOR_JARS)])
    commands = {
        "zklock": [build / "bench/zklock_bench_zklock", connect],
        "zklock-handover": [build / "bench/zklock_bench_zklock", connect, "--handover"],
        "zklock-keep": [build / "bench/zklock_bench_zklock", connect, "--keep"],
        "zklock-delayed": [build / "bench/zklock_bench_zklock_delayed", connect],
        "floor": [build / "bench/zklock_bench_raw", connect, "floor"],
        "naive": [build / "bench/zklock_bench_raw", connect, "naive"],
        "curator": ["java", "-cp", java_path, "Peer", connect],
        "kazoo": ["/usr/bin/python3", root / "bench/kazoo/peer.py", connect],
        "go_zk": [build / "go_zk", connect],
        "redis": [build / "bench/zklock_bench_redis", connect],
        "etcd": [build / "etcd", connect],
    }
    return [str(part) for part in commands[name]]


NAMES = ("zklock", "zklock-handover", "zklock-keep", "floor", "naive", "curator", "kazoo", "go_zk", "redis", "etcd")
IN_QUICK = ("zklock", "zklock-handover", "zklock-keep", "floor", "curator", "go_zk", "redis")


def make(names, root, build, servers):
    """Peers by name. Starts the servers that they need."""
    peers = []
    for name in names:
        server = servers.of(name if name in ("redis", "etcd") else "zookeeper")
        peers.append(Peer(name, _command(name, root, build, server.connect), server))
    return peers
