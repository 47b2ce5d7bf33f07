"""Robot files: everything that a robot is, as JSON whose numbers read back exactly."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._core import Model, load_urdf
from ._files import Path, files_of, write_files


def save_robot(robot: Model, path: Path) -> None:
    """Writes the robot, as it was loaded (locked, cut, with its joints), to a robot file (robots/robot.schema.json).

    Every command of the program, C++'s load_robot and load_robot here read it: the same fingerprint and the same bits. Raises
    ValueError where the file is what the robot was read from.
    """
    write_files({path: robot._robot_text()}, files_of(robot))


def load_robot(path_or_json: Path | Mapping[str, Any], **options: Any) -> Model:
    """A robot from a robot file, its text (which begins with a brace) or what such a text holds, as a dict.

    options  as load_urdf has them: floating, lock, cut, gravity, snap, joints, strict. Raises InputError (`.file`, `.line`) for
    what is no robot file. Cost: proportional to the file.
    """
    if isinstance(path_or_json, Mapping):
        return load_urdf(json.dumps(path_or_json), **options)
    return load_urdf(os.fspath(path_or_json), **options)
