"""Programs as functions of CasADi, with exact derivatives.

Inverse and forward dynamics are compiled. CasADi finds derivatives of an external function by name: jac_NAME (the Jacobian's
blocks), adj1_NAME (J^T lambda) and jac_adj1_NAME (the Hessian of lambda^T f). `sparsedyn generate --casadi-derivatives` writes
the same. All other programs become CasADi's own expressions, which it differentiates.
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
from ._errors import CompilerFailure

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


def _library(text: str, headers: dict[str, str]) -> str:
    """The text as a shared library in the user's cache; where that is not the user's alone, in a folder of this process."""
    compiler, flags = (shlex.split(os.environ.get(name, usual)) for name, usual in (("CC", "cc"), ("CFLAGS", "-O2")))
    command = [*compiler, "-std=c99", *flags, "-fPIC", "-shared"]
    key = hashlib.sha256("\0".join([*command, text]).encode()).hexdigest()[:24]
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
        for name, header in headers.items():
            pathlib.Path(scratch, name).write_text(header, encoding="utf-8")
        source = pathlib.Path(scratch, "program.c")
        source.write_text(text, encoding="utf-8")
        made, part = pathlib.Path(scratch, "program.so"), folder / f"casadi-{key}.{os.getpid()}.part"
        try:
            done = subprocess.run([*command, str(source), "-o", str(made), "-lm"], capture_output=True, text=True, check=False)
        except OSError as error:
            raise CompilerFailure(f"{command[0]!r}: {error}") from None
        if done.returncode:
            raise CompilerFailure(f"{command[0]!r} failed: {done.stderr.strip().splitlines()[:3]}")
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(made.read_bytes())
        os.replace(part, path)
    return str(path)


def _of_norm_one(q: Any, quaternions: list[int]) -> Any:
    """q with these quaternions scaled: what a program makes of others is no function of the posture."""
    import casadi

    parts, end = [], 0
    for at in quaternions:
        u = q[at : at + 4]
        parts += [q[end:at], u / casadi.norm_2(u)]
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


def function(program: Program) -> Any:
    """The program as a casadi.Function; see Program.casadi."""
    try:
        import casadi
    except ImportError:
        raise ImportError("casadi() needs CasADi: pip install casadi") from None

    text = ""
    if program._algorithm in ("rnea", "aba"):
        text, _ = _core._casadi_derivatives(program._robot, program._algorithm, program.name)
    quaternions = _core._quaternions(program._robot) if "q" in program.inputs else []
    symbol = casadi.MX if text else casadi.SX
    arguments = [symbol.sym(name, *shape) for name, shape in program._inputs]
    given = [_of_norm_one(x, quaternions) if name == "q" and quaternions else x for x, name in zip(arguments, program.inputs)]
    if text:
        plain = casadi.external(program.name, _library(program.source + text, {f"{program.name}.h": program.header}))
        if not quaternions:
            return plain
        results = [plain(*given)]
    else:
        results = _expressions(program, given)
    shaped = [casadi.reshape(x, shape[1], shape[0]).T if len(shape) == 2 else x for x, (_, shape) in zip(results, program._outputs)]
    return casadi.Function(program.name, arguments, shaped, list(program.inputs), list(program.outputs))
