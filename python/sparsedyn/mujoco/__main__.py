"""python -m sparsedyn.mujoco SCENE.xml -o FOLDER: a MuJoCo model as files for the command line, C++ and generated code."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from .._errors import InputError, SparsedynWarning
from ._files import write_folder
from ._robot import load_mujoco


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0, or 3 where the model is refused."""
    parser = argparse.ArgumentParser(prog="python -m sparsedyn.mujoco", description=__doc__)
    parser.add_argument("scene", metavar="SCENE.xml", help="MJCF, or a URDF that MuJoCo reads")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True,
                        help="gets robot.json, constraints.json, sensors.json and keyframes.csv")
    parser.add_argument("--partial", action="store_true", help="leave out what pulls and cannot be represented; else it is refused")
    parser.add_argument("--quiet", action="store_true", help="no table of what entered and what did not")
    options = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparsedynWarning)  # the table says it
            robot = load_mujoco(options.scene, partial=options.partial)
        written = write_folder(robot, options.output, options.scene)
    except (ValueError, InputError, OSError, ImportError) as error:
        print(f"{options.scene}: {error}" if not str(error).startswith(options.scene) else error, file=sys.stderr)
        return 3
    if not options.quiet:
        print(robot.report)
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
