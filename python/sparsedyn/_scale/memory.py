"""What a worker needs to read a piece, told before it dies of it."""

from __future__ import annotations

import os

from .._errors import InputError
from . import parquet
from .pieces import Piece
from .work import Work, wanted_columns

LOOKED_AT = 8  #: files, the largest ones: a footer takes a millisecond
BASE = 185 << 20  #: bytes of a Dask worker with this package, a solver, and batches on their way
SHARE = 0.95  #: of its limit, at which Dask ends a worker


def needed(pieces: list[Piece], work: Work) -> tuple[int, str]:
    """Bytes of a worker that solves the piece that takes most, and why. Of Parquet alone: other readers take less."""
    largest = sorted({piece.path for piece in pieces if piece.kind == "parquet"}, key=_size)[-LOOKED_AT:]
    most, why = BASE, ""
    for path in largest:
        try:
            reading, columns = parquet.memory(path, wanted_columns(work))
        except (InputError, OSError):
            continue  # its piece fails and is named
        if BASE + reading > most:
            most, why = BASE + reading, f"{path} has {columns} columns, of which a page and a dictionary each are in memory"
    return most, why


def check(limit: int | None, pieces: list[Piece], work: Work) -> None:
    """Raises ValueError where workers of this limit would end again and again."""
    if limit is None:
        return
    bytes_, why = needed(pieces, work)
    if bytes_ > SHARE * limit:
        raise ValueError(f"memory of a worker: {limit / 1e6:.0f} MB; expected {1.05 * bytes_ / 1e6:.0f} MB or more: "
                         f"{why or 'of any data set'}")


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
