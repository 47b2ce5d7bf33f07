"""Files that functions write: all of a call or none, and none that its arguments were read from."""

import json
import os
import pathlib
import stat

import pytest

import sparsedyn as sd
from sparsedyn._files import refuse_clash, write_files

ROBOTS = pathlib.Path(__file__).parents[2] / "robots"


@pytest.fixture
def here(tmp_path):
    """A robot, its joints, a set that includes another with offsets."""
    (tmp_path / "robot.urdf").write_text((ROBOTS / "arm.urdf").read_text())
    (tmp_path / "joints.json").write_text(json.dumps({"joints": {"joint1": {"damping": 0.1}}}))
    (tmp_path / "offsets.json").write_text(json.dumps({"offsets": {"tau.joint1": {"value": 0.25}}}))
    (tmp_path / "inner.json").write_text(json.dumps({"sensors": [{"name": "t", "type": "joint_torque", "joint": "*", "sigma": 0.1}], "offsets": "offsets.json"}))
    (tmp_path / "set.json").write_text(
        json.dumps(
            {
                "include": "inner.json",
                "sensors": [
                    {"name": "a", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
                    {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
                ],
            }
        )
    )
    return tmp_path


def texts(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_programs_replace_nothing_that_they_were_made_of(here):
    robot = sd.load_urdf(here / "robot.urdf", joints=here / "joints.json")
    before = texts(here)
    for name in ("set", "inner", "offsets", "joints"):
        program = sd.generate(robot, sensors=here / "set.json", outputs="tau", name=name)
        with pytest.raises(ValueError, match="that file is an input"):
            program.save(here)
        assert texts(here) == before
    (here / "link.json").symlink_to(here / "joints.json")
    with pytest.raises(ValueError, match="that file is an input"):
        sd.generate(robot, "rnea", name="link").save(here)
    assert sorted(os.path.basename(path) for path in sd.generate(robot, "rnea", name="id").save(here)) == ["id.c", "id.h", "id.json"]
    assert {name: text for name, text in texts(here).items() if name in before} == before


def test_plans_and_pages_replace_no_input(here):
    robot = sd.load_urdf(here / "robot.urdf")
    plan = sd.optimise(robot, here / "set.json")
    before = texts(here)
    for name in ("robot.urdf", "set.json", "inner.json", "offsets.json"):
        with pytest.raises(ValueError, match="that file is an input"):
            plan.save(here / name)
    with pytest.raises(ValueError, match="that file is an input"):
        sd.simulate(robot, seconds=0.1, forward=True, report=here / "robot.urdf")
    assert texts(here) == before
    plan.save(here / "plan.json")
    assert sd.Plan.load(here / "plan.json").json == plan.json


def test_all_files_or_none(tmp_path):
    (tmp_path / "old").write_text("before")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        write_files({tmp_path / "old": "after", tmp_path / "new": "text", tmp_path / "folder": "text"})
    with pytest.raises(OSError):
        write_files({tmp_path / "old": "after", tmp_path / "nowhere/file": "text"})
    with pytest.raises(UnicodeEncodeError):
        write_files({tmp_path / "old": "after", tmp_path / "new": "\ud800"})
    assert texts(tmp_path) == {"old": "before"}
    os.chmod(tmp_path / "old", 0o640)
    (tmp_path / "link").symlink_to("old")
    write_files({tmp_path / "link": "after", tmp_path / "new": "text"})
    assert (tmp_path / "link").is_symlink()
    assert texts(tmp_path) == {"old": "after", "link": "after", "new": "text"}
    assert stat.S_IMODE(os.stat(tmp_path / "old").st_mode) == 0o640
    write_files({"/dev/null": "text"})


def test_files_are_told_apart_by_what_they_are(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    (tmp_path / "link").symlink_to(file)
    os.link(file, tmp_path / "second")
    for name in ("file", "link", "second", "../" + tmp_path.name + "/file"):
        with pytest.raises(ValueError, match="is an input"):
            refuse_clash([tmp_path / name], [str(file)])
    with pytest.raises(ValueError, match="the same file"):
        refuse_clash([tmp_path / "new", str(tmp_path) + "/./new"], [])
    refuse_clash([tmp_path / "new", "/dev/null"], [str(file), "/dev/null"])
