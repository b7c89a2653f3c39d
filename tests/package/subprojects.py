"""The library as a part of a user's project, which it leaves as it is."""
import json
import pathlib
import re
import shlex

from packaged import install_moved
from plugins import use_program_and_plugin
from steps import HERE, TOGETHER, compile_all, configure, fail, fresh, require_hidden_archives, run, source, work


def subproject(how):
    """Added as a folder, then by FetchContent, with dependencies that the project has already."""
    # Both in one folder: the library is the same then, and is compiled once.
    built = fresh("subproject") if how == "add_subdirectory" else work / "subproject"
    configure(HERE / "consumer", built, f"-DZKLOCK_FROM={how}", f"-DZKLOCK_SOURCE={source}", *TOGETHER,
              "-DZKLOCK_INSTALL=ON", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", "-DCMAKE_DEBUG_POSTFIX=d",
              *(["-DWITH_OWN_DEPENDENCIES=ON"] if how == "FetchContent" else []))
    cache = (built / "CMakeCache.txt").read_text()
    ours = re.compile(r"^([A-Za-z_0-9]+):(BOOL|STRING|PATH)=", re.MULTILINE)
    allowed = re.compile(r"ZKLOCK_|CMAKE_|FETCHCONTENT_|consumer_|zklock_|ZooKeeper_|spdlog_|fmt_|Boost_|boost_|Threads_")
    foreign = [name for name, _ in ours.findall(cache) if not allowed.match(name)]
    if foreign:
        fail(f"options without a prefix: {foreign}")
    targets = re.findall(r"^([A-Za-z_0-9.]+): phony", run("cmake", "--build", built, "--target", "help"), re.MULTILINE)
    named = re.compile(r"(lib)?zklock|program$|adopter$|plugin(\.so)?$|host$|all$|edit_cache$|rebuild_cache$|list_install|install|"
                       r"test$|cmake_|codegen")
    foreign = [target for target in targets if not named.match(target)]
    if foreign:
        fail(f"targets without a prefix: {foreign}")
    compile_all(built, "program", "adopter", "plugin", "host")
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
    if len(of_zklock) < 100:
        fail(f"{len(of_zklock)} sources of zklock")
    for file, words in of_zklock.items():
        own = [word for word in words if re.match(r"-W(?!no-)|-O(?!0)|-g", word)]
        if own:
            fail(f"{file} is compiled with {own}")
