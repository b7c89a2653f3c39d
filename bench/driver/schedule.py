"""All workloads, interleaved: in each repetition each peer does each workload, in an order that rotates."""
import sys
import time

from driver.peers import PeerFailed, Unsupported


def rotated(peers, repetition):
    turn = repetition % len(peers)
    return peers[turn:] + peers[:turn]


class Results:
    """Samples by workload and peer: one in each repetition. What a peer cannot do, with the reason."""

    def __init__(self):
        self.samples = {}
        self.unsupported = {}

    def add(self, workload, peer, repetition, sample):
        self.samples.setdefault(workload, {}).setdefault(peer, {})[repetition] = sample

    def of(self, workload, peer):
        """By repetition."""
        return self.samples.get(workload, {}).get(peer, {})


def run(workloads, peers, sampler, repetitions):
    """The first repetition warms up, and is not kept. A peer that fails is started anew, and misses that sample."""
    results = Results()
    for repetition in range(repetitions + 1):
        begun = time.monotonic()
        for workload in workloads:
            able = [peer for peer in peers if peer.name in workload.peers
                    and (workload.name, peer.name) not in results.unsupported]
            for peer in rotated(able, repetition) if able else []:
                _one(results, workload, peer, sampler, repetition)
        print(f"repetition {repetition} of {repetitions}{'' if repetition else ', which warms up,'} took "
              f"{time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return results


def _one(results, workload, peer, sampler, repetition):
    try:
        sample = sampler.take(peer, workload, warm_up=repetition == 0)
        if repetition > 0:
            results.add(workload.name, peer.name, repetition, sample)
    except Unsupported as missing:
        results.unsupported[workload.name, peer.name] = str(missing)
    except PeerFailed as failure:
        print(f"{workload.name}, {peer.name}: {failure}", file=sys.stderr, flush=True)
        peer.stop()
        if repetition == 0:
            results.unsupported[workload.name, peer.name] = "failed"
