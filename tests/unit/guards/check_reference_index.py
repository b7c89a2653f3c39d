#!/usr/bin/env python3
"""check_reference_index.py INDEX.MD INDEX.HTML: each zklock::name of the reference's index has become a link.

Doxygen says nothing of a name that it does not know: it leaves the word as it is.
"""
import html
import pathlib
import re
import sys

index, page = (pathlib.Path(argument).read_text() for argument in sys.argv[1:3])
names = re.findall(r"(?<![`:\w])zklock::\w+(?:::\w+)*(?:\(\))?", index)
linked = {html.unescape(text) for text in re.findall(r'<a class="el" href="[^"]+"[^>]*>([^<]*)</a>', page)}
missing = sorted({name for name in names if name not in linked})
if missing or len(names) < 10:
    sys.exit(f"of {len(names)} names of the index these are no links: {missing}")
print(f"each of {len(names)} names is a link")
