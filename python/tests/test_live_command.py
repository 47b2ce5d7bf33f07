"""python -m sparsedyn.live: lines, files and sockets in, the solver's numbers out; what it says, and its exit codes."""

import fcntl
import gc
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

import numpy as np
import pytest
from test_live import ARM, MAPPING, ROOT, log  # noqa: F401: a fixture

import sparsedyn as sd
from sparsedyn._scale.mapping import Mapping_
from sparsedyn.live import Live, Run, Topics
from sparsedyn.live.__main__ import main



def run_lines(lines, mapping, *options, robot=ARM):
    given = "".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in lines)
    return subprocess.run([sys.executable, "-m", "sparsedyn.live", str(robot), "--sensors", "inverse-dynamics", "--mapping", str(mapping),
                           *options], input=given.encode(), capture_output=True, timeout=60)


def message_at(arm, log, k):
    joints = arm.joint_names
    return {"topic": "/joints", "stamp": float(log["time"][k]), "name": joints, "position": [float(log[f"q.{j}"][k]) for j in joints],
            "velocity": [float(log[f"dq.{j}"][k]) for j in joints], "effort": [float(log[f"ddq.{j}"][k]) for j in joints]}


def test_the_command_answers_lines_of_a_pipe(arm, log, tmp_path):  # noqa: F811
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps(MAPPING))
    lines = [message_at(arm, log, k) for k in range(100)]
    found = tmp_path / "found.json"
    run = run_lines([*lines[:50], "no json\n", {"topic": "/nobody"}, {"topic": "/joints", "position": [1]}, {"change": "offset joint1 x"}, *lines[50:], "{" * 80000], mapping,
                    "--outputs", "tau", "--diagnostics", str(found), "--json")
    assert run.returncode == 0, run.stderr
    rows = [row.split(",") for row in run.stdout.decode().splitlines()]
    assert rows[0][0] == "time" and len(rows) == 101
    solver = sd.Solver(arm, "inverse-dynamics", outputs=["tau"])
    expected = solver.solve_log({name: log[name][:100] for name in log})
    for c, name in enumerate(rows[0][1:], 1):
        assert [float(row[c]) for row in rows[1:]] == list(expected[name])
    summary = json.loads(run.stderr.splitlines()[-1])
    assert summary["samples"] == 100 and summary["messages"]["/joints"] == {"messages": 101, "malformed": 1, "lost": 0}
    assert summary["unknown"] == 3
    told = [json.loads(line) for line in found.read_text().splitlines()]
    assert any(each["kind"] == "malformed" for each in told)
    assert any("change: no sensor or column joint1" in each.get("text", "") for each in told)


def test_the_page_runs_as_written(tmp_path):
    page = (ROOT / "docs/live.md").read_text()
    commands = page[page.index("```sh\n") + 6:]
    commands = commands[:commands.index("```")]
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-e", "-c", commands], cwd=tmp_path, check=True, timeout=60,
                   env={**os.environ, "PATH": path, "PYTHONPATH": str(pathlib.Path(sd.__file__).resolve().parents[1])})
    rows = [[float(cell) for cell in row.split(",")] for row in (tmp_path / "tau.csv").read_text().splitlines()[1:]]
    robot = sd.load_urdf(str(tmp_path / "pendulum.urdf"))
    assert [row[1] for row in rows] == pytest.approx([sd.rnea(robot, [q], [dq], [1.5])[0] for q, dq in ((0.5, 0.2), (0.502, 0.215))])


def test_the_command_reads_files_and_sockets_as_the_program_does(arm, tmp_path, capsys):
    log, out = ROOT / "robots/arm.csv", tmp_path / "out.csv"
    live = [str(ARM), "--sensors", "inverse-dynamics", "--outputs", "tau", "-o", str(out)]
    assert main([*live, "--input", str(log), "--json"]) == 0
    summary = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert summary["samples"] == summary["answered"] == 250
    names, values = log.read_text().split("\n", 1)[0].split(","), np.loadtxt(log, delimiter=",", skiprows=1).T
    table = dict(zip(names, values))
    expected = sd.Solver(arm, "inverse-dynamics", outputs=["tau"]).solve_log(table)
    found = np.loadtxt(out, delimiter=",", skiprows=1)
    assert (found[:, 1:] == np.stack([expected[f"tau.{name}"] for name in arm.joint_names], -1)).all()
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("\n" + log.read_text().replace("dq.joint2,", "dq.joint_2,", 1))
    for inputs, code, said in (([str(wrong)], 3, "wrong.csv:2: header: no column dq.joint2 (near: dq.joint_2"),
                               (["/nowhere"], 3, "/nowhere: No such file"), (["udp:x"], 2, "udp:x; expected -, udp:PORT"),
                               (["/proc/self/mem"], 3, "Input/output error"), ([], 2, "either --mapping or --input")):
        assert main([*live, *(part for each in inputs for part in ("--input", each))]) == code
        assert said in capsys.readouterr().err
    path = tmp_path / "socket"

    def until(what):
        ends = time.monotonic() + 30
        while not what() and not over.is_set() and time.monotonic() < ends:
            time.sleep(0.01)

    def send():
        until(path.exists)
        with socket.socket(socket.AF_UNIX) as stream:
            until(lambda: stream.connect_ex(str(path)) == 0)
            stream.sendall(log.read_bytes())
            until(lambda: any(part.stat().st_size >= 20000 for part in tmp_path.glob(".sparsedyn-*.part")))
        if not over.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    over = threading.Event()
    thread = threading.Thread(target=send)
    thread.start()
    try:
        assert main([*live, "--input", f"unix:{path}"]) == 0
    finally:
        over.set()
        thread.join()
    assert (np.loadtxt(out, delimiter=",", skiprows=1)[:100] == found[:100]).all()


def test_lines_without_one_message_do_not_end_well(tmp_path):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps(MAPPING))
    run = run_lines(["rubbish\n"], mapping)
    assert run.returncode == 3 and b"lines: no JSON; expected messages" in run.stderr and b"Traceback" not in run.stderr


@pytest.mark.parametrize(("mapping", "options", "code", "said"), [
    ({**MAPPING, "topics": {"/joints": {"position": "q"}}}, (), 3, "no column"),
    (MAPPING, ("--rate", "-1"), 2, "rate"),
    (MAPPING, ("--over-time",), 1, "no joint_position reads q.joint1"),
    (MAPPING, ("--rate", "0"), 2, "--rate 0; expected a number > 0"),
    (MAPPING, ("--control", "udp:9000"), 2, "--control with --mapping"),
    (MAPPING, ("--columns", "time"), 2, "--columns with --mapping"),
    (MAPPING, ("--format", "csv"), 2, "--format with --mapping"),
    (MAPPING, ("-o", "/dev/full", "--diagnostics", "/dev/full"), 3, "/dev/full: No space left on device"),
    (MAPPING, ("--watch", "localhost:1"), 2, "--watch localhost:1; expected PORT"),
    (MAPPING, ("-o", "/nowhere/out.csv"), 3, "/nowhere/out.csv: No such file"),
])
def test_the_command_says_what_is_wrong(mapping, options, code, said, tmp_path, capsys):
    path = tmp_path / "mapping.json"
    path.write_text(json.dumps(mapping))
    assert main([str(ARM), "--sensors", "inverse-dynamics", "--mapping", str(path), *options]) == code
    assert said in capsys.readouterr().err


def test_no_input_is_changed_and_no_output_of_a_refused_run(tmp_path, capsys):
    log, mapping, out = tmp_path / "log.csv", tmp_path / "mapping.json", tmp_path / "out.csv"  # noqa: F811
    text = (ROOT / "robots/arm.csv").read_text()
    log.write_text(text)
    (tmp_path / "link.csv").symlink_to(log)
    mapping.write_text(json.dumps({**MAPPING, "topics": {"/joints": {"position": "q"}}}))
    robot = tmp_path / "arm.urdf"
    robot.write_text(ARM.read_text())
    live = [str(robot), "--sensors", "inverse-dynamics"]
    for option in ("-o", "--diagnostics", "--record"):
        for path in (log, tmp_path / "link.csv", robot):
            assert main([*live, "--input", str(log), option, str(path)]) == 2
            assert "that file is an input" in capsys.readouterr().err
    assert log.read_text() == text and robot.read_text() == ARM.read_text()
    assert main([*live, "--input", str(log), "-o", str(out), "--diagnostics", str(out)]) == 2
    out.write_text("before\n")
    assert main([*live, "--mapping", str(mapping), "-o", str(out)]) == 3
    lacks = tmp_path / "lacks.csv"
    lacks.write_text(text.replace("dq.joint2,", "x,", 1))
    assert main([*live, "--input", str(lacks), "-o", str(out)]) == 3
    assert out.read_text() == "before\n" and not list(tmp_path.glob(".sparsedyn-*"))
    record = tmp_path / "run.mcap"  # likewise
    record.write_text("before\n")
    for refused in (["--mapping", str(mapping)], ["--input", str(lacks)], ["--input", "unix:/nowhere/socket"]):
        assert main([*live, *refused, "--record", str(record)]) == 3
        assert record.read_text() == "before\n"
    found = tmp_path / "found.json"  # likewise
    found.write_text("before\n")
    for refused in (["--mapping", str(mapping)], ["--input", str(lacks)], ["--input", "unix:/nowhere/socket"]):
        assert main([*live, *refused, "--diagnostics", str(found), "-o", str(out)]) == 3
        assert found.read_text() == "before\n"
    assert main([*live, "--input", str(log), "--diagnostics", str(found), "-o", str(tmp_path / "good.csv")]) == 0
    assert "before" not in found.read_text()
    assert main([*live, "--input", str(log), "--record", "/nowhere/run.mcap"]) == 3
    assert "/nowhere/run.mcap: cannot be written: No such file" in capsys.readouterr().err
    assert main([*live, "--input", str(log), "--transport", "ros"]) == 2
    assert "--transport with --input" in capsys.readouterr().err


def test_the_file_that_the_standard_input_comes_from_is_no_output(tmp_path):
    log = tmp_path / "log.csv"  # noqa: F811
    text = (ROOT / "robots/arm.csv").read_text()
    log.write_text(text)
    live = f"'{sys.executable}' -m sparsedyn.live '{ARM}' --sensors inverse-dynamics --input -"
    for command in (f"-o {log} < {log}", f"-o x.csv --record {log} < {log}", f"< {log} 1<> {log}"):
        run = subprocess.run(["bash", "-c", f"{live} {command}"], capture_output=True, timeout=60, cwd=tmp_path)
        assert run.returncode == 2 and b"that file is an input" in run.stderr, run.stderr
        assert log.read_text() == text
    run = subprocess.run(["bash", "-c", f"{live} -o - < {log}"], capture_output=True, timeout=60, cwd=tmp_path)
    assert run.returncode == 0 and run.stdout.startswith(b"time,")


def test_a_run_goes_on_where_nobody_reads_its_words(tmp_path):
    out = tmp_path / "out.csv"
    read, write = os.pipe()
    os.close(read)
    try:
        run = subprocess.run([sys.executable, "-m", "sparsedyn.live", ARM, "--sensors", "inverse-dynamics", "--input", ROOT / "robots/arm.csv",
                              "-o", out, "--watch", "0"], stderr=write, timeout=60)
    finally:
        os.close(write)
    assert run.returncode == 0 and len(out.read_text().splitlines()) == 251


def filled(pipe):
    """Bytes that wait in it."""
    return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0]


def test_a_signal_ends_a_run_whose_reader_has_stalled(arm, tmp_path):
    table = (ROOT / "robots/arm.csv").read_text().splitlines()
    log = tmp_path / "log.csv"  # noqa: F811
    log.write_text("\n".join([table[0], *(f"{0.01 * k:g},{table[1].split(',', 1)[1]}" for k in range(8000))]) + "\n")
    live = subprocess.Popen([sys.executable, "-m", "sparsedyn.live", str(ARM), "--sensors", "inverse-dynamics", "--input", str(log)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        ends, before = time.monotonic() + 30, 0
        while before == 0 or filled(live.stdout) != before:  # nobody reads: until nothing more goes in
            assert time.monotonic() < ends
            before = filled(live.stdout)
            time.sleep(0.5)
        live.send_signal(signal.SIGTERM)
        assert live.wait(30) == 0
        assert b"lines not read" in live.stderr.read()
    finally:
        live.kill()
        live.communicate()


def test_a_reader_that_leaves_ends_a_run_with_its_summary(tmp_path):
    words = tmp_path / "words"
    live = f"'{sys.executable}' -m sparsedyn.live '{ARM}' --sensors inverse-dynamics --input - 2> '{words}'"
    command = f"cat '{ROOT / 'robots/arm.csv'}' - | {live}"
    run = subprocess.Popen(["bash", "-c", f"{command} | head -n 1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert run.stdout.readline().startswith(b"time,")  # head has left; more rows may come
        run.communicate(timeout=30)
    finally:
        run.kill()
    assert "samples, 0 without an answer" in words.read_text()


def test_an_input_that_is_closed_is_named(tmp_path):
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps(MAPPING))
    run = subprocess.run(["bash", "-c", f"'{sys.executable}' -m sparsedyn.live '{ARM}' --sensors inverse-dynamics --mapping '{mapping}' <&-"],
                         capture_output=True, timeout=60)
    assert run.returncode == 3 and b"the standard input is closed; expected messages" in run.stderr and b"Traceback" not in run.stderr


def test_a_run_that_is_broken_off_closes_its_transport_and_ends_its_record(arm, tmp_path):
    class Broken:
        closed = False

        def start(self, topics, inlet):
            pass

        def notes(self):
            return []

        def publish(self, samples):
            if samples:
                raise OSError("no network")

        def tell(self, findings, health, counts):
            pass

        def close(self):
            self.closed = True

    broken = Broken()
    with pytest.raises(sd.InputError, match="no column"):  # before it began
        Run(Live(arm, "inverse-dynamics"), Topics(Mapping_.read({**MAPPING, "topics": {"/joints": {"position": "q"}}}), "m.json"), broken).run()
    assert broken.closed
    ended = tmp_path / "ended.mcap"
    transport, live = Broken(), Live(arm, "inverse-dynamics", record=ended)
    for k in range(50):
        live.put(0, 0.01 * k, np.zeros(len(live.readings)))
    with pytest.raises(OSError, match="no network"):
        Run(live, None, transport, quiet=True).run()
    assert transport.closed
    del live
    gc.collect()
    assert ended.read_bytes().endswith(b"\x89MCAP0\r\n")
