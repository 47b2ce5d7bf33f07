#!/usr/bin/env python3
"""sd.verify of all robots below folders, fixed and floating: a line for each, with the pair that differs most beside its bound.

  bench/python/verify_robots.py FOLDER… [--samples N]

Pinocchio and MuJoCo stand beside the library where they are installed (pip install pin mujoco). The folders of 69 robots:
pip download --no-deps example-robot-data, unpacked. Exit code 1 where something is off.
"""
import argparse
import pathlib
import sys
import time
import warnings

import sparsedyn as sd


def told(found: sd.Verification) -> str:
    compared = [pair for pair in found.pairs if pair.worst is not None]
    worst = max(compared, key=lambda pair: pair.worst / pair.allowed)
    peers = sum(pair.b in ("Pinocchio", "MuJoCo") or pair.a in ("Pinocchio", "MuJoCo") for pair in compared)
    return (f"{len(compared)} pairs, {peers} of them with peers; {worst.quantity}: {worst.a} | {worst.b} "
            f"{worst.worst:.1e} (bound {worst.allowed:.1e})")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folders", nargs="+", type=pathlib.Path)
    options.add_argument("--samples", type=int, default=10)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    off = robots = 0
    for path in sorted(file for folder in given.folders for file in folder.rglob("*.urdf")):
        for floating in (False, True):
            name = f"{path.stem}{', floating' if floating else ''}"
            try:
                robot = sd.load_urdf(path, floating=floating)
            except sd.InputError as error:
                print(f"{name}: not read: {error}")
                continue
            if robot.nv == 0:
                print(f"{name}: no joint moves")
                continue
            start = time.process_time()
            found = sd.verify(robot, samples=given.samples)
            off, robots = off + (not found.passed), robots + 1
            print(f"{name}: {'agrees' if found.passed else 'OFF'}; {told(found)}; {time.process_time() - start:.1f} s", flush=True)
    print(f"{robots} robots, {off} off")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
