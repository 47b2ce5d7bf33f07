"""Programs of derivatives of a program, made and compiled where they are asked for.

Letters tell what was done, in order: n, quaternions of any norm; f, the directional derivative (inputs along_x, outputs slope_y);
r, the product with multipliers (inputs times_y, outputs slope_x). "fr" is what reverses the directional derivative.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _core
from ._errors import SolveError

if TYPE_CHECKING:
    from ._core import CompiledFunction
    from ._program import Program

Ports = tuple[tuple[str, tuple[int, ...]], ...]
#: Inputs that hold the robot's coordinates: `q` itself, and `x` of a step of time, q followed by dq. No program has both.
COORDINATE_INPUTS = frozenset({"q", "x"})


class Derived:
    """A program, or derivatives of it: names and shapes of its vectors, and which of its inputs it is linear in."""

    def __init__(self, program: Program, letters: str = "", before: Derived | None = None) -> None:
        self.program = program
        self.letters = letters
        #: What the last letter was applied to.
        self.before = before
        self.inputs: Ports
        self.outputs: Ports
        if before is None:
            self.inputs = tuple((name, tuple(shape)) for name, shape in program._inputs)
            self.outputs = tuple((name, tuple(shape)) for name, shape in program._outputs)
        else:
            forward, order = letters[-1] == "f", str(len(letters)) if len(letters) > 1 else ""
            new, slopes = (before.inputs, before.outputs) if forward else (before.outputs, before.inputs)
            self.inputs = before.inputs + tuple((f"{'along' if forward else 'times'}{order}_{name}", shape) for name, shape in new)
            self.outputs = tuple((f"slope{order}_{name}", shape) for name, shape in slopes)
        #: Of the inputs, those from here on enter linearly.
        self.linear_from = len(self.inputs) if before is None else len(before.inputs)
        # What is derived from q: divided by a number, the quaternions of q want these divided by it, too.
        if before is None:
            self._from_q = [name in COORDINATE_INPUTS for name, _ in self.inputs], [False] * len(self.outputs)
        else:
            known, slopes_of = before._from_q if letters[-1] == "f" else before._from_q[::-1]
            self._from_q = before._from_q[0] + known, slopes_of
        self._then: dict[str, Derived] = {}
        self._compiled: dict[bool, CompiledFunction] = {}
        self._lock = threading.Lock()

    def then(self, letter: str) -> Derived:
        """The directional derivative of this (f), or its product with multipliers (r)."""
        with self._lock:
            if letter not in self._then:
                self._then[letter] = Derived(self.program, self.letters + letter, self)
            return self._then[letter]

    @property
    def name(self) -> str:
        """Of the function in C: a name of its own for each text."""
        return f"{self.program.name}_{self.letters}" if self.letters else self.program.name

    def digest(self) -> str:
        """Stands for the text in every process: made of the program's own, which tells the version, and of what was done to it."""
        return hashlib.sha256("\0".join([self.program.source, self.letters]).encode()).hexdigest()[:16]

    def text(self, any_norm: bool) -> tuple[str, str, int]:
        """C source, header, operations; `any_norm`: quaternions are scaled by the text, as texts of derivatives always do."""
        if not self.letters and any_norm:
            return *self.program._source_at_any_norm(), sum(self.program.flops.values())
        if not self.letters:
            return self.program.source, self.program.header, sum(self.program.flops.values())
        parts = self.program._derived_text(self.name, "n" + self.letters)
        return parts[0], parts[1], sum(json.loads(parts[3]).values())

    @property
    def of_q(self) -> list[bool]:
        """Of the inputs and then of the outputs, which are q or derived from q, so that they have numbers for each of its own."""
        return self._from_q[0] + self._from_q[1]

    def quaternions(self) -> list[int]:
        """Where they begin in q, and in all that is derived from q."""
        return _core._quaternions(self.program._robot) if any(name in COORDINATE_INPUTS for name, _ in self.inputs) else []

    def results(self, arrays: list[Any], on_error: Literal["raise", "nan"]) -> list[Any]:
        """Of arrays with leading axes, of quaternions of any length but zero; the fault of a sample raises SolveError or is NaN.

        The texts scale a quaternion u as 1 / sqrt(u . u). Where these squares might leave the range of numbers, u is divided by a
        power of two, and so is all that is derived from q: results are functions of u/|u|, and the division is exact.
        """
        exponents = _exponents(arrays[self._from_q[0].index(True)], self.quaternions()) if any(self._from_q[0]) else {}
        with np.errstate(over="ignore"):  # what becomes infinite is refused
            given = [_divided(x, exponents) if derived else x for x, derived in zip(arrays, self._from_q[0])]
        made: Any = self.compiled()(*given, threads=0, on_error=on_error)
        if on_error == "nan":
            made = made.value
        each = list(made) if isinstance(made, tuple) else [made]
        with np.errstate(over="ignore"):  # what becomes infinite fails
            each = [(_divided(x, exponents) if derived else x).astype(arrays[0].dtype, copy=False) for x, derived in zip(each, self._from_q[1])]
        return self._judged(each, on_error)

    def _judged(self, results: list[Any], on_error: str) -> list[Any]:
        """As they are stored: float32 lacks large numbers that the program's type has."""
        fine = [np.isfinite(x).all(axis=tuple(range(x.ndim - len(core), x.ndim))) for x, (_, core) in zip(results, self.outputs)]
        failed = ~np.logical_and.reduce(fine)
        if not failed.any():
            return results
        if on_error == "raise":
            rows = np.flatnonzero(failed).tolist()
            raise SolveError(rows, ["the results are not finite"] * len(rows), failed.size)
        return [np.where(failed.reshape(failed.shape + (1,) * len(core)), x.dtype.type(np.nan), x) for x, (_, core) in zip(results, self.outputs)]

    def compiled(self, behind: Callable[[int], str] | None = None) -> CompiledFunction:
        """Machine code of the text, a function of quaternions of any norm whose squares are in the range of numbers; or with
        `behind(operations)` put behind the text, which then scales those of the program's own text. Each once in a process."""
        with self._lock:
            kind = behind is not None
            if kind not in self._compiled:
                source, header, operations = self.text(any_norm=not kind)
                inputs, outputs = ([(name, list(shape)) for name, shape in part] for part in (self.inputs, self.outputs))
                make = (lambda *parts: parts) if len(outputs) > 1 else None
                whole = source + behind(operations) if behind else source
                self._compiled[kind] = _core._compile(whole, header, self.name, inputs, outputs, make, "", "", self.program.dtype == "float32", [])
            return self._compiled[kind]


def _exponents(q: Any, quaternions: list[int]) -> dict[int, Any]:
    """By the place of a quaternion, for each sample the power of two to divide by; none where all lengths are usual."""
    found = {}
    for at in quaternions:
        most = np.abs(q[..., at : at + 4]).max(axis=-1)
        unusual = np.isfinite(most) & ~((most > 1e-3) & (most < 1e3))
        if unusual.any():
            found[at] = np.where(unusual, np.frexp(most)[1], 0)[..., None]
    return found


def _divided(x: Any, exponents: dict[int, Any]) -> Any:
    """The quaternions in x divided by powers of two, in a copy."""
    if not exponents:
        return x
    x = np.array(x)
    for at, exponent in exponents.items():
        x[..., at : at + 4] = np.ldexp(x[..., at : at + 4], -exponent)
    return x


def in_order(program: Program, arguments: tuple[Any, ...], by_name: Mapping[str, Any]) -> list[Any]:
    """The program's inputs in order, of what was given by position, by name, or as one dict of names."""
    names = program.inputs
    first = arguments[0] if len(arguments) == 1 else None
    if isinstance(first, Mapping) and not by_name:
        arguments, by_name = (), first
    if len(arguments) > len(names):
        raise TypeError(f"{program.name}: {len(arguments)} arguments; expected {len(names)}: {', '.join(names)}")
    given = dict(zip(names, arguments))
    for name, value in by_name.items():
        if name not in names:
            raise TypeError(f"{program.name}: no input {name}; expected {', '.join(names)}")
        if name in given:
            raise TypeError(f"{program.name}: {name} is given twice")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(f"{program.name}: {', '.join(missing)} missing; expected {', '.join(names)}")
    return [given[name] for name in names]
