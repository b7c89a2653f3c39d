#!/usr/bin/env python3
"""check_package.py SOURCE BUILD WORK CASE [ARGUMENT...]: the library as its users get it.

SOURCE: this tree. BUILD: a build of it, with the static library. WORK: where prefixes and users' projects are built.
Cases that make a prefix in WORK (once, before the others):
  install-static              what BUILD has, installed and moved
  install-shared [VERSION]    a shared library, built here; of another version when one is given
  install-subproject          what the case subproject has built, installed by the user's project and moved
Cases that use it:
  find-package PREFIX CXX STANDARD    a program and a plugin by find_package
  found-beside-spdlog PREFIX          a program by find_package in a project that has its own spdlog
  pkg-config PREFIX CXX STANDARD      the program and the plugin by pkg-config, with no other package's file in sight
  refused-package PREFIX TEXT OPTION... find_package with these options is an error that says TEXT
  exported-library PREFIX             a user's library that is itself installed and exported, and a program that uses it
  subproject HOW                      add_subdirectory, then FetchContent; leaves the user's project as it is
  flags-of-a-subproject               how a user's project is compiled, without zklock and with it
  adopting-plugin PREFIX CXX          a plugin on the program's handle, which outlives it
  versions                            two versions of the shared library in one process, behind find-package shared g++-12 20
  debian-packages                     the packages of the shared build, unpacked: a program by find_package, the command
  symbols FILE                        the shared library exports what FILE lists
  layouts FILE                        classes have the sizes, members and tables, and enumerators the values, that FILE lists
  headers CXX STANDARD                all public headers with a user's strict warnings: each alone, twice, with g++ in C++20;
                                      otherwise in one go, twice
  one-source-alone PRESET FILE        a source of src/operations compiles alone, as in a build of the preset without tests
  refused-compiler CXX TEXT OPTION... a header with these options is an error that says TEXT
  refused-header CXX TEXT HEADER OPTION...  this header with these options likewise
  refused-configure TEXT OPTION...    configuring with these options is an error that says TEXT
"""
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # of the modules beside this file
if len(sys.argv) < 5:
    sys.exit(__doc__)
from abi import layouts, symbols  # noqa: E402
from packaged import debian_packages, find_package, found_beside_spdlog, install_moved  # noqa: E402
from plugins import adopting_plugin, plugin_link_option, use_program_and_plugin, versions  # noqa: E402
from steps import (HERE, STRICT, build, compile_all, configure, fail, fresh, library_directory, run, source,  # noqa: E402
                   work)
from subprojects import flags_of_a_subproject, install_subproject, subproject  # noqa: E402


def install_static():
    install_moved(build, "static")


def install_shared(version=None):
    """Another version is the same tree with another number, built behind the first: little is compiled anew."""
    tree, into = work / "shared-source", work / "shared-build"
    if not version:
        tree, into = fresh("shared-source"), fresh("shared-build")
        for part in ("CMakeLists.txt", "LICENSE", "cmake", "docs", "include", "packaging", "recipes", "src"):
            copy = shutil.copytree if (source / part).is_dir() else shutil.copy2
            copy(source / part, tree / part)
    else:
        header = tree / "include/zklock/version.hpp"
        header.write_text(re.sub(r'(VERSION_STRING) ".*"', rf'\1 "{version}"', header.read_text()))
    configure(tree, into, "-DBUILD_SHARED_LIBS=ON", "-DZKLOCK_BUILD_TESTS=OFF",
              "-DZKLOCK_BUILD_CLI=OFF", "-DZKLOCK_BUILD_EXAMPLES=OFF", "-DZKLOCK_DEBIAN_PACKAGES=OFF")
    compile_all(into)
    install_moved(into, f"shared-{version}" if version else "shared")


def pkg_config(prefix, cxx, standard):
    built = fresh(f"pkg-config-{prefix}-{cxx}-{standard}")
    libraries = library_directory(prefix)

    def ask(*what):  # the files name no other package: one that is not there is not missed
        return run("pkg-config", *what, environment={"PKG_CONFIG_LIBDIR": str(libraries / "pkgconfig")}).split()

    foreign = [flag for flag in ask("--cflags", "zklock") if not flag.startswith("-I") and flag != "-DZKLOCK_STATIC"]
    if foreign or len(ask("--cflags-only-I", "zklock")) != 1:
        fail(f"a program gets other compile options than those of zklock: {foreign}")
    flags = ask("--cflags", "zklock-testing")
    for file in ("program", "plugin", "take_lock", "host"):
        run(cxx, f"-std=c++{standard}", *STRICT, "-fPIC", *flags, "-c", HERE / f"consumer/{file}.cpp", "-o", built / f"{file}.o")
    objects, libs = [built / "take_lock.o"], ask("--libs", "zklock-testing")
    run(cxx, built / "program.o", *objects, "-o", built / "program", *libs)
    run(cxx, "-shared", plugin_link_option(), built / "plugin.o", *objects, "-o", built / "plugin.so", *libs,
        inside=HERE / "consumer")
    run(cxx, built / "host.o", "-o", built / "host", "-ldl")
    run(cxx, "-shared", built / "plugin.o", *objects, "-o", built / "open.so", *libs)
    foreign = defined_in(built / "open.so", "-D") - defined_in(built / "plugin.o") - defined_in(*objects)
    if foreign:
        fail(f"what is linked without a version script exports symbols of the archive: {sorted(foreign)[:5]}")
    use_program_and_plugin(built, {"LD_LIBRARY_PATH": str(libraries)}, ("program",))


def defined_in(file, *options):
    return {line.split()[-1] for line in run("nm", "--defined-only", *options, file).splitlines()}


def refused_package(prefix, text, *options):
    configure(HERE / "consumer", fresh(f"refused-{prefix}-" + re.sub("[^a-z]+", "-", " ".join(options).lower())[-60:]),
              "-DZKLOCK_FROM=find_package", f"-DCMAKE_PREFIX_PATH={work / prefix}", *options, refused=text)


def exported_library(prefix):
    service, service_prefix = fresh(f"exported-{prefix}"), work / f"exported-{prefix}-prefix"
    configure(HERE / "exported_library", service, f"-DCMAKE_PREFIX_PATH={work / prefix}")
    compile_all(service)
    run("cmake", "--install", service, "--prefix", service_prefix)
    shop = fresh(f"exported-{prefix}-shop")
    configure(HERE / "shop", shop, f"-DCMAKE_PREFIX_PATH={service_prefix};{work / prefix}")
    compile_all(shop)
    run(shop / "shop")


def headers(cxx, standard):
    all_headers = [header.relative_to(source / "include") for header in sorted((source / "include").rglob("*.hpp"))]
    if len(all_headers) < 20:
        fail(f"{len(all_headers)} headers")
    includes = [f"#include <{header}>\n" for header in all_headers]
    alone = cxx.startswith("g++") and standard == "20"  # else what a compiler says of them, not whether each stands alone
    for text in includes if alone else ["".join(includes)]:
        ran = subprocess.run([cxx, f"-std=c++{standard}", *STRICT, "-Wnon-virtual-dtor", "-Wold-style-cast", "-fsyntax-only",
                              "-DZKLOCK_STANDALONE_ASIO", "-x", "c++", "-I", source / "include", "-"], input=text + text, capture_output=True,
                             text=True, check=False)
        if ran.returncode != 0:
            fail(f"{text}with {cxx}, C++{standard}:\n{ran.stderr}")


def one_source_alone(preset, file):
    into = fresh(f"alone-{preset}")
    run("cmake", "--preset", preset, "-B", into, "-DZKLOCK_BUILD_TESTS=OFF", "-DZKLOCK_UNITY_BUILD=OFF", inside=source)
    run("ninja", "-C", into, f"src/operations/CMakeFiles/zklock_operations.dir/{file}.o")


def refused_compiler(cxx, text, *options):
    first_alone = "-fmax-errors=1" if cxx.startswith("g++") else "-ferror-limit=1"
    run(cxx, *options, first_alone, "-fsyntax-only", "-I", source / "include", "-x", "c++",
        HERE / "consumer/program_of_headers.cpp", refused=text)


def refused_header(cxx, text, header, *options):
    ran = subprocess.run([cxx, "-std=c++20", *options, "-fsyntax-only", "-I", source / "include", "-x", "c++", "-"],
                         input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
    if ran.returncode == 0 or text not in ran.stderr:
        fail(f"{header} with {cxx}: {ran.returncode}, {ran.stderr}")


def refused_configure(text, *options):
    configure(source, fresh("refused-" + re.sub("[^a-z]+", "-", " ".join(options).lower())), "-DZKLOCK_BUILD_TESTS=OFF", *options,
              refused=text)


cases = {case.__name__.replace("_", "-"): case for case in (
    install_static, install_shared, install_subproject, find_package, found_beside_spdlog, pkg_config, refused_package,
    exported_library, subproject, flags_of_a_subproject, adopting_plugin, versions, debian_packages, symbols, layouts,
    headers, one_source_alone, refused_compiler, refused_header, refused_configure)}
if sys.argv[4] not in cases:
    sys.exit(__doc__)
cases[sys.argv[4]](*sys.argv[5:])
