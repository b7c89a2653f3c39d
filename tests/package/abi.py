"""What a program that was compiled with an earlier patch version relies on: symbols, the layout of classes, enumerators."""
import pathlib
import re

from steps import fail, fresh, library_directory, run, source, work


def require_listed(found, listed, what):
    """`listed` is the file of the lines that are expected."""
    expected, renewed = set(pathlib.Path(listed).read_text().splitlines()), work / pathlib.Path(listed).name
    renewed.write_text("\n".join(sorted(found)) + "\n")
    changes = [f"+ {one}" for one in sorted(found - expected)] + [f"- {one}" for one in sorted(expected - found)]
    if changes:
        fail(f"{what} than listed:\n" + "\n".join(changes) +
             f"\nA patch version changes no ABI. If the change is meant: cp {renewed} {listed}")


def symbols(listed):
    library = library_directory("shared") / "libzklock.so"
    exported, unversioned = set(), []
    for line in run("nm", "-DC", "--defined-only", library).splitlines():
        name = line.split(maxsplit=2)[2]
        if " A " not in line:
            exported.add(re.sub(r"@@.*", "", name))
            unversioned += [] if re.search(r"@@ZKLOCK_\d+\.\d+$", name) else [name]
    if unversioned:
        fail(f"{len(unversioned)} symbols without a version: {unversioned[:5]}")
    require_listed(exported, listed, "libzklock.so exports other symbols")
    foreign = [name for name in exported if "zklock" not in name]
    if foreign or not exported:
        fail(f"{len(exported)} symbols, without zklock in their names: {foreign[:5]}")


def layouts(listed):
    built = fresh("layouts")
    (built / "all.cpp").write_text("#include <zklock/adopt.hpp>\n#include <zklock/zklock.hpp>\n")
    run("g++-12", "-std=c++20", "-g", "-fno-eliminate-unused-debug-types", "-femit-class-debug-always", "-fdump-lang-class",
        "-I", source / "include", "-c", "all.cpp", "-o", "all.o", inside=built)
    dump = next(built.glob("*.class")).read_text()
    classes = set(re.findall(r"^Class (zklock::.*\n   size=\d+ align=\d+)$", dump, re.MULTILINE))
    tables = {f"{table} {entry}" for table, entries in re.findall(r"^(Vtable for zklock::.*)\n((?:.+\n)+)", dump, re.MULTILINE)
              for entry in entries.splitlines()[1:]}
    members = members_and_enumerators(run("readelf", "--debug-dump=info", "--wide", built / "all.o"))
    require_listed({re.sub(r"\s+", " ", line) for line in classes | tables | members}, listed, "the public classes are others")


def members_and_enumerators(debug_information):
    """Of zklock's types: "zklock::session_options::timeout at 0", "zklock::errc::not_connected = 1"."""
    found, names, kind = set(), [], ""
    for line in debug_information.splitlines():
        if begin := re.match(r" <(\w+)><\w+>: Abbrev Number: \d+ \((\w+)\)", line):
            names[int(begin[1], 16):], kind = [""], begin[2]
        elif attribute := re.match(r" +<\w+> +DW_AT_(name|const_value|data_member_location) *:(?: \(.*\))? ?(.*)", line):
            what, value = attribute[1], attribute[2].split(": ")[-1].strip()
            if what == "name":
                names[-1] = value
            elif names[1:2] == ["zklock"] and kind in ("DW_TAG_member", "DW_TAG_enumerator"):
                found.add("::".join(names[1:]) + (" = " if what == "const_value" else " at ") + value)
    return found
