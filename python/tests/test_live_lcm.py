"""sparsedyn.live on LCM: a publisher that goes and comes back, messages of no sense, a change on the way."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn.live.__main__ import main
from sparsedyn.live._lcm import Lcm

lcm = pytest.importorskip("lcm", reason="LCM is not installed: pip install lcm")

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARM = ROOT / "robots/arm.urdf"
MAPPING = {"clock": {"topic": "/robot/joints"}, "topics": {"/robot/joints": {"position": "q", "velocity": "dq", "effort": "y.ddq"}}}
URL = f"udpm://239.255.76.67:{20000 + os.getpid() % 20000}?ttl=0"  #: on this machine alone, and beside other tests'


def test_messages_in_and_samples_out_on_lcm(arm, tmp_path):
    mapping, out, found = tmp_path / "mapping.json", tmp_path / "out.csv", tmp_path / "found.json"
    mapping.write_text(json.dumps(MAPPING))
    live = subprocess.Popen([sys.executable, "-m", "sparsedyn.live", ARM, "--sensors", "inverse-dynamics", "--outputs", "tau", "--mapping",
                             mapping, "--transport", "lcm", "--lcm-url", URL, "-o", "-", "--diagnostics", found, "--json"],
                            stdout=out.open("w"), stderr=subprocess.PIPE)
    heard, listener, stop = [], lcm.LCM(URL), threading.Event()
    listener.subscribe("sparsedyn/live/sample", lambda channel, data: heard.append(data))

    def listen():
        while not stop.is_set():
            listener.handle_timeout(50)

    def rows():
        return out.read_text().splitlines()[1:] if out.exists() else []

    def publish(value, until_rows, seconds=20):
        publisher, ends = lcm.LCM(URL), time.monotonic() + seconds
        while len(rows()) < until_rows:
            assert time.monotonic() < ends, "nothing came"
            n = arm.nv
            publisher.publish("robot/joints", json.dumps({"stamp": time.time(), "name": arm.joint_names, "position": [value] * n,
                                                          "velocity": [0] * n, "effort": [0.5] * n}).encode())
            publisher.publish("robot/joints", b"\xff\x00 rubbish")
            publisher.publish("robot/jointsandmore", b"{}")  # another channel
            time.sleep(0.005)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        publish(0.1, 50)
        lcm.LCM(URL).publish("sparsedyn/live/change", b"offset q.joint1 0.1")
        count = len(rows())
        time.sleep(0.2)
        publish(0.2, count + 50)
    finally:
        stop.set()
        thread.join()
        live.send_signal(signal.SIGINT)
        _, errors = live.communicate(timeout=20)
    assert live.returncode == 0, errors
    summary = json.loads(errors.splitlines()[-1])
    assert summary["samples"] == summary["answered"] >= 100 and summary["messages"]["/robot/joints"]["malformed"] > 50
    assert summary["unknown"] == 0
    assert '"silent"' in found.read_text() and '"changed"' in found.read_text()
    shifted = [0.1, *[0.2] * (arm.nq - 1)]
    for row, q in ((rows()[0], [0.1] * arm.nq), (rows()[-1], shifted)):
        expected = sd.rnea(arm, q, np.zeros(arm.nv), np.full(arm.nv, 0.5))
        assert np.abs(np.array([float(x) for x in row.split(",")[1:]]) - expected).max() < 1e-9
    said = json.loads(heard[0])
    assert said["ok"] and said["values"]["tau.joint1"] == pytest.approx(float(rows()[0].split(",")[1]), abs=1e-9)


def test_what_lcm_refuses_is_named(tmp_path, capfd):
    with pytest.raises(sd.InputError, match="nonsense://: .*; expected a URL of LCM"):
        Lcm([], "nonsense://")
    mapping = tmp_path / "mapping.json"
    for topics, said in (({"/a": {"position": "q"}, "a": {"velocity": "dq", "effort": "y.ddq"}}, "/a and a are one channel"),
                         ({"/a": {"position": "q", "velocity": "dq"}, "/" + "b" * 64: {"effort": "y.ddq"}}, "of 64 bytes; expected at most 63")):
        mapping.write_text(json.dumps({"clock": {"topic": "/a"}, "topics": topics}))
        assert main([str(ARM), "--sensors", "inverse-dynamics", "--mapping", str(mapping), "--transport", "lcm", "--lcm-url", URL]) == 3
        assert said in capfd.readouterr().err
