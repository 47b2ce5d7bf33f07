"""sparsedyn.live on LCM: a publisher that goes and comes back, messages of no sense, a change on the way."""

import json
import os
import threading
import time

import pytest
from live_arm import ARM, LiveArm

import sparsedyn as sd
from sparsedyn.live.__main__ import main
from sparsedyn.live._lcm import Lcm

lcm = pytest.importorskip("lcm", reason="LCM is not installed: pip install lcm")

URL = f"udpm://239.255.76.67:{20000 + os.getpid() % 20000}?ttl=0"  #: on this machine alone, and beside other tests'


def test_messages_in_and_samples_out_on_lcm(arm, tmp_path):
    live = LiveArm(arm, tmp_path, "--transport", "lcm", "--lcm-url", URL)
    heard, listener, stop = [], lcm.LCM(URL), threading.Event()
    listener.subscribe("sparsedyn/live/sample", lambda channel, data: heard.append(data))

    def listen():
        while not stop.is_set():
            listener.handle_timeout(50)

    def publish(value, until_rows):
        publisher = lcm.LCM(URL)

        def send(data):
            publisher.publish("robot/joints", data)
            publisher.publish("robot/jointsandmore", b"{}")  # another channel

        live.publish(send, value, until_rows)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        publish(0.1, 50)
        lcm.LCM(URL).publish("sparsedyn/live/change", b"offset q.joint1 0.1")
        count = len(live.rows())
        time.sleep(0.2)
        publish(0.2, count + 50)
    finally:
        stop.set()
        thread.join()
        live.interrupt()
    summary = live.check([0.1] * arm.nq, [0.1, *[0.2] * (arm.nq - 1)])
    assert summary["unknown"] == 0 and '"changed"' in live.found.read_text()
    said = json.loads(heard[0])
    assert said["ok"] and said["values"]["tau.joint1"] == pytest.approx(float(live.rows()[0].split(",")[1]), abs=1e-9)


def test_what_lcm_refuses_is_named(tmp_path, capfd):
    with pytest.raises(sd.InputError, match="nonsense://: .*; expected a URL of LCM"):
        Lcm([], "nonsense://")
    mapping = tmp_path / "mapping.json"
    for topics, said in (({"/a": {"position": "q"}, "a": {"velocity": "dq", "effort": "y.ddq"}}, "/a and a are one channel"),
                         ({"/a": {"position": "q", "velocity": "dq"}, "/" + "b" * 64: {"effort": "y.ddq"}}, "of 64 bytes; expected at most 63")):
        mapping.write_text(json.dumps({"clock": {"topic": "/a"}, "topics": topics}))
        assert main([str(ARM), "--sensors", "inverse-dynamics", "--mapping", str(mapping), "--transport", "lcm", "--lcm-url", URL]) == 3
        assert said in capfd.readouterr().err
