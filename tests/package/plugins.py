"""Plugins: what they export, what they use of each other, and whether they can be closed."""
import pathlib
import re
import shutil
import socket
import struct
import threading

from steps import HERE, PAGE, STRICT, compile_all, configure, fail, fresh, library_directory, run, source, work

PING, CLOSE = 11, -11  # types of requests


def use_program_and_plugin(built, environment=None, programs=("program", "adopter")):
    for program in programs:
        run(built / program, environment=environment)
    run(built / "host", 2, built / "plugin.so", environment=environment)
    exported = {line.split()[-1] for line in run("nm", "-D", "--defined-only", built / "plugin.so").splitlines()}
    if exported != {"plugin_takes_locks", "plugin_version"}:
        fail(f"the plugin exports {len(exported)} symbols: {sorted(exported)[:5]}")


def plugin_link_option():
    """What the page tells the authors of plugins to link with. The consumer's CMakeLists.txt has CMake's words for it."""
    option, of_cmake = "-Wl,--version-script=plugin.map", '"LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/plugin.map")'
    for words in (f"`{option}`", of_cmake):
        if words not in PAGE.read_text():
            fail(f"{PAGE} does not say {words}")
    if of_cmake not in (HERE / "consumer/CMakeLists.txt").read_text():
        fail(f"the plugin is not linked with {of_cmake}")
    return option


def require_own_symbols(bindings, plugins):
    """Only the host looks symbols up in a plugin, and each plugin finds zklock's in the library that it was linked with."""
    bound = re.findall(r"binding file (\S+) \[0\] to (\S+) \[0\]: .* symbol `(\S+)'", bindings)
    libraries = {}
    for user, used, symbol in bound:
        if used in plugins and user != used and pathlib.Path(user).name != "host":
            fail(f"{user} uses {symbol} of {used}")
        if user in plugins and "libzklock.so" in used:
            libraries.setdefault(user, set()).add(used)
    if len(libraries) != len(plugins) or len(set().union(*libraries.values())) != len(plugins):
        fail(f"the libraries that the plugins use: {libraries}")


def versions():
    """A plugin of each of two versions, in the host that the case find-package has built with the plugin of this version."""
    current = work / "find-package-shared-g++-12-20"
    other = ["-DZKLOCK_FROM=find_package", f"-DCMAKE_PREFIX_PATH={work / 'shared-0.9.0'}"]
    # find_package(zklock 0.1) refuses it.
    configure(HERE / "consumer", fresh("versions-refused"), *other, refused="compatible with requested version")
    project = fresh("versions-consumer")
    for file in (HERE / "consumer").iterdir():
        shutil.copy2(file, project / file.name)
    text = (project / "CMakeLists.txt").read_text().replace("find_package(zklock 0.1 ", "find_package(zklock 0.9 ")
    (project / "CMakeLists.txt").write_text(text)
    built = fresh("versions-other")
    configure(project, built, *other)
    compile_all(built, "plugin")
    of_headers = re.search(r'VERSION_STRING "(.*)"', (source / "include/zklock/version.hpp").read_text())[1]
    plugins = {str(current / "plugin.so"): of_headers, str(built / "plugin.so"): "0.9.0"}
    # With the symbols of each in sight of the other.
    said = fresh("versions-bindings") / "of"
    run(current / "host", "--global", 2, *(f"{plugin}={version}" for plugin, version in plugins.items()),
        environment={"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": said})
    require_own_symbols("".join(file.read_text() for file in said.parent.iterdir()), plugins)


def silent_server():
    """The address of a server that lets one client connect, and answers no request; and the types of the requests."""
    listening, types = socket.create_server(("127.0.0.1", 0)), []

    def packet_of(client):
        length = client.recv(4, socket.MSG_WAITALL)
        return client.recv(struct.unpack(">i", length)[0], socket.MSG_WAITALL) if len(length) == 4 else b""

    def serve():
        client = listening.accept()[0]
        packet_of(client)
        answer = struct.pack(">iiqi16s?", 0, 10_000, 1, 16, b"password", False)
        client.sendall(struct.pack(">i", len(answer)) + answer)
        while packet := packet_of(client):
            types.append(struct.unpack(">ii", packet[:8])[1])

    threading.Thread(target=serve, daemon=True).start()
    return f"127.0.0.1:{listening.getsockname()[1]}", types


def adopting_plugin(prefix, cxx):
    built, libraries = fresh(f"adopting-{prefix}"), library_directory(prefix)
    found = {"PKG_CONFIG_LIBDIR": str(libraries / "pkgconfig"), "LD_LIBRARY_PATH": str(libraries)}
    flags = run("pkg-config", "--cflags", "--libs", "zklock", environment=found).split()
    sources = HERE / "adopting"
    run(cxx, "-std=c++20", *STRICT, "-shared", "-fPIC", sources / "plugin.cpp", "-o", built / "plugin.so", *flags)
    run(cxx, "-std=c++20", *STRICT, "-DTHREADED", sources / "host.cpp", "-o", built / "host", "-lzookeeper_mt", "-pthread", "-ldl")
    server, requests = silent_server()
    run(built / "host", server, built / "plugin.so", environment=found)
    if not set(requests) - {PING, CLOSE}:
        fail(f"the plugin has sent no request that could be under way at the end: {requests}")
