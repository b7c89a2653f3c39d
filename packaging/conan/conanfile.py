"""Conan 2 recipe: conan create packaging/conan -s compiler.cppstd=20, from the top of the tree."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class ZklockConan(ConanFile):
    name = "zklock"
    description = "ZooKeeper lock recipes for C++20"
    license = "Apache-2.0"
    topics = ("zookeeper", "lock", "mutex", "distributed")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "testing": [True, False]}
    default_options = {"shared": False, "testing": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "include", "zklock", "version.hpp"))
        self.version = re.search(r'ZKLOCK_VERSION_STRING "(.*)"', header)[1]

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for part in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "packaging/*", "recipes/*", "src/*"):
            copy(self, part, top, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("zklock is for Linux alone")
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # The ZooKeeper C client is the system's (libzookeeper-mt-dev). The public index has zookeeper-client-c, which
        # installs the static libraries zookeeper and hashtable: FindZooKeeper.cmake knows zookeeper_mt alone.
        self.requires("spdlog/[>=1.10 <2]")
        self.requires("boost/[>=1.74]", headers=True, libs=False)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "BUILD_SHARED_LIBS": bool(self.options.shared), "ZKLOCK_BUILD_TESTING": bool(self.options.testing),
            "ZKLOCK_BUILD_TESTS": False, "ZKLOCK_BUILD_CLI": False, "ZKLOCK_BUILD_EXAMPLES": False})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # zklock.pc would name no directory and no fmt: Conan's target spdlog::spdlog says them in generator expressions.
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        # The installed package files are used as they are.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "zklock")]
