"""CSV: pieces are bytes; a line belongs to the piece in which it begins."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from .._errors import InputError
from .arrow import Batch, pyarrow

BYTES_A_PIECE = 32 << 20
LONGEST_LINE = 1 << 20
KINDS = ("time", "q.", "dq.", "ddq.", "tau.", "y.", "fx.", "pose.")  #: what columns of logs begin with
GAPS = ["", "nan", "NaN", "NAN"]


def header(path: str) -> tuple[list[str], int]:
    """Column names, and where the rows begin. Raises InputError."""
    with open(path, "rb") as file:
        line = file.readline(LONGEST_LINE)
    try:
        names = [name.strip().strip('"') for name in line.decode("utf-8-sig").strip().split(",")]
    except UnicodeDecodeError:
        raise InputError(f"{path}:1: header: bytes that are no text; expected names of columns", path, 1) from None
    if len(names) == 1:
        _check_separator(path, names[0])
    for k, name in enumerate(names):
        if not name or name in names[:k]:
            found = f"column {k + 1} without a name" if not name else f"{name} twice"
            raise InputError(f"{path}:1: header: {found}; expected a name of its own for each column", path, 1)
    return names, len(line)


def _check_separator(path: str, line: str) -> None:
    """Raises InputError where another character parts the columns."""
    for sep, shown in ((";", "';'"), ("\t", "tabs"), (None, "blanks")):
        parts = [part.strip().strip('"') for part in line.split(sep)]
        if len(parts) > 1 and any(part.startswith(KINDS) for part in parts):
            how = r'r"\s+"' if sep is None else repr(sep)
            raise InputError(f"{path}:1: header: columns parted by {shown}; expected ',' (pandas.read_csv(..., sep={how}) makes a table "
                             "that solve_log reads; the command line has --separator)", path, 1)


def ranges(path: str, rows: int) -> list[tuple[int, int]]:
    size = os.path.getsize(path)
    return [(first, min(first + BYTES_A_PIECE, size)) for first in range(0, max(size, 1), BYTES_A_PIECE)]


def names_of(path: str, mapping: Any = None) -> list[str]:
    return header(path)[0]


def _rest(path: str, file: BinaryIO) -> bytes:
    """Of a line. Raises InputError for one that is longer than lines are."""
    text = file.readline(LONGEST_LINE + 1)
    if len(text) > LONGEST_LINE:
        raise InputError(f"{path}: row: a line of more than {LONGEST_LINE} bytes; expected rows of numbers", path)
    return text


def _text(path: str, first: int, last: int, begin: int) -> tuple[bytes, int]:
    """The lines that begin in first … last, and where the first of them does."""
    with open(path, "rb") as file:
        at = max(first, begin)
        if at > begin:
            file.seek(at - 1)
            at += len(_rest(path, file)) - 1
        if at >= last:
            return b"", at
        file.seek(at)
        text = file.read(last - at)
        return text + (b"" if text.endswith(b"\n") else _rest(path, file)), at


def batches(path: str, first: int, last: int, rows: int, mapping: Any = None, columns: set[str] | None = None) -> Iterator[Batch]:
    names, begin = header(path)
    text, at = _text(path, first, last, begin)
    wanted = [name for name in names if columns is None or name in columns]
    if not text.strip():
        return
    options = {
        "read_options": pyarrow.csv.ReadOptions(column_names=names, use_threads=False, block_size=max(1 << 20, len(text) // 8)),
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types={name: pyarrow.float64() for name in names}, include_columns=wanted, null_values=GAPS,
            strings_can_be_null=True),
    }
    try:
        yield from pyarrow.csv.open_csv(pyarrow.BufferReader(text), **options)
    except pyarrow.ArrowInvalid as error:
        raise _where(path, names, text, at, str(error)) from None


def _where(path: str, names: list[str], text: bytes, at: int, why: str) -> InputError:
    """The line that could not be read. Slow: looked for only once something is wrong."""
    with open(path, "rb") as file:
        line = file.read(at).count(b"\n")
    for row in text.split(b"\n"):
        line += 1
        cells = row.decode("utf-8", "replace").strip().split(",")
        if cells == [""]:
            continue
        if len(cells) != len(names):
            commas = ", and decimal points: twice as many cells are decimal commas" if len(cells) == 2 * len(names) else ""
            return InputError(f"{path}:{line}: row: {len(cells)} cells; expected {len(names)}{commas}", path, line)
        for name, cell in zip(names, cells):
            try:
                float(cell.strip() or "nan")
            except ValueError:
                return InputError(f"{path}:{line}: {name}: {cell.strip()!r}; expected a number, or nothing for a gap", path, line)
    return InputError(f"{path}: rows: {' '.join(why.split())}; expected numbers", path)
