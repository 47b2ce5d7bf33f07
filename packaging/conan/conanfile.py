"""Untested. Conan 2: `conan create packaging/conan`."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Sparsedyn(ConanFile):
    name = "sparsedyn"
    version = "0.2.0"
    license = "BSD-3-Clause"
    description = "Robot dynamics as one sparse linear system, its elimination order chosen offline and replayed at runtime"
    settings = "os", "compiler", "build_type", "arch"
    requires = "eigen/3.4.0", "nlohmann_json/3.11.3", "urdfdom/4.0.0", "tinyxml2/10.0.0", "console_bridge/1.0.2"

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "sensors/*", "patterns/*", "robots/*", "packaging/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "TOOLS", "EXAMPLES", "OFFLINE"):
            toolchain.variables[f"SPARSEDYN_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.builddirs = ["lib/cmake/sparsedyn"]
        self.cpp_info.set_property("cmake_find_mode", "none")  # the project's own package serves
