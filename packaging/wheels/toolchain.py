"""Zig's clang as the compiler of CMake, for one processor and C library: glibc 2.28 or musl."""
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

GLIBC = "2.28"
MUSL = "1.2"
#: What can be asked for: the processor and the C library, as zig's and PyPI's names say.
SYSTEMS = {"x86-64": ("x86_64", "gnu"), "aarch64": ("aarch64", "gnu"), "x86-64-musl": ("x86_64", "musl"), "aarch64-musl": ("aarch64", "musl")}


@dataclass
class Toolchain:
    architecture: str  # a key of SYSTEMS
    python: Path
    folder: Path  # where its files are written
    prefix: Path  # where third-party packages are found

    @property
    def system(self) -> str:
        return SYSTEMS[self.architecture][0]

    @property
    def library(self) -> str:
        """The C library: gnu or musl."""
        return SYSTEMS[self.architecture][1]

    @property
    def platform(self) -> str:
        """Of the wheel's name: manylinux_2_28_x86_64."""
        kind = f"musllinux_{MUSL}" if self.library == "musl" else f"manylinux_{GLIBC}"
        return f"{kind.replace('.', '_')}_{self.system}"

    @property
    def zig(self) -> Path:
        return site_packages(self.python) / "ziglang" / "zig"

    def write(self, sources: dict[str, Path]) -> Path:
        """CMake's toolchain file. `sources`: what the folders that no file may name are called instead."""
        self.folder.mkdir(parents=True, exist_ok=True)
        # Plain x86-64 or ARMv8: vectors beyond that are chosen while the module is imported.
        target = f"-target {self.system}-linux-{self.library}" + (f".{GLIBC}" if self.library == "gnu" else "")
        names = " ".join(f"-ffile-prefix-map={folder}={name}" for name, folder in sources.items())
        for name, arguments in {"cc": f"cc {target}", "c++": f"c++ {target}", "ar": "ar", "ranlib": "ranlib"}.items():
            script = self.folder / name
            script.write_text(f'#!/bin/sh\nexec "{self.zig}" {arguments} "$@"\n')
            script.chmod(0o755)
        exports = self.folder / "exports"
        exports.write_text("{ global: PyInit_*; local: *; };\n")
        file = self.folder / "toolchain.cmake"
        file.write_text(
            f"set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR {self.system})\n"
            f'set(CMAKE_C_COMPILER "{self.folder}/cc")\nset(CMAKE_CXX_COMPILER "{self.folder}/c++")\n'
            + "".join(f'set(CMAKE_{name}{tool} "{self.folder}/{tool.lower()}")\n' for name in ("", "C_COMPILER_", "CXX_COMPILER_") for tool in ("AR", "RANLIB"))
            + f'set(CMAKE_C_FLAGS_INIT "-fno-sanitize=all -g0 {names}")\nset(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=all -g0 -fvisibility-inlines-hidden {names}")\n'
            # `-s`: symbols and the rest that no import reads.
            f'set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,--version-script={exports}")\n'
            f'set(CMAKE_FIND_ROOT_PATH "{self.prefix}")\nset(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)\n'
            f'list(APPEND CMAKE_FIND_ROOT_PATH "{site_packages(self.python)}")\n')
        return file

    @property
    def suffix(self) -> str:
        """Of modules: cpython-311-aarch64-linux-gnu.so."""
        return re.sub(r"[a-z0-9_]+-linux-gnu", f"{self.system}-linux-{self.library}", config(self.python, "EXT_SUFFIX").removeprefix("."))

    def python_headers(self) -> Path:
        """Python's headers without Debian's detour by /usr/include, which belongs to another C library.

        Of pyconfig.h Debian's arm64 differs from its amd64 in what only CPython itself asks: assembler of x86 and wchar_t; so does
        that of an interpreter with another C library.
        """
        found = Path(query(self.python, "import sysconfig; print(sysconfig.get_path('include'))"))
        to = self.prefix / "include" / "python" / found.name
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(found, to)
        detour = Path("/usr/include") / config(self.python, "MULTIARCH") / found.name / "pyconfig.h"
        own = (detour if detour.exists() else found / "pyconfig.h").read_text()
        if self.system != "x86_64":
            own = re.sub(r"^#define (HAVE_GCC_ASM_FOR_X\w+) 1$", r"/* #undef \1 */", own, flags=re.M)
        (to / "pyconfig.h").write_text(own)
        os.utime(to / "pyconfig.h", (0, os.path.getmtime(found / "Python.h")))  # as old as the others: nothing is compiled anew
        return to


def query(python: Path, code: str) -> str:
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def config(python: Path, name: str) -> str:
    return query(python, f"import sysconfig; print(sysconfig.get_config_var({name!r}) or '')")


def site_packages(python: Path) -> Path:
    return Path(query(python, "import sysconfig; print(sysconfig.get_path('purelib'))"))
