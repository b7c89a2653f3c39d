"""What all cases of check_package.py are made of. The arguments are those of the command."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/guide/use_in_your_project.md"
source, build, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])


def fail(text):
    sys.exit(f"check_package: {text}")


def run(*command, environment=None, refused=None, inside=None):
    """The command's output. `refused`: it has to fail, and to say this."""
    words = [str(word) for word in command]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, cwd=inside,
                         env={**os.environ, **(environment or {})})
    said = ran.stdout + ran.stderr
    if refused is not None:
        if ran.returncode == 0:
            fail(f"was not refused: {' '.join(words)}")
        if refused not in " ".join(said.split()):
            fail(f"does not say '{refused}': {' '.join(words)}\n{said}")
    elif ran.returncode != 0:
        fail(f"failed: {' '.join(words)}\n{said}")
    return said


def fresh(name):
    folder = work / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def configure(project, into, *options, cxx=None, standard=None, refused=None):
    settings = ["-DCMAKE_BUILD_TYPE=", "-DCMAKE_CXX_FLAGS=-O0"] + list(options)
    if cxx:
        settings.append(f"-DCMAKE_CXX_COMPILER={cxx}")
    if standard:
        settings.append(f"-DCMAKE_CXX_STANDARD={standard}")
    return run("cmake", "-S", project, "-B", into, "-G", "Ninja", *settings, refused=refused)


def compile_all(into, *targets):
    run("cmake", "--build", into, *(["--target", *targets] if targets else []))


def library_directory(prefix):
    found = sorted((work / prefix).glob("**/libzklock*.[as]*"))
    return found[0].parent if found else fail(f"no library in {prefix}")


def require_hidden_archives(built, *directories):
    """No archive's symbols are exported from what was linked in the build folder."""
    linked = (built / "build.ninja").read_text()
    names = {file.name for directory in directories for file in directory.rglob("*.a")}
    archives = [name for name in names if re.fullmatch(r"libzklock(_testing)?d?\.a", name)]
    open_ones = [name for name in archives if f"--exclude-libs,{name}" not in linked]
    if open_ones or not archives:
        fail(f"of {archives} are linked without --exclude-libs: {open_ones}")
