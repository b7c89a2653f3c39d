#!/usr/bin/env python3
"""scripts/demo_lines takes the right lines, takes other numbers for the same, and names a line that differs or is missing."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = sys.argv[1]
RUN = """4 processes, 10 increments of a number each

    at s  worker  token       waited s  number
   0.100       1  0xa           0.100  0 -> 1
   0.200       2  0xb           0.100  KILLED    while it has the lock
   3.100       2  0xb           0.100  1 -> 2   it had written before it was killed, as worker 3 finds
   3.200       3  0xc           3.000  2 -> 3
   3.300       4  0xd           0.100  FROZEN    held() has just said yes, and it is about to write
   6.500       1  0xe           0.100  REFUSED   its read, for the store has seen a greater token
   6.600       4  0xd           0.100  THAWED    worker 3 has the lock, has read, and is about to write
   6.700       4  0xd           0.100  REFUSED   its write, for the store has seen a greater token
   6.700       4  0xd           0.100  TOLD      that it has lost the lock: deadline passed
   6.800       3  0xf           3.100  3 -> 4

The reckoning
      33  in the store: none lost, none twice
"""
TAKEN = [2, 3, 4, 6, 7, 9, 10, 11, 12, 15]  # lines of RUN


def run(text, *arguments):
    done = subprocess.run([SCRIPT, *arguments], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    readme = pathlib.Path(folder) / "README.md"
    readme.write_text("before\n<!-- demo: begin -->\n```text\n```\n<!-- demo: end -->\nbehind\n")
    assert run(RUN, "--check", str(readme))[0] == 1
    assert run(RUN, str(readme)) == (0, "")
    shown = "\n".join(RUN.splitlines()[number] for number in TAKEN)
    assert readme.read_text() == f"before\n<!-- demo: begin -->\n```text\n{shown}\n```\n<!-- demo: end -->\nbehind\n", readme.read_text()

    other = RUN.replace("0xd ", "0x1234d").replace("6.700", "16.712").replace("deadline passed", "session expired")
    assert run(other, "--check", str(readme)) == (0, "the README shows what the demo prints\n"), run(other, "--check", str(readme))
    for old, new in (("REFUSED   its write", "REFUSED   its write at last"), ("none lost, none twice", "WRONG"), ("KILLED ", "KILL "),
                     ("  waited s", "  waits s")):
        status, said = run(RUN.replace(old, new), "--check", str(readme))
        assert status == 1 and said, (old, said)
    readme.write_text("no block\n")
    status, said = run(RUN, str(readme))
    assert status == 1 and "has no block" in said and readme.read_text() == "no block\n", said
print("the check of the demo's lines bites")
