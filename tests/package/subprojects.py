"""The library as a part of a user's project, which it leaves as it is."""
import json
import pathlib
import re
import shlex

from packaged import install_moved
from plugins import use_program_and_plugin
from steps import HERE, STRICT, compile_all, configure, fail, fresh, require_hidden_archives, run, source, work


WARNINGS_OF_CLANG = [*STRICT, "-Wnon-virtual-dtor", "-Wold-style-cast", "-Wthread-safety"]
# What zklock may bring along: cache entries of its own, of what it finds and of the modules that it includes; targets.
OWN_ENTRIES = re.compile(r"ZKLOCK_|ZooKeeper_|spdlog_|fmt_|Boost_|boost_headers_|CLI11_|nlohmann_json_|FETCHCONTENT_|"
                         r"CMAKE_INSTALL_\w+DIR:")
OWN_TARGETS = re.compile(r"(/.*/subproject/)?(zklock\w*/([\w.]+/)*)?"
                         r"((lib)?zklock\S*|edit_cache|rebuild_cache|list_install_components|install(/\w+)?|codegen|all)"
                         r"|program|adopter|plugin(\.so)?")  # those of the user, which link zklock


def entries_and_targets(built):
    entries = re.findall(r"^\w+:(?:BOOL|STRING|PATH|FILEPATH)=.*", (built / "CMakeCache.txt").read_text(), re.MULTILINE)
    targets = re.findall(r"^(\S+): phony", run("cmake", "--build", built, "--target", "help"), re.MULTILINE)
    return set(entries), set(targets)


def subproject(how):
    """Added as a folder, then by FetchContent, with dependencies that the project has already. The project is built with clang,
    with warnings as errors: also for zklock, its command included. All else here is built with g++."""
    # Both in one folder: the library is the same then, and is compiled once.
    built = fresh("subproject") if how == "add_subdirectory" else work / "subproject"
    options = [f"-DZKLOCK_SOURCE={source}", "-DZKLOCK_INSTALL=ON", "-DCMAKE_BUILD_TYPE=Debug",
               "-DCMAKE_CXX_FLAGS_DEBUG=", "-DCMAKE_DEBUG_POSTFIX=d", "-DZKLOCK_BUILD_CLI=ON",
               "-DCMAKE_CXX_COMPILER=clang++-14", f"-DCMAKE_CXX_FLAGS=-O0 {' '.join(WARNINGS_OF_CLANG)}",
               *(["-DWITH_OWN_DEPENDENCIES=ON"] if how == "FetchContent" else [])]
    configure(HERE / "consumer", built, f"-DZKLOCK_FROM={how}", *options)
    without = fresh("subproject-without")
    configure(HERE / "consumer", without, "-DZKLOCK_FROM=nothing", *options)
    (entries, targets), (entries_without, targets_without) = entries_and_targets(built), entries_and_targets(without)
    foreign = sorted(one for one in entries - entries_without if not OWN_ENTRIES.match(one))
    if foreign:
        fail(f"cache entries of the project that are other ones with zklock: {foreign}")
    foreign = sorted(one for one in targets - targets_without if not OWN_TARGETS.fullmatch(one))
    if foreign:
        fail(f"targets without a prefix: {foreign}")
    if list(built.rglob("CTestTestfile.cmake")):
        fail("the project has tests with zklock: enable_testing()")
    compile_all(built, "program", "adopter", "plugin", "host", "zklock_command", "zklock_manual_pages")
    require_hidden_archives(built, built / "zklock/src")
    use_program_and_plugin(built)


def install_subproject():
    install_moved(work / "subproject", "subproject-prefix")


def flags_of_a_subproject():
    """The user's project decides on all flags: on those of its own targets, on warnings and on optimisation."""
    of_host = set()
    for how in ("nothing", "add_subdirectory"):
        built = fresh(f"flags-{how}")
        configure(HERE / "consumer", built, f"-DZKLOCK_FROM={how}", f"-DZKLOCK_SOURCE={source}",
                  "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        commands = {one["file"]: one["command"] for one in json.loads((built / "compile_commands.json").read_text())}
        of_host.add(commands[str(HERE / "consumer/host.cpp")])
    if len(of_host) != 1:
        fail(f"a target that does not link zklock is compiled in another way with it: {of_host}")
    of_zklock = {file: shlex.split(command) for file, command in commands.items() if HERE not in pathlib.Path(file).parents}
    if len(of_zklock) < 8:  # one of each part at least
        fail(f"{len(of_zklock)} sources of zklock")
    for file, words in of_zklock.items():
        own = [word for word in words if re.match(r"-W(?!no-)|-O(?!0)|-g", word)]
        if own:
            fail(f"{file} is compiled with {own}")
