"""examples/NN_name.py: each says what its twin in C++ says."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
PROGRAMS = ROOT / os.environ.get("BUILD_DIR", "build") / "examples"


def said(command: list[str]) -> list[str]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_python_example_prints_what_the_one_in_cpp_prints(name):
    lines = said([sys.executable, f"examples/{name}.py"])
    assert lines
    program = PROGRAMS / f"example_{name}"
    if not program.exists():
        pytest.skip(f"{program} was not built: its output is not compared")
    assert lines == said([str(program)])


def test_each_of_the_eight_subjects_has_a_pair():
    assert len(EXAMPLES) == 8
    assert all((ROOT / "examples" / f"{name}.cpp").exists() for name in EXAMPLES)
