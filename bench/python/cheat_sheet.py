#!/usr/bin/env python3
"""Runs docs/pinocchio.md: both sides of each row, on robots fixed and floating; exit 1 where they differ by more than 1e-10.

  bench/python/cheat_sheet.py [ROBOT.urdf ...]      the arm and the quadruped unless given; needs pin==4.1.0 beside sparsedyn
"""

import pathlib
import re
import sys

import numpy as np
import pinocchio as pin
import sparsedyn as sd
from agreement import SWAP6, Pair

ROOT = pathlib.Path(__file__).resolve().parents[2]


def placement(model, data, Q, frame):
    pin.framesForwardKinematics(model, data, Q)
    return data.oMf[frame]


def placements(model, data, Q, links):
    pin.framesForwardKinematics(model, data, Q)
    return [data.oMf[model.getFrameId(link, pin.FrameType.BODY)].translation for link in links]


def in_our_order(pair, name, x):
    """Pinocchio's result with freedoms, and angular parts, as ours are."""
    n = pair.ours.nv
    if name in ("crba", "minverse"):
        x = np.triu(x) + np.triu(x, 1).T
    if name in ("jacobian", "jacobian_rate", "centroidal_momentum_matrix"):
        return x[SWAP6][:, pair.back]
    if name == "centre_of_mass_jacobian":
        return x[:, pair.back]
    if x.shape == (n, n):
        return pair.matrix(x)
    return pair.from_v(x) if x.shape == (n,) and name != "pose" else x


def main():
    paths = [pathlib.Path(each) for each in sys.argv[1:]] or [ROOT / f"robots/{name}.urdf" for name in ("arm", "quadruped")]
    table = re.findall(r"^\| .*?\| `(pin\..*?|placement.*?)` \| `(.*?)` \|$", (ROOT / "docs/pinocchio.md").read_text(), re.M)
    if len(table) < 15:
        sys.exit("docs/pinocchio.md: the table was not found")
    worst = 0.0
    for path, floating in [(path, floating) for path in paths for floating in (False, True)]:
        print(f"{path.stem}{', floating' if floating else ''}")
        pair, rng = Pair(path, floating), np.random.default_rng(2)
        robot, model, data = pair.ours, pair.model, pair.data
        q = robot.random(rng)
        dq, ddq, tau = (rng.standard_normal(robot.nv) for _ in range(3))
        link = next(name for name in reversed(robot.link_names) if model.existFrame(name))
        scope = {"pin": pin, "sd": sd, "np": np, "robot": robot, "model": model, "data": data, "placement": placement,
                 "placements": placements, "links": robot.link_names,
                 "q": q, "dq": dq, "ddq": ddq, "tau": tau, "link": link, "frame": model.getFrameId(link),
                 "Q": pair.q(q), "V": pair.v(dq), "A": pair.v(ddq), "T": pair.v(tau)}
        for theirs, ours in table:
            name = re.split(r"[.(]", ours)[1]
            found = np.asarray(eval(ours, scope))
            expected = in_our_order(pair, name, np.array(eval(theirs, scope)))
            off = np.abs(found - expected).max() / max(1, np.abs(expected).max())
            worst = max(worst, off)
            print(f"{off:8.1e}  {ours}{'' if off <= 1e-10 else '   DIFFERS'}")
    return int(not worst <= 1e-10)


if __name__ == "__main__":
    sys.exit(main())
