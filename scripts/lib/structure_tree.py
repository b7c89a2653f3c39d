"""Parses recipes/, src/ and include/ with the flags of compile_commands.json, and reads them with structure_ast.

To be quick, all headers are parsed once, into one precompiled header, and then the source files, several as one text;
if names in them clash, one by one.
"""
import collections
import json
import multiprocessing
import pathlib
import re
import shlex
import tempfile

from clang import cindex

from structure_ast import DIRECTORIES, Reader, Reading

FOR_SERIALIZATION = 0x10  # CXTranslationUnit_ForSerialization, which the bindings of clang 14 do not name
TEMPLATES_AS_WRITTEN = cindex.TranslationUnit.PARSE_INCOMPLETE  # what they are instantiated to is not read
FILES_AT_ONCE = 4
INCLUDED_OFTEN = 3  # by so many files


def sources_in(compiled):
    """It, or what is compiled together in it (ZklockUnity.cmake)."""
    if compiled.suffix != ".cxx" or not compiled.exists():
        return [compiled]
    return [pathlib.Path(one) for one in re.findall(r'^#include "(.+\.cpp)"', compiled.read_text(), re.M)]


def flags_for(root, build):
    """The files of recipes/ and src/, and what says which text is compiled: the same for all, being one program."""
    files, flags = set(), {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        compiled = pathlib.Path(entry["directory"], entry["file"]).resolve()
        ours = [one for one in sources_in(compiled) if any(one.is_relative_to(root / each) for each in DIRECTORIES)]
        if not ours:
            continue
        files.update(ours)
        words = shlex.split(entry["command"])
        for word, following in zip(words, words[1:] + [""]):
            if word in ("-isystem", "-I"):
                flags[word + following] = None
            elif word.startswith(("-I", "-D", "-isystem", "-std=")):
                flags[word] = None
    return sorted(files), [*flags]


def text_of_all_headers(root, files):
    """Those of the system that several files include come first, so that they are not read again for each."""
    headers = sorted(one for directory in DIRECTORIES for one in (root / directory).rglob("*.hpp"))
    included = collections.Counter(
        name for file in [*files, *headers] for name in set(re.findall(r"^#include <(\w+)>", file.read_text(), re.M)))
    return "".join([f"#include <{name}>\n" for name, times in sorted(included.items()) if times >= INCLUDED_OFTEN]
                   + [f'#include "{one}"\n' for one in headers])


def parse(text, flags, options):
    unit = cindex.Index.create(excludeDecls=options == TEMPLATES_AS_WRITTEN).parse(
        "several.cpp", ["-x", "c++-header" if options == FOR_SERIALIZATION else "c++", *flags],
        unsaved_files=[("several.cpp", text)], options=options)
    return unit, [str(one) for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]


def read_files(job):
    root, files, flags, kinds = job
    unit, errors = parse("".join(f'#include "{one}"\n' for one in files), flags, TEMPLATES_AS_WRITTEN)
    if not errors or len(files) == 1:
        return Reader(root, kinds).walk(unit, errors)
    everything = Reading()
    for one in files:
        everything.add(read_files((root, [one], flags, kinds)))
    return everything


def read_tree(root, files, flags, kinds, workers):
    with tempfile.TemporaryDirectory() as scratch:
        unit, errors = parse(text_of_all_headers(root, files), flags, FOR_SERIALIZATION)
        unit.save(f"{scratch}/all_headers.pch")
        flags = [*flags, "-include-pch", f"{scratch}/all_headers.pch"]
        jobs = [(root, files[i:i + FILES_AT_ONCE], flags, kinds) for i in range(0, len(files), FILES_AT_ONCE)]
        with multiprocessing.Pool(workers) as pool:
            rest = pool.imap_unordered(read_files, jobs)
            everything = Reader(root, kinds).walk(unit, errors)
            for one in rest:
                everything.add(one)
    everything.link()
    return everything
