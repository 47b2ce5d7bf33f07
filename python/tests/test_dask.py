"""The same on a Dask cluster: workers that die in each phase, stragglers, a scheduler that goes, a disk that fills up."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import sparsedyn as sd
import sparsedyn.dask

from conftest import ROBOTS
from test_datasets import BIASED, LOGS, SENSORS, check_poison, contents, fleet, poisoned, solved  # noqa: F401
from test_identification import WRIST

distributed = pytest.importorskip("distributed")

# Faults on a clock of their own: minutes, and a busy machine is too late for some. .ci/full runs them.
slow = pytest.mark.skipif(not os.environ.get("SPARSEDYN_FULL"), reason="with SPARSEDYN_FULL=1, in .ci/full")


def in_full(*others, last):
    """Parameters of a test: the last one always, the others in .ci/full."""
    return [*(pytest.param(each, marks=slow) for each in others), last]


@pytest.fixture(scope="module")
def cluster():
    """Two workers of 400 MB."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="400MB", dashboard_address=None) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


def test_the_same_bytes_as_in_one_process(fleet, arm, solved, client, tmp_path):
    said = []
    found = sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client, sd=True, innovations=True,
                                 progress=lambda share, what: said.append(share))
    assert contents(tmp_path / "out") == contents(pathlib.Path(solved.folder)) and found.made == LOGS
    assert said[-1] == 1 and said == sorted(said)
    assert sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client, sd=True, innovations=True).made == 0


def test_sums_have_the_same_bits(fleet, arm, client):
    from sparsedyn._scale import dataset, engine

    here = engine.Alone()
    assert sparsedyn.dask.offsets(fleet, arm, BIASED, client, rows=50) == dataset.offsets(here, fleet, arm, BIASED, None, None, 50,
                                                                                        False, None)
    assert sparsedyn.dask.chi_square(fleet, arm, SENSORS, client) == dataset.chi_square(here, fleet, arm, SENSORS, None, None, 500_000,
                                                                                      False, "raise", None, None)
    information = dataset.information(here, fleet, arm, None, 500_000, False, None)
    assert sparsedyn.dask.identify(fleet, arm, client, "damping").report == sd.identify(arm, information, fit="damping").report


@pytest.fixture(scope="module")
def rubbing(arm, tmp_path_factory):
    """Logs of joints that rub, with noise, and a spike in fifty torques."""
    folder = tmp_path_factory.mktemp("rubbing")
    true = sd.load_urdf((ROBOTS / "arm.urdf").read_text(), joints={n: {"friction": 0.4, "smoothing": 0.08} for n in arm.joint_names})
    rng = np.random.default_rng(6)
    tables = []
    for k in range(5):
        log = sd.simulate(arm, seconds=4, rate=75, seed=k + 1)
        columns = {name: log[name].to_numpy() for name in log.column_names}
        q, dq, ddq = (np.stack([columns[f"{part}.{n}"] for n in arm.joint_names], -1) for part in ("q", "dq", "ddq"))
        tau = sd.rnea(true, q, dq, ddq) + 0.01 * rng.standard_normal(q.shape) * np.where(rng.random(q.shape) < 0.02, 50, 1)
        columns |= {f"tau.{n}": tau[:, i] for i, n in enumerate(arm.joint_names)}
        tables.append(columns)
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"log{k:02d}.parquet")
    return folder, tables


@pytest.mark.parametrize("options", in_full({"robust": "huber"}, last={"robust": "huber", "fit": "smoothing"}), ids=str)
def test_passes_over_a_data_set_are_those_over_tables(rubbing, arm, client, options):
    from sparsedyn._scale import dataset, engine

    folder, tables = rubbing
    found = sparsedyn.dask.identify(folder, arm, client, holdout=folder, **options)
    alone = dataset.identify_dataset(engine.Alone(), folder, arm, options.get("fit", ()), 0.3, folder, None, 500_000, False, None, "huber")
    assert found.report == alone.report  # to the bit
    expected = sd.identify(arm, tables, tables, **options)
    for key in ("passes", "settled", "outliers", "rank", "rows"):
        assert found.report[key] == expected.report[key], key
    assert found.report["settled"] and sum(found.report["outliers"].values()) > 150
    for each, other in zip(found.report["parameters"], expected.report["parameters"]):
        assert abs(each["value"] - other["value"]) <= 1e-6 * other["sd"], each["name"]
    assert found.torque_rms["after"] == pytest.approx(found.torque_rms["holdout_after"], rel=1e-12)
    again = sparsedyn.dask.identify(folder, arm, client, holdout=folder, rows=100, **options)  # another tree of sums
    assert again.report["passes"] == found.report["passes"]
    with pytest.raises(ValueError, match="robust: 'tukey'"):
        sparsedyn.dask.identify(folder, arm, client, robust="tukey")


@slow
def test_springs_and_what_sliding_takes_from_a_data_set(rubbing, arm, client):
    folder, tables = rubbing
    kinds = ["inertia", "damping", "friction", "offset", "stiffness", "smoothing", "stribeck"]
    found, expected = sparsedyn.dask.identify(folder, arm, client, fit=kinds), sd.identify(arm, tables, fit=kinds)
    assert found.robot.parameter_names == expected.robot.parameter_names and "joint1.stiffness" in found.robot.parameter_names
    assert found.report["passes"] == expected.report["passes"]
    for each, other in zip(found.report["parameters"], expected.report["parameters"]):
        assert each["name"] == other["name"] and abs(each["value"] - other["value"]) <= 1e-4 * other["sd"], each["name"]


@pytest.fixture(scope="module")
def pushed(arm, tmp_path_factory):
    """Logs of what WRIST reads, its friction at another velocity than the robot's, and a spike in a hundred torques."""
    folder = tmp_path_factory.mktemp("pushed")
    rng = np.random.default_rng(7)
    tables = []
    for k in range(4):
        log = sd.simulate(arm, WRIST, seconds=6, rate=75, seed=k + 1)
        columns = {name: log[name].to_numpy() for name in log.column_names}
        for n in arm.joint_names:
            rubs = 0.4 * np.tanh(columns[f"dq.{n}"] / 0.08)
            columns[f"y.motors.{n}"] = columns[f"y.motors.{n}"] + rubs + 5 * (rng.random(len(rubs)) < 0.01)
        tables.append(columns)
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"log{k:02d}.parquet", row_group_size=100)
    return folder, tables


@pytest.mark.filterwarnings("ignore:.*no torque that is measured by itself")
@pytest.mark.parametrize("options", in_full({}, {"robust": "huber"}, {"fit": ["inertia", "friction", "smoothing"]},
                                            last={"robust": "huber", "fit": "smoothing"}), ids=str)
def test_sensors_over_a_data_set_are_those_over_tables(pushed, arm, client, options):
    from sparsedyn._scale import dataset, engine

    folder, tables = pushed
    found = sparsedyn.dask.identify(folder, arm, client, holdout=folder, sensors=WRIST, **options)
    alone = dataset.identify_dataset(engine.Alone(), folder, arm, options.get("fit", ()), 0.3, folder, None, 500_000, False, None,
                                     options.get("robust"), WRIST)
    assert found.report == alone.report  # to the bit
    one = sparsedyn.dask.identify(folder / "log03.parquet", arm, client, sensors=sd.SensorSet(WRIST), **options)
    assert one.report == sd.identify(arm, tables[3], sensors=WRIST, **options).report  # to the bit: a tree of one leaf
    expected = sd.identify(arm, tables, tables, sensors=WRIST, **options)
    for key in ("passes", "settled", "outliers", "rank", "rows"):
        assert found.report.get(key) == expected.report.get(key), key
    for part in ("parameters", "base_parameters"):
        for each, other in zip(found.report[part], expected.report[part], strict=True):
            assert abs(each["value"] - other["value"]) <= 1e-6 * other["sd"], each
            assert each["sd"] == pytest.approx(other["sd"], rel=1e-6), each
    if "robust" in options:
        assert sum(found.report["outliers"].values()) > 130
    if options.get("fit") == "smoothing":  # of the one motor that no unknown wrench meets
        assert abs(found.joints["left_finger_slide"]["smoothing"] - 0.08) < 0.03
    assert found.torque_rms["after"].keys() == expected.torque_rms["after"].keys() and "beside unknown wrenches" in found.torque_rms["after"]
    assert found.torque_rms["after"] == pytest.approx(found.torque_rms["holdout_after"], rel=1e-12)


def test_sensors_over_a_data_set_that_cannot_be(pushed, arm, client, tmp_path):
    """What is wrong with the set is said at once; what is wrong with a file names it; what is taken as zero is said."""
    folder, tables = pushed
    with pytest.raises(sd.InputError, match="momentum_rate"):
        sparsedyn.dask.identify(folder, arm, client, sensors={"sensors": [{"name": "whole", "type": "momentum_rate", "sigma": 1}]})
    for k in range(2):
        pyarrow.parquet.write_table(pyarrow.table({n: x for n, x in tables[k].items() if k == 0 or n != "ddq.joint3"}), tmp_path / f"{k}.parquet")
    with pytest.raises(sd.DatasetError, match=r"1.parquet.*ddq.joint3 missing; expected the whole motion"):
        sparsedyn.dask.identify(tmp_path, arm, client, sensors=WRIST)
    lacking = ("y.tool.nx", "fx.right_finger.nx")
    pyarrow.parquet.write_table(pyarrow.table({n: x for n, x in tables[1].items() if n not in lacking}), tmp_path / "1.parquet")
    with pytest.warns(sd.SparsedynWarning, match="fx.right_finger.nx missing, taken as 0") as told:
        sparsedyn.dask.identify(tmp_path, arm, client, sensors=WRIST, robust="huber")
    assert sum("taken as 0" in str(each.message) for each in told) == 1


def test_passes_over_a_data_set_without_noise(arm, client, tmp_path):
    table = sd.simulate(arm, seconds=10)
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet")
    found, plain = sparsedyn.dask.identify(tmp_path, arm, client, robust="huber"), sd.identify(arm, table)
    assert found.report["settled"] and np.all(np.abs(found.value - plain.value) <= 1e-6 * plain.sd)
    assert np.allclose(found.sd, plain.sd, rtol=1e-6, atol=0)


def dies_once(dask_worker, module, name, flag):
    """In a worker: the next call of module.name is its last."""
    import importlib
    import os
    import signal

    owner = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    plain = getattr(owner, last)

    def killed(*arguments, **options):
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return plain(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, last, killed)
    return lambda: setattr(owner, last, plain)


PHASES = {
    "reading": ("sparsedyn._scale.parquet", "opened"), "solving": ("sparsedyn._scale.work", "Solved.table"),
    "writing": ("sparsedyn._scale.parts", "Writer._flush"), "renaming": ("sparsedyn._scale.parts", "publish"),
    "telling": ("sparsedyn._scale.parts", "told"),
}


@slow
@pytest.mark.parametrize("phase", PHASES)
def test_a_worker_killed_in_each_phase(fleet, arm, solved, client, tmp_path, phase):
    flag = tmp_path / "killed"
    client.run(dies_once, module=PHASES[phase][0], name=PHASES[phase][1], flag=str(flag))
    sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client, sd=True, innovations=True)
    assert flag.exists()
    assert contents(tmp_path / "out") == contents(pathlib.Path(solved.folder))


SUMMED = {"a piece": ("sparsedyn._scale.work", "RowReader.__init__"), "eight": ("sparsedyn._scale.sums", "merge_offsets")}


@slow
@pytest.mark.parametrize("phase", SUMMED)
def test_a_worker_killed_while_summing(fleet, arm, client, tmp_path, phase):
    """While it reads a piece, and while it adds up what others said."""
    from sparsedyn._scale import dataset, engine

    module, name = SUMMED[phase]
    client.run(dies_once, module=module, name=name, flag=str(tmp_path / "killed"))
    found = sparsedyn.dask.offsets(fleet, arm, BIASED, client, rows=50)
    assert (tmp_path / "killed").exists()
    assert found == dataset.offsets(engine.Alone(), fleet, arm, BIASED, None, None, 50, False, None)


def test_poison_is_named_and_the_rest_done(fleet, arm, client, tmp_path):
    with pytest.raises(sd.DatasetError, match="3 of 12 pieces failed") as error:
        sparsedyn.dask.solve(poisoned(fleet, tmp_path / "data"), arm, SENSORS, tmp_path / "out", client)
    check_poison(error.value, tmp_path / "out")


def slow_once(dask_worker, flag, seconds):
    """In a worker: the next piece takes long."""
    import os
    import time

    from sparsedyn._scale import parts

    plain = parts.Solved

    def slow(*arguments):
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            time.sleep(seconds)
        except FileExistsError:
            pass
        return plain(*arguments)

    parts.Solved = slow


@slow
def test_stragglers_are_run_twice(fleet, arm, solved, tmp_path):
    """On a cluster of its own, whose workers are ended with it."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="400MB", dashboard_address=None) as own:
        with distributed.Client(own) as client:
            client.wait_for_workers(2, timeout=60)
            client.run(slow_once, flag=str(tmp_path / "slow"), seconds=400)
            began = time.monotonic()
            sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client, sd=True, innovations=True)
            assert (tmp_path / "slow").exists() and time.monotonic() - began < 380  # a busy machine takes a minute
    assert contents(tmp_path / "out") == contents(pathlib.Path(solved.folder))


def fills_up(dask_worker, size):
    """In a worker: files cannot grow beyond this."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@slow
def test_a_disk_that_is_full(fleet, arm, client, tmp_path):
    client.run(fills_up, size=4_000)
    with pytest.raises(sd.DatasetError, match="12 of 12 pieces failed") as error:
        sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client)
    assert "OSError" in error.value.messages[0] and os.listdir(tmp_path / "out") == []
    client.run(fills_up, size=-1)
    assert sparsedyn.dask.solve(fleet, arm, SENSORS, tmp_path / "out", client).made == LOGS


@slow
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_small_disk_that_is_full(fleet, arm, solved, client, tmp_path):
    """Some parts fit; the others are named, and done once there is room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    size = max(part["bytes"] for part in solved.parts)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={5 * size // 4096 * 4096}", "none", disk]).returncode != 0:
        pytest.skip("may not mount")
    try:
        with pytest.raises(sd.DatasetError, match="of 12 pieces failed.*No space left on device") as error:
            sparsedyn.dask.solve(fleet, arm, SENSORS, disk / "out", client, sd=True, innovations=True)
        there = os.listdir(disk / "out")
        assert 1 <= len(there) == LOGS - len(error.value.pieces) and all(name.startswith("part-") for name in there)
        subprocess.run(["mount", "-o", "remount,size=100M", disk], check=True)
        found = sparsedyn.dask.solve(fleet, arm, SENSORS, disk / "out", client, sd=True, innovations=True)
        assert found.made == LOGS - len(there) and contents(disk / "out") == contents(pathlib.Path(solved.folder))
    finally:
        subprocess.run(["umount", disk], check=True)


def started(arguments, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-m", *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


@slow
def test_a_scheduler_that_dies(fleet, arm, solved, tmp_path, monkeypatch):
    """Killed when the first part is there: a clear error, and another cluster goes on from there."""
    monkeypatch.setattr(sparsedyn.dask, "SCHEDULER_AWAY", 2.0)
    out = tmp_path / "out"
    file = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(file)]
    scheduler = started(["distributed.cli.dask_scheduler", "--no-dashboard", "--port", "0", *common], tmp_path)
    worker = started(["distributed.cli.dask_worker", "--no-dashboard", "--no-nanny", "--nthreads", "1", *common], tmp_path)
    try:
        with distributed.Client(scheduler_file=str(file), timeout=60) as client:
            client.wait_for_workers(1, timeout=60)

            def kill_at_first(share, what):
                scheduler.send_signal(signal.SIGKILL)

            with pytest.raises(ConnectionError, match="call again"):
                sparsedyn.dask.solve(fleet, arm, SENSORS, out, client, sd=True, innovations=True, progress=kill_at_first)
    finally:
        for process in (worker, scheduler):
            process.kill(), process.wait()
    there = len(list(out.glob("part-*.parquet")))
    assert 1 <= there < LOGS and not (out / "_manifest.json").exists()
    assert sd.solve_dataset(fleet, arm, SENSORS, out, sd=True, innovations=True).made == LOGS - there
    assert contents(out) == contents(pathlib.Path(solved.folder))


@slow
def test_a_scheduler_that_is_restarted(fleet, arm, solved, tmp_path, monkeypatch):
    """Killed when the first part is there, and started again at the same address with a worker, as Kubernetes does: the call ends
    with its rows or says what to do, and the next one does the rest."""
    monkeypatch.setattr(sparsedyn.dask, "SCHEDULER_AWAY", 20.0)
    with socket.create_server(("127.0.0.1", 0)) as any_port:
        port = str(any_port.getsockname()[1])
    out, address = tmp_path / "out", f"tcp://127.0.0.1:{port}"
    running = []

    def start():
        scheduler = ["distributed.cli.dask_scheduler", "--no-dashboard", "--host", "127.0.0.1", "--port", port]
        worker = ["distributed.cli.dask_worker", "--no-dashboard", "--no-nanny", "--nthreads", "1", address]
        running.extend(started(command, tmp_path) for command in (scheduler, worker))

    def restart_at_first(share, what):
        if len(running) == 2:
            running[0].kill(), running[0].wait()
            start()

    def solve(**options):
        with distributed.Client(address, timeout=120) as client:
            client.wait_for_workers(1, timeout=120)
            return sparsedyn.dask.solve(fleet, arm, SENSORS, out, client, sd=True, innovations=True, **options)

    try:
        start()
        try:
            solve(progress=restart_at_first)
        except ConnectionError as error:
            assert "call again" in str(error)
        found = solve()
    finally:
        for process in running:
            process.kill(), process.wait()
    assert len(running) == 4 and found.rows == solved.rows and contents(out) == contents(pathlib.Path(solved.folder))


@slow
def test_long_row_groups_on_small_workers(arm, quadruped, client, tmp_path):
    """Files of half a million rows and 56 columns in one row group: no worker of 400 MB ends, or is told that it is too small."""
    from test_memory import long_file

    data = tmp_path / "data"
    data.mkdir()
    long_file(quadruped, data / "0.parquet")
    for k in range(1, 4):
        os.link(data / "0.parquet", data / f"{k}.parquet")
    before = set(client.run(os.getpid).values())
    found = sparsedyn.dask.solve(data, quadruped, "inverse-dynamics", tmp_path / "out", client)
    assert found.made == 4 and set(client.run(os.getpid).values()) == before
