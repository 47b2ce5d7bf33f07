"""Algorithms and sensor sets as straight-line C."""

from __future__ import annotations

import functools
import json
import keyword
import os
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from . import _core, _pickles
from ._core import CompiledFunction, Constraints, Model, SensorSet
from ._derived import COORDINATE_INPUTS, Derived
from ._errors import InputError
from ._files import files_of, write_files
from ._plan import SNAP_OF_CODE, Plan


#: The format of a Program's pickles; its fields, with their types.
PICKLED = 1
FIELDS: dict[str, type | tuple[type, ...]] = {
    "name": str, "source": str, "header": str, "manifest": dict, "flops": dict, "dtype": str, "what": str, "_inputs": list, "_outputs": list,
    "_manifest_text": str, "_robot": Model, "_algorithm": (str, type(None)), "_request": tuple,
}

_tuples: dict[tuple[str, tuple[str, ...]], Any] = {}


def _tuple_of(name: str, outputs: tuple[str, ...]) -> Any:
    """The class of several results; None of one. One class for each name and outputs: JAX compares classes (lax.cond).

    A result that is called like a word of Python's has a `_` behind its name: `lambda_`.
    """
    key = (name, tuple(output + "_" * keyword.iskeyword(output) for output in outputs))
    return _tuples.get(key) or _tuples.setdefault(key, namedtuple(*key)) if len(outputs) > 1 else None


class Program:
    """Straight-line code for one robot: C99, plain or with CasADi's interface, one sample or batches."""

    def __init__(
        self, name: str, parts: tuple[Any, ...], robot: Model, algorithm: str | None, dtype: str, request: tuple[Any, ...]
    ) -> None:
        self.name = name
        #: NAME.c, NAME.h and NAME.json as texts.
        self.source: str
        self.header: str
        self.manifest: dict[str, Any]
        #: mul, add, div, sqrt and trig of one evaluation, counted in the text.
        self.flops: dict[str, int]
        self.source, self.header, manifest, flops, self.what, self._inputs, self._outputs = parts
        self._manifest_text = manifest
        self.manifest = json.loads(manifest)
        self.flops = json.loads(flops)
        #: Of its arithmetic: float64 or float32.
        self.dtype = dtype
        self._robot = robot
        self._algorithm = algorithm
        self._request = request  # what it was made of

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        return tuple(name for name, _ in self._inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the results, in order; elements by name are in `manifest`."""
        return tuple(name for name, _ in self._outputs)

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes NAME.c, NAME.h and NAME.json into the folder, which is made if need be, all three or none; returns their paths.

        Raises ValueError where one is a file that the robot or the sensor set was read from.
        """
        texts = {".c": self.source, ".h": self.header, ".json": self._manifest_text}
        paths = {os.path.join(folder, self.name + ending): text for ending, text in texts.items()}
        os.makedirs(folder, exist_ok=True)
        write_files(paths, files_of(self._robot, self._request[2]))
        return list(paths)

    def compile(self, cc: str | None = None, flags: str | None = None) -> CompiledFunction:
        """Machine code of this program, by a C compiler ($CC or cc; $CFLAGS or -O2 -march=native), kept in the user's cache.

        Of dtype float32: arrays are float64 all the same; numbers are rounded on their way in, and computed with in floats.
        The function takes the inputs by position, one sample or a batch on leading axes, with out=, threads= and on_error=;
        `bind` fixes arrays. Quaternions in q, and in x of a stage, must have norm 1 to 1e-5, as those of float32 and of text with six decimals have; they are
        scaled to 1. A sample with another one has no answer, as one with NaN (`jax`, `torch` and `casadi` scale it; the C code scales none).
        Raises CompilerFailure. Cost: a second for an arm's dynamics; a humanoid's derivatives take minutes.
        """
        return _core._compile(self.source, self.header, self.name, self._inputs, self._outputs, self._tuple, cc or "", flags or "", self.dtype == "float32", self._quaternions)

    @property
    def _quaternions(self) -> list[int]:
        """Where quaternions begin in q, or in x."""
        return _core._quaternions(self._robot) if COORDINATE_INPUTS.intersection(self.inputs) else []

    @property
    def _tuple(self) -> Any:
        return _tuple_of(self.name, self.outputs)

    def _source_at_any_norm(self) -> tuple[str, str]:
        """C source and header of the program that scales quaternions in q to norm 1."""
        if not self._quaternions:
            return self.source, self.header
        source, header, *_ = self._derived_text(self.name, "n")
        return source, header

    def _derived_text(self, name: str, letters: str) -> tuple[Any, ...]:
        """C source, header, manifest, operations, … of what is done to the program, by letters, as in Derived."""
        generate: Any = _core._generate
        parts: tuple[Any, ...] = generate(*self._request, name, self.dtype == "float32", letters)
        return parts

    def casadi(self, *, progress: bool | Callable[[float, str], None] | None = None) -> Any:
        """A casadi.Function of the same inputs and outputs; matrices are n × n. Needs casadi, for 'rnea', 'aba' and steps a C compiler too.

        Derivatives are exact, first and second. Those of 'rnea', 'aba' and x_next of a semi-implicit step are the library's own, compiled with the values ($CC or
        cc, $CFLAGS or -O2) once, and kept in the user's cache; all other programs are expressions (SX), of which CasADi makes
        derivatives of any order. Quaternions in q may have any length but zero: they are scaled to norm 1. By their four numbers the derivatives are those of the scaled one, zero along itself.
        progress: True, or a function of (fraction, what), to hear how far the compiler is.
        """
        from ._casadi import function

        if self.dtype != "float64":
            raise ValueError(f"{self.name}: of dtype {self.dtype}; casadi computes in float64")

        return function(self, progress)

    def __getstate__(self) -> tuple[Any, ...]:
        """All but what is made again where it is asked for."""
        return _pickles.state(PICKLED, {name: value for name, value in self.__dict__.items() if name != "_derivatives"})

    def __setstate__(self, state: Any) -> None:
        """Raises InputError for a state of another version's format."""
        kind = "Program"
        (found,) = _pickles.fields(kind, PICKLED, tuple(state.values()) if isinstance(state, dict) else state, 1)
        if _pickles.typed(kind, "fields", found, dict, "fields by name").keys() != FIELDS.keys():
            raise _pickles.refuse(kind, "fields", found, ", ".join(FIELDS))
        for name, types in FIELDS.items():
            _pickles.typed(kind, name, found[name], types, "what a program holds")
        self.__dict__.update(found)

    @functools.cached_property
    def _derivatives(self) -> Derived:
        """Itself, and the way to its derivatives."""
        return Derived(self)

    def jax(self, *, on_error: Literal["raise", "nan"] = "raise") -> Callable[..., Any]:
        """A function of JAX of the same inputs: by position, by name, or one dict of them; leading axes are the batch, and broadcast.

        For jit, vmap, grad, jvp, vjp, jacfwd, jacrev, hessian and scan on the CPU; derivatives of any order are exact programs of
        their own, compiled when they are first traced ($CC or cc; $CFLAGS or -O2 -march=native) and kept in the user's cache.
        Arrays are float64 or float32, results likewise; numbers are computed in the program's dtype. Several outputs are a named
        tuple. Quaternions in q, and in x of a stage, may have any length but zero, and are scaled to norm 1:
        derivatives by their four numbers are those of the scaled one. A sample without an answer raises ValueError or jax.errors.JaxRuntimeError, as JAX has it, with the reason; with on_error='nan' the
        call returns (value, failed).
        Raises ImportError without jax, ValueError for a program with health, CompilerFailure.
        """
        from ._jax import function

        if "health" in self.outputs:
            raise ValueError(f"{self.name}: health has no derivative; generate without it")
        return function(self, on_error)

    def torch(self, *, on_error: Literal["raise", "nan"] = "raise") -> Callable[..., Any]:
        """A function of PyTorch's tensors, as `jax` is of JAX's arrays: a custom operator with autograd, for backward of any order,
        torch.func.grad, vjp, jacrev and vmap, on the CPU. A sample without an answer raises SolveError.

        Raises ImportError without torch, ValueError for a program with health, CompilerFailure.
        """
        from ._torch import function

        if "health" in self.outputs:
            raise ValueError(f"{self.name}: health has no derivative; generate without it")
        return function(self, on_error)

    def __repr__(self) -> str:
        return f"Program({self.name!r}, ({', '.join(self.inputs)}) -> ({', '.join(self.outputs)}), {sum(self.flops.values())} operations)"


def compiled_again(*state: Any) -> CompiledFunction:
    """Of a pickle. Raises InputError, and CompilerFailure where there is no compiler."""
    kind = "CompiledFunction"
    source, header, name, inputs, outputs, cc, flags, single, quaternions = _pickles.fields(kind, 2, state, 9)
    for field, text in (("source", source), ("header", header), ("name", name), ("cc", cc), ("flags", flags)):
        _pickles.typed(kind, field, text, str, "a text")
    read, written = _pickled_shapes(kind, "inputs", inputs), _pickled_shapes(kind, "outputs", outputs)
    _pickles.typed(kind, "single", single, bool, "True or False")
    if any(type(at) is not int for at in _pickles.typed(kind, "quaternions", quaternions, list, "places in q")):
        raise _pickles.refuse(kind, "quaternions", quaternions, "places in q")
    if not name.isidentifier():
        raise _pickles.refuse(kind, "name", name, "an identifier")
    make = _tuple_of(name, tuple(each for each, _ in written))
    try:
        return _core._compile(source, header, name, read, written, make, cc, flags, single, quaternions)
    except (ValueError, TypeError) as error:
        raise InputError(f"{_pickles.FILE}: {kind}: {error}", _pickles.FILE) from None


def _pickled_shapes(kind: str, field: str, found: Any) -> list[tuple[str, list[int]]]:
    expected = "names with shapes"
    made = []
    for each in _pickles.typed(kind, field, found, list, expected):
        if not isinstance(each, tuple) or len(each) != 2 or not isinstance(each[0], str) or not isinstance(each[1], list):
            raise _pickles.refuse(kind, field, each, expected)
        if not each[0].isidentifier() or any(type(n) is not int or not 0 <= n < 2**31 for n in each[1]) or len(each[1]) > 3:
            raise _pickles.refuse(kind, field, each, expected)
        made.append((each[0], each[1]))
    return made


def _c_name(text: str) -> str:
    """The nearest name that C and CasADi take: a letter first, no two underscores in a row. A robot may be called `3dof` or `Löwe`."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return name if name[0].isalpha() else f"robot_{name}"


def generate(
    robot: Model,
    algorithm: str | None = None,
    sensors: SensorSet | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    outputs: Sequence[str] | str = (),
    name: str | None = None,
    health: bool = False,
    dtype: Literal["float64", "float32"] = "float64",
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    all_inputs: bool = False,
    weights: bool = False,
    sd: bool = False,
    derivatives: Sequence[str] | str = (),
    parameters: Sequence[str] | str = (),
    stage: Literal["semi-implicit", "rk4", "runge-kutta", "rate"] | None = None,
    constraints: Constraints | str | os.PathLike[str] | Mapping[str, Any] | None = None,
    forces: Sequence[str] | str = (),
) -> Program:
    """Code for an algorithm ('rnea', 'aba', 'crba', 'minverse', 'coriolis', 'bias', 'energy', 'kinematics', 'jacobians',
    'rnea-derivatives', 'aba-derivatives', …) or for a sensor set, specialised to this robot.

    outputs     those wanted: kinds, kinds and names, or columns; all unless given
    name        of the function; a C identifier. Without one it is made of the robot's and the algorithm's names
    health      a last output: the smallest reciprocal growth of the pivots
    plan        with sensors: the order and formulation that the code follows
    all_inputs  also reads what a log may leave out (external wrenches)
    dtype       'float64' or 'float32': the C code's numbers, in its arguments too. Floats err by some 1e-6 of the largest terms
                that a result is summed of, more where a mass matrix that is nearly singular is divided by
    weights, sd of noisy sets: 1/sigma as an input; posterior standard deviations as an output
    derivatives with sensors: further outputs dx_dq, dx_dv, dx_dy, dx_dp of all outputs: which of 'q', 'v', 'y' (inputs) and 'p'
                (parameters); as Solver.derivatives gives them. With 'second' those by q, v and y are second ones, contracted with
                an input `lambda` of the outputs: their gradient g and the lower triangle H of their Hessian, entries by name
    parameters  with algorithm, sensors or stage (of contacts with 'contact-dynamics' alone): a last input `pi`, parameters of the robot instead of constants: 'inertial', 'joints', 'base', names of
                links, joints or parameters. `manifest['pi_nominal']` are the robot's own. With 'rnea-derivatives' and
                'aba-derivatives' there are dtau_dpi and dddq_dpi, too, and with derivatives 'p' dx_dpi in place of dx_dp
    stage       alone: a step of time, (x, u, dt) -> x_next, A, B, with x = (q, dq) and u the joints' torques, by 'semi-implicit'
                or 'rk4' ('runge-kutta' is another name of it). outputs also 'T' (by dt), and 'g' and 'H'
                with an input `lambda`: first and second derivatives of lambda' x_next along the tangent, of H the entries
                that `manifest` lists. Or 'rate': (x, u) -> xdot, A, B, of robots on the ground whose joints have one freedom each
    forces      with stage='semi-implicit': links; forces on their origins, in the world's axes, stand behind the torques in u
    constraints contacts, loops, stops and dry friction, with the algorithms 'contact-dynamics', 'contact-inverse-dynamics',
                'contact-derivatives' and 'contact-second-derivatives', or with stage='semi-implicit': then outputs are also
                'force' and 'gap', and 'H' has all entries of the lower triangle. What iterates has a last input `start`: zeros, or
                `next` of the call before, and outputs `next` and `solver`. Such programs compile, and save; jax, torch and
                casadi refuse them

    Cost: milliseconds for an arm's RNEA, seconds for a humanoid's derivatives; Ctrl-C stops.
    """
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype: {dtype!r}; expected 'float64' or 'float32'")
    if sum(each is not None for each in (algorithm, sensors, stage)) != 1:
        raise ValueError("expected one of algorithm, sensors and stage")
    if plan is not None and not isinstance(plan, Plan):
        plan = Plan.load(plan)
    robot = robot._snapped(SNAP_OF_CODE if plan is None else plan.snap)
    wanted = [outputs] if isinstance(outputs, str) else list(outputs)
    given = _c_name(f"{robot.name}_{algorithm or ('stage' if stage else 'sensors')}") if name is None else name
    asked = sensors if sensors is None or isinstance(sensors, SensorSet) else SensorSet(sensors)
    by = derivatives.split(",") if isinstance(derivatives, str) and derivatives else list(derivatives)
    varied = parameters.split(",") if isinstance(parameters, str) and parameters else list(parameters)
    pushed = forces.split(",") if isinstance(forces, str) and forces else list(forces)
    if constraints is not None:
        from ._contact_program import generated

        foreign = {"plan": plan, "health": health, "weights": weights, "sd": sd, "derivatives": by, "sensors": asked, "forces": pushed}
        return generated(robot, constraints, algorithm, wanted, all_inputs, varied, stage, given, {**foreign, "dtype 'float32'": dtype == "float32"})
    request = (robot, algorithm or "", asked, plan.json if plan else "", wanted, health, all_inputs, weights, sd, by, varied, stage or "", pushed)
    made: Any = _core._generate  # mypy counts no arguments of a tuple before others
    parts = made(*request, given, dtype == "float32")
    return Program(given, parts, robot, algorithm if not wanted and not all_inputs and not health and not varied else None, dtype, request)
