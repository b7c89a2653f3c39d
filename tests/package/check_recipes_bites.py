#!/usr/bin/env python3
"""check_recipes_bites.py SOURCE WORK: check_recipes.py names each mistake that is made in a copy of the recipes."""
import pathlib
import shutil
import subprocess
import sys

source, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
CONAN, PORT, MANIFEST = "packaging/conan/conanfile.py", "packaging/vcpkg/portfile.cmake", "packaging/vcpkg/vcpkg.json"
CASES = [  # a file, what is replaced, by what; what the check says
    (CONAN, '"cmake", "zklock")]', '"cmake", "nowhere")]', "names ['lib/cmake/nowhere'], but the package file is in lib/"),
    (CONAN, '"cmake_find_mode", "none"', '"cmake_find_mode", "both"', "the Conan recipe sets {'cmake_find_mode': 'both'}"),
    (CONAN, 'self.settings.os != "Linux"', "False", "the Conan recipe accepts Windows"),
    (CONAN, '"(.*)"', '"(.*).0"', "the Conan recipe has the version "),
    (CONAN, "CMake(self).install()", "pass", "the Conan recipe installs nothing"),
    (CONAN, "rmdir(self, ", "str(", "the Conan recipe leaves files of pkg-config"),
    (PORT, "vcpkg_cmake_install()\n", "", "the portfile calls ["),
    (PORT, "vcpkg_fixup_pkgconfig()\n", "", "the portfile calls ["),
    (PORT, "lib/cmake/zklock", "lib/cmake/nowhere", "looks for the package file in lib/cmake/nowhere, but it is in lib/"),
    (PORT, 'file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")', "", "leaves the headers of the debug build"),
    (MANIFEST, '    "spdlog",\n', "", "vcpkg.json depends on ["),
    (MANIFEST, '    "boost-container",\n', "", "vcpkg.json depends on ["),
]

wrong = 0
for file, sound, broken, expected in CASES:
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for part in ("CMakeLists.txt", "LICENSE", "cmake", "include", "packaging", "recipes", "src"):
        copy = shutil.copytree if (source / part).is_dir() else shutil.copy2
        copy(source / part, tree / part)
    text = (tree / file).read_text()
    if text.count(sound) != 1:
        sys.exit(f"check_recipes_bites: {file} must contain exactly once: {sound}")
    (tree / file).write_text(text.replace(sound, broken))
    ran = subprocess.run([pathlib.Path(__file__).parent / "check_recipes.py", tree, work / "of"], capture_output=True, text=True,
                         check=False)
    if ran.returncode == 0 or expected not in ran.stderr:
        wrong += 1
        print(f"{file} with '{broken}' in place of '{sound}': exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
print(f"{len(CASES)} mistakes, {wrong} not named")
sys.exit(1 if wrong else 0)
