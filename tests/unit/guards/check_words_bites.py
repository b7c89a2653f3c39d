#!/usr/bin/env python3
"""check_words_bites.py WORDS: the check of words names each offence, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile

TERMS = "# Glossary\n\n## Locks\n\n| term | means |\n|---|---|\n| lock node | a node |\n| stray term (X) | none |\n"
CASES = [
    ("a name that is gone", {"src/a.hpp": "class owner_book;\n"}, ["src/a.hpp:1: owner_book is gone: lock_owners"]),
    ("a part of a name is another name", {"src/a.hpp": "class owner_book_keeper;\n"}, []),
    ("a test's name that is too long", {"tests/a.cpp": f"TEST(suite, {'a' * 81}) {{\n"},
     [f"tests/a.cpp: test name of 81 characters: {'a' * 81}"]),
    ("one that is just short enough", {"tests/a.cpp": f"TEST_P(suite,\n       {'a' * 80}) {{\n"}, []),
    ("a term that nothing uses", {"docs/glossary.md": TERMS, "src/a.hpp": "int lock_node;\n"},
     ["docs/glossary.md: nothing uses the term: stray term"]),
    ("a long line of a page, outside tables and code",
     {"docs/a.md": f"{'a' * 121}\n| {'a' * 121} |\n```\n{'a' * 121}\n```\n{'a' * 120}\n"}, ["docs/a.md:1: line of 121 characters"]),
]


def main():
    wrong = 0
    for name, files, expected in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for file, text in {"docs/glossary.md": "# Glossary\n", **files}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)
            ran = subprocess.run([sys.argv[1], root], capture_output=True, text=True, check=False)
            found = ran.stdout.splitlines()
            if ran.returncode != (1 if expected else 0) or any(line not in found for line in expected) or (
                    len(expected) < 3 and len(found) > len(expected) + 1 + (not expected)):
                wrong += 1
                print(f"{name}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    print(f"{len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
