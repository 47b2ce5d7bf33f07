"""Data sets as pieces: each small enough for a worker, the same for any number of workers."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import InputError
from . import csv, lerobot, mcap, parquet
from .mapping import Mapping_
from .arrow import Batch, constant, cut

MANIFEST = "_manifest.json"  #: of what solve wrote
ROWS_A_PIECE = 500_000  #: of Parquet, at least, where row groups are smaller


@dataclass(frozen=True)
class Piece:
    """A part of one file: row groups of Parquet, bytes of CSV, nanoseconds of MCAP; first to last, which is not in it."""

    kind: str
    path: str
    first: int
    last: int
    stamp: str  #: of the file's state: what changes it changes this
    name: str  #: of the file within the data set
    keys: tuple[tuple[str, str], ...] = ()  #: folders KEY=VALUE on the way to the file

    def __str__(self) -> str:
        return self.name if self.first == 0 and self.kind == "lerobot" else f"{self.name}[{self.first}:{self.last}]"


READERS: dict[str, Any] = {"parquet": parquet, "csv": csv, "mcap": mcap, "lerobot": lerobot}
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".mcap": "mcap"}


def kind_of(path: str) -> str:
    """Of a file or folder. Raises InputError."""
    if os.path.isdir(path):
        if os.path.exists(os.path.join(path, "meta", "info.json")):
            return "lerobot"
        if os.path.exists(os.path.join(path, MANIFEST)):
            return "results"
        return "bag" if os.path.exists(os.path.join(path, "metadata.yaml")) else "folder"
    if not os.path.exists(path):
        raise InputError(f"{path}: no such file or folder; expected a log", path)
    kind = ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        raise InputError(f"{path}: {os.path.splitext(path)[1] or 'no ending'}; expected one of {', '.join(ENDINGS)}", path)
    return kind


def files_of(dataset: str) -> list[tuple[str, str, str, tuple[tuple[str, str], ...]]]:
    """(kind, path, name, keys) of each file of a data set, in an order of its own. Raises InputError where there is none."""
    kind = kind_of(dataset)
    if kind in ENDINGS.values():
        return [(kind, dataset, os.path.basename(dataset), ())]
    if kind == "results":
        with open(os.path.join(dataset, MANIFEST), encoding="utf-8") as file:
            parts = [part["file"] for part in json.load(file)["parts"]]
        return [("parquet", os.path.join(dataset, name), name, ()) for name in parts]
    if kind in ("lerobot", "bag"):
        reader, of = (lerobot, "lerobot") if kind == "lerobot" else (mcap, "mcap")
        return [(of, os.path.join(dataset, name), name, ()) for name in reader.files(dataset)]
    found = []
    for folder, folders, names in os.walk(dataset):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        inside = os.path.relpath(folder, dataset)
        parts = [] if inside == "." else inside.split(os.sep)
        keys = tuple((part.split("=", 1)[0], part.split("=", 1)[1]) for part in parts if "=" in part)
        for name in sorted(names):
            of_file = ENDINGS.get(os.path.splitext(name)[1].lower())
            if of_file and not name.startswith((".", "_")):
                found.append((of_file, os.path.join(folder, name), "/".join([*parts, name]), keys))
    if not found:
        raise InputError(f"{dataset}: no logs in it; expected files that end with {', '.join(ENDINGS)}", dataset)
    return sorted(found, key=lambda each: each[2])


def stamp_of(path: str, content: bool) -> str:
    """What tells a changed file: its size and time, or all its bytes."""
    if not content:
        status = os.stat(path)
        return f"{status.st_size}:{status.st_mtime_ns}"
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pieces_of(dataset: str | os.PathLike[str], rows: int = ROWS_A_PIECE, content: bool = False) -> list[Piece]:
    """All pieces, in the data set's order. A file that cannot be opened is one piece, which fails when its turn comes."""
    found = []
    for kind, path, name, keys in files_of(os.fspath(dataset)):
        try:
            ranges = READERS[kind].ranges(path, rows)
        except (InputError, OSError):
            ranges = [(0, 0)]
        try:
            stamp = stamp_of(path, content)
        except OSError as error:
            stamp = f"unreadable: {error.errno}"
        found += [Piece(kind, path, first, last, stamp, name, keys) for first, last in ranges]
    return found


def batches_of(piece: Piece, rows: int, mapping: Mapping_ | None = None, columns: set[str] | None = None) -> Iterator[Batch]:
    """The piece's rows, at most so many at once. columns: those that are wanted; others may be there. Raises InputError."""
    for batch in READERS[piece.kind].batches(piece.path, piece.first, piece.last, rows, mapping, columns):
        for part in cut(batch, rows):
            for key, value in piece.keys:
                if key not in part.schema.names:
                    part = part.append_column(key, constant(value, part.num_rows))
            yield part


def read_mapping(mapping: str | os.PathLike[str] | Mapping[str, Any] | Mapping_ | None) -> Mapping_ | None:
    """A mapping of topics or features to columns: a file, a dict as the file holds it, or none."""
    if mapping is None or isinstance(mapping, Mapping_):
        return mapping
    return Mapping_.read(mapping)
