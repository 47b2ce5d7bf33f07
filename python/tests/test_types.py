"""mypy --strict over the package and the examples."""

import pathlib
import subprocess
import sys

import sparsedyn

from conftest import ROOT


def test_mypy_has_nothing_to_say(tmp_path):
    package = pathlib.Path(sparsedyn.__file__).parent
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    examples = [str(path) for folder in ("python/examples", "examples") for path in sorted((ROOT / folder).glob("*.py"))]
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(package), *examples]
    done = subprocess.run(command, capture_output=True, text=True, cwd=package.parent, check=False)
    assert done.returncode == 0, done.stdout
