"""What is pickled of objects that Python makes: a format's number, the version that wrote it, and fields, judged when they are read.

Pickles come from other processes, machines and versions. The same of objects of the C++ module is in python/src/pickles.hpp.
"""

from __future__ import annotations

import json
import math
from typing import Any

from . import _core
from ._errors import InputError

FILE = "<pickle>"


def state(format: int, *fields: Any) -> tuple[Any, ...]:
    """Raise the format when fields change: older and newer versions then say so."""
    return (format, _core.version, *fields)


def fields(kind: str, format: int, found: Any, count: int) -> tuple[Any, ...]:
    """The fields of a state. Raises InputError, which names both versions, for one of another format or length."""
    here = f"format {format} of sparsedyn {_core.version}"
    if not isinstance(found, tuple):
        raise InputError(f"{FILE}: {kind}: {type(found).__name__}; expected a tuple, {here}", FILE)
    if len(found) < 2 or type(found[0]) is not int or not isinstance(found[1], str):
        raise InputError(f"{FILE}: {kind}: a state without format and version, of {len(found)} fields, as older versions of sparsedyn "
                         f"wrote it; expected {here}", FILE)
    if found[0] != format:
        raise InputError(f"{FILE}: {kind}: format {_cut(found[0])} of sparsedyn {_cut(found[1])}; expected {here}", FILE)
    if len(found) != 2 + count:
        raise InputError(f"{FILE}: {kind}: {len(found)} fields, written by sparsedyn {_cut(found[1])}; expected {2 + count}, {here}", FILE)
    return found[2:]


def _cut(value: Any) -> str:
    try:
        return str(value)[:40].encode("ascii", "backslashreplace").decode()
    except ValueError:  # a whole number of too many digits
        return "a large number"


def refuse(kind: str, field: str, found: Any, expected: str) -> InputError:
    return InputError(f"{FILE}: {kind}.{field}: {type(found).__name__}; expected {expected}", FILE)


def typed(kind: str, field: str, found: Any, types: type | tuple[type, ...], expected: str) -> Any:
    """The field, of one of these types. Raises InputError."""
    if not isinstance(found, types):
        raise refuse(kind, field, found, expected)
    return found


def read_json(kind: str, field: str, found: Any, of: type) -> Any:
    """What a text of JSON holds. Raises InputError."""
    expected = f"JSON, {'an object' if of is dict else 'a list'}"
    try:
        root = json.loads(typed(kind, field, found, str, expected))
    except (ValueError, RecursionError):
        raise refuse(kind, field, found, expected) from None
    return typed(kind, field, root, of, expected)


def numbers(kind: str, field: str, found: Any, finite: bool = True) -> list[float]:
    """Raises InputError."""
    expected = "finite numbers" if finite else "numbers"
    made = []
    for each in typed(kind, field, found, (list, tuple), expected):
        if isinstance(each, bool) or not isinstance(each, (int, float)):
            raise refuse(kind, field, each, expected)
        try:
            made.append(float(each))
        except OverflowError:
            raise refuse(kind, field, each, expected) from None
        if finite and not math.isfinite(made[-1]):
            raise refuse(kind, field, each, expected)
    return made
