"""Whether the list of components is all that was compiled: each header that the compiler read belongs to one of them."""
import re
import subprocess
from pathlib import Path

from components import Component

# Whose headers are read but are no part of a wheel: the interpreter's, NumPy's and the C library's interfaces, and clang's own.
INTERFACES = ("/include/python/", "/numpy/", "/ziglang/lib/libc/", "/ziglang/lib/include/")
# Of headers in the folder of all third-party ones, by how they begin.
BEGINNINGS = {"urdf_parser": "urdfdom", "urdf_": "urdfdom-headers", "console_bridge": "console-bridge", "tinyxml2.h": "tinyxml2",
              "tinyxml.h": "tinyxml", "tinystr.h": "tinyxml"}


def headers_read(build: Path) -> set[str]:
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    return {str((build / line.strip()).resolve()) for line in listed.splitlines() if re.match(r"^ +\S", line)}


def owner(header: str, parts: list[Component]) -> str | None:
    for component in parts:
        if component.headers and component.headers in header:
            return component.name
    for name, component_name in BEGINNINGS.items():
        if f"/include/{name}" in header:
            return component_name
    return None


def hold(build: Path, parts: list[Component], source: Path) -> None:
    """SystemExit where a header is nobody's, or where a component of headers alone was not read at all."""
    read = headers_read(build)
    if not read:
        raise SystemExit(f"wheels: {build}: ninja knows no headers; expected those of a finished build")
    project = (f"{source}/", f"{build}/")
    found = set()
    for header in read:
        if any(part in header for part in INTERFACES):
            continue
        name = owner(header, parts)
        if name:
            found.add(name)
        elif not header.startswith(project):
            raise SystemExit(f"wheels: {header}: a header of no component; expected one of packaging/wheels/components.py")
    missing = {c.name for c in parts if c.headers and not c.name.startswith(("zig", "libunwind"))} - found
    if missing:
        raise SystemExit(f"wheels: no header of {', '.join(sorted(missing))} was read; expected each component to be used")
