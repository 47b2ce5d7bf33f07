"""Motions without forces are geodesics of the kinetic metric M(q) (Todorov's notes, slides 14 to 16), drawn for a two-link arm.

    python python/examples/geodesics.py geodesics.svg

Left: from one posture, in all directions, at one kinetic energy: paths over the joint angles, and where they are after equal
times, the circles of this metric. Right: the arm along one of them. The classical method of Runge and Kutta, all paths in one batch.
"""

import sys

import numpy as np
from numpy.typing import NDArray
import sparsedyn as sd

LINKS = ((0.7, 1.3), (0.5, 0.8))  # m, kg: point masses at the ends
ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.7 0 0"/><mass value="1.3"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.5 0 0"/><mass value="0.8"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="q1" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="q2" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.7 0 0"/><axis xyz="0 0 1"/></joint>
</robot>"""
PATHS, STEPS, TIME, FRONTS = 72, 400, 2.0, 8

robot = sd.load_urdf(ARM, gravity=(0, 0, 0))
rest = np.zeros((PATHS, 2))


def rate(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """(q', q'') = (q', -M^-1 c(q, q')) = (q', -Gamma(q', q'))."""
    return np.concatenate([x[:, 2:], sd.aba(robot, x[:, :2].copy(), x[:, 2:].copy(), rest)], axis=1)


def step(x: NDArray[np.float64], h: float) -> NDArray[np.float64]:
    a = rate(x)
    b = rate(x + 0.5 * h * a)
    c = rate(x + 0.5 * h * b)
    return x + h / 6 * (a + 2 * b + 2 * c + rate(x + h * c))


def kinetic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sd.energy(robot, x[:, :2].copy(), x[:, 2:].copy()).kinetic)


start = np.array([0.3, 1.2])
angles = 2 * np.pi * np.arange(PATHS) / PATHS
circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
directions = np.linalg.solve(np.linalg.cholesky(sd.crba(robot, start)).T, circle.T).T  # v' M v = 1: all of one energy
states = [np.concatenate([np.tile(start, (PATHS, 1)), directions], axis=1)]
for _ in range(STEPS):
    states.append(step(states[-1], TIME / STEPS))
x = np.array(states)  # steps, paths, (q, v)
lost = max(abs(kinetic(s) - 0.5).max() for s in x[::20])
print(f"{PATHS} geodesics of kinetic length {TIME}: their energy changes by {lost:.1e} of 0.5")
if not lost < 1e-8:
    raise SystemExit("the kinetic energy of a geodesic stays")


def line(points: NDArray[np.float64], style: str) -> str:
    return f'<polyline fill="none" {style} points="' + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) + '"/>\n'


def on_plane(q: NDArray[np.float64]) -> NDArray[np.float64]:
    moved: NDArray[np.float64] = np.array([230, 195]) + 38 * (q - start) * [1, -1]
    return moved


svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 420" font-family="sans-serif" font-size="13" fill="#444">\n'
svg += '<rect width="100%" height="100%" fill="white"/>\n'
for k in range(PATHS):
    svg += line(on_plane(x[::20, k, :2]), 'stroke="#1f5fa8" stroke-width="0.8"')
for k in range(1, FRONTS + 1):
    front = x[k * STEPS // FRONTS, :, :2]
    svg += line(on_plane(np.concatenate([front, front[:1]])), 'stroke="#c2410c" stroke-width="1.2"')
svg += '<text x="20" y="408">q1 to the right, q2 up: geodesics, and circles of their metric</text>\n'
shown = 5
for k in range(0, STEPS + 1, STEPS // 10):
    q1, q2 = x[k, shown, :2]
    elbow = np.array([np.cos(q1), -np.sin(q1)]) * LINKS[0][0]
    hand = elbow + np.array([np.cos(q1 + q2), -np.sin(q1 + q2)]) * LINKS[1][0]
    points = np.array([600, 215]) + 135 * np.array([[0, 0], elbow, hand])
    svg += line(points, f'stroke="#1f5fa8" stroke-width="3" stroke-opacity="{0.2 + 0.8 * k / STEPS:.2f}" stroke-linecap="round"')
svg += '<text x="500" y="408">the arm along one of them</text>\n</svg>\n'
if len(sys.argv) > 1:
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(svg)
