"""MCAP files, record by record: what is in them, and whether all of it is.

Read here, not by the reference reader: that one goes by the summary's index, so that a bit that flips there hides a chunk without
a word, and it decompresses whatever a chunk's header asks for.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..._errors import InputError
from ..._words import counted
from ..arrow import damaged, needs

MAGIC = b"\x89MCAP0\r\n"
EXPECTED = "a whole MCAP file with a summary (`mcap recover` makes one)"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, STATISTICS, DATA_END = 1, 2, 3, 4, 5, 6, 7, 11, 15  #: opcodes
RECORD = struct.Struct("<BQ")
MESSAGE_HEAD = struct.Struct("<HIQQ")
FOOT = struct.Struct("<BQQQI8s")
CHUNK_HEAD = struct.Struct("<QQQII")
LARGEST = 256 << 20  #: bytes of a chunk or message
GROWN = 64 << 20  #: bytes of a chunk, beyond which it may be at most
FACTOR = 1000  #: times its compressed size
STRETCH = 1 << 20  #: bytes of messages outside chunks that are read together


class Damage(Exception):
    """Why a chunk cannot be read."""


@dataclass(frozen=True)
class Channel:
    """A topic's messages by one publisher, and how to decode them."""

    id: int
    topic: str
    encoding: str
    schema: str
    schema_encoding: str
    definition: bytes

    def decoder(self) -> Callable[[bytes], Any]:
        """Raises what the decoder raises of a schema that it cannot read."""
        schema = needs("mcap", "mcap.records").Schema(id=1, name=self.schema, encoding=self.schema_encoding, data=self.definition)
        found = needs("mcap", "mcap_ros2.decoder").DecoderFactory().decoder_for(self.encoding, schema)
        if found is None:
            raise Damage(f"{self.topic}: {self.encoding} by {self.schema_encoding or 'no schema'}; expected cdr by ros2msg")
        decoder: Callable[[bytes], Any] = found
        return decoder


@dataclass
class Lost:
    """Messages of a chunk that cannot be read."""

    where: str
    why: str
    counts: dict[int, int]  #: by channel, as the indexes after the chunk say
    first: int  #: ns
    last: int

    def text(self, topics: dict[int, str]) -> str:
        count = sum(self.counts.values())
        of = ", ".join(f"{topics.get(channel, channel)} {n}" for channel, n in sorted(self.counts.items()))
        lost = f"{counted(count, 'message')} lost ({of})" if count else "messages lost"
        return f"{self.where}: {self.why}: {lost}, time {self.first / 1e9:.3f} to {self.last / 1e9:.3f} s"


def decompressed(kind: str, data: bytes, size: int) -> bytes:
    """At most `size` bytes are made, whatever the data say. Raises Damage."""
    if not kind:
        return data
    try:
        if kind == "zstd":
            with needs("mcap", "zstandard").ZstdDecompressor().stream_reader(io.BytesIO(data)) as reader:
                return bytes(reader.read(size + 1))
        if kind == "lz4":
            return bytes(needs("mcap", "lz4.frame").LZ4FrameDecompressor().decompress(data, max_length=size + 1))
    except ImportError:
        raise
    except Exception as error:
        raise Damage(" ".join(str(error).split()) or type(error).__name__) from None
    raise Damage(f"compression {kind!r}; expected zstd, lz4 or none")


def opened_chunk(content: bytes) -> bytes:
    """The records in a chunk. Raises Damage."""
    if len(content) < CHUNK_HEAD.size:
        raise Damage("a header that ends early")
    _, _, size, crc, named = CHUNK_HEAD.unpack_from(content)
    at = CHUNK_HEAD.size + named
    if at + 8 > len(content):
        raise Damage("a header that ends early")
    kind = content[CHUNK_HEAD.size:at].decode("utf-8", "replace")
    length = int.from_bytes(content[at:at + 8], "little")
    data = content[at + 8:at + 8 + length]
    if len(data) != length:
        raise Damage(f"{length} bytes of records, of which {len(data)} are there")
    if size > LARGEST:
        raise Damage(f"{size} bytes after decompression; expected at most {LARGEST}")
    if size > GROWN and size > FACTOR * length:
        raise Damage(f"{size} bytes after decompression of {length}; beyond {GROWN} expected at most {FACTOR} times as many")
    records = decompressed(kind, data, size)
    if len(records) != size:
        raise Damage(f"{'more' if len(records) > size else len(records)} bytes after decompression; its header says {size}")
    if crc and zlib.crc32(records) != crc:
        raise Damage(f"checksum {zlib.crc32(records):08x}; its header says {crc:08x}")
    return records


def records_of(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(opcode, where its content begins, where it ends). Raises Damage."""
    at, end = 0, len(data)
    while at < end:
        if at + RECORD.size > end:
            raise Damage("a record that ends early")
        opcode, length = RECORD.unpack_from(data, at)
        at += RECORD.size
        if opcode == 0 or length > end - at or (opcode == MESSAGE and length < MESSAGE_HEAD.size):
            raise Damage("a record of no kind" if opcode == 0 else f"a record of {length} bytes, of which {end - at} are there")
        yield opcode, at, at + length
        at += length


def block(file: BinaryIO, offset: int, length: int) -> bytes:
    """Records of the chunk, or of the messages outside chunks, that File.blocks gave. Raises Damage."""
    file.seek(offset)
    data = file.read(length)
    if len(data) != length:
        raise Damage(f"{length} bytes, of which {len(data)} are there")
    return opened_chunk(data[RECORD.size:]) if data[:1] == bytes([CHUNK]) else data


class File:
    """An MCAP file. Raises InputError where it is not whole, or with salvage keeps in `losses` what is not."""

    def __init__(self, path: str, salvage: bool = False) -> None:
        self.path, self.salvage = path, salvage
        self.losses: list[str] = []
        self.channels: dict[int, Channel] = {}
        self._schemas: dict[int, Any] = {}
        self.statistics: Any = None
        self.file: BinaryIO = open(path, "rb")
        try:
            self.size = os.fstat(self.file.fileno()).st_size
            self.end = self._read_summary()
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def wrong(self, element: str, why: str) -> InputError:
        return InputError(f"{self.path}: {element}: {why}; expected {EXPECTED}", self.path)

    def lose(self, element: str, why: str) -> None:
        """Raises InputError, or remembers it."""
        if not self.salvage:
            error = self.wrong(element, why)
            raise InputError(f"{error}, or salvage=True", self.path)
        self.losses.append(f"{self.path}: {element}: {why}")

    def _at(self, offset: int, length: int) -> bytes:
        self.file.seek(offset)
        return self.file.read(length)

    def _read_summary(self) -> int:
        """Where the data end: what is known of channels and counts is read, and held to its checksum."""
        if self._at(0, 8) != MAGIC:
            raise self.wrong("file", "it does not begin as MCAP does")
        foot = self._at(max(8, self.size - FOOT.size), FOOT.size)
        opcode, length, start, _, crc, magic = FOOT.unpack(foot) if len(foot) == FOOT.size else (0, 0, 0, 0, 0, b"")
        if opcode != FOOTER or length != 20 or magic != MAGIC:
            self.lose("file", "it ends before its footer")
            return self.size
        last = self.size - FOOT.size
        if start == 0 or not 8 <= start <= last:
            self.lose("file", "no summary" if start == 0 else f"a summary at byte {start} of {self.size}")
            return last
        found, at = 0, int(start)
        self.file.seek(start)
        while at < last:
            block = self.file.read(min(STRETCH, last - at))
            found, at = zlib.crc32(block, found), at + len(block)
        found = zlib.crc32(foot[:FOOT.size - 12], found)
        if crc and found != crc:
            self.lose("summary", f"checksum {found:08x}; its footer says {crc:08x}")
        else:
            self._read_records(start, last)
        if self.statistics is None:
            self.lose("file", "no summary" if not self.channels else "a summary without statistics")
        return int(start)

    def _read_records(self, start: int, end: int) -> None:
        at = start
        while at + RECORD.size <= end:
            opcode, length = RECORD.unpack(self._at(at, RECORD.size))
            at += RECORD.size
            if length > end - at:
                raise self.wrong("summary", f"a record of {length} bytes, of which {end - at} are there")
            if opcode in (SCHEMA, CHANNEL, STATISTICS):
                self.learn(opcode, self._at(at, length))
            at += length

    def learn(self, opcode: int, content: bytes) -> None:
        """Of a schema, a channel or the statistics. Raises InputError."""
        records, stream = needs("mcap", "mcap.records"), needs("mcap", "mcap.data_stream")
        kind = {SCHEMA: records.Schema, CHANNEL: records.Channel, STATISTICS: records.Statistics}[opcode]
        try:
            found = kind.read(stream.ReadDataStream(io.BytesIO(content)))
        except Exception as error:
            raise damaged(self.path, error, kind.__name__.lower(), EXPECTED) from None
        if opcode == STATISTICS:
            self.statistics = found
        elif opcode == SCHEMA:
            self._schemas[found.id] = found
        else:
            schema = self._schemas.get(found.schema_id)
            made = Channel(found.id, found.topic, found.message_encoding, schema.name if schema else "",
                           schema.encoding if schema else "", bytes(schema.data) if schema else b"")
            if self.channels.setdefault(found.id, made) != made:
                self.lose(f"channel {found.id}", f"{made.topic} ({made.schema}), elsewhere {self.channels[found.id].topic} "
                          f"({self.channels[found.id].schema})")

    def blocks(self) -> Iterator[tuple[int, int, bytes]]:
        """All messages in the file's order: where a chunk or a stretch of messages lies, its length, its records."""
        at, self._crc, self._lost = 8, zlib.crc32(MAGIC), list[Lost]()
        check = self._data_checksum()
        while at < self.end:
            head = self._at(at, RECORD.size)
            opcode, length = RECORD.unpack(head) if len(head) == RECORD.size else (0, self.size)
            whole = RECORD.size + length
            if opcode == DATA_END and length == 4:
                break
            if whole > self.end - at:
                self.lose(f"byte {at}", f"a record of {length} bytes, of which {max(0, self.end - at - RECORD.size)} are there, and "
                          "all that follows")
                break
            if opcode == MESSAGE:
                whole, data = self._stretch(at)
                yield at, whole, data
            elif opcode == CHUNK:
                yield from self._chunk(at, whole)
            elif opcode in (SCHEMA, CHANNEL, MESSAGE_INDEX) and length <= LARGEST:
                content = self._at(at + RECORD.size, length)
                if opcode != MESSAGE_INDEX:
                    self.learn(opcode, content)
                elif self._lost and self._lost[-1].where == self._latest and len(content) >= 6:
                    counts = self._lost[-1].counts
                    channel = int.from_bytes(content[:2], "little")
                    counts[channel] = counts.get(channel, 0) + int.from_bytes(content[2:6], "little") // 16
            if check is not None:
                self._add(at, whole)
            at += whole
        if check is not None and self._crc != check and not self._lost:
            self.lose("data", f"checksum {self._crc:08x}; its end says {check:08x}")

    def _chunk(self, at: int, whole: int) -> Iterator[tuple[int, int, bytes]]:
        self._latest = f"chunk at byte {at}"
        head = self._at(at + RECORD.size, CHUNK_HEAD.size).ljust(CHUNK_HEAD.size, b"\0")
        first, last, *_ = CHUNK_HEAD.unpack(head)
        try:
            if whole > LARGEST:
                raise Damage(f"{whole} bytes; expected at most {LARGEST}")
            records = block(self.file, at, whole)
            for opcode, begin, end in records_of(records):
                if opcode in (SCHEMA, CHANNEL):
                    self.learn(opcode, records[begin:end])
        except Damage as damage:
            self._lost.append(Lost(self._latest, str(damage), {}, first, last))
            return
        yield at, whole, records

    def _stretch(self, at: int) -> tuple[int, bytes]:
        """Messages outside chunks that follow each other."""
        length = 0
        while length < STRETCH:
            head = self._at(at + length, RECORD.size)
            if len(head) < RECORD.size or head[0] != MESSAGE:
                break
            size = RECORD.size + int(RECORD.unpack(head)[1])
            if size > self.end - at - length:
                break
            if size > LARGEST:
                raise self.wrong(f"message at byte {at + length}", f"{size} bytes; expected at most {LARGEST}")
            length += size
        return length, self._at(at, length)

    def _data_checksum(self) -> int | None:
        """What the end of the data says of them; None: nothing."""
        tail = self._at(self.end - 13, 13)
        if len(tail) < 13 or tail[0] != DATA_END or RECORD.unpack(tail[:9])[1] != 4:
            return None
        return int.from_bytes(tail[9:], "little") or None

    def _add(self, at: int, length: int) -> None:
        self.file.seek(at)
        while length:
            block = self.file.read(min(STRETCH, length))
            if not block:
                return
            self._crc, length = zlib.crc32(block, self._crc), length - len(block)

    def judge(self, counts: dict[int, int]) -> None:
        """After all blocks: chunks that could not be read, and messages by channel that the statistics know and the file lacks."""
        topics = {channel.id: channel.topic for channel in self.channels.values()}
        for lost in self._lost:
            self.lose(lost.where, lost.text(topics).removeprefix(f"{lost.where}: "))
        if self.statistics is None:
            return
        said = dict(self.statistics.channel_message_counts)
        named: dict[int, int] = {}
        for lost in self._lost:
            for channel, n in lost.counts.items():
                named[channel] = named.get(channel, 0) + n
        if not said and self.statistics.message_count != sum(counts.values()) + sum(named.values()):
            self.lose("messages", f"{sum(counts.values())}; the statistics say {self.statistics.message_count}")
        wrong = [channel for channel in sorted({*said, *counts}) if said
                 and counts.get(channel, 0) + named.get(channel, 0) != said.get(channel, 0)]
        if wrong:
            of = ", ".join(f"{topics.get(channel, channel)} {counts.get(channel, 0)} of {said.get(channel, 0)}"
                           for channel in wrong[:3])
            self.lose("messages", f"{of}, as the statistics count them")
