"""mypy --strict over the package, the examples and a user's module; pyright over the module, where it is installed."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import sparsedyn

from conftest import ROOT

RIGHT, WRONG = (ROOT / "python/tests" / name for name in ("types_of_results.py", "types_that_are_wrong.py"))


def package() -> pathlib.Path:
    return pathlib.Path(sparsedyn.__file__).parent


def mypy(sources, *files):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".cache", *map(str, files)]
    environment = {**os.environ, "MYPYPATH": str(sources)}
    return subprocess.run(command, capture_output=True, text=True, cwd=sources, check=False, env=environment)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The package's text, and what mypy has read for both tests. In site-packages, where a wheel is installed, mypy would take all that
    is there for the user's modules."""
    folder = tmp_path_factory.mktemp("mypy")
    shutil.copytree(package(), folder / "sparsedyn", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return folder


def test_mypy_has_nothing_to_say(sources):
    assert (package() / "py.typed").exists() and (package() / "_core.pyi").exists()
    examples = [str(path) for folder in ("python/examples", "examples") for path in sorted((ROOT / folder).glob("*.py"))]
    done = mypy(sources, sources / "sparsedyn", *examples, RIGHT)
    assert done.returncode == 0, done.stdout


def wrong_lines():
    return {k for k, line in enumerate(WRONG.read_text().splitlines(), 1) if line.endswith("# wrong")}


def test_mypy_tells_what_is_misspelt(sources):
    done = mypy(sources, WRONG)
    told = {int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith(f"{WRONG}:") and ": error:" in line}
    assert told == wrong_lines() and len(told) >= 14, done.stdout


def test_pyright_agrees(tmp_path):
    program = shutil.which("pyright") or shutil.which("basedpyright")
    if not program:
        pytest.skip("pyright is not installed (pip install basedpyright): it is not asked")
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard", "reportAttributeAccessIssue": "error"}')
    for path in (RIGHT, WRONG):
        shutil.copy(path, tmp_path)
    command = [program, "--pythonpath", sys.executable, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, env={**os.environ, "PYTHONPATH": str(package().parent)})
    errors = [line for line in done.stdout.splitlines() if " - error:" in line or " error:" in line]
    assert not [line for line in errors if RIGHT.name in line], done.stdout
    assert {int(line.split(".py:")[1].split(":")[0]) for line in errors if WRONG.name in line} == wrong_lines(), done.stdout
