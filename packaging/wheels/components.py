"""What a wheel contains beside this project: names, versions, licences, and where the sources come from.

Debian's sources are taken by checksum, with Debian's patches. The rest comes with packages of PyPI (requirements.txt).
"""
from dataclasses import dataclass, field
from urllib.parse import quote

POOL = "http://deb.debian.org/debian/pool/main"


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    licence: str  # an SPDX expression
    licence_file: str  # within the sources; of PyPI's packages, within site-packages
    purl: str  # https://github.com/package-url/purl-spec
    folder: str = ""  # of pool/main, where it is Debian's
    files: dict[str, str] = field(default_factory=dict)  # name: SHA-256; the sources, then Debian's changes
    headers: str = ""  # a part of the path of each of its headers, where only headers are compiled


def debian(name: str, version: str, licence: str, licence_file: str, folder: str, files: dict[str, str], headers: str = "") -> Component:
    return Component(name, version, licence, licence_file, f"pkg:deb/debian/{name}@{quote(version)}?arch=source&distro=bookworm", folder, files, headers)


DEBIAN = [
    debian("console-bridge", "1.0.1+dfsg2-3", "BSD-3-Clause", "LICENSE", "c/console-bridge", {
        "console-bridge_1.0.1+dfsg2.orig.tar.xz": "d5ae857cd3bb3d6f6715a4d7a18ced55540ca9ad864e80a8c8258dba12ccf659",
        "console-bridge_1.0.1+dfsg2-3.debian.tar.xz": "9c527d787b3219fff919fbb0827d602a2a3865145104ab878ebf8be1ffe75b1b",
    }),
    debian("eigen3", "3.4.0-4", "MPL-2.0", "COPYING.MPL2", "e/eigen3", {
        "eigen3_3.4.0.orig.tar.bz2": "b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626",
        "eigen3_3.4.0-4.debian.tar.xz": "10746fe711162ac7882a838b0af1e9826b5a0ea5b8d9963220ec78f71586250c",
    }, headers="/include/eigen3/"),
    debian("nlohmann-json3", "3.11.2-2", "MIT", "LICENSE.MIT", "n/nlohmann-json3", {
        "nlohmann-json3_3.11.2.orig.tar.gz": "d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273",
        "nlohmann-json3_3.11.2-2.debian.tar.xz": "8c038cbbb09e719d856320006a6d16425c732a73574d03fe089e477c73022ab3",
    }, headers="/include/nlohmann/"),
    debian("tinyxml", "2.6.2-6+deb12u1", "Zlib", "readme.txt", "t/tinyxml", {
        "tinyxml_2.6.2.orig.tar.gz": "15bdfdcec58a7da30adc87ac2b078e4417dbe5392f3afb719f9ba6d062645593",
        "tinyxml_2.6.2-6+deb12u1.debian.tar.xz": "577ca162ec4db57e0be5f64a8e4813a72dcdab928ef690585f3300387262df78",
    }),
    debian("tinyxml2", "9.0.0+dfsg-3.1", "Zlib", "LICENSE.txt", "t/tinyxml2", {
        "tinyxml2_9.0.0+dfsg.orig.tar.xz": "96510f47a5db537f70dff3e83dd71fd2180cbba4aa76c589a549467e7f34bc9b",
        "tinyxml2_9.0.0+dfsg-3.1.debian.tar.xz": "1b9a530419da20087e802b2cec913e477ccedd20d73f5e8afe4c095877e1e076",
    }),
    debian("urdfdom", "3.0.1-1", "BSD-3-Clause", "LICENSE", "u/urdfdom", {
        "urdfdom_3.0.1.orig.tar.xz": "1483b56c22c40ffd2e083fb74fbf02716ec7790f6ea692ad26d476fe776f2aac",
        "urdfdom_3.0.1-1.debian.tar.xz": "3652a2ad85a39fc9c97f368a377c1690333f38e599d3c3eaedf46c50ba55790d",
    }),
    debian("urdfdom-headers", "1.0.5-3", "BSD-3-Clause", "LICENSE", "u/urdfdom-headers", {
        "urdfdom-headers_1.0.5.orig.tar.gz": "88bdd328a23ab779bdde20cd42169052df1eba82f05955135bc96d0063f633c3",
        "urdfdom-headers_1.0.5-3.debian.tar.xz": "5154d2e64f92058d31be9743f84c96b5f84f025fbb34dd22379aee1fe465bbc2",
    }),
]


def from_pypi(name: str, version: str, licence: str, licence_file: str, package: str, package_version: str, headers: str) -> Component:
    return Component(name, version, licence, licence_file, f"pkg:pypi/{package}@{package_version}", headers=headers)


def pypi(versions: dict[str, str], llvm: str) -> list[Component]:
    """Of PyPI's packages at `versions`: nanobind with its hash map; of zig, whose clang is `llvm`, the C++ library."""
    zig, nanobind = versions["ziglang"], versions["nanobind"]
    exception = "Apache-2.0 WITH LLVM-exception"
    return [
        from_pypi("robin-map", "of nanobind", "MIT", "nanobind/ext/robin_map/include/tsl/robin_map.h", "nanobind", nanobind, "/robin_map/"),  # a part of nanobind's folder, so before it
        from_pypi("nanobind", nanobind, "BSD-3-Clause", f"nanobind-{nanobind}.dist-info/licenses/LICENSE", "nanobind", nanobind, "/nanobind/"),
        from_pypi("libc++", llvm, exception, "ziglang/lib/libcxx/LICENSE.TXT", "ziglang", zig, "/ziglang/lib/libcxx"),
        from_pypi("libunwind", llvm, exception, "ziglang/lib/libunwind/LICENSE.TXT", "ziglang", zig, "/ziglang/lib/libunwind"),
        from_pypi("zig compiler-rt", zig, "MIT", "ziglang/LICENSE", "ziglang", zig, "/ziglang/lib/"),
    ]
