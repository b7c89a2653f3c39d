"""The library where a user's project finds it: installed by CMake, and in Debian packages."""
import re
import shutil

from plugins import use_program_and_plugin
from steps import HERE, compile_all, configure, fail, fresh, library_directory, require_hidden_archives, run, source, work


def install_moved(built, name):
    """Installed to one place, then moved to another: nothing in it may name the first."""
    first, moved = fresh(f"{name}-as-installed"), work / name
    run("cmake", "--install", built, "--prefix", first)
    shutil.rmtree(moved, ignore_errors=True)
    first.rename(moved)
    for file in moved.rglob("*"):
        if file.is_file() and file.suffix in (".cmake", ".pc", ".hpp"):
            for place in (str(first), str(source), str(built)):
                if place in file.read_text():
                    fail(f"{file} names {place}")
    for expected in ("include/zklock/zklock.hpp", "include/zklock/testing/fake_ensemble.hpp"):
        if not (moved / expected).exists():
            fail(f"{expected} was not installed")


def find_package(prefix, cxx, standard):
    built = fresh(f"find-package-{prefix.replace('/', '-')}-{cxx}-{standard}")
    configure(HERE / "consumer", built, "-DZKLOCK_FROM=find_package", f"-DCMAKE_PREFIX_PATH={work / prefix}", cxx=cxx,
              standard=standard)
    compile_all(built)
    require_hidden_archives(built, library_directory(prefix))
    use_program_and_plugin(built)


def found_beside_spdlog(prefix):
    """In a project that has its own spdlog."""
    built = fresh(f"beside-spdlog-{prefix}")
    configure(HERE / "consumer", built, "-DZKLOCK_FROM=find_package", f"-DCMAKE_PREFIX_PATH={work / prefix}",
              "-DWITH_OWN_DEPENDENCIES=ON")
    compile_all(built, "program")
    require_hidden_archives(built, library_directory(prefix))
    run(built / "program")


def debian_packages():
    made, built = fresh("debian-packages"), work / "shared-build"
    into = ["cmake", "-S", work / "shared-source", "-B", built, "-DCMAKE_INSTALL_PREFIX=/usr", "-DZKLOCK_DEBIAN_PACKAGES=ON"]
    run(*into, refused="ZKLOCK_DEBIAN_PACKAGES needs the command")
    run(*into, "-DZKLOCK_BUILD_CLI=ON")
    compile_all(built)  # the reference, too
    run("sh", "-c", 'umask 077 && exec cpack --config "$1" -B "$2"', "sh", built / "CPackConfig.cmake", made)
    packages = sorted(file.name for file in made.glob("*.deb"))
    if [name.split("_")[0] for name in packages] != ["libzklock-dev", "libzklock0.1", "zklock"]:
        fail(f"packages: {packages}")
    for name in packages:
        run("dpkg-deb", "--extract", made / name, made / "root")
        require_modes(name, run("dpkg-deb", "--contents", made / name))
    of_command = run("dpkg-deb", "--contents", made / packages[2])
    for file in ("usr/bin/zklock", "usr/share/man/man1/zklock.1.gz", "usr/share/man/man1/zklock-run.1.gz",
                 "usr/share/man/man1/zklock-ls.1.gz", "usr/share/man/man1/zklock-watch.1.gz", "usr/share/man/man1/zklock-doctor.1.gz", "usr/share/man/man1/zklock-evict.1.gz", "usr/share/man/man1/zklock-elect.1.gz", "usr/share/bash-completion/completions/zklock",
                 "usr/share/zsh/vendor-completions/_zklock"):
        if f"./{file}\n" not in of_command:
            fail(f"{packages[2]} has no {file}:\n{of_command}")
    for file in (made / "root").rglob("*"):
        if file.is_file() and not file.is_symlink() and str(work).encode() in file.read_bytes():
            fail(f"{file} names the place of the sources or of the build")
    require_notices(made / "root")
    run(made / "root/usr/bin/zklock", "--version")
    for name in packages[1:]:
        depends = run("dpkg-deb", "--field", made / name, "Depends")
        if "libzookeeper-mt2 (>= 3.8)" not in depends or "boost" in depends:
            fail(f"{name} depends on {depends}")
    find_package("debian-packages/root/usr", "g++-12", "20")


def require_modes(name, contents):
    """Not those that the umask of the build leaves."""
    for line in contents.splitlines():
        if line.split()[0] not in ("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"):
            fail(f"{name}: {line}")


def require_notices(root):
    """The scripts that doxygen puts into the reference have other authors: the package's copyright names each."""
    documents = root / "usr/share/doc/libzklock-dev"
    said, named = " ".join((documents / "copyright").read_text().split()), 0
    for script in (documents / "html").rglob("*.js"):
        for name in re.findall(r"(?:Copyright|\(c\))(?: \([cC]\))?[ \d,–-]*(?:by )?([A-Z]\w+ \w+)", script.read_text()):
            named += 1
            if name not in said:
                fail(f"copyright does not name {name} of {script.name}")
    if named < 6:
        fail(f"{named} authors of scripts")
