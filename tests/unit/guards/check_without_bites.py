#!/usr/bin/python3
"""usage: check_without_bites.py SCRIPT: passes if scripts/without names what still refers to a recipe that is gone.

Makes trees of empty files. What only a compiler sees is left to the compiler: such a tree fails at the latest when it is
configured, so that a passed first step is told by that failure.
"""
import pathlib
import runpy
import subprocess
import sys
import tempfile

SCRIPT = sys.argv[1]
SCRIPT_SAYS = runpy.run_path(SCRIPT)


def tree(folder, changes):
    """All that the script expects, empty."""
    files = {f"{name}.cpp" for names in SCRIPT_SAYS["FILES"].values() for name in names}
    content = {**dict.fromkeys([*files, *SCRIPT_SAYS["REGISTERED_IN"]], ""), **changes}
    for name, text in content.items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)


def said(changes, recipe):
    with tempfile.TemporaryDirectory() as folder:
        tree(pathlib.Path(folder), changes)
        result = subprocess.run([SCRIPT, "--root", folder, recipe], capture_output=True, text=True)
        assert result.returncode != 0, result.stdout
        return result.stdout + result.stderr


def expect(what, recipe, changes):
    text = said(changes, recipe)
    if what not in text:
        sys.exit(f"{recipe}, {changes}: says nothing of {what!r}, but\n{text}")


INCLUDE = '#include "recipes/semaphore.hpp"\n'
GONE = {"recipes/semaphore.hpp": "", "recipes/semaphore.cpp": ""}

# what is left behind
expect("recipes/queue.cpp:1: " + INCLUDE.strip(), "semaphore", {**GONE, "recipes/queue.cpp": INCLUDE})
expect("src/runtime/log.cpp:2: #include <zklock/semaphore.hpp>", "semaphore",
       {"include/zklock/semaphore.hpp": "", "src/runtime/log.cpp": "\n#include <zklock/semaphore.hpp>\n"})
# a list that is behind the tree
expect("there is no recipes/semaphore.hpp or .cpp", "semaphore", {"recipes/semaphore.cpp": None})
# registrations, the command, and other recipes are nothing to be named
fine = {**GONE, "recipes/any_turn.hpp": INCLUDE, "src/cli/main.cpp": INCLUDE}
expect("failed: cmake", "semaphore", fine)
expect("failed: cmake", "read-write-lock", {**GONE, "recipes/queue.cpp": INCLUDE})
# a line of a registration that goes with its file, and one that only looks like it
left = SCRIPT_SAYS["registers"]
GONE_FILES = {"recipes/semaphore.hpp", "recipes/semaphore.cpp"}
for line, goes in ((INCLUDE, True), ("  semaphore.cpp\n", True), ("    permit_turn,  // of semaphore\n", True),
                   ("  curator_semaphore.cpp\n", False), ("    lease_turn,  // of curator_semaphore\n", False),
                   ("/// Of a semaphore.\n", False)):
    assert bool(left(line, "recipes/any_turn.hpp", GONE_FILES)) == goes, line
