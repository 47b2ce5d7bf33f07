"""sparsedyn.live on Zenoh: a publisher that goes and comes back, messages of no sense, a subscriber that does not read."""

import json
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn.live.__main__ import main
from sparsedyn.live._zenoh import Zenoh

zenoh = pytest.importorskip("zenoh", reason="Zenoh is not installed: pip install eclipse-zenoh")

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARM = ROOT / "robots/arm.urdf"
MAPPING = {"clock": {"topic": "/robot/joints"}, "topics": {"/robot/joints": {"position": "q", "velocity": "dq", "effort": "y.ddq"}}}


#: a subscriber whose queue is full, and who is never read
ASLEEP = """
import time, zenoh
with zenoh.open(zenoh.Config()) as session:
    subscriber = session.declare_subscriber("sparsedyn/live/*", zenoh.handlers.FifoChannel(1))
    time.sleep(60)
"""


def test_messages_in_and_samples_out_on_zenoh(arm, tmp_path):
    mapping, out = tmp_path / "mapping.json", tmp_path / "out.csv"
    mapping.write_text(json.dumps(MAPPING))
    found = tmp_path / "found.json"
    live = subprocess.Popen([sys.executable, "-m", "sparsedyn.live", ARM, "--sensors", "inverse-dynamics", "--outputs", "tau", "--mapping",
                             mapping, "--transport", "zenoh", "-o", "-", "--diagnostics", found, "--json"], stdout=out.open("w"),
                            stderr=subprocess.PIPE)
    asleep = subprocess.Popen([sys.executable, "-c", ASLEEP])
    heard = []

    def rows():
        return out.read_text().splitlines()[1:] if out.exists() else []

    def publish(value, until_rows, seconds=20):
        with zenoh.open(zenoh.Config()) as session:
            publisher = session.declare_publisher("robot/joints")
            ends = time.monotonic() + seconds
            while len(rows()) < until_rows:
                assert time.monotonic() < ends, "nothing came"
                n = arm.nv
                publisher.put(json.dumps({"stamp": time.time(), "name": arm.joint_names, "position": [value] * n, "velocity": [0] * n,
                                          "effort": [0.5] * n}))
                publisher.put(b"\xff\x00 rubbish")
                time.sleep(0.005)

    try:
        with zenoh.open(zenoh.Config()) as session:
            listener = session.declare_subscriber("sparsedyn/live/sample", lambda sample: heard.append(sample.payload.to_bytes()))
            publish(0.1, 50)
            count = len(rows())
            time.sleep(0.2)
            publish(0.2, count + 50)
            listener.undeclare()
    finally:
        asleep.kill()
        asleep.communicate()
        live.send_signal(signal.SIGINT)
        _, errors = live.communicate(timeout=20)
    assert live.returncode == 0, errors
    summary = json.loads(errors.splitlines()[-1])
    assert summary["samples"] == summary["answered"] >= 100 and summary["messages"]["/robot/joints"]["malformed"] > 50
    assert '"silent"' in found.read_text()
    expected = {value: sd.rnea(arm, [value] * arm.nq, np.zeros(arm.nv), np.full(arm.nv, 0.5)) for value in (0.1, 0.2)}
    for row, value in ((rows()[0], 0.1), (rows()[-1], 0.2)):
        assert np.abs(np.array([float(x) for x in row.split(",")[1:]]) - expected[value]).max() < 1e-9
    said = json.loads(heard[0])
    assert said["ok"] and said["values"]["tau.joint1"] == pytest.approx(expected[0.1][0], abs=1e-9)


def test_what_zenoh_refuses_and_topics_that_are_one_key_are_named(arm, tmp_path):
    with pytest.raises(sd.InputError, match="/nowhere/zenoh.json5: .*; expected settings of Zenoh"):
        Zenoh([], "/nowhere/zenoh.json5")
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"clock": {"topic": "/a"}, "topics": {"/a": {"position": "q"}, "a": {"velocity": "dq", "effort": "y.ddq"}}}))
    assert main([str(ARM), "--sensors", "inverse-dynamics", "--mapping", str(mapping), "--transport", "zenoh"]) == 3
