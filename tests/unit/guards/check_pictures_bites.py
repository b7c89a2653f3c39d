#!/usr/bin/env python3
"""scripts/pictures --check names a picture that is not what its page says, one that is missing, and one too many."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PICTURES, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def check(root):
    run = subprocess.run([PICTURES, "--check", root], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout


def bites(root):
    subprocess.run([PICTURES, root], check=True, stdout=subprocess.DEVNULL)
    assert check(root) == (0, "10 pictures are what their pages say\n"), check(root)

    page = root / "docs/performance.md"
    text = page.read_text()
    ratios = text.index("<!-- bench: begin ratios -->")
    page.write_text(text[:ratios] + re.sub(r"\| [\d.]+ \(", "| 7.77 (", text[ratios:], count=2))  # zklock-keep's, and a peer's
    status, said = check(root)
    named = {line.split(":")[0] for line in said.splitlines()}
    assert status == 1 and {"docs/performance/ratios.svg", "docs/performance/ratios.dark.svg"} <= named, said
    assert "docs/pictures/loss.svg" not in named, said
    page.write_text(text)

    (root / "docs/pictures/loss.dark.svg").unlink()
    (root / "docs/performance/of_before.png").write_bytes(b"")
    assert check(root) == (1, "docs/performance/of_before.png: scripts/pictures draws no such picture\n"
                              "docs/pictures/loss.dark.svg: is missing: scripts/pictures draws it\n"), check(root)


def each_peer_is_drawn(root):
    ratios = (root / "docs/performance/ratios.svg").read_text()
    for peer in ("raw, floor (not a usable lock)", "raw, naive", "Curator", "go-zk", "kazoo", "Redis", "etcd"):
        assert f">{peer}</text>" in ratios, peer


with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    (copy / "docs/design").mkdir(parents=True)
    (copy / "bench").mkdir()
    for page in ("docs/performance.md", "bench/results.md", "docs/design/loss.md"):
        shutil.copy(SOURCE / page, copy / page)
    bites(copy)
    each_peer_is_drawn(copy)
print("the check of pictures bites")
