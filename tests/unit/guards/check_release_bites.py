#!/usr/bin/env python3
"""check_release_bites.py SOURCE: scripts/release --agree names each place with another version, and nothing else."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
V = re.search(r'VERSION_STRING "(.*)"', (source / "include/zklock/version.hpp").read_text())[1]
M = V.rpartition(".")[0]
CASES = [
    (None, "", "", None),
    ("include/zklock/version.hpp", f'STRING "{V}"', 'STRING "9.2.0"', f"its three numbers: {V}, not 9.2.0"),
    ("packaging/vcpkg/vcpkg.json", f'"{V}"', '"9.1.1"', f"packaging/vcpkg/vcpkg.json: 9.1.1, not {V}"),
    ("packaging/debian/changelog", f"({V})", f"({V}-1)", f"packaging/debian/changelog: {V}-1, not {V}"),
    ("docs/guide/use_in_your_project.md", f"`libzklock{M}`", "`libzklock9.2`", "docs/guide/use_in_your_project.md:"),
    ("docs/guide/use_in_your_project.md", f"libzklock.so.{M}", "libzklock.so.9.2", f"9.2, not {V}"),
    ("docs/guide/use_in_your_project.md", f"find_package(zklock {M} ", "find_package(zklock 9.0 ", f"9.0, not {V}"),
    ("scripts/packages", f"libzklock{M}", "libzklock", None),
    ("scripts/packages", f"libzklock{M}", "libzklock9.3", f"scripts/packages:9: 9.3, not {V}"),
    ("CHANGELOG.md", f"## [{V}] - ", "## [Unreleased] - ", "CHANGELOG.md: no section"),
]

for file, old, new, finding in CASES:
    with tempfile.TemporaryDirectory() as top:
        for part in ("include/zklock/version.hpp", "packaging", "docs/guide", "scripts", "CHANGELOG.md"):
            (pathlib.Path(top) / part).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (source / part).is_dir() else shutil.copy2)(source / part, pathlib.Path(top) / part)
        if file:
            text = (pathlib.Path(top) / file).read_text()
            if old not in text:
                sys.exit(f"{file} does not say {old}")
            (pathlib.Path(top) / file).write_text(text.replace(old, new))
        ran = subprocess.run([f"{top}/scripts/release", "--agree"], capture_output=True, text=True, check=False)
        if (ran.returncode != 0) != (finding is not None) or (finding or "") not in ran.stdout:
            sys.exit(f"{file}, {old} -> {new}: expected {finding}, got {ran.stdout}{ran.stderr}")
print(f"{len(CASES)} cases")
