"""The command line of scripts/bench, after it has built the peers."""
import argparse
import json
import pathlib
import platform
import re
import signal
import sys

from driver import many, page, planted, processor_time, programs, schedule, tables
from driver.samples import Sampler
from driver.servers import Servers
from driver.workloads import WORKLOADS
from pictures import performance


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mode", choices=("single", "ensemble"), default="single")
    parser.add_argument("--dir")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--workloads", default="")
    parser.add_argument("--peers")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--sample-seconds", type=float)
    parser.add_argument("--tries", type=int)
    parser.add_argument("--plant-delay", action="store_true")
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--write-page", action="store_true")
    return parser.parse_args()


def chosen_workloads(pattern, quick):
    return [one for one in WORKLOADS if re.search(pattern, one.name) and (one.in_quick or not quick or pattern)]


def set_up(options, names):
    """What the figures are of, for the JSON and the page."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        models = re.findall(r"model name\s*: (.*)", file.read())
    return {
        "mode": options.mode, "disk": bool(options.dir), "quick": options.quick, "repetitions": options.repetitions,
        "peers": names, "processors": processor_time.PROCESSORS, "processor": models[0] if models else "",
        "kernel": platform.release(),
    }


def report(results, workloads):
    for _name, title, text in tables.all_tables(results, workloads):
        print(f"\n{title}\n\n{text}")


def write_json(path, about, results):
    path.write_text(json.dumps({"set_up": about, "samples": results.samples, "unsupported": [
        {"workload": workload, "peer": peer, "reason": reason}
        for (workload, peer), reason in results.unsupported.items()]}, indent=1))


def stop_on_signals():
    def stop(number, _frame):
        sys.exit(128 + number)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, stop)


def measure(options, names, workloads):
    seconds, tries = (0.2, 2) if options.quick else (0.5, 4)
    sampler = Sampler(options.sample_seconds or seconds, options.tries or tries)
    with Servers(options.root, options.dir, options.mode == "ensemble") as servers:
        peers = []
        try:
            peers += programs.make(names, options.root, options.build, servers)
            return schedule.run(workloads, peers, sampler, options.repetitions)
        finally:
            for peer in peers:
                peer.stop()


def measure_many(options):
    with Servers(options.root, options.dir, options.mode == "ensemble") as servers:
        table = many.measure(options.build, servers.of("zookeeper"))
    print(f"\n{table}")
    if options.write_page:
        page.write_table(options.root, "many", table)


def main():
    options = arguments()
    stop_on_signals()
    if options.many:
        measure_many(options)
        return 0
    names = options.peers.split(",") if options.peers else programs.IN_QUICK if options.quick else programs.NAMES
    workloads = chosen_workloads(options.workloads, options.quick)
    if options.plant_delay:
        names, workloads = planted.PEERS, [planted.workload()]
    results = measure(options, names, workloads)
    about = set_up(options, names)
    report(results, workloads)
    if options.plant_delay:
        return planted.verdict(results)
    out = options.out or options.build / "results"
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "results.json", about, results)
    named = {name: text for name, _title, text in tables.all_tables(results, workloads)}
    page.write_pictures(out, performance.tables_of_markdown(named))
    print(f"\n{out}/results.json has all samples; the plots are beside it")
    if options.write_page:
        page.write(options.root, about, results, workloads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
