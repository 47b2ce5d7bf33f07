"""Texts that hypothesis makes of valid ones: a reader takes them or raises InputError with the file's place in one line; what it takes
has the same numbers after it is written and read again."""

import contextlib
import json
import os
import pathlib
import re
import tempfile

import numpy as np
import pytest

import sparsedyn as sd

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import given, settings, strategies  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
URDF = (ROOT / "robots/four-bar.urdf").read_text()
ROBOT = json.loads((ROOT / "tests/json/written/robot-0.2-every-key.json").read_text())
SET = {"name": "s", "sensors": [
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.1},
    {"name": "imu", "type": "accelerometer", "link": "*", "xyz": [0.1, 0.2, 0.3], "rpy": [0.1, 0, 1.5], "components": ["x", "z"]},
    {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
RUNS = int(os.environ.get("SPARSEDYN_ANY_TEXT", 60))
awkward = strategies.sampled_from([None, True, "", "*", "é\n", -1, 0, 1, 1e308, 1e-320, 10**30, [], {}, [0, 0, 0], ["x"], {"x": 0}])
anything = awkward | strategies.floats() | strategies.text(max_size=6)


def places(value, path=()):
    """Of each member in it, how to come there."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inside:
        yield (*path, key)
        yield from places(member, (*path, key))


def changed(value, choose, most):
    """A copy in which up to `most` members are others, gone, or there twice under another key."""
    value = json.loads(json.dumps(value))
    for _ in range(choose(strategies.integers(0, most))):
        *path, last = choose(strategies.sampled_from(list(places(value))))
        holder = value
        for key in path:
            holder = holder[key]
        what = choose(strategies.sampled_from(["other", "gone", "more"]))
        if what == "other":
            holder[last] = choose(anything)
        elif what == "gone":
            del holder[last]
        elif isinstance(holder, dict):
            holder[choose(strategies.text(min_size=1, max_size=4))] = holder[last]
        else:
            holder.append(holder[last])
        if not value:
            break
    return value


def spoilt(text, choose):
    """With some of its tokens replaced."""
    for _ in range(choose(strategies.integers(0, 4))):
        tokens = list(re.finditer(r"[-+.\w]+|[<>/=\"]", text))
        at = choose(strategies.sampled_from(tokens))
        put = choose(strategies.sampled_from(["", "0", "-1", "nan", "1e999", "<", "\"", "&#0;", "link", "a b", "\x00"]) | strategies.text(max_size=4))
        text = text[: at.start()] + put + text[at.end():]
    return text


def refused(error, file):
    assert "\n" not in str(error) and str(error), str(error)
    assert file in str(error) and "expected" in str(error), str(error)


def same_numbers(robot, again, bound):
    """Torques of both at one state, or the same failure."""
    q = robot.random(rng=1)
    one, other = (sd.rnea(r, q, 0.5, -0.25, on_error="nan") for r in (robot, again))
    assert one[1] == other[1]
    largest = max(1.0, np.abs(np.nan_to_num(one[0])).max(initial=0))
    assert np.all(np.isnan(one[0]) == np.isnan(other[0])) and np.all(np.abs(np.nan_to_num(one[0] - other[0])) <= bound * largest)


def check_written_again(robot, folder):
    """It is written, and has the same bits when it is read."""
    again = folder / "again.json"
    sd.save_robot(robot, again)
    same_numbers(robot, sd.load_robot(again), 0)


@contextlib.contextmanager
def file_with(name, content):
    with tempfile.TemporaryDirectory(prefix="sparsedyn-test-") as folder:
        path = pathlib.Path(folder, name)
        path.write_bytes(content)
        try:
            yield path
        except sd.InputError as error:
            refused(error, name)


@pytest.mark.filterwarnings("ignore::sparsedyn.SparsedynWarning")
@settings(max_examples=RUNS, deadline=None)
@given(data=strategies.data())
def test_urdf(data):
    with file_with("r.urdf", spoilt(URDF, data.draw).encode("utf-8", "surrogatepass")) as path:
        check_written_again(sd.load_urdf(path), path.parent)


@settings(max_examples=RUNS, deadline=None)
@given(data=strategies.data())
def test_robot_file(data):
    with file_with("r.json", json.dumps(changed(ROBOT, data.draw, 2)).encode()) as path:
        check_written_again(sd.load_robot(path), path.parent)


@settings(max_examples=RUNS, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@given(data=strategies.data())
def test_sensor_set(data, arm):
    given_set = changed(SET, data.draw, 2)
    with file_with("s.json", json.dumps(given_set).encode()) as path:
        result = sd.check(arm, path)
        assert str(sd.check(arm, given_set)) == str(result)  # a mapping is what its file is
