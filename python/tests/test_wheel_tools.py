"""packaging/wheels: what turns a wheel into one that is published. The builds themselves run in .ci/full."""

import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "packaging/wheels"
if not FOLDER.exists():
    pytest.skip("no packaging/wheels here", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import check_contents  # noqa: E402
import components  # noqa: E402
import contents  # noqa: E402
import finish  # noqa: E402
import sbom  # noqa: E402
import sources  # noqa: E402
import toolchain  # noqa: E402

PARTS = components.DEBIAN + components.pypi({"ziglang": "0.17.1", "nanobind": "3.1.0"}, "22.1.8")


def plain_wheel(folder, compression=zipfile.ZIP_DEFLATED, when=(2020, 1, 1, 0, 0, 0)):
    folder.mkdir(parents=True)
    file = folder / "sparsedyn-9.8.7-cp311-cp311-linux_x86_64.whl"
    info = "sparsedyn-9.8.7.dist-info"
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, text in {
            "sparsedyn/_core.cpython-311-x86_64-linux-gnu.so": "machine code" * 50,
            "sparsedyn/__init__.py": "",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n",
            f"{info}/METADATA": "Metadata-Version: 2.4\nName: sparsedyn\nVersion: 9.8.7\n",
            f"{info}/licenses/LICENSE": "terms\n",
            f"{info}/RECORD": "",
        }.items():
            archive.writestr(zipfile.ZipInfo(name, when), text)
    return file


def finished(folder, plain, parts=PARTS, of=None):
    bill = sbom.text("sparsedyn", "9.8.7", "0.17.1", of or b"machine code" * 50, parts, "2026-01-01T00:00:00Z")
    return finish.finish(plain, folder, "manylinux_2_28_x86_64", {f"{c.name}.txt": "terms " * 50 for c in parts}, bill, 1767225600)


def test_a_finished_wheel_is_complete_and_named_for_its_platform(tmp_path):
    wheel = finished(tmp_path / "to", plain_wheel(tmp_path / "plain"))
    assert wheel.name == "sparsedyn-9.8.7-cp311-cp311-manylinux_2_28_x86_64.whl"
    assert check_contents.faults(str(wheel)) == []
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("sparsedyn-9.8.7.dist-info/WHEEL").decode()
        assert "Tag: cp311-cp311-manylinux_2_28_x86_64\n" in text and "linux_x86_64\n" not in text.replace("manylinux_2_28_x86_64\n", "")
        record = archive.read("sparsedyn-9.8.7.dist-info/RECORD").decode()
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"machine code" * 50).digest()).rstrip(b"=").decode()
        assert f"sparsedyn/_core.cpython-311-x86_64-linux-gnu.so,sha256={digest},600\n" in record


def test_equal_contents_make_equal_bytes(tmp_path):
    one = finished(tmp_path / "a", plain_wheel(tmp_path / "one"))
    other = finished(tmp_path / "b", plain_wheel(tmp_path / "other", zipfile.ZIP_STORED, (2024, 5, 6, 7, 8, 10)))
    assert one.read_bytes() == other.read_bytes()


def test_a_wheel_that_was_cut_off_has_no_wheels_name(tmp_path, monkeypatch):
    plain = plain_wheel(tmp_path / "plain")
    monkeypatch.setattr(zipfile.ZipFile, "writestr", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        finished(tmp_path / "to", plain)
    assert not list((tmp_path / "to").glob("*.whl"))


def test_what_is_missing_or_untrue_is_found(tmp_path):
    without = finished(tmp_path / "a", plain_wheel(tmp_path / "one"), [c for c in PARTS if c.name != "urdfdom"])
    assert check_contents.faults(str(without)) == ["the bill lacks ['urdfdom']"]
    other = finished(tmp_path / "b", plain_wheel(tmp_path / "two"), of=b"other code")
    assert "the bill is of another module" in check_contents.faults(str(other))[0]


def test_the_bill_is_of_what_is_said():
    bill = json.loads(sbom.text("sparsedyn", "9.8.7", "0.17.1", b"code", PARTS, "2026-01-01T00:00:00Z"))
    assert check_contents.faults_of_bill(bill) == []
    by_name = {entry["name"]: entry for entry in bill["components"]}
    assert by_name["eigen3"]["licenses"] == [{"license": {"id": "MPL-2.0"}}]
    assert by_name["libc++"]["licenses"] == [{"expression": "Apache-2.0 WITH LLVM-exception"}]
    assert by_name["tinyxml"]["purl"] == "pkg:deb/debian/tinyxml@2.6.2-6%2Bdeb12u1?arch=source&distro=bookworm"
    bill["dependencies"][0]["dependsOn"].append("nobody")
    del by_name["eigen3"]["licenses"]
    assert check_contents.faults_of_bill(bill) == ["eigen3: no licenses", "dependencies: nobody is no component"]


def test_licences_are_the_parts_own_and_equal_ones_stand_once(tmp_path):
    part = components.DEBIAN[0]
    one, other = (components.debian(n, "1", "MIT", "LICENSE", "x", part.files) for n in ("one", "other"))
    header = components.from_pypi("header", "1", "MIT", "p/h.h", "p", "1", "/p/")
    for name, text in {"one/LICENSE": "terms\n", "other/LICENSE": "terms\n", "p/h.h": "/**\n * other terms\n */\nint f();\n"}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    assert finish.sources_of_licences([one, header, other], tmp_path, tmp_path) == {"one and other.txt": "terms\n", "header.txt": "other terms\n "}


def test_a_header_of_nobody_is_refused(tmp_path, monkeypatch):
    known = ["/p/include/eigen3/Eigen/Core", "/p/include/nlohmann/json.hpp", "/v/nanobind/include/nanobind/nanobind.h", "/v/nanobind/ext/robin_map/include/tsl/robin_map.h",
             "/v/ziglang/lib/libcxx/include/vector", "/s/src/a.hpp", "/p/include/python/Python.h", "/p/include/tinyxml2.h"]
    monkeypatch.setattr(contents, "headers_read", lambda build: set(known))
    contents.hold(pathlib.Path("/b"), PARTS, pathlib.Path("/s"))
    known.append("/usr/include/boost/any.hpp")
    with pytest.raises(SystemExit, match="/usr/include/boost/any.hpp: a header of no component"):
        contents.hold(pathlib.Path("/b"), PARTS, pathlib.Path("/s"))
    del known[-1], known[0]
    with pytest.raises(SystemExit, match="no header of eigen3 was read"):
        contents.hold(pathlib.Path("/b"), PARTS, pathlib.Path("/s"))


def archive_of(file, root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    with tarfile.open(file, "w:gz") as archive:
        archive.add(root, arcname=root.name)


@pytest.mark.skipif(not pathlib.Path("/usr/bin/patch").exists(), reason="no patch")
def test_sources_are_patched_as_debian_does_and_held_to_their_checksums(tmp_path):
    archives = tmp_path / "archives"
    archives.mkdir()
    archive_of(archives / "x_1.orig.tar.gz", tmp_path / "x-1", "a.txt", "one\n")
    root = tmp_path / "debian"
    (root / "patches").mkdir(parents=True)
    (root / "patches/fix.patch").write_text("--- x/a.txt\n+++ x/a.txt\n@@ -1 +1 @@\n-one\n+two\n")
    archive_of(archives / "x_1-1.debian.tar.gz", root, "patches/series", "# none\nfix.patch\n")
    files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in (archives / "x_1.orig.tar.gz", archives / "x_1-1.debian.tar.gz")}
    part = components.debian("x", "1-1", "MIT", "a.txt", "x/x", files)
    assert (sources.unpack(part, archives, tmp_path / "to") / "a.txt").read_text() == "two\n"
    files["x_1.orig.tar.gz"] = "0" * 64
    with pytest.raises(SystemExit, match="x_1.orig.tar.gz: SHA-256 [0-9a-f]{64}; expected 0000"):
        sources.unpack(part, archives, tmp_path / "again")


def run_with_stand_ins(tmp_path, dpkg_too):
    """Runs aarch64-root by stand-ins of apt-get and dpkg, which note that they were asked. dpkg_too: what dpkg does at its end."""
    tools, root, asked = tmp_path / "tools", tmp_path / "root", tmp_path / "asked"
    tools.mkdir()
    for name, text in {"apt-get": f'echo apt-get >>"{asked}"; [[ $* != *download* ]] || touch one.deb two.deb',
                       "dpkg": f'echo dpkg >>"{asked}"; mkdir -p "$3/usr/bin"; touch "$3/usr/bin/python3.11"; {dpkg_too}'}.items():
        (tools / name).write_text(f"#!/bin/bash\n{text}\n")
        (tools / name).chmod(0o755)
    command, environment = [FOLDER / "aarch64-root", root], {"PATH": f"{tools}:/usr/bin:/bin"}
    return lambda: subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(not pathlib.Path("/usr/bin/apt-get").exists(), reason="Debian's alone")
def test_two_runs_that_make_one_root_do_not_meet(tmp_path):
    """The first dpkg waits for another run of the same root."""
    root, asked = tmp_path / "root", tmp_path / "asked"
    run = run_with_stand_ins(tmp_path, f'[[ $(grep -c dpkg "{asked}") != 1 ]] || "{FOLDER / "aarch64-root"}" "{root}"')
    done = run()
    assert done.returncode == 0, done.stderr
    assert asked.read_text().count("dpkg") == 4 and sorted(p.name for p in root.iterdir()) == ["unpacked", "usr"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["asked", "root", "tools"]


@pytest.mark.skipif(not pathlib.Path("/usr/bin/apt-get").exists(), reason="Debian's alone")
def test_a_root_that_was_cut_off_is_begun_anew(tmp_path):
    """The first dpkg is cut off after a file."""
    root, asked = tmp_path / "root", tmp_path / "asked"
    run = run_with_stand_ins(tmp_path, f'[[ $(grep -c dpkg "{asked}") != 1 ]]')
    assert run().returncode != 0 and not root.exists()
    again = run()
    assert again.returncode == 0 and (root / "usr/bin/python3.11").exists(), again.stderr
    assert asked.read_text().count("dpkg") == 3
    assert run().returncode == 0 and asked.read_text().count("dpkg") == 3
    (root / "unpacked").unlink()
    refused = run()
    assert refused.returncode == 1 and "expected nothing of that name" in refused.stderr


def test_an_unknown_architecture_is_refused():
    run = subprocess.run([sys.executable, FOLDER / "build", "sparc"], capture_output=True, text=True)
    assert run.returncode == 2 and "architecture sparc; expected x86-64 or aarch64" in run.stderr


def test_all_that_states_the_version_states_the_same():
    root = FOLDER.parents[1]
    version = re.search(r'version = "([\d.]+)"', (root / "include/sparsedyn/version.hpp").read_text())[1]
    for name, pattern in {"CITATION.cff": r"^version: (\S+)", "CHANGELOG.md": r"^## ([\d.]+)", "packaging/vcpkg/vcpkg.json": r'"version": "([^"]+)"',
                          "packaging/conda/recipe.yaml": r'version: "([^"]+)"', "packaging/conan/conanfile.py": r'version = "([^"]+)"',
                          "tools/man/sparsedyn.1": r'"sparsedyn ([\d.]+)"'}.items():
        found = re.search(pattern, (root / name).read_text(), re.M)
        assert found and found[1] == version, name


@pytest.mark.parametrize(
    ("architecture", "platform", "ending"),
    [
        ("x86-64", "manylinux_2_28_x86_64", "x86_64-linux-gnu.so"),
        ("aarch64", "manylinux_2_28_aarch64", "aarch64-linux-gnu.so"),
        ("x86-64-musl", "musllinux_1_2_x86_64", "x86_64-linux-musl.so"),
        ("aarch64-musl", "musllinux_1_2_aarch64", "aarch64-linux-musl.so"),
    ],
)
def test_an_architecture_names_its_wheel_and_its_module(tmp_path, architecture, platform, ending):
    """The names as PEP 600 and PEP 656 give them, and PEP 3149 with the system's triplet."""
    chain = toolchain.Toolchain(architecture, pathlib.Path(sys.executable), tmp_path, tmp_path / "prefix")
    assert chain.platform == platform
    assert re.fullmatch(rf"cpython-3\d+-{re.escape(ending)}", chain.suffix)


def test_the_compiler_is_told_its_c_library(tmp_path):
    for architecture, target in {"x86-64": "x86_64-linux-gnu.2.28", "x86-64-musl": "x86_64-linux-musl"}.items():
        chain = toolchain.Toolchain(architecture, pathlib.Path(sys.executable), tmp_path / architecture, tmp_path / "prefix")
        chain.write({"source": tmp_path})
        assert f" c++ -target {target} " in (tmp_path / architecture / "c++").read_text()
        assert f"-ffile-prefix-map={tmp_path}=source" in (tmp_path / architecture / "toolchain.cmake").read_text()
