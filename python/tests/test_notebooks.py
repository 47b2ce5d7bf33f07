"""The notebooks run, cell by cell; `jupytext --to ipynb python/notebooks/tour.py` makes the notebook."""

import sys
import warnings

import pytest

from conftest import ROOT

jupytext = pytest.importorskip("jupytext")
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_runs(path, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    if path.stem == "from_mujoco":
        pytest.importorskip("mujoco")
    if path.stem in ("mpc", "gradients", "trot"):
        pytest.importorskip("casadi")
    if path.stem == "trot":  # long straight lines: seconds to compile, not a minute
        monkeypatch.setenv("CFLAGS", "-O0")
        monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    notebook = jupytext.read(path)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) >= 3 and any(cell.cell_type == "markdown" for cell in notebook.cells)
    scope: dict = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        for number, text in enumerate(code):
            exec(compile(text, f"{path.name}, cell {number}", "exec"), scope)
