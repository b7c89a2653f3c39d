"""The private servers on the loopback interface. Each is stopped by its pid."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

START_LIMIT_SECONDS = 30


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def data_directory(wanted):
    """A new one: below what was asked for, else on tmpfs where there is one."""
    below = wanted or ("/dev/shm" if os.path.isdir("/dev/shm") else None)
    return pathlib.Path(tempfile.mkdtemp(prefix="zklock-bench-", dir=below))


class ZooKeeper:
    """One server or three, by scripts/zookeeper. With `sync` each write waits for the disk."""

    def __init__(self, root, directory, servers, sync):
        self._script = str(root / "scripts/zookeeper")
        self._directory = directory / "zookeeper"
        options = ["--servers", str(servers), "--port-base", "free", "--tick-time", "2000", "--configure-only"]
        self._run("start", *options)
        for configuration in self._directory.glob("*/zoo.cfg"):
            if sync:
                configuration.write_text(configuration.read_text().replace("forceSync=no", "forceSync=yes"))
        self.connect = re.search(r"ZKLOCK_CONNECT=(\S+)", self._run("start", "--owner", str(os.getpid())))[1]
        self.pids = [int(file.read_text()) for file in sorted(self._directory.glob("*/pid"))]

    def _run(self, command, *options):
        return subprocess.run([self._script, command, "--dir", str(self._directory), *options], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def stop(self):
        self._run("stop", "--remove")


class Program:
    """A server that is a program of its own: Redis, etcd."""

    def __init__(self, arguments, port, log):
        with open(log, "wb") as output:
            self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                             start_new_session=True)
        self.pids = [self._process.pid]
        self.connect = f"127.0.0.1:{port}"
        self._wait_listening(port)

    def _wait_listening(self, port):
        end = time.monotonic() + START_LIMIT_SECONDS
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"{self._process.args[0]} does not serve")
            time.sleep(0.05)

    def stop(self):
        self._process.kill()
        self._process.wait()


def redis(directory):
    port = free_port()
    arguments = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(directory), "--save", "",
                 "--appendonly", "no"]
    return Program(arguments, port, directory / "redis.log")


def etcd(directory):
    port, peers = free_port(), free_port()
    client_url, peer_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peers}"
    arguments = ["etcd", "--data-dir", str(directory / "etcd"), "--listen-client-urls", client_url,
                 "--advertise-client-urls", client_url, "--listen-peer-urls", peer_url,
                 "--initial-advertise-peer-urls", peer_url, "--initial-cluster", f"default={peer_url}",
                 "--log-level", "error"]
    return Program(arguments, port, directory / "etcd.log")


class Servers:
    """Those that the peers need, started on first use. A context: stopped at its end."""

    def __init__(self, root, directory, ensemble):
        self._root = root
        self._sync = directory is not None
        self._ensemble = ensemble
        self._directory = data_directory(directory)
        self._started = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self._started.values():
            server.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def of(self, kind):
        if kind not in self._started:
            self._started[kind] = self._start(kind)
        return self._started[kind]

    def _start(self, kind):
        if kind == "redis":
            return redis(self._directory)
        if kind == "etcd":
            return etcd(self._directory)
        return ZooKeeper(self._root, self._directory, 3 if self._ensemble else 1, self._sync)
