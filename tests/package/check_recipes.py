#!/usr/bin/env python3
"""check_recipes.py SOURCE WORK: the Conan recipe and the vcpkg port, as far as that goes without Conan and vcpkg.

The Conan recipe is run with modules of our own in Conan's place, the port's file with functions of our own in vcpkg's. What
they ask CMake for is configured: the recipe's from the files alone that it exports.
"""
import ast
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import types

source, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
options = set(re.findall(r"^option\((\w+)", (source / "CMakeLists.txt").read_text(), re.MULTILINE)) | {"BUILD_SHARED_LIBS"}
AS_PACKAGERS = ["-DCMAKE_INSTALL_LIBDIR=lib"]  # Conan and vcpkg both set it
dependencies = (source / "cmake/ZklockDependencies.cmake").read_text()


def require(condition, text):
    if not condition:
        sys.exit(f"check_recipes: {text}")


def configure(tree, name, settings):
    into = work / name
    shutil.rmtree(into, ignore_errors=True)
    ran = subprocess.run(["cmake", "-S", tree, "-B", into, "-G", "Ninja", *settings], capture_output=True, text=True, check=False)
    require(ran.returncode == 0, f"does not configure with {settings}: {ran.stdout}{ran.stderr}")
    unused = re.search(r"not used by the project:\s*(.*?)\n\n", ran.stderr, re.DOTALL)
    require(unused is None, f"asks for {unused and unused[1]}")


def package_file_directory(built):
    """Where `cmake --install` puts what find_package looks for."""
    text = (work / built / "cmake_install.cmake").read_text()
    return re.search(r'DESTINATION "\$\{CMAKE_INSTALL_PREFIX\}/([^"]+)" TYPE FILE FILES[^)]*/zklock-config\.cmake"', text)[1]


def conan():
    """What the recipe asks for, and the tree that it exports."""
    done = {"cache": {}, "requires": {}, "minimum": None, "installs": False, "properties": {}}
    exported = work / "conan-source"
    shutil.rmtree(exported, ignore_errors=True)

    class recipe:
        recipe_folder = str(source / "packaging/conan")
        export_sources_folder = source_folder = str(exported)
        package_folder = str(work / "conan-package")

        def __init__(self):
            self.settings = types.SimpleNamespace(os="Linux")
            self.options = types.SimpleNamespace(**self.default_options)
            self.cpp_info = types.SimpleNamespace(set_property=lambda name, value: done["properties"].update({name: value}))

        def requires(self, what, **_):
            name, version = what.split("/")
            done["requires"][name] = re.search(r">=([\d.]+)", version)[1]

    class toolchain:
        cache_variables = done["cache"]

        def __init__(self, _):
            pass

        def generate(self):
            pass

        def install(self):
            done["installs"] = True
            (work / "conan-package/lib/pkgconfig").mkdir(parents=True, exist_ok=True)

        configure = build = generate

    def copy(_, pattern, src, dst):
        found = [file for file in pathlib.Path(src).glob(pattern)]
        require(found, f"the Conan recipe exports {pattern}, which is not there")
        for file in found:
            to = pathlib.Path(dst) / file.relative_to(src)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(file, to) if file.is_dir() else shutil.copy2(file, to)

    for name, content in {
            "conan": {"ConanFile": recipe}, "conan.errors": {"ConanInvalidConfiguration": ValueError}, "conan.tools": {},
            "conan.tools.files": {"copy": copy, "load": lambda _, file: pathlib.Path(file).read_text(),
                                  "rmdir": lambda _, folder: shutil.rmtree(folder, ignore_errors=True)},
            "conan.tools.build": {"check_min_cppstd": lambda _, least: done.update(minimum=least)},
            "conan.tools.cmake": {"CMake": toolchain, "CMakeDeps": toolchain, "CMakeToolchain": toolchain,
                                  "cmake_layout": lambda _: None}}.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    sys.dont_write_bytecode = True
    file = source / "packaging/conan/conanfile.py"
    ast.parse(file.read_text())
    spec = importlib.util.spec_from_file_location("conanfile", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.ZklockConan()
    require(type(one).options.keys() == type(one).default_options.keys(), "an option has no default")
    for step in ("set_version", "validate", "layout", "requirements", "export_sources", "generate", "build", "package",
                 "package_info"):
        getattr(one, step)()
    done["directories"], done["version"] = one.cpp_info.builddirs, one.version
    one.settings.os = "Windows"
    try:
        one.validate()
        require(False, "the Conan recipe accepts Windows")
    except ValueError:
        pass
    return done, exported


def check_conan():
    done, exported = conan()
    foreign = set(done["cache"]) - options
    require(not foreign, f"the Conan recipe sets {foreign}, which CMakeLists.txt does not know")
    least = {"spdlog": re.search(r"zklock_least_spdlog (\S+)\)", dependencies)[1],
             "boost": re.search(r"zklock_find\(Boost::headers Boost (\S+)\)", dependencies)[1]}
    require(done["requires"] == least, f"the Conan recipe requires {done['requires']}, the build {least}")
    require(f'VERSION_STRING "{done["version"]}"' in (source / "include/zklock/version.hpp").read_text(),
            f"the Conan recipe has the version {done['version']}")
    require(done["minimum"] == 20, "the Conan recipe does not ask for C++20")
    require(done["installs"], "the Conan recipe installs nothing")
    require(not (work / "conan-package/lib/pkgconfig").exists(), "the Conan recipe leaves files of pkg-config")
    require(done["properties"] == {"cmake_find_mode": "none"},
            f"the installed package files are used as they are, but the Conan recipe sets {done['properties']}")
    settings = [f"-D{name}={'ON' if on else 'OFF'}" for name, on in done["cache"].items()]
    configure(exported, "conan-build", [*AS_PACKAGERS, *settings])
    require(done["directories"] == [package_file_directory("conan-build")],
            f"the Conan recipe names {done['directories']}, but the package file is in {package_file_directory('conan-build')}")


STUBS = """
function(vcpkg_check_features)
  cmake_parse_arguments(one "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGN})
  list(POP_FRONT one_FEATURES feature option)
  message(STATUS "feature ${feature} ${option}")
  set(${one_OUT_FEATURE_OPTIONS} "-D${option}=ON" PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(one "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  foreach(option IN LISTS one_OPTIONS)
    message(STATUS "configure ${one_SOURCE_PATH} ${option}")
  endforeach()
endfunction()
function(vcpkg_cmake_install)
  message(STATUS "calls vcpkg_cmake_install")
  file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/debug/include")
endfunction()
function(vcpkg_cmake_config_fixup)
  message(STATUS "calls vcpkg_cmake_config_fixup")
  cmake_parse_arguments(one "" "CONFIG_PATH;PACKAGE_NAME" "" ${ARGN})
  message(STATUS "config ${one_CONFIG_PATH}${one_UNPARSED_ARGUMENTS}")
endfunction()
function(vcpkg_fixup_pkgconfig)
  message(STATUS "calls vcpkg_fixup_pkgconfig")
endfunction()
function(vcpkg_install_copyright)
  message(STATUS "calls vcpkg_install_copyright")
  cmake_parse_arguments(one "" "" "FILE_LIST" ${ARGN})
  if(NOT EXISTS "${one_FILE_LIST}")
    message(FATAL_ERROR "no ${one_FILE_LIST}")
  endif()
endfunction()
"""


def check_vcpkg():
    port = source / "packaging/vcpkg"
    manifest = json.loads((port / "vcpkg.json").read_text())
    known = {"name", "version", "description", "homepage", "license", "supports", "dependencies", "features"}
    require(set(manifest) <= known and {"name", "version", "dependencies"} <= set(manifest), f"vcpkg.json has {set(manifest)}")
    require(manifest.get("supports") == "linux", "the port is for Linux alone")
    needed = {one if isinstance(one, str) else one["name"] for one in manifest["dependencies"]}
    command = source / "src/cli"  # the port does not build it
    boost = {f"boost-{part}" for folder in ("recipes", "src") for file in (source / folder).rglob("*.[ch]pp")
             if command not in file.parents for part in re.findall(r"#include <boost/(\w+)/", file.read_text())}
    used = {"spdlog", "vcpkg-cmake", "vcpkg-cmake-config"} | boost
    require(boost and needed == used, f"vcpkg.json depends on {sorted(needed)}, the port uses {sorted(used)}")
    for name, feature in manifest["features"].items():
        require(feature.get("description"), f"vcpkg.json: {name} has no description")
    # What vcpkg sets, and no more: a variable that nothing sets is an error.
    stubbed = work / "portfile.cmake"
    work.mkdir(parents=True, exist_ok=True)
    packages = work / "vcpkg-packages"
    stubbed.write_text(f'{STUBS}set(CURRENT_PORT_DIR "{port}")\nset(CURRENT_PACKAGES_DIR "{packages}")\n'
                       'include("${CURRENT_PORT_DIR}/portfile.cmake")\n')
    ran = subprocess.run(["cmake", "--warn-uninitialized", "-P", stubbed], capture_output=True, text=True, check=False)
    said = ran.stdout + ran.stderr
    require(ran.returncode == 0 and "uninitialized variable" not in said, f"the portfile:\n{said}")
    calls = re.findall(r"-- calls (\S+)", said)
    require(calls == ["vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_fixup_pkgconfig", "vcpkg_install_copyright"],
            f"the portfile calls {calls}")
    require(not (packages / "debug/include").exists(), "the portfile leaves the headers of the debug build")
    features = re.findall(r"-- feature (\S+) (\S+)", said)
    require({name for name, _ in features} == set(manifest["features"]), f"features: {features}")
    settings = re.findall(rf"-- configure {re.escape(str(source))} (-D(\w+)=\w+)", said)
    foreign = {name for _, name in settings} - options
    require(len(settings) >= 3 and not foreign, f"the portfile sets {settings}")
    configure(source, "vcpkg-build", [*AS_PACKAGERS, *(setting for setting, _ in settings)])
    installed, said_of_it = package_file_directory("vcpkg-build"), re.search(r"-- config (\S+)", said)[1]
    require(said_of_it == installed, f"the portfile looks for the package file in {said_of_it}, but it is in {installed}")


check_conan()
check_vcpkg()
print("the Conan recipe and the vcpkg port are well-formed")
