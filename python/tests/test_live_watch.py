"""The page of a live run: what it shows, to whom, and what strangers send to its port."""

import json
import pathlib
import re
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import sparsedyn as sd
from sparsedyn.live import Finding, Live, Sample
from sparsedyn.live import _watch as watch
from sparsedyn.live._outputs import Health

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/pages"))
import devtools  # noqa: E402


class Running:
    """A page of an arm whose loop answers rows at 50 Hz."""

    def __init__(self, arm, sd=True):
        self.sensors = {"sensors": [{"name": "known", "type": "joint_acceleration", "joint": "*", "sigma": 0.1},
                                    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.5},
                                    {"name": "air", "type": "external_wrench", "link": "*"}]}
        self.arm = arm
        self.live = Live(arm, self.sensors, outputs=["tau"], sd=sd)
        self.live.start()
        self.page = watch.Page(arm, self.live, "0")
        self.health, self.stop = Health(), False
        self.thread = threading.Thread(target=self.feed)

    def row(self, k):
        """Of sample k: postures, no velocities, accelerations of 0.1, no torques."""
        row = np.array([0.1 if reading.sensor == "known" else 0.0 for reading in self.live.readings])
        row[:self.arm.nq] = 0.5 * np.sin(0.02 * k + np.arange(self.arm.nq))
        return row

    def feed(self):
        k = 0
        while not self.stop:
            self.live.put(0, 0.02 * k, self.row(k))
            taken = self.live.take(0.05)
            self.page.add(taken.samples, [], self.health)
            k += 1
            time.sleep(0.02)

    def __enter__(self):
        self.page.__enter__()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()
        self.page.__exit__()


@pytest.fixture(scope="module")
def running(arm):
    with Running(arm) as each:
        yield each


def answer(port, data, patience=2.0, shut=True):
    """What comes back for these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as stream:
        found = b""
        try:
            stream.sendall(data)
            if shut:
                stream.shutdown(socket.SHUT_WR)
            while block := stream.recv(65536):
                found += block
        except (OSError, TimeoutError):
            pass
        return found


def request(path, host, method="GET"):
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def test_who_knows_the_token_is_told_and_no_one_else(running):
    page = running.page
    assert page.address.startswith(f"http://127.0.0.1:{page.port}/") and len(page.token) >= 20
    with urllib.request.urlopen(page.address) as told:
        assert told.status == 200 and b"sparsedyn live" in told.read() and "default-src 'none'" in told.headers["Content-Security-Policy"]
    good = f"/{page.token}/"
    here = f"127.0.0.1:{page.port}"
    assert answer(page.port, request(good, here)).startswith(b"HTTP/1.0 200")
    for host in ("127.0.0.1:9000", "localhost", "LOCALHOST:80", "127.0.0.2:8080", "[::1]:9000", "[::1]"):  # tunnels, other loopbacks
        assert answer(page.port, request(good, host)).startswith(b"HTTP/1.0 200"), host
    for path, host, method in (("/", here, "GET"), ("/x/", here, "GET"), (good[:-2] + "/", here, "GET"), (good + "etc", here, "GET"),
                               (good + "../x", here, "GET"), ("http://a" + good, here, "GET"), (good, "evil.example", "GET"),
                               (good, f"evil.example:{page.port}", "GET"), (good, f"127.0.0.1.evil.example:{page.port}", "GET"), (good, "", "GET"),
                               (good, "[", "GET"), (good, "8.8.8.8", "GET"), (good, here, "POST"), (good, here, "PUT"), ("*", here, "OPTIONS")):
        said = answer(page.port, request(path, host, method))
        assert said.split(b" ")[1] in (b"404", b"501"), (path, host, said)
        assert page.token.encode() not in said


def test_frames_are_what_was_estimated(running):
    page = running.page
    with urllib.request.urlopen(page.address + "frames", timeout=5) as stream:
        lines, event = [], ""
        while len(lines) < 10:
            line = stream.readline().decode().strip()
            event = line if line.startswith("event: ") else event if line else ""
            if line.startswith("data: ") and event != "event: age":
                lines.append(json.loads(line[6:]))
    about, frames = lines[0], lines[1:]
    assert about["columns"] == [f"tau.{name}" for name in running.arm.joint_names] and about["sensors"][-1] == "motors"
    assert len(about["edges"]) == len(running.arm.link_names) - 1
    assert about["units"] == ["N" if running.arm.joints[name].type == "prismatic" else "N m" for name in running.arm.joint_names]
    solver = sd.Solver(running.arm, running.sensors, outputs=["tau"], sd=sd)
    for frame in frames:
        q, dq, y = np.split(running.row(round(frame["t"] / 0.02)), [running.arm.nq, running.arm.nq + running.arm.nv])
        x = solver(q, dq, y)
        assert np.allclose(frame["x"], x[:running.arm.nv], rtol=1e-5, atol=1e-9)
        assert all(each > 0 for each in frame["s"]) and len(frame["links"]) == len(running.arm.link_names)


def test_no_bytes_of_strangers_stop_the_page(running, monkeypatch):
    page = running.page
    monkeypatch.setattr(watch, "PATIENCE", 0.3)
    monkeypatch.setattr(watch._Handler, "timeout", 0.3)
    rng = np.random.default_rng(2)
    good = request(f"/{page.token}/", f"127.0.0.1:{page.port}")
    for k in range(100):
        data = bytearray(good) if k % 2 else bytearray(rng.bytes(rng.integers(0, 200)))
        for place in rng.integers(0, max(len(data), 1), 3 if data else 0):
            data[place] = rng.integers(0, 256)
        answer(page.port, bytes(data))
    answer(page.port, b"GET /" + b"a" * 200000)
    assert answer(page.port, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000)[:5] in (b"", b"HTTP/")
    # who asks for a letter at a time, or nothing, has its share of time alone
    assert answer(page.port, b"GET / HT", patience=30, shut=False) == b""
    # who knows the token is let in beside any number of those who say nothing, however long they may
    monkeypatch.setattr(watch, "PATIENCE", 60)
    monkeypatch.setattr(watch._Handler, "timeout", 60)
    asleep = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(3 * watch.MOST_STRANGERS)]
    assert answer(page.port, good, patience=30).startswith(b"HTTP/1.0 200")
    assert len(page._server._strangers) <= watch.MOST_STRANGERS
    for each in asleep:
        each.close()


def frames_of(arm, sensors, **how):
    live = Live(arm, sensors, **how)
    return live, watch.Frames(arm, live)


def test_a_robot_that_is_unplugged_is_shown_so(arm):
    live, frames = frames_of(arm, "inverse-dynamics", outputs=["tau"])
    assert frames.age() == "event: age\ndata: null\n\n"
    health, silent = Health(), Finding("silent", False, "input", "", 1.0, 1.1, 0.0)
    health.add(silent)
    health.add(Finding("clock", False, "input", "", 1.0, 1.2, 0.0))
    frames.add([], health, [silent])  # no sample comes
    (_, event), = frames.kept
    kind, data = event.split("\n", 1)
    assert kind == "event: health" and "links" not in data
    told = json.loads(data.removeprefix("data: "))["faults"]["input"]
    assert "silent at 1.1 s" in told and "clock at 1.2 s" in told
    live.latest[:] = 0.1
    frames.add([Sample(1.2, 0, 0, True, "", np.zeros(len(live.columns)))], health, [silent])
    assert frames.kept[-1][1].startswith("data: ") and frames.age().startswith("event: age\ndata: 0.")


def test_no_posture_is_shown_that_nobody_knows(arm):
    def links(frames, sample):
        frames.add([sample], Health(), [Finding("changed", False, "", "", 0, 0, 0)])
        return json.loads(frames.kept[-1][1].removeprefix("data: ")).get("links")

    live, frames = frames_of(arm, "inverse-dynamics", outputs=["tau"])
    values = np.zeros(len(live.columns))
    assert links(frames, Sample(0, 0, 0, True, "", values)) is None  # nothing has been read
    live.latest[:] = 0.1
    assert len(links(frames, Sample(0, 0, 0, True, "", values))) == len(arm.link_names)
    assert links(frames, Sample(0, 0, 0, False, "q.joint1: no reading", values)) is None
    sensors = {"prior": {"ddq": 300}, "sensors": [{"name": "encoders", "type": "joint_position", "joint": "*", "sigma": 1e-4},
                                                  {"name": "torques", "type": "joint_torque", "joint": "*", "sigma": 0.1},
                                                  {"name": "air", "type": "external_wrench", "link": "*"}]}
    for outputs, is_known in ((["tau"], False), (["q"], True)):
        live, frames = frames_of(arm, sensors, over_time=True, outputs=outputs)  # nothing has been read
        assert (links(frames, Sample(0, 0, 0, True, "", np.zeros(len(live.columns)))) is not None) == is_known


@pytest.mark.parametrize("wrong", ["", "x", "70000", "-1", "localhost:80", "1.2.3:80", "::1:x"])
def test_addresses_that_are_none_are_refused(wrong):
    with pytest.raises(ValueError, match="expected PORT"):
        watch.address_of(wrong)


def test_an_address_is_loopback_unless_it_is_said(arm):
    assert watch.address_of("8080") == ("127.0.0.1", 8080) and watch.address_of("[::1]:80") == ("::1", 80)
    assert watch.address_of("0.0.0.0:80") == ("0.0.0.0", 80)


DRAWN = "[...document.querySelectorAll('.curve')].every(each => (each.getAttribute('aria-label') || '').includes(' to '))"


@pytest.mark.skipif(not devtools.browser(), reason="no chromium here")
def test_a_browser_shows_the_robot_the_bands_and_the_sensors(running):
    with devtools.Page(running.page.address, 1000, 800) as shown:
        shown.until(f"window.live().frames >= 20 && {DRAWN}")
        assert not shown.faults(), shown.faults()
        assert shown.value("window.live().chosen") == [f"tau.{name}" for name in running.arm.joint_names[:6]]
        colours = """(s=>{const c=document.querySelector(s),d=c.getContext('2d').getImageData(0,0,c.width,c.height).data,n=new Set;
                      for(let k=0;k<d.length;k+=4)if(d[k+3])n.add(d[k]>>4<<8|d[k+1]>>4<<4|d[k+2]>>4);return n.size})"""
        assert shown.value(colours + "('#robot')") >= 2 and shown.value(colours + "('.curve')") >= 2
        assert re.fullmatch(r"[−\d.e+]+ ± [\d.e+−]+ N m", shown.value("document.querySelector('output').textContent"))
        assert shown.value("document.querySelector('.curve').getAttribute('aria-label')").endswith(" N m")
        assert shown.value("document.querySelector('#span').textContent") == "The last 30 s; behind ±, and shaded, twice the standard deviation."
        assert shown.value("document.querySelectorAll('#sensors .fault').length") == 0
        running.health.add(Finding("stuck", False, "y.motors.joint2", "motors", 1.0, 2.0, 0.0))
        shown.until("document.querySelectorAll('#sensors .fault').length == 1")
        assert "stuck" in shown.value("document.querySelector('#sensors .fault').textContent")
        shown.value("document.querySelector('#choice input').click()")
        assert shown.value("document.querySelectorAll('.curve').length") == 5
        assert not shown.faults(), shown.faults()


@pytest.mark.skipif(not devtools.browser(), reason="no chromium here")
def test_a_page_without_deviations_does_not_speak_of_them(arm):
    with Running(arm, sd=False) as plain, devtools.Page(plain.page.address, 1000, 800) as shown:
        shown.until(f"window.live().frames >= 5 && {DRAWN}")
        assert shown.value("document.querySelector('#span').textContent") == "The last 30 s."
        assert re.fullmatch(r"[−\d.e+]+ N m", shown.value("document.querySelector('output').textContent"))
        assert not shown.faults(), shown.faults()


@pytest.mark.skipif(not devtools.browser(), reason="no chromium here")
def test_the_page_fits_a_telephone_and_says_what_its_curves_reach(running):
    with devtools.Page(running.page.address, 390, 800, dark=True) as shown:
        shown.until(f"window.live().frames >= 5 && {DRAWN}")
        assert shown.value("document.documentElement.scrollWidth") <= 390
        assert shown.value("Math.min(...[...document.querySelectorAll('body *')].map(e=>parseFloat(getComputedStyle(e).fontSize)))") >= 11
        said = shown.value("[...document.querySelectorAll('.curve')].map(c=>c.getAttribute('aria-label'))")
        assert len(said) == 6 and all(" from " in each and " to " in each for each in said), said
        assert not shown.faults(), shown.faults()
