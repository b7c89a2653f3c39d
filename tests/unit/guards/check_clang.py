#!/usr/bin/env python3
"""check_clang.py CLANG SOURCE_DIR BUILD_DIR [DIRECTORY...]: clang accepts the project's files, with its own warnings.

Of the files in compile_commands.json those in src/ and recipes/, with their own flags; the others would take four minutes
more. With DIRECTORY: those in these. Nothing is generated. Common headers are read once for each set of flags, and those
of the project once for eight files of one folder. Where clang refuses the eight, it reads each by itself: two files may
use one name for two things. The preset tidy reads every file, each by itself.
"""
import collections
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

WORKERS = 2
TOGETHER = 8
LIBRARY = ("src", "recipes")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wnon-virtual-dtor", "-Wold-style-cast",
            "-Wthread-safety", "-Werror")
COMMON_HEADERS = ("algorithm array atomic charconv chrono condition_variable deque exception functional iostream map memory "
                  "memory_resource mutex optional set span sstream stdexcept stop_token string string_view system_error "
                  "thread unordered_map utility variant vector boost/container/small_vector.hpp").split()

clang, source, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
everything_in = tuple(sys.argv[4:]) or LIBRARY


def settings(command):
    """What says which text is compiled: neither g++'s warnings nor what is about code that is not generated here."""
    words = shlex.split(command)
    taken = []
    for word, following in zip(words, words[1:] + [""]):
        if word in ("-isystem", "-I"):
            taken += [word, following]
        elif word.startswith(("-I", "-D", "-isystem", "-std=")):
            taken.append(word)
    return tuple(taken)


def compiled(arguments, text=None):
    """What clang says of it, if it refuses it."""
    ran = subprocess.run([clang, *arguments], input=text, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr if ran.returncode else ""


def sources_and_flags():
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.is_relative_to(build):  # several tests at once (ZklockUnity.cmake), or what was generated
            found.setdefault(file.relative_to(build), settings(entry["command"]))
            for member in re.findall(r'^#include "(.+\.cpp)"', file.read_text(), re.MULTILINE) if file.exists() else ():
                found.setdefault(pathlib.Path(member).relative_to(source), settings(entry["command"]))
        elif file.is_relative_to(source):
            found.setdefault(file.relative_to(source), settings(entry["command"]))
    return found


def batches(files):
    """Files of one folder with the same flags, a few at a time; each program's main by itself."""
    alike = collections.defaultdict(list)
    for file, flags in sorted(files.items()):
        is_program = re.search(r"^int main\(", (source / file).read_text(), re.MULTILINE)
        alike[file if is_program else file.parent, flags].append(file)
    for (_, flags), members in alike.items():
        for begin in range(0, len(members), TOGETHER):
            yield members[begin:begin + TOGETHER], flags


def refusals(members, arguments):
    """What clang says of those files that it refuses."""
    together = "".join(f'#include "{source / member}"\n' for member in members)
    # A name of one file may be that of a local variable in the next.
    if len(members) > 1 and not compiled([*arguments, "-Wno-shadow", "-x", "c++", "-"], together):
        return ""
    said = [(member, compiled([*arguments, str(source / member)])) for member in members]
    return "".join(f"{member}:\n{output}" for member, output in said if output)


def main():
    flags_of = sources_and_flags()
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        common = pathlib.Path(scratch, "standard.hpp")
        common.write_text("".join(f"#include <{header}>\n" for header in COMMON_HEADERS))
        files = {file: flags for file, flags in flags_of.items()
                 if file.parts[0] in everything_in and (source / file).exists()}
        precompiled = {}
        for flags in set(files.values()):
            precompiled[flags] = str(pathlib.Path(scratch, f"{len(precompiled)}.pch"))
        list(pool.map(lambda flags: compiled([*flags, *WARNINGS, "-x", "c++-header", str(common), "-o", precompiled[flags]]),
                      precompiled))
        jobs = {f"{len(members)} files from {members[0]} on": pool.submit(
            refusals, members, [*flags, *WARNINGS, "-include-pch", precompiled[flags], "-fsyntax-only"])
                for members, flags in batches(files)}
        refused = {name: job.result() for name, job in jobs.items() if job.result()}
    for name, output in refused.items():
        print(f"{name}:\n{output}")
    print(f"{len(files)} files, {len(jobs)} compilations, {len(refused)} refused")
    return 1 if refused or not files else 0


sys.exit(main())
