"""kazoo's peer of scripts/bench: reads commands on stdin, answers each with a line of JSON."""
import logging
import os
import sys

from interval import Unsupported, answer
from workloads import Workloads


def value_of(text):
    return int(text) if text.lstrip("-").isdigit() else text


def main():
    logging.disable(logging.CRITICAL)
    workloads = Workloads(sys.argv[1])
    commands = {"cycle": workloads.cycle, "hand_over": workloads.hand_over, "queue": workloads.queue}
    while line := sys.stdin.readline():
        name, *pairs = line.split()
        values = {key: value_of(text) for key, _, text in (pair.partition("=") for pair in pairs)}
        try:
            if name == "rest":
                answer(resting="yes")
            elif name not in commands:
                raise Unsupported(name)
            else:
                commands[name](**values)
        except Unsupported as missing:
            answer(unsupported=str(missing))
        except Exception as failure:  # pylint: disable=broad-except
            answer(error=repr(failure))
            os._exit(1)  # threads of the workload may still wait


main()
