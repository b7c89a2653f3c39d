#!/usr/bin/env python3
"""check_page.py SOURCE WORK PREFIX: the commands and the CMake texts of docs/guide/use_in_your_project.md, as written.

PREFIX: the static library, installed. What takes minutes, the network or root is not run, but has to be what another test or
script runs; each command of the page is one or the other.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

source, work, prefix = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
page = (source / "docs/guide/use_in_your_project.md").read_text()
MAIN = """#include <mutex>
#include <zklock/zklock.hpp>

int main(int count, char** arguments) {
  if (count < 2) return 0;
  zklock::session session(arguments[1]);
  zklock::recursive_mutex orders(session, "/locks/orders");
  const std::scoped_lock guard(orders);
}
"""


def require(condition, text):
    if not condition:
        sys.exit(f"check_page: {text}")


def run(command, inside, **environment):
    ran = subprocess.run(command, shell=isinstance(command, str), cwd=inside, env={**os.environ, **environment},
                         capture_output=True, text=True, check=False)
    require(ran.returncode == 0, f"failed: {command}\n{ran.stdout}{ran.stderr}")


def fresh(name):
    """An empty folder beside whose files stands a clone of zklock, as on the page."""
    folder = work / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "zklock").symlink_to(source)
    (folder / "main.cpp").write_text(MAIN)
    return folder


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def text_of(file):
    return (source / file).read_text()


def check_command(line, inside):
    words = shlex.split(line, comments=True)
    if words[:3] == ["sudo", "apt-get", "install"] and "/" not in words[3]:
        list_of = "build" if "g++" in words else "test"
        known = re.search(rf"packages_to_{list_of}=\((.*?)\)", text_of("scripts/lib/packages.bash"), re.DOTALL)[1].split()
        require(set(words[3:]) <= set(known), f"scripts/lib/packages.bash does not install {set(words[3:]) - set(known)}")
        run(["dpkg-query", "--show", *words[3:]], inside)
    elif words[:2] == ["cmake", "-S"]:
        run(line, inside)
    elif words[:2] == ["cmake", "--build"]:
        run(f"{line} -- -n", inside)  # what is to be done alone: it takes minutes
    elif words[:3] == ["sudo", "cmake", "--install"]:
        require((inside / words[3] / "cmake_install.cmake").exists() and len(words) == 4, line)
    elif words == ["sudo", "ldconfig"]:
        run("/sbin/ldconfig -NXv 2>&1 | grep ^/usr/local/lib:", inside)  # writes nothing; the loader looks there
    elif words[0] == "g++":
        packages = prefix / "lib/pkgconfig"
        run(line, inside, PKG_CONFIG_LIBDIR=str(packages))
        run(["./a.out"], inside)
    elif words[0] == "zklock/scripts/packages":
        require(os.access(inside / words[0], os.X_OK) and len(words) == 1, line)
    elif words[:3] == ["sudo", "apt-get", "install"]:
        require(words[3:] == ["./zklock/build/packages/*.deb"] and "ls build/packages/*.deb" in text_of("scripts/packages"), line)
    elif words[:2] == ["conan", "create"]:
        require(line.replace("zklock/", "", 1) in text_of("packaging/conan/conanfile.py"), f"not the recipe's own words: {line}")
    elif words[:2] == ["vcpkg", "install"]:
        require(line.replace("=zklock/", "=", 1) in text_of("packaging/vcpkg/portfile.cmake"), f"not the port's own words: {line}")
    else:
        require(False, f"a command that no test knows: {line}")


def check_commands():
    inside = fresh("page-commands")
    lines = [line for block in blocks("sh") for line in block.replace("\\\n", " ").splitlines()]
    require(len(lines) >= 7, f"{len(lines)} commands")
    for line in lines:
        check_command(line, inside)


def check_cmake_texts():
    texts = blocks("cmake")
    require(sorted(re.match(r"\w+", text)[0] for text in texts) == ["add_subdirectory", "find_package"], f"{texts}")
    with_components = re.search(r"`(find_package\(zklock [^`]*COMPONENTS testing\))`", page)
    require(with_components, "the component testing")
    for number, text in enumerate(texts):
        inside = fresh(f"page-cmake-{number}")
        if text.startswith("find_package"):
            text += (f"{with_components[1]}\nadd_executable(my_tests main.cpp)\n"
                     "target_link_libraries(my_tests PRIVATE zklock::testing)\n")
        (inside / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(page LANGUAGES CXX)\n"
                                               f"add_executable(my_service main.cpp)\n{text}")
        run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"], inside)
        if text.startswith("find_package"):
            run(["cmake", "--build", "build"], inside)
            run(["build/my_service"], inside)
            run(["build/my_tests"], inside)


def check_options():
    """The table of options: each is there, with the default that the page says."""
    defaults = dict(re.findall(r"^option\((\w+) \"[^\"]*\" (\S+)\)", text_of("CMakeLists.txt"), re.MULTILINE))
    rows = re.findall(r"^\| (`[A-Z][A-Z_`, ]+`) \| (on|off) \|", page, re.MULTILINE)
    require(len(rows) >= 6, f"{len(rows)} options")
    for names, said in rows:
        for name in re.findall(r"`(\w+)`", names):
            default = "OFF" if name == "BUILD_SHARED_LIBS" else defaults.get(name)
            require((default == "OFF") == (said == "off") and default, f"{name} is {default}, not {said}")


check_options()
check_commands()
check_cmake_texts()
print("the page's commands and CMake texts do what they say")
