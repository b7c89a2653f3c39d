"""The tables of a page, between their markers, as figures."""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Spread:
    middle: float
    least: float
    greatest: float


def _cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(table):
    """A Markdown table as {first cell: {heading: cell}}, without empty cells."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    if len(lines) < 2:
        raise ValueError(f"no table: {table[:60]!r}")
    heads = _cells(lines[0])
    rows = {}
    for line in lines[2:]:
        first, *cells = _cells(line)
        rows[first] = {head: cell for head, cell in zip(heads[1:], cells) if cell}
    return rows


def between(text, begin, end):
    found = re.search(re.escape(begin) + "\n(.*?)" + re.escape(end), text, re.S)
    if not found:
        raise ValueError(f"the page has no {begin}")
    return found.group(1)


def bench_table(text, name):
    return rows_of(between(text, f"<!-- bench: begin {name} -->", f"<!-- bench: end {name} -->"))


def figure(cell):
    """Of `1,815`, or of `1,815*`, a figure that was disturbed."""
    return float(cell.rstrip("*").replace(",", ""))


def spread(cell):
    """Of `2.14 (1.78-2.31)`: the median, the least and the greatest."""
    found = re.fullmatch(r"([\d.]+) \(([\d.]+)-([\d.]+)\)", cell)
    if not found:
        raise ValueError(f"no median with its spread: {cell!r}")
    return Spread(*map(float, found.groups()))
