#!/usr/bin/env python3
"""Robots of a batch with inertias of their own, by Program.torch: bench/python/randomised_robots.py ROBOT.urdf [ROWS]

Forward dynamics and its gradient by q, dq, tau and the parameters pi, beside the program with constants. Numbers are checked with a
program of one of the robots. Without PyTorch its protocol's stand-in (python/tests/torch_stand_in.py) hands the same arrays over.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
import sparsedyn as sd

try:
    import torch
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/tests"))
    import torch_stand_in as torch

    sys.modules["torch"] = torch

REPEATS = 7


def tensor(array):
    return torch.from_numpy(array) if hasattr(torch, "from_numpy") else torch.Tensor(array)


def best(function):
    """Seconds by the clock, and of the processor."""
    found = []
    for _ in range(REPEATS):
        begin = time.perf_counter(), time.process_time()
        function()
        found.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return np.min(found, axis=0)


def main():
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    robot = sd.load_urdf(sys.argv[1])
    rng = np.random.default_rng(1)
    program, constant = sd.generate(robot, "aba", parameters=["inertial"], name="any"), sd.generate(robot, "aba", name="one")
    own = np.array(program.manifest["pi_nominal"])
    pi = own * np.repeat(rng.uniform(0.8, 1.2, (rows, own.size // 10)), 10, axis=1)
    state = [robot.random(rng, (rows,)), *rng.standard_normal((2, rows, robot.nv))]
    given = [tensor(x) for x in (*state, pi)]
    library = "torch" if hasattr(torch, "__version__") else "a stand-in of torch"
    print(f"{robot.name}, {rows} robots, {own.size} parameters each, {library}, load {os.getloadavg()[0]:.1f}")
    f, g = program.torch(), constant.torch()
    begin = time.perf_counter()
    found = np.asarray(f(*given))
    print(f"first call {time.perf_counter() - begin:.1f} s")
    some = slice(0, 50)
    parameters = np.tile(robot.parameters(), (50, 1))
    columns = [robot.parameter_names.index(name.removeprefix("pi.")) for name in program.manifest["inputs"][-1]["elements"]]
    parameters[:, columns] = pi[some]
    needed = np.einsum("sij,sj->si", sd.regressor(robot, *(x[some] for x in state[:2]), found[some]), parameters)
    assert np.allclose(needed, state[2][some], atol=1e-8), "not these robots' accelerations"

    from sparsedyn._torch import operator

    gradient = operator(program._derivatives.then("r"), "raise")
    multipliers = tensor(rng.standard_normal(found.shape))
    calls = {
        "forward dynamics": lambda: f(*given),
        "the same, robots alike": lambda: g(*given[:3]),
        "gradient by q, dq, tau, pi": lambda: gradient(*given, multipliers),
    }
    for name, call in calls.items():
        call()
        clock, busy = best(call)
        print(f"  {name}: {1e3 * clock:.0f} ms by the clock, {1e6 * clock / rows:.3f} us a robot ({1e6 * busy / rows:.3f} of processor time)")


if __name__ == "__main__":
    main()
