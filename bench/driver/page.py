"""docs/performance.md and bench/results.md: what stands between their markers is written by the driver, the rest by hand."""
import re

from driver import tables
from pictures import performance


def _set_up(about):
    server = "three servers on one machine" if about["mode"] == "ensemble" else "one server"
    disk = "on a disk, each write with fsync" if about["disk"] else "on tmpfs, without fsync"
    return (f"{about['processors']} processors ({about['processor']}), Linux {about['kernel']};\n"
            f"ZooKeeper 3.8.0, {server}, data {disk}; {about['repetitions']} repetitions after a warm one.")


def replace(text, name, content):
    """The page's text with new content between the markers of that name."""
    begin, end = f"<!-- bench: begin {name} -->", f"<!-- bench: end {name} -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the page must have {begin} once, and its end")
    return pattern.sub(lambda _: f"{begin}\n{content}\n{end}", text)


def write_table(root, name, table):
    """On the page that has its markers."""
    for file in performance.pages(root):
        text = file.read_text()
        if f"<!-- bench: begin {name} -->" in text:
            file.write_text(replace(text, name, table))
            return
    raise ValueError(f"no page has the markers of {name}")


def write(root, about, results, workloads):
    write_table(root, "set_up", _set_up(about))
    for name, _title, table in tables.all_tables(results, workloads):
        write_table(root, name, table)
    write_pictures(root / "docs/performance", performance.tables_of(root))


def write_pictures(folder, of):
    folder.mkdir(exist_ok=True)
    for name, svg in performance.pictures(of).items():
        (folder / name).write_text(svg)
