"""Rows a second of logs at scale: python bench/python/scale.py [ROWS] [FOLDER]

Quadruped, inverse dynamics: a data set of 20 Parquet files, by `simulate`. Printed: the bare loop (read_table, solve_log,
write_table), one worker and two of sd.solve_dataset and of a LocalCluster (400 MB each), the largest memory of a worker, whether
the bytes are the same; then rows a second end to end and the share of decoding for Parquet, CSV and MCAP. The machine should be
idle; processor time is printed beside the clock's.
"""

import hashlib
import os
import pathlib
import resource
import sys
import tempfile
import time

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

import sparsedyn as sd

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = 20


def spent():
    """Processor time of this process and of those that it waited for."""
    return sum(getattr(resource.getrusage(who), part) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
               for part in ("ru_utime", "ru_stime"))


def timed(what, rows, function, *arguments, **options):
    clock, cpu = time.perf_counter(), spent()
    found = function(*arguments, **options)
    took, used = time.perf_counter() - clock, spent() - cpu
    print(f"{what:<44} {rows / took:>10,.0f} rows/s   {took:8.1f} s   processor {used:8.1f} s", flush=True)
    return found, took, used


def make(folder, robot, rows):
    for k in range(FILES):
        path = folder / f"robot=r{k % 4}/log{k:02d}.parquet"
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        wanted = [f"q.{n}" for n in robot.coordinate_names] + [f"{p}.{n}" for p in ("dq", "ddq") for n in robot.velocity_names]
        log = sd.simulate(robot, seconds=rows / FILES / 1000, rate=1000, seed=k + 1).select(["time", *wanted])
        pyarrow.parquet.write_table(log, path, row_group_size=100_000)


def bare(files, robot, out):
    """What one would write by hand, a file at a time."""
    solver = sd.Solver(robot, "inverse-dynamics")
    for k, path in enumerate(files):
        table = pyarrow.parquet.read_table(path, partitioning=None, use_threads=False)
        pyarrow.parquet.write_table(solver.solve_log(table), out / f"{k}.parquet", compression="zstd", use_dictionary=False)


def digest(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def largest(client):
    """MB of each worker, at most so far."""

    def status():
        with open("/proc/self/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    return [round(kb / 1024) for kb in client.run(status).values()]


def clusters(data, robot, rows, work):
    import distributed
    import sparsedyn.dask

    first = None
    for workers in (1, 2):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit="400MB", dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                client.run(lambda: sd.__version__)
                out = work / f"cluster{workers}"
                timed(f"LocalCluster, workers: {workers}", rows, sparsedyn.dask.solve, data, robot, "inverse-dynamics", out, client)
                print(f"{'':<44} memory at most {largest(client)} MB")
        first = first or digest(out)
        print(f"{'':<44} bytes {'the same' if digest(out) == first else 'DIFFER'}")
    return first


def formats(robot, work, rows):
    """One file of each: decoding alone, and all of it."""
    table = pyarrow.parquet.read_table(next(iter(sorted(work.glob("data/*/*.parquet")))), partitioning=None).slice(0, rows)
    rows = table.num_rows
    pyarrow.parquet.write_table(table, work / "one.parquet")
    pyarrow.csv.write_csv(table, work / "one.csv")
    for name in ("one.parquet", "one.csv"):
        _, _, decoding = timed(f"{name}: decoding", rows, sd.open_log(work / name).read)
        _, _, used = timed(f"{name}: end to end", rows, sd.solve_dataset, work / name, robot, "inverse-dynamics", work / f"of-{name}")
        print(f"{'':<44} {os.path.getsize(work / name) / rows:.0f} bytes a row; decoding is {decoding / used:.0%}")


def mcap(arm, work, rows):
    """Joint states of an arm, as ros2 bag records them; tau from q, dq and ddq that differentiate makes."""
    sys.path.insert(0, str(ROOT / "python/tests"))
    from mcap_ros2.writer import Writer
    from test_formats import JOINT_STATE

    log = sd.simulate(arm, seconds=rows / 500, rate=500)
    q, dq, tau = (np.stack([log[f"{p}.{n}"].to_numpy() for n in arm.joint_names], -1) for p in ("q", "dq", "tau"))
    with open(work / "one.mcap", "wb") as file:
        writer = Writer(file)
        schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        for k in range(len(q)):
            at = 10**18 + k * 2_000_000
            writer.write_message("/joint_states", schema, {
                "header": {"stamp": {"sec": at // 10**9, "nanosec": at % 10**9}, "frame_id": ""}, "name": list(arm.joint_names),
                "position": q[k].tolist(), "velocity": dq[k].tolist(), "effort": tau[k].tolist()}, log_time=at)
        writer.finish()
    mapping = {"clock": {"rate": 500}, "differentiate": {"window": 0.05},
               "topics": {"/joint_states": {"position": "q", "velocity": "dq"}}}
    _, _, decoding = timed("one.mcap: decoding", rows, sd.open_log(work / "one.mcap", mapping).read)
    _, _, used = timed("one.mcap: end to end", rows, sd.solve_dataset, work / "one.mcap", arm, "inverse-dynamics", work / "of-mcap",
                       mapping=mapping, on_error="nan")
    print(f"{'':<44} {os.path.getsize(work / 'one.mcap') / rows:.0f} bytes a row; decoding is {decoding / used:.0%}")


def main():
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    work = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    robot = sd.load_urdf(ROOT / "robots/quadruped.urdf", floating=True)
    arm = sd.load_urdf(ROOT / "robots/arm.urdf")
    data = work / "data"
    timed("simulate, and write Parquet", rows, make, data, robot, rows)
    files = sorted(data.glob("*/*.parquet"))
    (work / "bare").mkdir(exist_ok=True)
    timed("bare loop: read_table, solve_log, write_table", rows, bare, files, robot, work / "bare")
    timed("solve_dataset, processes: 1", rows, sd.solve_dataset, data, robot, "inverse-dynamics", work / "one")
    timed("solve_dataset, processes: 2", rows, sd.solve_dataset, data, robot, "inverse-dynamics", work / "two", processes=2)
    print(f"{'':<44} bytes {'the same' if digest(work / 'one') == digest(work / 'two') else 'DIFFER'}")
    same = clusters(data, robot, rows, work)
    print(f"{'':<44} the cluster's bytes {'the same' if digest(work / 'one') == same else 'DIFFER'}")
    formats(robot, work, 500_000)
    mcap(arm, work, 20_000)


if __name__ == "__main__":
    main()
