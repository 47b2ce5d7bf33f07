"""sparsedyn.live on Zenoh: a publisher that goes and comes back, messages of no sense, a subscriber that does not read."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from live_arm import ARM, LiveArm

import sparsedyn as sd
from sparsedyn.live.__main__ import main
from sparsedyn.live._zenoh import Zenoh

zenoh = pytest.importorskip("zenoh", reason="Zenoh is not installed: pip install eclipse-zenoh")

#: a subscriber whose queue is full, and who is never read
ASLEEP = """
import time, zenoh
with zenoh.open(zenoh.Config()) as session:
    subscriber = session.declare_subscriber("sparsedyn/live/*", zenoh.handlers.FifoChannel(1))
    time.sleep(60)
"""


def test_messages_in_and_samples_out_on_zenoh(arm, tmp_path):
    live = LiveArm(arm, tmp_path, "--transport", "zenoh")
    asleep = subprocess.Popen([sys.executable, "-c", ASLEEP])
    heard = []

    def publish(value, until_rows):
        with zenoh.open(zenoh.Config()) as session:
            live.publish(session.declare_publisher("robot/joints").put, value, until_rows)

    try:
        with zenoh.open(zenoh.Config()) as session:
            listener = session.declare_subscriber("sparsedyn/live/sample", lambda sample: heard.append(sample.payload.to_bytes()))
            publish(0.1, 50)
            count = len(live.rows())
            time.sleep(0.2)
            publish(0.2, count + 50)
            listener.undeclare()
    finally:
        asleep.kill()
        asleep.communicate()
        live.interrupt()
    live.check([0.1] * arm.nq, [0.2] * arm.nq)
    said, expected = json.loads(heard[0]), sd.rnea(arm, [0.1] * arm.nq, np.zeros(arm.nv), np.full(arm.nv, 0.5))
    assert said["ok"] and said["values"]["tau.joint1"] == pytest.approx(expected[0], abs=1e-9)


def test_what_zenoh_refuses_and_topics_that_are_one_key_are_named(arm, tmp_path):
    with pytest.raises(sd.InputError, match="/nowhere/zenoh.json5: .*; expected settings of Zenoh"):
        Zenoh([], "/nowhere/zenoh.json5")
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"clock": {"topic": "/a"}, "topics": {"/a": {"position": "q"}, "a": {"velocity": "dq", "effort": "y.ddq"}}}))
    assert main([str(ARM), "--sensors", "inverse-dynamics", "--mapping", str(mapping), "--transport", "zenoh"]) == 3
