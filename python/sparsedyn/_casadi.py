"""Programs as functions of CasADi, with exact derivatives.

Inverse and forward dynamics are compiled. CasADi finds derivatives of an external function by name: jac_NAME (the Jacobian's
blocks), adj1_NAME (J^T lambda) and jac_adj1_NAME (the Hessian of lambda^T f). `sparsedyn generate --casadi-derivatives` writes
the same. So are steps of time. All other programs become CasADi's own expressions, which it differentiates.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import pathlib
import shlex
import shutil
import stat
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Callable

from . import _core
from ._derived import COORDINATE_INPUTS
from ._errors import CompilerFailure
from ._progress import Reporter

if TYPE_CHECKING:
    from ._program import Program


def _is_own(path: pathlib.Path, kind: Callable[[int], bool]) -> bool:
    """Whether the path is no link, and this user's alone: what others may write could run code here."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return kind(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.lru_cache(maxsize=1)
def _folder_of_this_process() -> pathlib.Path:
    folder = tempfile.mkdtemp(prefix="sparsedyn-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return pathlib.Path(folder)


def _library(units: list[str], headers: dict[str, str], told: Callable[[float, str], None]) -> str:
    """The texts, compiled at the same time, as a shared library in the user's cache; where that is not the user's alone, in a folder
    of this process. Straight lines are as fast by -O1, which takes a third of the time; the last text has loops."""
    command = [*shlex.split(os.environ.get("CC", "cc")), "-std=c99", "-fPIC"]
    levels = [shlex.split(os.environ.get("CFLAGS", usual)) for usual in ["-O1"] * (len(units) - 1) + ["-O2"]]
    key = hashlib.sha256("\0".join([*command, *(word for level in levels for word in level), *units]).encode()).hexdigest()[:24]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(base) / "sparsedyn"
    with contextlib.suppress(OSError):  # of a user without a home to write to
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_own(folder, stat.S_ISDIR):
        folder = _folder_of_this_process()
    path = folder / f"casadi-{key}.so"
    if _is_own(path, stat.S_ISREG):
        return str(path)
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in {**headers, **{f"unit{k}.c": text for k, text in enumerate(units)}}.items():
            pathlib.Path(scratch, name).write_text(text, encoding="utf-8")
        objects = [f"unit{k}.o" for k in range(len(units))]
        _run_together([[*command, *level, "-c", f"unit{k}.c", "-o", f"unit{k}.o"] for k, level in enumerate(levels)], scratch, told)
        made, part = pathlib.Path(scratch, "program.so"), folder / f"casadi-{key}.{os.getpid()}.part"
        _run_together([[*command, *levels[-1], "-shared", *objects, "-o", str(made), "-lm"]], scratch, told)
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(made.read_bytes())
        os.replace(part, path)
    return str(path)


def _run_together(commands: list[list[str]], folder: str, told: Callable[[float, str], None]) -> None:
    """All at once, each to its end. Raises CompilerFailure, after which none runs."""
    running: list[subprocess.Popen[str]] = []
    try:
        for words in commands:
            try:
                running.append(subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            except OSError as error:
                raise CompilerFailure(f"{words[0]!r}: {error}") from None
        for k, (one, words) in enumerate(zip(running, commands)):
            told(k / len(commands), "compiling" if len(commands) > 1 else "linking")
            messages = one.communicate()[1]
            if one.returncode:
                raise CompilerFailure(f"{words[0]!r} failed: {messages.strip().splitlines()[:3]}")
    finally:
        for one in running:
            if one.poll() is None:
                one.kill()
                one.communicate()


def _of_norm_one(q: Any, quaternions: list[int]) -> Any:
    """q with these quaternions scaled: what a program makes of others is no function of the posture."""
    import casadi

    parts, end = [], 0
    for at in quaternions:
        u = q[at : at + 4]
        w = u / casadi.mmax(casadi.fabs(u))  # whose squares are in the range of numbers
        parts += [q[end:at], w / casadi.norm_2(w)]
        end = at + 4
    return casadi.vertcat(*parts, q[end:])


def _expressions(program: Program, arguments: list[Any]) -> list[Any]:
    """Its outputs as vectors: the same operations in the same order, done by CasADi on these arguments."""
    import casadi

    operations, first, second, values, results = _core._operations(*program._request)
    known: list[Any] = []

    def at(place: int) -> Any:
        return known[place - 1] if place > 0 else -known[-place - 1]

    two = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "fmin": casadi.fmin}
    for name, a, b, value in zip(operations, first, second, values):
        if name == "constant":
            known.append(casadi.SX(value))
        elif name == "input":
            known.append(arguments[a][b])
        else:
            known.append(two[name](at(a), at(b)) if name in two else getattr(casadi, name)(at(a)))
    return [casadi.vertcat(*(at(place) for place in places)) for places in results]


_AT_ANY_NORM = """#include <math.h>
int @_at_norm_one(const double **arg, double **res, casadi_int *iw, double *w, int mem);
int @(const double **arg, double **res, casadi_int *iw, double *w, int mem) {
  static const int places[] = {$PLACES};
  double q[$NQ];
  const double *in[] = {q, arg[1], arg[2]};
  for (int i = 0; i < $NQ; ++i) q[i] = arg[0] ? arg[0][i] : 0;
  for (unsigned k = 0; k < sizeof places / sizeof *places; ++k) {
    double *u = q + places[k];
    const double most = fmax(fmax(fabs(u[0]), fabs(u[1])), fmax(fabs(u[2]), fabs(u[3])));
    for (int m = 0; m < 4; ++m) u[m] /= most; /* whose squares are in the range of numbers */
    const double norm = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    for (int m = 0; m < 4; ++m) u[m] /= norm;
  }
  return @_at_norm_one(in, res, iw, w, mem);
}
"""


def _units(program: Program) -> list[str]:
    """C texts of a program of three inputs, q or x the first, of quaternions of any length but zero."""
    quaternions = _core._quaternions(program._robot)
    if not quaternions:
        return [program.source]
    name = program.name
    plain = f"#define {name} {name}_at_norm_one\n{program.source}"
    values = {"@": name, "$PLACES": ", ".join(map(str, quaternions)), "$NQ": str(program._inputs[0][1][0])}
    scaling = _AT_ANY_NORM
    for key, text in values.items():
        scaling = scaling.replace(key, text)
    return [plain, f'#include "{name}.h"\n{scaling}']


def _with_derivatives(program: Program, told: Callable[[float, str], None]) -> Any:
    """Compiled with the functions that CasADi differentiates by; of quaternions of any norm."""
    import casadi

    units = [*_units(program), *_core._casadi_derivatives(program._robot, program._algorithm or "", program.name)]
    return casadi.external(program.name, _library(units, {f"{program.name}.h": program.header}, told))


def _stage_units(program: Program) -> list[str]:
    """C texts of a step's derivatives, of programs of x_next alone; none where there are no such texts."""
    if program.outputs != ("x_next",) or program.inputs != ("x", "u", "dt"):
        return []
    texts: list[str] = _core._casadi_stage(program._robot, program._request[-2], program._request[-1], program.name)
    return texts


def function(program: Program, progress: bool | Callable[[float, str], None] | None = None) -> Any:
    """The program as a casadi.Function; see Program.casadi."""
    try:
        import casadi
    except ImportError:
        raise ImportError("casadi() needs CasADi: pip install casadi") from None

    if program._algorithm in ("rnea", "aba") and program._robot.nv > 0:
        with Reporter(progress, program.name) as reporter:
            return _with_derivatives(program, reporter.callback or (lambda fraction, what: None))
    if stage := _stage_units(program):
        with Reporter(progress, program.name) as reporter:
            told = reporter.callback or (lambda fraction, what: None)
            return casadi.external(program.name, _library([*_units(program), *stage], {f"{program.name}.h": program.header}, told))
    quaternions = _core._quaternions(program._robot) if COORDINATE_INPUTS.intersection(program.inputs) else []
    arguments = [casadi.SX.sym(name, *shape) for name, shape in program._inputs]
    given = [_of_norm_one(x, quaternions) if name in COORDINATE_INPUTS and quaternions else x for x, name in zip(arguments, program.inputs)]
    results = _expressions(program, given)
    shaped = [casadi.reshape(x, shape[1], shape[0]).T if len(shape) == 2 else x for x, (_, shape) in zip(results, program._outputs)]
    return casadi.Function(program.name, arguments, shaped, list(program.inputs), list(program.outputs))
