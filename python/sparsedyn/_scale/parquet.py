"""Parquet: pieces are row groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .arrow import Batch, damaged, pyarrow

PAGE = 1 << 20  #: bytes
BESIDE = 3 << 16  #: bytes of a column: its part of the file, and what decompressing takes
EXPECTED = "a whole Parquet file"


def opened(path: str) -> Any:
    """Columns are read page by page, so that memory does not grow with row groups; pages that hold a checksum are compared with
    it. Raises InputError."""
    try:
        return pyarrow.parquet.ParquetFile(path, memory_map=False, pre_buffer=False, buffer_size=1 << 16,
                                           page_checksum_verification=True)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise damaged(path, error, "file", EXPECTED) from None


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
        group = file.metadata.row_group(0)
        held = [group.column(k) for k in range(group.num_columns)]
        held = [each for each in held if columns is None or each.path_in_schema.split(".list.")[0] in columns]
        return sum(min(each.total_uncompressed_size, PAGE * (1 + each.has_dictionary_page) + BESIDE) for each in held), len(held)


def batches(path: str, first: int, last: int, rows: int, mapping: Any = None, columns: set[str] | None = None) -> Iterator[Batch]:
    with opened(path) as file:
        names = [name for name in file.schema_arrow.names if columns is None or name in columns]
        try:
            yield from file.iter_batches(rows, list(range(first, last)), columns=names, use_threads=False)
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise damaged(path, error, f"row groups {first} to {last - 1}", EXPECTED) from None
