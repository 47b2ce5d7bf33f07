"""Rows a second of logs at scale: python bench/python/scale.py [ROWS] [FOLDER]

Quadruped, inverse dynamics: a data set of 20 Parquet files, by `simulate`. Printed: the bare loop (read_table, solve_log,
write_table); one process, the same held to one core (by itself it reads beside its solver, on the other), two processes, and what
two processes that only compute are to one on this machine, which is the most that can be; one worker and two of sd.solve_dataset and of a LocalCluster (400 MB each), two of which one is killed now and then;
how much faster two are, the largest memory of a worker, whether the bytes are the same; what short files cost; how much of reading
hides behind solving; rows a second end to end and the share of decoding for Parquet, CSV and MCAP.

By the clock the machine should be idle. Processor time is printed beside it: two workers can be as much faster as one worker's
processor time is to that of the busier of two, however loaded the machine is.
"""

import concurrent.futures
import hashlib
import multiprocessing
import os
import pathlib
import resource
import shutil
import signal
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
MADE = ("bare", "one", "one-core", "two", "1-worker", "2-workers", "2-workers-killed", "short-out", "of-one.parquet", "of-one.csv", "of-mcap")


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


def spent_by_workers(client):
    """Processor seconds of each worker that lives, and MB, at most so far."""

    def status():
        with open("/proc/self/status", encoding="utf-8") as file:
            return time.process_time(), next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    found = client.run(status).values()
    return [cpu for cpu, _ in found], [memory for _, memory in found]


def say(text):
    print(f"{'':<44} {text}", flush=True)


def clusters(data, robot, rows, work, expected):
    """One worker, two, and two of which one is killed at a quarter, half and three quarters."""
    import distributed
    import sparsedyn.dask

    took, busiest = {}, {}
    for name, workers, kills in (("1 worker", 1, ()), ("2 workers", 2, ()), ("2 workers, killed", 2, (0.25, 0.5, 0.75))):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit="400MB", dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                client.wait_for_workers(workers)
                client.run(lambda: sd.__version__)
                began, _ = spent_by_workers(client)
                left = list(kills)

                def kill(share, what):
                    if left and share >= left[0]:
                        left.pop(0)
                        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

                out = work / name.replace(" ", "-").replace(",", "")
                _, took[name], _ = timed(f"LocalCluster, {name}", rows, sparsedyn.dask.solve, data, robot, "inverse-dynamics", out, client,
                                         progress=kill)
                cpu, memory = spent_by_workers(client)
                busiest[name] = max(cpu) - min(began)
                say(f"processor of each {[round(x - min(began), 1) for x in cpu]} s; memory at most {round(max(memory))} MB"
                    + (f"; {len(kills) - len(left)} killed" if kills else ""))
                say(f"bytes {'the same' if digest(out) == expected else 'DIFFER'}")
    say(f"two against one: {took['1 worker'] / took['2 workers']:.2f} by the clock, "
        f"{busiest['1 worker'] / busiest['2 workers']:.2f} by the processor time of the busier one")


def on_one_core(function, *arguments, **options):
    """As a worker has it on a cluster. Threads that begin meanwhile are held to it too."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        return function(*arguments, **options)
    finally:
        os.sched_setaffinity(0, cores)


def computing(begin, end):
    """Rows that this process solves from begin to end, out of memory that stays in its cache."""
    robot = sd.load_urdf(ROOT / "robots/quadruped.urdf", floating=True)
    solver, rng = sd.Solver(robot, "inverse-dynamics"), np.random.default_rng(1)
    q, dq, y = robot.random(rng, 1000), rng.standard_normal((1000, robot.nv)), rng.standard_normal((1000, len(solver.inputs)))
    rows = 0
    while time.time() < end:
        solver(q, dq, y)
        rows += 1000 if time.time() > begin else 0
    return rows


def most_of_two(seconds=5):
    """How much more two processes compute than one."""
    context = multiprocessing.get_context("spawn")
    found = []
    for count in (1, 2):
        with concurrent.futures.ProcessPoolExecutor(count, mp_context=context) as pool:
            begin = time.time() + 5  # by when they have started
            found.append(sum(pool.map(computing, [begin] * count, [begin + seconds] * count)))
    say(f"two processes that only compute are {found[1] / found[0]:.2f} times one")


def short(data, robot, work, rows, files):
    """Episodes: many files of few rows, beside the bare loop; the best of three."""
    folder = work / f"short-{rows}"
    source = pyarrow.parquet.read_table(next(iter(sorted(data.glob("*/*.parquet")))), partitioning=None)
    folder.mkdir(exist_ok=True)
    for k in range(files):
        at = k * rows % max(1, source.num_rows - rows)
        pyarrow.parquet.write_table(source.slice(at, rows), folder / f"{k:03d}.parquet")
    best = [float("inf")] * 2
    for _ in range(3):
        for which, run in enumerate((lambda out: bare(sorted(folder.iterdir()), robot, out),
                                     lambda out: sd.solve_dataset(folder, robot, "inverse-dynamics", out))):
            out = work / "short-out"
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            before = spent()
            run(out)
            best[which] = min(best[which], spent() - before)
    say(f"{files} files of {rows} rows: processor {best[1]:.2f} s, the bare loop {best[0]:.2f} s: {best[1] / best[0]:.2f}")


def overlap(path, robot):
    """What of reading hides behind solving, of one file."""
    from sparsedyn._scale import pieces, work

    asked = work.Work(robot, sd.SensorSet("inverse-dynamics"), outputs=("tau",))
    piece = pieces.pieces_of(path, 1 << 40)[0]
    wanted = {name for columns, *_ in work.Planned.of(asked, []).columns for name in columns}
    wanted |= {name for part in sd._logs.state_columns(robot) for name in part} | {"time"}

    def clocked(function):
        """The best of three."""
        took = []
        for _ in range(3):
            begin = time.perf_counter()
            found = function()
            took.append(time.perf_counter() - begin)
        return found, min(took)

    batches, reading = clocked(lambda: list(pieces.batches_of(piece, work.ROWS, None, wanted)))
    solver, columns = work.Planned.of(asked, []).solver(), work.Planned.of(asked, []).columns

    def solve():
        for batch in batches:
            solver.solve_rows(*sd._logs.read(robot, columns, batch)[:3], 1, 0)

    _, solving = clocked(solve)
    _, both = clocked(lambda: [None for _ in work.Solved(asked, piece)])
    say(f"reading alone {reading:.2f} s, solving alone {solving:.2f} s, both {both:.2f} s by the clock: "
        f"{(reading + solving - both) / min(reading, solving):.0%} of the shorter hidden")


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
    for name in MADE:  # by an earlier run; the data stay
        shutil.rmtree(work / name, ignore_errors=True)
    timed("simulate, and write Parquet", rows, make, data, robot, rows)
    files = sorted(data.glob("*/*.parquet"))
    (work / "bare").mkdir(exist_ok=True)
    _, _, by_hand = timed("bare loop: read_table, solve_log, write_table", rows, bare, files, robot, work / "bare")
    _, one, used = timed("solve_dataset, processes: 1", rows, sd.solve_dataset, data, robot, "inverse-dynamics", work / "one")
    say(f"processor time beside the bare loop: {used / by_hand:.2f}")
    expected = digest(work / "one")
    _, two, _ = timed("solve_dataset, processes: 2", rows, sd.solve_dataset, data, robot, "inverse-dynamics", work / "two", processes=2)
    say(f"bytes {'the same' if digest(work / 'two') == expected else 'DIFFER'}; two against one: {one / two:.2f} by the clock")
    _, core, _ = timed("solve_dataset, processes: 1, on one core", rows, on_one_core, sd.solve_dataset, data, robot, "inverse-dynamics",
                       work / "one-core")
    say(f"two, on two cores, against one on one core: {core / two:.2f} by the clock")
    most_of_two()
    clusters(data, robot, rows, work, expected)
    short(data, robot, work, 10_000, 40)
    short(data, robot, work, 1_000, 100)
    overlap(files[0], robot)
    formats(robot, work, min(rows // FILES, 500_000))
    mcap(arm, work, 20_000)


if __name__ == "__main__":
    main()
