"""A MuJoCo robot as a folder of files."""

from __future__ import annotations

import json
import os
from typing import Any

from .._files import write_files
from .._logs import state_columns
from ._robot import MujocoRobot


def write_folder(robot: MujocoRobot, folder: Any, source: Any = None) -> list[str]:
    """Writes robot.json, constraints.json, sensors.json and, of models with keyframes, keyframes.csv; their paths. All or none."""
    texts = {"robot.json": robot.robot._robot_text(), "constraints.json": _text(robot.constraints_json), "sensors.json": _text(robot.sensors_json)}
    if robot.keyframes:
        texts["keyframes.csv"] = keyframes_csv(robot)
    os.makedirs(folder, exist_ok=True)
    paths = {os.path.join(folder, name): text for name, text in texts.items()}
    write_files(paths, [os.fspath(source)] if isinstance(source, (str, os.PathLike)) and os.path.exists(source) else [])
    return list(paths)


def keyframes_csv(robot: MujocoRobot) -> str:
    """A log of the keyframes' states, one a row."""
    q, dq = state_columns(robot.robot)
    lines = [",".join(q + dq)]
    for key in robot.keyframes:
        lines.append(",".join(repr(float(x)) for x in [*key.q, *key.dq]))
    return "\n".join(lines) + "\n"


def _text(of: dict[str, Any]) -> str:
    """One item of the list a line."""
    head = {key: value for key, value in of.items() if not isinstance(value, list)}
    (name, items), = [(key, value) for key, value in of.items() if isinstance(value, list)]
    lines = ",\n  ".join(json.dumps(item) for item in items)
    start = json.dumps(head)[:-1]
    return f"{start}{', ' if head else ''}\n {json.dumps(name)}: [\n  {lines}]}}\n"
