"""Programs through contacts and loops: C that iterates, which no straight line stands for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NoReturn

from . import _core
from ._core import Constraints, Model
from ._program import Program


class ContactProgram(Program):
    """C99 for one robot under constraints: to be saved, or compiled for one sample and batches."""

    def _refuse(self, framework: str) -> NoReturn:
        raise ValueError(f"{self.name}: code through contacts iterates, so that {framework} has no expressions of it; expected compile()")

    def casadi(self, *, progress: bool | Callable[[float, str], None] | None = None) -> Any:
        """Raises ValueError: `save`d, the code is an external function of CasADi's, without derivatives."""
        self._refuse("CasADi")

    def jax(self, *, on_error: Literal["raise", "nan"] = "raise") -> Callable[..., Any]:
        """Raises ValueError."""
        self._refuse("JAX")

    def torch(self, *, on_error: Literal["raise", "nan"] = "raise") -> Callable[..., Any]:
        """Raises ValueError."""
        self._refuse("PyTorch")


def generated(
    robot: Model,
    constraints: Constraints | str | os.PathLike[str] | Mapping[str, Any],
    algorithm: str | None,
    outputs: Sequence[str],
    all_inputs: bool,
    parameters: Sequence[str],
    stage: str | None,
    name: str,
    foreign: Mapping[str, Any],
) -> ContactProgram:
    """What sd.generate gives with constraints. foreign: its other arguments, none of which may be given."""
    for option, value in foreign.items():
        if value:
            raise ValueError(f"{option}: does not go with constraints")
    held = constraints if isinstance(constraints, Constraints) else Constraints(constraints)
    parts = _core._generate_contacts(robot, held, algorithm or "", outputs, all_inputs, parameters, stage or "", name)
    request: tuple[Any, ...] = (robot, algorithm or "", held, "", outputs, False, all_inputs, False, False, [], parameters, stage or "")
    return ContactProgram(name, parts, robot, None, "float64", request)
