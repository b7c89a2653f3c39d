#!/usr/bin/env python3
"""check_quoted_figures ROOT: the ratios that README.md and the verdict of docs/performance.md quote (0.99, 2.14) are medians of
the page's table of ratios. A new run of scripts/bench changes the table, and may not leave the words behind."""
import pathlib
import re
import sys


def unknown(text, medians):
    return [quoted for quoted in re.findall(r"(?<![\d.])\d+\.\d\d(?![\d.])", text) if quoted not in medians]


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/performance.md").read_text()
    table = page.split("<!-- bench: begin ratios -->")[1].split("<!-- bench: end ratios -->")[0]
    medians = set(re.findall(r"\| (\d+\.\d\d) \(", table))
    readme = re.search(r"^## Does it fit\?$.*?(?=^## )", (root / "README.md").read_text(), re.S | re.M).group()
    quoting = {"README.md": readme, "docs/performance.md": page.split("**What it is compared with.**")[0]}
    wrong = [f"{name}: {quoted} is no median of the table of ratios" for name, text in quoting.items() for quoted in unknown(text, medians)]
    if not any(re.search(r"\d\.\d\d", text) for text in quoting.values()) or not medians:
        wrong.append("no figure was found")
    if unknown("1.92 and 1.93 and 10.5 s", {"1.92"}) != ["1.93"]:
        wrong.append("the check takes any figure")
    print("\n".join(wrong) or "the figures in words stand in the table")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
