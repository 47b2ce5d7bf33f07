"""MCAP files of ROS 2: pieces are times of one run of the recording's clock.

JointState, WrenchStamped, Wrench, Odometry and Imu, brought onto one clock as a mapping says. Each piece reads a margin before and after its own
time, so that a log has the same rows wherever it is cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError
from . import clock as clocks
from .arrow import Batch, batch_of
from .derived import with_derivatives
from .mapping import Mapping_
from .recordings.chunks import EXPECTED, MESSAGE, MESSAGE_HEAD, Damage, block, records_of
from .recordings.samples import Samples
from .recordings.survey import Cut, Readers, Survey, reach, survey

Array = NDArray[np.float64]
BYTES_A_PIECE = 16 << 20  #: of messages, as they are after decompression
PAUSE = 10 * 10**9  #: ns without any message, in which no rows are made
NUMBERS = 1 << 19  #: of a table that is made at once


def files(folder: str) -> list[str]:
    """Of a bag: its MCAP files, in the order of its recording. Raises InputError for other storages."""
    names = sorted((name for name in os.listdir(folder) if name.endswith(".mcap")), key=_number)
    if not names:
        raise InputError(f"{folder}: no .mcap in this bag; expected storage mcap (`ros2 bag convert` makes it)", folder)
    return names


def _number(name: str) -> tuple[int, str]:
    """rosbag2 numbers its files: NAME_10.mcap comes after NAME_9.mcap."""
    digits = os.path.splitext(name)[0].rsplit("_", 1)[-1]
    return (int(digits) if digits.isdecimal() and len(digits) < 19 else 0, name)


def look(path: str, mapping: Mapping_ | None, size: int | None = None) -> Survey:
    """What a file holds, and its pieces, of so many bytes of messages. Raises InputError."""
    return survey(path, mapping, BYTES_A_PIECE if size is None else size)


def names_of(path: str, mapping: Mapping_ | None, cut: Cut | None) -> list[str]:
    """Columns, but for those that differentiate makes. Raises InputError."""
    if cut is None:
        cut = look(path, mapping).cuts[0]
    assert mapping is not None
    return ["time", *(["run"] if mapping.runs else []),
            *(column for part in _empty(path, mapping, cut).values() for columns in part.columns.values() for column in columns)]


def _empty(path: str, mapping: Mapping_, cut: Cut) -> dict[str, Samples]:
    """Of each topic, without samples yet. Raises InputError where two make one column."""
    names = dict(cut.names)
    made = {name: Samples(path, name, topic, names.get(name)) for name, topic in mapping.topics.items()}
    taken = {"time", "run"} if mapping.runs else {"time"}
    for name, part in made.items():
        for column in (column for columns in part.columns.values() for column in columns):
            if column in taken:
                raise InputError(f"{path}: {name}: {column}, which another topic gives; expected each column once", path)
            taken.add(column)
    return made


def batches(path: str, mapping: Mapping_ | None, cut: Cut | None) -> Iterator[Batch]:
    """Rows of a piece; without one, of the whole file. Raises InputError."""
    for each in [cut] if cut is not None else look(path, mapping).cuts:
        assert mapping is not None
        topics = _empty(path, mapping, each)
        _gather(path, mapping, each, topics)
        width = 1 + sum(len(columns) for part in topics.values() for columns in part.columns.values())
        for clock, inside in _clocks(mapping, each, topics, max(64, NUMBERS // width)):
            yield batch_of(_table(topics, mapping, each.run, clock, inside))


def _gather(path: str, mapping: Mapping_, cut: Cut, topics: dict[str, Samples]) -> None:
    """The samples that rows of this piece may need."""
    margin = reach(mapping) + round(mapping.window * 1e9)
    low, high = cut.first - margin, cut.last + margin
    readers, channels = Readers(path, mapping), {channel.id: channel for channel in cut.channels}
    with open(path, "rb") as file:
        for index, offset, length in cut.blocks:
            try:
                records = block(file, offset, length)
                found = [(begin, end) for opcode, begin, end in records_of(records) if opcode == MESSAGE]
            except Damage as damage:
                raise InputError(f"{path}: chunk at byte {offset}: {damage}, since the file was looked through; expected {EXPECTED}",
                                 path) from None
            for number, (begin, end) in enumerate(found):
                if not cut.begin <= (index, number) < cut.end:
                    continue
                channel, _, log_time, _ = MESSAGE_HEAD.unpack_from(records, begin)
                if channel not in channels:
                    continue
                reader = readers.of(channels[channel], channel)
                assert reader is not None
                begin += MESSAGE_HEAD.size
                stamp = readers.stamp(reader, log_time, records, begin, end)
                if low <= stamp < high:
                    topic = reader.channel.topic
                    message = readers.read(reader.decode, topic, records[begin:end])
                    names = tuple(message.name) if reader.joints else ()
                    readers.read(topics[topic].add, topic, stamp, names, message)


def _clocks(mapping: Mapping_, cut: Cut, topics: dict[str, Samples], rows: int) -> Iterator[tuple[NDArray[np.int64], Any]]:
    """Times of at most so many rows at once, and which of them are wanted: others are there to be differentiated."""
    if not mapping.rate:
        own = np.unique(topics[mapping.clock].stamps())
        own = own[(own >= cut.first) & (own < cut.last)]
        for first in range(0, len(own), rows):
            yield own[first:first + rows], slice(None)
        return
    stamps = np.concatenate([part.stamps() for part in topics.values()])
    window, reached = round(mapping.window * 1e9), reach(mapping)
    pause = max(PAUSE, 2 * reached)
    for begin, end in clocks.stretches(stamps, cut.first, cut.last, pause, reached):
        low, high = max(begin - window, cut.low), min(end + window, cut.high)
        bounds = list(clocks.stretches(stamps, low, high, pause, reached))
        low, high = next((each for each in bounds if each[0] <= begin < each[1]), (begin, end))
        for first, last in clocks.slices(mapping.rate, begin, end, rows):
            clock = clocks.even(mapping.rate, max(first - window, low), min(last + window, high))
            inside = (clock >= first) & (clock < last)
            if inside.any():
                yield clock, inside


def _table(topics: dict[str, Samples], mapping: Mapping_, run: int, clock: NDArray[np.int64], inside: Any) -> dict[str, Any]:
    """The rows at these times."""
    columns: dict[str, Any] = {"time": clock * 1e-9}
    for part in topics.values():
        columns.update(part.onto(clock))
    if mapping.window:
        relative = {**columns, "time": (clock - clock[0]) * 1e-9}
        columns = {**with_derivatives(relative, mapping.window), "time": columns["time"]}
    made = {name: np.ascontiguousarray(values[inside]) for name, values in columns.items()}
    if mapping.runs:
        made = {"time": made.pop("time"), "run": np.full(len(clock[inside]), run, dtype=np.int64), **made}
    return made
