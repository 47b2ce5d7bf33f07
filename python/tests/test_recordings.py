"""MCAP as robots record it: several publishers on a topic, clocks that are reset, times that are wrong."""

import numpy as np
import pytest
from test_formats import JOINT_STATE, START

import sparsedyn as sd

ARM, GRIPPER = ["a", "b", "c"], ["left", "right"]
HOUR = 3600.0


def states(path, messages, topic="/joints", **options):
    """JointState messages (time of the header, time of recording, names, positions), in this order; times in s after START."""
    writer = pytest.importorskip("mcap_ros2.writer")
    with open(path, "wb") as file:
        out = writer.Writer(file, **options)
        kind = out.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        for stamp, recorded, names, positions in messages:
            at = START + round(stamp * 1e9)
            header = {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": "base"}
            out.write_message(topic, kind, {"header": header, "name": list(names), "position": list(positions), "velocity": [],
                                            "effort": []}, log_time=START + round(recorded * 1e9))
        out.finish()
    return path


def publisher(names, rate, seconds, at=0.0, offset=0.0):
    """One that says for each joint k: 10 k + offset + t."""
    times = at + np.arange(round(seconds * rate)) / rate
    return [(t, t, names, [10 * k + offset + t for k in range(len(names))]) for t in times]


def mapping(**changes):
    return {"clock": {"topic": "/joints"}, "topics": {"/joints": {"position": "q"}}, **changes}


def same(one, other):
    """To the last bit, gaps too."""
    assert one.column_names == other.column_names and one.num_rows == other.num_rows
    for name in one.column_names:
        assert np.array_equal(one[name].to_numpy(), other[name].to_numpy(), equal_nan=True), name


def both(order):
    """Arm at 200 Hz and gripper at 20 Hz, stamps equal where they meet."""
    arm, gripper = publisher(ARM, 200, 2), publisher(GRIPPER, 20, 2)
    if order == "arm first":
        return sorted(arm + gripper, key=lambda each: each[0])
    if order == "gripper first":
        return sorted(gripper + arm, key=lambda each: each[0])
    if order == "one after the other":
        return arm + gripper
    rng = np.random.default_rng(1)  # messages that overtook each other
    return sorted(arm + gripper, key=lambda each: each[0] + 0.02 * rng.uniform())


@pytest.mark.filterwarnings("ignore:.*earlier than one before")
@pytest.mark.parametrize("order", ["arm first", "gripper first", "one after the other", "shuffled"])
@pytest.mark.parametrize("clock", [{"topic": "/joints"}, {"rate": 100}])
@pytest.mark.parametrize("chunk", [1 << 20, 4096])
def test_publishers_that_share_a_topic_lose_nothing(tmp_path, order, clock, chunk):
    path = states(tmp_path / "log.mcap", both(order), chunk_size=chunk)
    table = sd.open_log(path, mapping(clock=clock)).read()
    t = table["time"].to_numpy() - START / 1e9
    assert len(t) == (400 if "topic" in clock else 200)
    for names in (ARM, GRIPPER):
        for k, name in enumerate(names):
            found = table[f"q.{name}"].to_numpy()
            known = t <= (1.9501 if names is GRIPPER else 1.9951)
            assert np.abs(found - 10 * k - t)[known].max() < 1e-5, name
            assert np.isnan(found[~known]).all()
    assert set(table.column_names) == {"time", *(f"q.{name}" for name in ARM + GRIPPER)}


def test_pieces_of_publishers_that_share_a_topic(tmp_path, monkeypatch):
    from sparsedyn._scale import mcap

    path = states(tmp_path / "log.mcap", both("gripper first"), chunk_size=4096)
    for clock in ({"topic": "/joints"}, {"rate": 100}):
        whole = sd.open_log(path, mapping(clock=clock))
        monkeypatch.setattr(mcap, "BYTES_A_PIECE", 1 << 13)
        cut = sd.open_log(path, mapping(clock=clock))
        assert len(whole._pieces) == 1 and len(cut._pieces) > 3 and cut.columns == whole.columns
        same(cut.read(), whole.read())
        monkeypatch.undo()


def test_a_rate_that_is_no_short_fraction(tmp_path):
    """Times beyond 64 bits on the way: 1 / 123.456789 s, for three hours."""
    from fractions import Fraction

    from sparsedyn._scale import clock

    rate = 123.456789
    times = clock.even(rate, START, START + 3 * 3600 * 10**9)
    period = Fraction(10**9) / Fraction(rate).limit_denominator(10**6)
    k = -(-START * period.denominator // period.numerator)
    assert len(times) == pytest.approx(3 * 3600 * rate, abs=1)
    for row in (0, 1, 9_000, 10_000, 500_000, len(times) - 1):
        assert times[row] == (k + row) * period.numerator // period.denominator
    parts = [clock.even(rate, first, last) for first, last in clock.slices(rate, START, START + 10**12, 1000)]
    assert np.array_equal(np.concatenate(parts), clock.even(rate, START, START + 10**12)) and max(map(len, parts)) <= 1000


def reset(first=5.0, back=5.0, then=3.0):
    """A clock that goes back: values of the second run differ from those of the first at the same times."""
    return publisher(ARM, 100, first) + publisher(ARM, 100, then, at=first - back, offset=1000.0)


@pytest.mark.parametrize("clock", [{"topic": "/joints"}, {"rate": 100}])
@pytest.mark.parametrize("back", [5.0, 0.5])
def test_a_clock_that_is_reset(tmp_path, clock, back):
    path = states(tmp_path / "log.mcap", reset(back=back), chunk_size=8192)
    with pytest.raises(sd.InputError, match=r"time: /joints goes back by .* s, from .* to .*; expected .*runs='split'"):
        sd.open_log(path, mapping(clock=clock))
    with pytest.raises(sd.DatasetError, match="goes back"):
        sd.convert(path, tmp_path / "out", mapping(clock=clock))
    log = sd.open_log(path, mapping(clock=clock), runs="split")
    table = log.read()
    fault, = log.time_faults
    assert fault.topic == "/joints" and fault.run == 1 and fault.after - fault.before == pytest.approx(0.01 - back)
    run, t, q = (table[name].to_numpy() for name in ("run", "time", "q.a"))
    assert table.column_names[:2] == ["time", "run"] == log.columns[:2] and np.array_equal(np.unique(run), [0, 1])
    assert (np.diff(run) >= 0).all() and np.count_nonzero(run == 0) == 500 and np.count_nonzero(run == 1) == 300
    for k in range(2):
        assert (np.diff(t[run == k]) > 0).all()
        assert np.abs(q[run == k] - 1000 * k - (t[run == k] - START / 1e9)).max() < 1e-5
    converted = sd.convert(path, tmp_path / "split", mapping(clock=clock), runs="split")
    assert converted.rows == 800 and len(converted.time_faults) == 1
    assert sd.open_log(tmp_path / "split").read().equals(table)


def test_runs_of_many_pieces_are_never_mixed(tmp_path, monkeypatch):
    """Three runs over the same times, in the order in which they were recorded."""
    from sparsedyn._scale import mcap

    messages = [each for k in range(3) for each in publisher(ARM, 200, 2, offset=100.0 * k)]
    path = states(tmp_path / "log.mcap", messages, chunk_size=4096)
    whole = sd.open_log(path, mapping(), runs="split").read()
    monkeypatch.setattr(mcap, "BYTES_A_PIECE", 1 << 13)
    log = sd.open_log(path, mapping(), runs="split")
    assert len(log._pieces) > 9 and len(log.time_faults) == 2 and log.read().equals(whole)
    assert whole["run"].to_pylist() == [0] * 400 + [1] * 400 + [2] * 400
    assert np.abs(whole["q.b"].to_numpy() - 10 - 100 * whole["run"].to_numpy() - np.tile(np.arange(400) / 200, 3)).max() < 1e-6
    converted = sd.convert(path, tmp_path / "out", mapping(), runs="split", processes=2)
    assert len({part["file"] for part in converted.parts}) == len(log._pieces)
    assert sd.open_log(tmp_path / "out").read().equals(whole)


def test_runs_are_differentiated_each_by_itself(tmp_path):
    path = states(tmp_path / "log.mcap", reset(), chunk_size=8192)
    table = sd.open_log(path, mapping(clock={"rate": 100}, differentiate={"window": 0.1}), runs="split").read()
    assert np.abs(table["dq.a"].to_numpy() - 1).max() < 1e-3 and np.abs(table["ddq.a"].to_numpy()).max() < 0.1


def test_a_log_without_faults_may_be_split(tmp_path):
    path = states(tmp_path / "log.mcap", publisher(ARM, 100, 1))
    plain, split = sd.open_log(path, mapping()).read(), sd.open_log(path, mapping(), runs="split").read()
    assert split.drop_columns("run").equals(plain) and set(split["run"].to_pylist()) == {0}
    with pytest.raises(ValueError, match="runs: 'all'; expected None or 'split'"):
        sd.open_log(path, mapping(), runs="all")


def stray(kind):
    """400 messages at 200 Hz; with one time, or all to the half, that are wrong."""
    messages = publisher(ARM, 200, 2)
    if kind == "a day late":
        t = messages[200][0] + 24 * HOUR
        messages[200] = (t, t, *messages[200][2:])
    elif kind == "the last a day late":
        t = messages[399][0] + 24 * HOUR
        messages[399] = (t, t, *messages[399][2:])
    elif kind == "1970":
        messages[:200] = [(t - START / 1e9, t - START / 1e9, *rest) for t, _, *rest in messages[:200]]
    elif kind == "one of 1970":
        t = messages[200][0] - START / 1e9
        messages[200] = (t, t, *messages[200][2:])
    elif kind == "a minute late":
        t = messages[200][0] + 60
        messages[200] = (t, t, *messages[200][2:])
    return messages


STRAY = {"a day late": [200, 1, 199], "the last a day late": [399, 1], "1970": [200, 200], "one of 1970": [200, 1, 199],
         "a minute late": [201, 199]}


@pytest.mark.parametrize("kind", STRAY)
@pytest.mark.parametrize("clock", [{"topic": "/joints"}, {"rate": 200}])
def test_times_that_are_wrong(tmp_path, kind, clock):
    """Refused, or runs of their own. Rows are made where messages are, not in between."""
    path = states(tmp_path / "log.mcap", stray(kind), chunk_size=4096)
    with pytest.raises(sd.InputError, match="time: /joints goes (back|ahead).*runs='split'"):
        sd.open_log(path, mapping(clock=clock)).read()
    log = sd.open_log(path, mapping(clock=clock), runs="split")
    table = log.read()
    counts = np.bincount(table["run"].to_numpy())
    assert len(log.time_faults) == len(STRAY[kind]) - 1
    if "topic" in clock:
        assert counts.tolist() == STRAY[kind] and not table["q.a"].null_count and np.isfinite(table["q.a"].to_numpy()).all()
    else:
        assert all(abs(int(n) - rows) <= 42 for n, rows in zip(counts, STRAY[kind]))  # and max_gap beside a pause


def test_a_run_without_a_row_is_named(tmp_path):
    """No time of the clock lies in it: not lost without a word."""
    messages = publisher(ARM, 200, 1)
    messages[100] = (86400.5003, 86400.5003, *messages[100][2:])
    path = states(tmp_path / "log.mcap", messages)
    with pytest.warns(sd.SparsedynWarning, match="run 1 of 1 message, .* holds no time of the clock: no row is made of it"):
        assert set(sd.open_log(path, mapping(clock={"rate": 200}), runs="split").read()["run"].to_pylist()) == {0, 2}


def test_a_pause_has_no_rows(tmp_path):
    """Ten minutes without a message: rows end max_gap after the last one, and begin max_gap before the next."""
    path = states(tmp_path / "log.mcap", publisher(ARM, 100, 2) + publisher(ARM, 100, 2, at=600.0), chunk_size=4096)
    for changes in ({}, {"differentiate": {"window": 0.1}}):
        table = sd.open_log(path, mapping(clock={"rate": 100}, **changes)).read()
        t = table["time"].to_numpy() - START / 1e9
        assert 400 <= len(t) <= 422 and t.max() > 601.9 and np.diff(t).max() == pytest.approx(598.01 - 0.2, abs=0.03)
        value = table["q.a"].to_numpy()
        assert np.count_nonzero(np.isfinite(value)) == 400 and np.nanmax(np.abs(value - t)) < 1e-5


def test_messages_that_overtook_each_other_are_said(tmp_path):
    messages = publisher(ARM, 100, 1)
    messages[50], messages[51] = messages[51], messages[50]
    path = states(tmp_path / "log.mcap", messages)
    with pytest.warns(sd.SparsedynWarning, match="1 message that is up to 0.01 s earlier than one before"):
        table = sd.open_log(path, mapping()).read()
    assert np.abs(table["q.a"].to_numpy() - np.arange(100) / 100).max() < 1e-6
