"""Results as files: one a piece, whole or not there."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable
from typing import Any

from .arrow import Batch, Table, pyarrow
from .manifest import publish, remove
from .parquet import NOTE
from .pieces import Piece
from .sums import Sums
from .work import Solved, Work

BATCHES_A_GROUP = 16
MANY = 20_000  #: rows, after which memory is given back


def file_of(key: str) -> str:
    return f"part-{key}.parquet"


class Writer:
    """A Parquet file of which nothing is seen before it is whole."""

    def __init__(self, folder: str, key: str) -> None:
        self.final = os.path.join(folder, file_of(key))
        self.temporary = os.path.join(folder, f".part-{key}.{uuid.uuid4().hex}.tmp")
        self.writer: Any = None
        self.waiting: list[Batch] = []

    def write(self, batch: Batch) -> None:
        self.waiting.append(batch)
        if len(self.waiting) == BATCHES_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self.waiting:
            self._put(pyarrow.Table.from_batches(self.waiting))
            self.waiting = []

    def _put(self, table: Table) -> None:
        if self.writer is None:
            # numbers of measurements hardly repeat: dictionaries would only cost time
            self.writer = pyarrow.parquet.ParquetWriter(self.temporary, table.schema, compression="zstd", compression_level=1,
                                                        use_dictionary=False, write_statistics=["time"],
                                                        write_page_checksum=True)
        self.writer.write_table(table, row_group_size=table.num_rows or 1)

    def close(self, note: dict[str, Any], schema: Any = None) -> None:
        """schema: needed of a file without rows."""
        self._flush()
        if self.writer is None:
            self._put(schema.empty_table())
        self.writer.add_key_value_metadata({NOTE: json.dumps(note, sort_keys=True)})
        self.writer.close()
        publish(self.temporary, self.final)

    def drop(self) -> None:
        """What was begun is taken away."""
        try:
            if self.writer is not None:
                self.writer.close()
        except Exception:
            pass  # a disk that is full cannot take the footer either
        remove(self.temporary)


def note_of(path: str) -> dict[str, Any] | None:
    """What a part says of itself, or None where it is not whole."""
    try:
        metadata = pyarrow.parquet.read_metadata(path)
        note: dict[str, Any] = json.loads(metadata.metadata[NOTE])
        return {**note, "bytes": os.path.getsize(path)}
    except (OSError, pyarrow.ArrowException, KeyError, TypeError, ValueError, RecursionError):
        return None


def told(note: dict[str, Any], path: str) -> dict[str, Any]:
    """What note_of finds in a part that has just been written."""
    return {**json.loads(json.dumps(note)), "bytes": os.path.getsize(path)}


def _made(folder: str, key: str, fill: Callable[[Writer], tuple[dict[str, Any], Any]]) -> dict[str, Any]:
    """A part that `fill` writes, giving its note and its schema; what it says of itself. One that is there is not made again."""
    final = os.path.join(folder, file_of(key))
    there = note_of(final) if os.path.exists(final) else None
    if there is not None:
        return there
    writer = Writer(folder, key)
    try:
        note, schema = fill(writer)
        writer.close(note, schema)
    except BaseException:
        writer.drop()
        raise
    if note["rows"] > MANY:  # what a short piece took serves the next
        pyarrow.default_memory_pool().release_unused()
    return told(note, final)


def solve_piece(work: Work, piece: Piece, key: str, folder: str) -> dict[str, Any]:
    """Solves a piece into its part, and says what is in it."""

    def fill(writer: Writer) -> tuple[dict[str, Any], Any]:
        solved = Solved(work, piece)
        sums = Sums.of(solved) if work.innovations or work.sums else None
        for batch, found in solved:
            if sums:
                sums.add(found)
            writer.write(solved.table(batch, found))
        note: dict[str, Any] = {"input": str(piece), "file": file_of(key), "rows": solved.rows, "failed": solved.failed,
                                "messages": solved.messages, "warnings": solved.reader.warnings}
        if sums:
            note["sums"] = sums.finished().state()
        return note, None if solved.rows else solved.schema()

    return _made(folder, key, fill)


def convert_piece(work: Work, piece: Piece, key: str, folder: str) -> dict[str, Any]:
    """A piece as Parquet, its numbers as they are."""
    from .pieces import batches_of, schema_of
    from .ahead import ROWS, ahead

    def fill(writer: Writer) -> tuple[dict[str, Any], Any]:
        rows = 0
        for batch in ahead(batches_of(piece, ROWS, work.mapping)):
            rows += batch.num_rows
            writer.write(batch)
        return {"input": str(piece), "file": file_of(key), "rows": rows, "failed": 0, "messages": [], "warnings": []}, (
            None if rows else schema_of(piece, work.mapping))

    return _made(folder, key, fill)
