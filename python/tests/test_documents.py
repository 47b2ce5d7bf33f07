"""The blocks of docs/python.md, docs/scale.md and docs/mujoco.md run as written, from the project's root and beside a fleet's data."""

import json
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sparsedyn as sd

from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiled_anew")  # the words are compared, not the programs' speed

PACKAGES = pathlib.Path(sd.__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name, language):
    text = (ROOT / "docs" / name).read_text()
    found = BLOCK.findall(text)
    assert not re.search(r"^(    )\S.*$", BLOCK.sub("", text), re.MULTILINE), f"docs/{name}: a block without a language"
    assert {kind for kind, _ in found} <= {"python", "sh", "json", "text", "console"}
    return [code for kind, code in found if kind == language]


@pytest.fixture
def at_the_root(tmp_path, monkeypatch):
    """A folder that looks like the project's root and may be written to."""
    for name in ("robots", "examples", "sensors"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_python_md(at_the_root):
    for module in ("matplotlib", "casadi", "pyarrow", "distributed"):
        pytest.importorskip(module)
    import matplotlib

    matplotlib.use("Agg")
    code = blocks("python.md", "python")
    assert len(code) >= 10
    scope: dict = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.SparsedynWarning)
        for number, text in enumerate(code):
            exec(compile(text, f"docs/python.md, block {number + 1}", "exec"), scope)
    assert all((at_the_root / name).stat().st_size > 1000 for name in ("walk.html", "fall.html", "fleet.html"))
    assert scope["rows"] == scope["done"].rows == 200


def test_mujoco_md(at_the_root):
    mujoco = pytest.importorskip("mujoco")
    program = ROOT / "build/tools/sparsedyn"
    if not program.exists():
        pytest.skip("the program is not built")
    code, commands = blocks("mujoco.md", "python"), blocks("mujoco.md", "sh")
    assert len(code) == 1 and len(commands) == 1
    model = mujoco.MjModel.from_xml_path("examples/mujoco/quadruped.xml")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    scope = {"sd": sd, "qpos": data.qpos, "qvel": data.qvel, "qacc": data.qacc, "sensordata": data.sensordata}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.SparsedynWarning)
        exec(compile(code[0].replace("scene.xml", "examples/mujoco/quadruped.xml"), "docs/mujoco.md", "exec"), scope)
    assert scope["tau"].shape == (scope["m"].robot.nv,)
    path = os.pathsep.join([str(program.parent), os.path.dirname(sys.executable), os.environ["PATH"]])
    done = subprocess.run(["bash", "-e", "-c", commands[0]], capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, "PATH": path, "PYTHONPATH": str(PACKAGES)})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "contact-dynamics: 125 rows, 0 failed" in done.stdout


LEGS = {"name": "legs", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "base", "type": "joint_torque", "joint": "base", "optional": True, "default": 0},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}


def fleet(folder):
    """What the blocks of docs/scale.md read, in `folder`: /data of the page."""
    robot = sd.load_urdf(ROOT / "robots/quadruped.urdf", floating=True)
    import pyarrow.parquet

    for seed, place in enumerate(("robot=r7/date=2026-11-22", "robot=r8/date=2026-11-22")):
        (folder / "fleet" / place).mkdir(parents=True)
        pyarrow.parquet.write_table(sd.simulate(robot, LEGS, seconds=3, seed=seed + 1), folder / "fleet" / place / "one.parquet")
    (folder / "quadruped.urdf").write_text((ROOT / "robots/quadruped.urdf").read_text())
    (folder / "legs.json").write_text(json.dumps(LEGS))
    biased = [{**LEGS["sensors"][0], "bias": True}, *LEGS["sensors"][1:]]
    (folder / "biased.json").write_text(json.dumps({"name": "biased", "sensors": biased}))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_scale_md(number, tmp_path):
    """Each block is a script of its own: worker processes read it again. Only where its data lie is changed."""
    for module in ("pyarrow", "distributed"):
        pytest.importorskip(module)
    code = blocks("scale.md", "python")
    assert len(code) == 3
    fleet(tmp_path)
    text = code[number].replace("/data/", f"{tmp_path}/")
    if "__main__" not in text:  # a notebook's cell
        text = "if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in text.splitlines())
    (tmp_path / "fleet.py").write_text(text)
    arguments = ["laptop"] if "sys.argv" in text else []
    done = subprocess.run([sys.executable, "-W", "ignore", "fleet.py", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error", "PYTHONPATH": str(PACKAGES)}, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    solved = sd.open_log(tmp_path / "solved").read()
    assert solved.num_rows == 600 and np.isfinite(solved["tau.lf_knee"].to_numpy()).all()
    assert (tmp_path / "fleet.html").stat().st_size > 1000


def test_the_mapping_of_scale_md_is_one():
    from sparsedyn._scale.pieces import read_mapping

    (text,) = blocks("scale.md", "json")
    assert read_mapping(json.loads(text)) is not None
