"""What a live run publishes and writes: columns as messages hold them, files, and readers that stall or leave."""

import os
import threading
import types

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn.live import Inlet, Live, Streams
from sparsedyn.live import _output as output
from sparsedyn.live._output import Output
from sparsedyn.live._outputs import POSE, POSE_ERRORS, TWIST, WRENCH, Deviations, Outputs, covariance, topic_names
from sparsedyn.live._ros import Ros


def test_columns_are_found_as_messages_hold_them():
    columns = ["tau.knee", *POSE, *TWIST, "q.base", *(f"fx.left-foot.{part}" for part in WRENCH), "fx.hand.fx", *("sd." + name for name in POSE_ERRORS)]
    out = Outputs(columns)
    assert out.pose == list(range(1, 8)) and out.twist == list(range(8, 14)) and out.twist_deviations is None
    assert out.pose_deviations.places == [columns.index("sd." + name) for name in POSE_ERRORS]
    assert (out.pose_deviations.pairs == -1).all()
    assert [(each.link, each.deviations) for each in out.wrenches] == [("left-foot", None)]
    assert out.joints == {"knee": {"tau": 0}, "base": {"q": 14}}  # a fixed robot may call a joint so


def test_numbers_that_are_not_known_are_published_by_no_joint():
    out = Outputs(["q.a", "q.b", "q.c", "dq.a", "dq.b", "dq.c", "tau.b"])
    groups = out.of_joints(("q", "dq", "tau"), np.array([1, 2, np.nan, 4, 5, np.nan, 7.0]))
    assert groups == [(("q", "dq"), ["a"], [[1], [4]]), (("q", "dq", "tau"), ["b"], [[2], [5], [7]])]
    assert out.of_joints(("ddq",), np.zeros(7)) == []


def test_deviations_that_are_not_known_are_no_certainty():
    assert list(np.diag(np.reshape(covariance(np.zeros(0), None), (6, 6)))) == pytest.approx([1e9] * 6)
    alone = Deviations.of(["sd." + name for name in TWIST], TWIST)
    found = np.reshape(covariance(np.array([1, 2, np.nan, 0.5, 0, 3]), alone), (6, 6))
    assert list(np.diag(found)) == pytest.approx([1, 4, 1e9, 0.25, 0, 9]) and np.count_nonzero(found) == 5


def test_covariances_stand_where_their_errors_are_whatever_the_order_of_columns():
    columns = [*("sd." + name for name in POSE_ERRORS), "cov.q.base.rx|q.base.x", "cov.q.base.y|q.base.rz", "cov.q.base.z|q.base.ry"]
    values = np.array([1, 2, 3, 4, np.nan, 6, 0.5, -0.25, 0.75])
    found = np.reshape(covariance(values, Deviations.of(columns, POSE_ERRORS)), (6, 6))
    expected = np.diag([1.0, 4, 9, 16, 1e9, 36])
    expected[0, 3] = expected[3, 0] = 0.5
    expected[1, 5] = expected[5, 1] = -0.25  # beside z, ry is not known: their covariance neither
    assert (found == expected).all()


@pytest.mark.parametrize("torques", [False, True])
def test_a_floating_robots_odometry_has_correlations(quadruped, torques):
    trunk, feet = quadruped.link_names[0], [name for name in quadruped.link_names if "foot" in name]
    place = {"link": trunk, "xyz": [0.1, 0.05, 0.02]}
    sensors = [{"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-3},
               {"name": "gyro", "type": "gyroscope", "sigma": 2e-3, "bias": {"sigma": 0.01}, **place},
               {"name": "push", "type": "accelerometer", "sigma": 0.05, "bias": {"sigma": 0.1}, **place},
               *({"name": foot, "type": "contact", "link": foot} for foot in feet)]
    if torques:
        sensors += [{"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 1},
                    {"name": "air", "type": "external_wrench", "link": "*", "except": feet, "value": 0}]
    live = Live(quadruped, {"sensors": sensors}, over_time=True, outputs=["q.base", "dq.base"], sd=True, covariances=True)
    out = Outputs(live.columns)
    rows = 1e-3 * np.random.default_rng(3).standard_normal((60, len(live.readings)))
    for k, reading in enumerate(live.readings):
        rows[:, k] = 1 if reading.is_flag else rows[:, k] + 9.81 * (reading.columns[0] == "y.push.az")
    live.start()
    for k, row in enumerate(rows):
        live.put(0, 0.004 * k, row)
    live.end()
    samples, more = [], True
    while more:
        taken = live.take(0.1)
        samples, more = samples + taken.samples, taken.more
    x = samples[-1].values
    assert samples[-1].ok
    for errors, of in ((POSE_ERRORS, out.pose_deviations), (TWIST, out.twist_deviations)):
        matrix = np.reshape(covariance(x, of), (6, 6))
        assert (matrix == matrix.T).all() and np.linalg.eigvalsh(matrix).min() > -1e-12 * matrix.trace()
        deviations = [x[live.columns.index("sd." + name)] for name in errors]
        np.testing.assert_allclose(np.diag(matrix), np.square(deviations), rtol=1e-12)
        correlations = matrix / np.outer(deviations, deviations)
        assert np.abs(correlations - np.eye(6)).max() > 0.01


def test_each_link_has_a_topic_of_its_own():
    names = {"left-foot": "left_foot", "left_foot": "left_foot_2", "2": "_2", "hand": "hand"}
    assert topic_names(list(names)) == names


def test_what_a_callback_raises_ends_the_run_as_an_error(arm):
    def raises():
        raise ImportError("no package of that type")

    for closed in (False, True):
        ros = Ros.__new__(Ros)
        ros._inlet, ros._executor = Inlet(Live(arm, "inverse-dynamics"), None), types.SimpleNamespace(spin=raises)
        ros._inlet.closed = closed
        ros._spin()
        assert ros._inlet.ended.is_set() and ros._inlet.error == ("" if closed else "ImportError: no package of that type")


def test_a_run_that_receives_has_one_who_hands_in(arm, tmp_path):
    live = Live(arm, "inverse-dynamics", sources=[f"unix:{tmp_path / 'socket'}"])
    row = np.zeros(len(live.readings))
    before = live.now()
    assert live.put(0, 0.0, row) and live.now() >= before
    streams = Streams(live)
    streams.start(None, Inlet(live, None))
    try:
        for hand_in in (lambda: live.put(0, 0.0, row), lambda: live.change("tare joint1")):
            with pytest.raises(RuntimeError, match="the run receives"):
                hand_in()
    finally:
        streams.close()


def test_a_change_that_finds_no_room_is_refused(arm):
    sensors = {"sensors": [{"name": "known", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
                           {"name": "air", "type": "external_wrench", "link": "*"}]}
    live = Live(arm, sensors)
    row = np.zeros(len(live.readings))
    while live.put(0, 0.0, row):  # nobody takes: the loop has not begun
        pass
    with pytest.raises(ValueError, match="the loop is too far behind"):
        live.change("sigma known 1")


def test_a_file_appears_when_it_is_complete(tmp_path):
    there = tmp_path / "out.csv"
    there.write_text("before\n")
    with Output(str(there), appears=True) as out:
        out.write("a\n")
        out.flush()
        assert there.read_text() == "before\n"
    assert there.read_text() == "before\n" and os.listdir(tmp_path) == ["out.csv"]
    with Output(str(there), appears=True) as out:
        out.write("a\n")
        out.finish()
    assert there.read_text() == "a\n" and os.listdir(tmp_path) == ["out.csv"]
    with Output(str(there)) as out:
        out.write("b\n")
        out.flush()
        assert there.read_text() == "a\n"  # a run that is refused leaves it so
    assert there.read_text() == "a\n"
    with Output(str(there)) as out:
        out.write("b\n")
        out.begin()
        out.flush()
        assert there.read_text() == "b\n"
        out.write("c\n")
        out.flush()
        assert there.read_text() == "b\nc\n"
    for wrong in (str(tmp_path), "/nowhere/out.csv"):
        with pytest.raises(sd.InputError, match="expected a file that can be written"):
            Output(wrong, appears=True)
    with Output("/dev/full") as out, pytest.raises(sd.InputError, match="/dev/full: No space left"):
        out.write("a\n")
        out.flush()


def test_a_reader_that_stalls_loses_lines_and_one_that_reads_gets_them(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "PATIENCE", 0.05)
    monkeypatch.setattr(output, "MOST_WAITING", 1 << 16)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    line = "x" * 1023 + "\n"
    with Output(str(pipe)) as out:
        for _ in range(1000):
            out.write(line)
            out.flush()
        assert out.dropped > 500
        got, kept = bytearray(), 1000 - out.dropped

        def read():
            while len(got) < kept * len(line):
                got.extend(os.read(reader, 65536))

        os.set_blocking(reader, True)
        thread = threading.Thread(target=read)
        thread.start()
        out.finish()
        thread.join()
        assert out.dropped == 1000 - kept and bytes(got) == line.encode() * kept
        out.is_asked = lambda: True
        for _ in range(200):
            out.write(line)
        out.flush()
        out.finish()  # nobody reads: the run ends all the same
        assert out.dropped > 1000 - kept
    with Output(str(pipe)) as out:
        os.close(reader)
        out.write(line)
        out.flush()
        assert out.gone
