"""Data sets as pieces: each small enough for a worker, the same for any number of workers."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._errors import InputError, SparsedynWarning, printable, short, shown
from . import csv, lerobot, manifest, mcap, parquet
from .arrow import Batch, constant, cut, pyarrow
from .manifest import MANIFEST, PART
from .mapping import Mapping_
from .recordings import survey

ROWS_A_PIECE = 500_000  #: of Parquet, at least, where row groups are smaller


@dataclass(frozen=True)
class Piece:
    """A part of one file: row groups of Parquet, bytes of CSV, nanoseconds of a run in MCAP; first to last, which is not in it."""

    kind: str
    path: str
    first: int
    last: int
    stamp: str  #: of the file's state: what changes it changes this
    name: str  #: of the file within the data set
    #: Folders KEY=VALUE on the way to the file; None where only other files have that key, so that all have the same columns.
    keys: tuple[tuple[str, str | None], ...] = ()
    cut: survey.Cut | None = None  #: of MCAP: what of the file is read

    def __str__(self) -> str:
        if self.first == 0 and self.kind == "lerobot":
            return self.name
        run = f"run {self.cut.run}, " if self.cut is not None and self.cut.run else ""
        return f"{self.name}[{run}{self.first}:{self.last}]"


READERS: dict[str, Any] = {"parquet": parquet, "csv": csv, "mcap": mcap, "lerobot": lerobot}
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".mcap": "mcap"}
#: of files that are likely logs, and that no reader here takes
OTHERS = (".gz", ".zst", ".bz2", ".xz", ".zip", ".db3", ".bag", ".ulg", ".h5", ".hdf5", ".arrow", ".feather", ".orc", ".npz")


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


WHOLE = ("episode_index", "frame_index", "run")  #: columns of whole numbers
File = tuple[str, str, str, tuple[tuple[str, str], ...]]  #: kind, path, name in the data set, folders KEY=VALUE


def files_of(dataset: str) -> list[File]:
    """Each file of a data set, in an order of its own. Raises InputError where there is none."""
    kind = kind_of(dataset)
    if kind in ENDINGS.values():
        return [(kind, dataset, os.path.basename(dataset), ())]
    if kind != "folder":
        return _listed(kind, dataset, [])
    found, passed = _walk(dataset, [], [])
    if passed:
        more = f" and {len(passed) - 3} more" if len(passed) > 3 else ""
        warnings.warn(f"{dataset}: not read: {', '.join(passed[:3])}{more}; expected files that end with {', '.join(ENDINGS)}",
                      SparsedynWarning, stacklevel=5)
    if not found:
        raise InputError(f"{dataset}: no logs in it; expected files that end with {', '.join(ENDINGS)}", dataset)
    return sorted(found, key=lambda each: each[2])


def _keys(parts: list[str]) -> tuple[tuple[str, str], ...]:
    """Raises InputError for folders whose names are no text: they are columns."""
    for part in parts:
        if "=" in part and not part.isprintable():
            raise InputError(f"{'/'.join(parts)}: folder: {shown(part)}; expected KEY=VALUE of printable characters", part)
    return tuple((part.split("=", 1)[0], part.split("=", 1)[1]) for part in parts if "=" in part)


def _listed(kind: str, folder: str, parts: list[str]) -> list[File]:
    """Of a folder that says itself which files are in it."""
    of = {"results": "parquet", "bag": "mcap"}.get(kind, kind)
    names = READERS[of].files(folder) if kind != "results" else [part["file"] for part in _parts(folder)]
    return [(of, os.path.join(folder, name), "/".join([*parts, name]), _keys(parts)) for name in names]


def _parts(folder: str) -> list[dict[str, Any]]:
    found = manifest.read(folder)
    return [] if found is None else found["parts"]


def _walk(folder: str, parts: list[str], above: list[str]) -> tuple[list[File], list[str]]:
    """Logs in a folder and those below it, and files that are likely logs of other kinds. Links are followed: a folder may lie on
    another disk. Raises InputError where a folder cannot be read, leads back to one that it lies in, or holds results of which
    some may be missing."""
    found: list[File] = []
    passed: list[str] = []
    above = [*above, os.path.realpath(folder)]
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith((".", "_")))
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; expected a folder that can be read", folder) from None
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            if os.path.realpath(path) in above:
                raise InputError(f"{path}: a link to a folder that it lies in; expected folders that end", path)
            kind = kind_of(path)
            more, others = _walk(path, [*parts, name], above) if kind == "folder" else (_listed(kind, path, [*parts, name]), [])
            found, passed = found + more, passed + others
        elif not os.path.splitext(name)[1] and not os.path.exists(path):
            raise InputError(f"{path}: a link to nothing; expected a folder that is there", path)
        elif PART.fullmatch(name):
            raise InputError(f"{folder}: parts without {MANIFEST}; expected results that solve_dataset or convert finished", folder)
        elif (ending := os.path.splitext(name)[1].lower()) in ENDINGS:
            found.append((ENDINGS[ending], path, "/".join([*parts, name]), _keys(parts)))
        elif ending in OTHERS or _begins_as_a_log(path):
            passed.append("/".join([*parts, name]))
    return found, passed


def _begins_as_a_log(path: str) -> bool:
    """Parquet and MCAP under another name: a copy that was interrupted, a name without its ending."""
    try:
        with open(path, "rb") as file:
            return file.read(5) in (b"PAR1\x15", b"\x89MCAP")
    except OSError:
        return True  # likely enough, as nobody can tell


def stamp_of(path: str, content: bool) -> str:
    """What tells a changed file: its size and time, or all its bytes."""
    if not content:
        status = os.stat(path)
        return f"{status.st_size}:{status.st_mtime_ns}"
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Surveyed = dict[str, survey.Survey]  #: by path; files of which none could be made are not in it


def surveyed(paths: list[str], mapping: Mapping_ | None) -> Surveyed:
    """Of MCAP files, in this process."""
    found = {}
    for path in paths:
        try:
            found[path] = mcap.look(path, mapping)
        except InputError:
            pass  # its piece fails when its turn comes
    return found


def pieces_of(dataset: str | os.PathLike[str], rows: int = ROWS_A_PIECE, content: bool = False, mapping: Mapping_ | None = None,
              look: Callable[[list[str], Mapping_ | None], Surveyed] = surveyed) -> list[Piece]:
    """All pieces, in the data set's order. A file that cannot be opened is one piece, which fails when its turn comes. `look` goes
    through MCAP files; what their surveys warn of is said."""
    found = []
    files = files_of(os.fspath(dataset))
    every = dict.fromkeys(key for *_, keys in files for key, _ in keys)
    surveys = look([path for kind, path, *_ in files if kind == "mcap"], mapping)
    for text in dict.fromkeys(text for each in surveys.values() for text in each.warnings):
        warnings.warn(printable(short(text)), SparsedynWarning, stacklevel=5)
    for kind, path, name, own in files:
        keys = (*own, *((key, None) for key in every if key not in dict(own)))
        try:
            stamp = stamp_of(path, content)
        except OSError as error:
            stamp = f"unreadable: {error.errno}"
        if kind == "mcap":
            cuts = surveys[path].cuts if path in surveys else [None]
            found += [Piece(kind, path, cut.first if cut else 0, cut.last if cut else 0, stamp, name, keys, cut) for cut in cuts]
            continue
        try:
            ranges = READERS[kind].ranges(path, rows)
        except (InputError, OSError):
            ranges = [(0, 0)]
        found += [Piece(kind, path, first, last, stamp, name, keys) for first, last in ranges]
    return found


def batches_of(piece: Piece, rows: int, mapping: Mapping_ | None = None, columns: set[str] | None = None) -> Iterator[Batch]:
    """The piece's rows, at most so many at once. columns: those that are wanted; others may be there. Raises InputError."""
    found = mcap.batches(piece.path, mapping, piece.cut) if piece.kind == "mcap" else READERS[piece.kind].batches(
        piece.path, piece.first, piece.last, rows, mapping, columns)
    for batch in found:
        for part in cut(batch, rows):
            for key, value in piece.keys:
                if key not in part.schema.names:
                    part = part.append_column(key, constant(value, part.num_rows))
            yield part


def names_of(piece: Piece, mapping: Mapping_ | None = None) -> list[str]:
    """Columns, but for those that differentiate makes. Raises InputError."""
    found: list[str] = mcap.names_of(piece.path, mapping, piece.cut) if piece.kind == "mcap" else READERS[piece.kind].names_of(
        piece.path, mapping)
    return found


def schema_of(piece: Piece, mapping: Mapping_ | None = None) -> Any:
    """Names and types of a piece that has no rows. Raises InputError."""
    schema = READERS["parquet"].schema(piece.path) if piece.kind == "parquet" else pyarrow.schema(
        [(name, pyarrow.int64() if name in WHOLE else pyarrow.float64()) for name in names_of(piece, mapping)])
    for key, _ in piece.keys:
        if key not in schema.names:
            schema = schema.append(pyarrow.field(key, pyarrow.string()))
    return schema


def unlike(path: str, first: Any, other: Any) -> InputError:
    """What two schemas differ in."""
    if set(first.names) != set(other.names):
        one, two = (sorted(set(a.names) - set(b.names)) for a, b in ((first, other), (other, first)))
        found = f"{', '.join(one or two)} {'missing' if one else 'added'} in a later file"
    else:
        kinds = [name for name in first.names if first.field(name).type != other.field(name).type]
        found = f"{kinds[0]}: {first.field(kinds[0]).type}, later {other.field(kinds[0]).type}" if kinds else "another order later"
    return InputError(f"{path}: columns: {found}; expected the same columns in each file (solve_dataset takes such a data set; "
                      "iterate over open_log to read it)", path)


def check_mapping(dataset: str, pieces: list[Piece], mapping: Mapping_ | None) -> None:
    """Raises InputError for a mapping that no file of the data set would read."""
    if mapping is not None and not any(piece.kind in ("mcap", "lerobot") for piece in pieces):
        kinds = ", ".join(sorted({piece.kind for piece in pieces}))
        raise InputError(f"{dataset}: mapping: a data set of {kinds}; expected one of MCAP or LeRobot, or no mapping", dataset)


def read_mapping(mapping: str | os.PathLike[str] | Mapping[str, Any] | Mapping_ | None, runs: str | None = None, salvage: bool = False
                 ) -> Mapping_ | None:
    """A mapping of topics or features to columns: a file, a dict as the file holds it, or none; and how its files are read."""
    if runs not in (None, "split"):
        raise ValueError(f"runs: {runs!r}; expected None or 'split'")
    if mapping is None or isinstance(mapping, Mapping_):
        return mapping
    return replace(Mapping_.read(mapping), runs=runs or "", salvage=bool(salvage))
