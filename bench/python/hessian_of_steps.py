#!/usr/bin/env python3
"""Second derivatives of steps of time, times multipliers: bench/python/hessian_of_steps.py ROBOT.urdf [--floating] [STAGES ...]

Microseconds a stage of H of `generate --stage semi-implicit`, all stages of a motion as one batch on one core, least of many. A
humanoid's takes minutes to compile.
"""

import argparse
import ctypes
import os
import time

import numpy as np
import sparsedyn as sd

FLAGS = "-O2 -march=native -ffp-contract=fast"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("robot")
    parser.add_argument("stages", nargs="*", type=int, default=[24, 64])
    parser.add_argument("--floating", action="store_true")
    options = parser.parse_intermixed_args()
    robot = sd.load_urdf(options.robot, floating=options.floating)
    program = sd.generate(robot, stage="semi-implicit", outputs="H", name="hessian")
    begin = time.perf_counter()
    code = sd._core._compile(program.source, program.header, "hessian", program._inputs, program._outputs, None, "", FLAGS, False, [])
    print(f"{robot.name}, {program.flops}, compiled in {time.perf_counter() - begin:.0f} s, load {os.getloadavg()[0]:.1f}")
    batch = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(code._address("hessian_batch"))
    rng = np.random.default_rng(1)
    for n in options.stages:
        x = np.concatenate([robot.random(rng, (n,)), rng.standard_normal((n, robot.nv))], axis=1)
        sizes = [shape[0] for _, shape in program._inputs[1:]]
        given = [np.ascontiguousarray(each.T) for each in (x, *(rng.standard_normal((n, size)) for size in sizes))]
        given[2][:] = 0.02
        out = np.empty((len(program.manifest["outputs"][0]["elements"]), n))
        arg, res = (ctypes.c_void_p * len(given))(*(each.ctypes.data for each in given)), (ctypes.c_void_p * 1)(out.ctypes.data)
        seconds = []
        until = time.perf_counter() + 2
        while time.perf_counter() < until:
            begin = time.perf_counter()
            batch(arg, res, n)
            seconds.append(time.perf_counter() - begin)
        assert np.isfinite(out).all()
        print(f"  {n} stages: {1e6 * min(seconds) / n:.2f} us a stage, {len(out)} entries")


if __name__ == "__main__":
    main()
