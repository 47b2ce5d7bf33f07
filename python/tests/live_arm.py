"""The arm on a transport of live runs: readings as JSON from a publisher that comes and goes, messages of no sense between them."""

import json
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np

import sparsedyn as sd

ARM = pathlib.Path(__file__).resolve().parents[2] / "robots/arm.urdf"
MAPPING = {"clock": {"topic": "/robot/joints"}, "topics": {"/robot/joints": {"position": "q", "velocity": "dq", "effort": "y.ddq"}}}


class LiveArm:
    """`python -m sparsedyn.live` on the arm, with samples and findings in files of the folder."""

    def __init__(self, arm, folder, *transport):
        self.arm, self.found, self._out = arm, folder / "found.json", folder / "out.csv"
        mapping = folder / "mapping.json"
        mapping.write_text(json.dumps(MAPPING))
        self._run = subprocess.Popen([sys.executable, "-m", "sparsedyn.live", ARM, "--sensors", "inverse-dynamics", "--outputs", "tau",
                                      "--mapping", mapping, *transport, "-o", "-", "--diagnostics", self.found, "--json"],
                                     stdout=self._out.open("w"), stderr=subprocess.PIPE)

    def rows(self):
        return self._out.read_text().splitlines()[1:] if self._out.exists() else []

    def publish(self, send, value, until_rows, seconds=20):
        """Sends the arm at rest with all joints at `value`, and rubbish, until there are so many samples."""
        n, ends = self.arm.nv, time.monotonic() + seconds
        while len(self.rows()) < until_rows:
            assert time.monotonic() < ends, "nothing came"
            send(json.dumps({"stamp": time.time(), "name": self.arm.joint_names, "position": [value] * n, "velocity": [0] * n,
                             "effort": [0.5] * n}).encode())
            send(b"\xff\x00 rubbish")
            time.sleep(0.005)

    def interrupt(self):
        self._run.send_signal(signal.SIGINT)
        _, self.errors = self._run.communicate(timeout=20)

    def check(self, first, last):
        """What the interrupted run says, and its first and last torques, at those positions. Returns its summary."""
        assert self._run.returncode == 0, self.errors
        summary = json.loads(self.errors.splitlines()[-1])
        assert summary["samples"] == summary["answered"] >= 100 and summary["messages"]["/robot/joints"]["malformed"] > 50
        assert '"silent"' in self.found.read_text()
        for row, q in ((self.rows()[0], first), (self.rows()[-1], last)):
            expected = sd.rnea(self.arm, q, np.zeros(self.arm.nv), np.full(self.arm.nv, 0.5))
            assert np.abs(np.array([float(x) for x in row.split(",")[1:]]) - expected).max() < 1e-9
        return summary
