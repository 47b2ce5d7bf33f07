#!/usr/bin/env python3
"""Times of the Python package beside Pinocchio's, one thread unless said, each pair in one run: bench/python/speed.py ROBOT.urdf [LOG.csv]

Every figure is the least of many short repetitions, for the machine may be busy. Needs pin==4.1.0.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pinocchio as pin
import sparsedyn as sd

warnings.simplefilter("ignore")
ROWS = 4096


def least(function, calls=1, seconds=1.5):
    """Nanoseconds a call."""
    function()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter_ns() - start) / calls)
    return best


def say(what, ours, theirs, wanted):
    print(f"{what:58s} {ours:9.1f} {theirs:9.1f} ns   ratio {theirs / ours:6.2f}   {wanted}", flush=True)


def structure_of_arrays(program, inputs, outputs):
    """NAME_batch on structures of arrays, without Python's part."""
    with tempfile.TemporaryDirectory() as folder:
        source, *_ = program.save(folder)
        library = pathlib.Path(folder, "code.so")
        command = ["cc", "-std=c99", "-fPIC", "-shared", "-O2", "-march=native", "-ffp-contract=fast"]
        subprocess.run([*command, source, "-lm", "-o", library], check=True)
        batch = getattr(ctypes.CDLL(str(library)), f"{program.name}_batch")
    columns = [np.ascontiguousarray(x.T) for x in inputs]
    results = [np.empty((size, len(inputs[0]))) for size in outputs]
    pointer = ctypes.POINTER(ctypes.c_double)
    arg = (pointer * len(columns))(*(x.ctypes.data_as(pointer) for x in columns))
    res = (pointer * len(results))(*(x.ctypes.data_as(pointer) for x in results))
    return lambda: (batch(arg, res, ctypes.c_long(len(inputs[0]))), columns, results)


def main():
    path = sys.argv[1]
    robot, model = sd.load_urdf(path), pin.buildModelFromUrdf(path)
    data, rng = model.createData(), np.random.default_rng(1)
    if model.nq != robot.nq:
        sys.exit("a robot without continuous joints is needed, whose q both libraries write alike")
    q, v, a = robot.random(rng, ROWS), rng.standard_normal((ROWS, robot.nv)), rng.standard_normal((ROWS, robot.nv))
    q0, v0, a0, out = q[0].copy(), v[0].copy(), a[0].copy(), np.empty(robot.nv)
    print(f"{'':58s} {'ours':>9s} {'other':>9s}")
    theirs = least(lambda: pin.rnea(model, data, q0, v0, a0), 100)
    say("a call: rnea, out=; pin.rnea", least(lambda: sd.rnea(robot, q0, v0, a0, out=out), 100), theirs, "wanted: 2.5 or more")
    rnea = sd.generate(robot, "rnea")
    f = rnea.compile()
    bound = f.bind(q0, v0, a0, out=out)
    alone = structure_of_arrays(rnea, [q[:1], v[:1], a[:1]], [robot.nv])
    say("a call: compiled, bound; pin.rnea", least(bound, 100), theirs, "bound: 150 ns or less beyond the program")
    say("a call: compiled, out=; pin.rnea", least(lambda: f(q0, v0, a0, out=out), 100), theirs, "500 ns or less beyond the program")

    rows = lambda function: least(function) / ROWS  # noqa: E731
    for name, ours, pins in (("rnea", sd.rnea, pin.rnea), ("aba", sd.aba, pin.aba)):
        loop = rows(lambda pins=pins: [pins(model, data, q[i], v[i], a[i]) for i in range(ROWS)])
        say(f"a row: {name}; a loop over pin.{name}", rows(lambda ours=ours: ours(robot, q, v, a)), loop, "wanted: 4 or more")
    pool = pin.ModelPool(model, 1) if hasattr(pin, "ModelPool") else None
    columns = [np.asfortranarray(x.T) for x in (q, v, a)]
    result = np.asfortranarray(np.empty((robot.nv, ROWS)))
    big = np.empty((ROWS, robot.nv))
    for name in ("rnea", "aba"):
        program = sd.generate(robot, name)
        f = program.compile()
        ours = rows(lambda f=f: f(q, v, a, out=big))
        parallel = getattr(pin, f"{name}InParallel", None)
        if parallel and pool is not None:
            say(f"a row: compiled {name}; pin.{name}InParallel", ours, rows(lambda p=parallel: p(1, pool, *columns, result)),
                "wanted: 20 or more")
        soa = rows(structure_of_arrays(program, [q, v, a], [robot.nv]))
        say(f"a row: compiled {name}; itself on structures of arrays", ours, soa, "wanted: 0.77 or more")
    f = sd.generate(robot, "rnea-derivatives").compile()
    loop = rows(lambda: [pin.computeRNEADerivatives(model, data, q[i], v[i], a[i]) for i in range(ROWS)])
    out = tuple(np.empty((ROWS, robot.nv, robot.nv)) for _ in range(3))
    say("a row: compiled rnea-derivatives, out=; a loop over pin's", rows(lambda: f(q, v, a, out=out)), loop, "wanted: 10 or more")
    many = [np.tile(x, (245, 1)) for x in (q, v, a)]
    big = np.empty((len(many[0]), robot.nv))
    one, two = (least(lambda t=t: sd.rnea(robot, *many, out=big, threads=t), seconds=6) / len(big) for t in (1, 2))
    say("a row of 10^6: rnea, two threads; one", two, one, "wanted: 1.6 or more")
    if len(sys.argv) > 2:
        compare_logs(robot, path, sys.argv[2])


def compare_logs(robot, path, log):
    """Rows a second of solve_log, from table to table, and of the command line net of CSV: of its row solver alone."""
    import json

    import pyarrow.csv

    table = pyarrow.csv.read_csv(log)
    absent = [name for name in robot.joint_names if f"q.{name}" not in table.column_names]
    hand = "panda_hand" in robot.link_names and bool(absent)  # with its fingers, of which the log says nothing
    robot = sd.load_urdf(path, cut=["panda_hand"]) if hand else sd.load_urdf(path, lock=absent)
    without = ["--cut", "panda_hand"] if hand else [x for name in absent for x in ("--lock", name)]
    solver = sd.Solver(robot, "inverse-dynamics")
    program = pathlib.Path(__file__).resolve().parents[2] / "build/tools/sparsedyn"
    ours = theirs = whole = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder, "tau.csv")
        command = [program, "solve", path, "--sensors", "inverse-dynamics", "--log", log, "-o", written, "--json", "--outputs", "tau",
                   "--quiet", *without]
        for _ in range(8):  # in turns, for the machine may be busy
            said = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            theirs = min(theirs, 1e9 * said["solving_seconds"] / said["rows"])
            whole = min(whole, 1e9 / said["rows_per_second"])
            ours = min(ours, least(lambda: solver.solve_log(table), seconds=1) / len(table))
        found, same = solver.solve_log(table), pyarrow.csv.read_csv(written)
    for name in found.column_names:
        if not np.array_equal(found[name].to_numpy(), same[name].to_numpy(), equal_nan=True):
            sys.exit(f"{name}: solve_log and the command line differ")
    say("a row: solve_log; the command line net of CSV", ours, theirs, "wanted: 0.8 or more")
    say("a row: solve_log; the command line with its CSV", ours, whole, "")


if __name__ == "__main__":
    main()
