"""Parquet: pieces are row groups."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from .._errors import InputError
from .._words import counted
from .arrow import Batch, damaged, pyarrow

NOTE = b"sparsedyn"  #: in the footer of parts: what the manifest says of each
PAGE = 1 << 20  #: bytes
BESIDE = 3 << 16  #: bytes of a column: its part of the file, and what decompressing takes
EXPECTED = "a whole Parquet file"


def opened(path: str) -> Any:
    """Columns are read page by page, so that memory does not grow with row groups; pages that hold a checksum are compared with
    it. Raises InputError."""
    try:
        file = pyarrow.parquet.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=1 << 16,
                                           page_checksum_verification=True)
        names = list(file.schema_arrow.names)
    except (pyarrow.ArrowException, OSError, UnicodeError) as error:
        raise damaged(path, error, "file", EXPECTED) from None
    rows = sum(file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups))
    if rows != file.metadata.num_rows:
        raise _contradiction(path, "rows", f"{file.metadata.num_rows}, in row groups {rows}")
    if NOTE in (file.metadata.metadata or {}):
        _judge_names(path, names, file.metadata.metadata)
    return file


def _contradiction(path: str, element: str, found: str) -> InputError:
    return InputError(f"{path}: {element}: {found}; expected {EXPECTED}", path)


def _judge_names(path: str, names: list[str], metadata: dict[bytes, bytes]) -> None:
    """Of a part: a footer has no checksum, but says its columns twice."""
    try:
        said = pyarrow.ipc.read_schema(pyarrow.py_buffer(base64.b64decode(metadata[b"ARROW:schema"]))).names
    except (pyarrow.ArrowException, OSError, KeyError, ValueError) as error:
        raise damaged(path, error, "schema", EXPECTED) from None
    if said != names:
        wrong = next(pair for pair in zip([*names, "none"], [*said, "none"]) if pair[0] != pair[1])
        raise _contradiction(path, "columns", f"{wrong[0]}, and in the schema beside it {wrong[1]}")


def _judge_columns(path: str, file: Any, group: int, wanted: set[str]) -> None:
    """Columns of a row group that has been read are of the type and the length that the schema and the row group say, which no
    checksum holds to it. (Of one that cannot be read, pyarrow ends the process when it is asked for a column.) Raises InputError."""
    schema, found = file.schema, file.metadata.row_group(group)
    for k in range(found.num_columns):
        name = schema.column(k).path
        if name.split(".list.")[0] not in wanted:
            continue
        column = found.column(k)
        if column.physical_type != schema.column(k).physical_type:
            raise _contradiction(path, name, f"{schema.column(k).physical_type}, in row group {group} {column.physical_type}")
        if schema.column(k).max_repetition_level == 0 and column.num_values != found.num_rows:
            raise _contradiction(path, name, f"{column.num_values} values in {found.num_rows} rows of row group {group}")


def ranges(path: str, rows: int) -> list[tuple[int, int]]:
    """Row groups that follow each other, until they have so many rows."""
    with opened(path) as file:
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
    found, first, gathered = [], 0, 0
    for k, size in enumerate(sizes):
        gathered += size
        if gathered >= rows:
            found.append((first, k + 1))
            first, gathered = k + 1, 0
    return found + [(first, len(sizes))] if first < len(sizes) or not found else found


def names_of(path: str, mapping: Any = None) -> list[str]:
    with opened(path) as file:
        return [str(name) for name in file.schema_arrow.names]


def schema(path: str) -> Any:
    with opened(path) as file:
        return file.schema_arrow.remove_metadata()


def memory(path: str, columns: set[str] | None = None) -> tuple[int, int]:
    """Bytes that reading takes beside batches, and of how many columns: of each column a page and a dictionary are held, and writers
    end both at a megabyte. Of the first row group: a file's are alike. Raises InputError."""
    with opened(path) as file:
        if file.metadata.num_row_groups == 0:
            return 0, 0
        try:
            next(file.iter_batches(1, [0], use_threads=False), None)  # so that its columns can be asked for
        except (pyarrow.ArrowException, OSError, UnicodeError) as error:
            raise damaged(path, error, "row group 0", EXPECTED) from None
        group = file.metadata.row_group(0)
        held = [group.column(k) for k in range(group.num_columns)]
        held = [each for each in held if columns is None or each.path_in_schema.split(".list.")[0] in columns]
        return sum(min(each.total_uncompressed_size, PAGE * (1 + each.has_dictionary_page) + BESIDE) for each in held), len(held)


def batches(path: str, first: int, last: int, rows: int, mapping: Any = None, columns: set[str] | None = None) -> Iterator[Batch]:
    with opened(path) as file:
        names = [name for name in file.schema_arrow.names if columns is None or name in columns]
        groups = list(range(first, last))
        due = sum(file.metadata.row_group(group).num_rows for group in groups)
        element = f"row groups {first} to {last - 1}"
        try:
            for batch in file.iter_batches(rows, groups, columns=names, use_threads=False):
                due -= batch.num_rows
                yield batch
        except (pyarrow.ArrowException, OSError, UnicodeError) as error:
            raise damaged(path, error, element, EXPECTED) from None
        if due and names:
            raise _contradiction(path, element, f"{counted(abs(due), 'row')} {'fewer' if due > 0 else 'more'} than the footer says")
        for group in groups if names else ():
            _judge_columns(path, file, group, set(names))
