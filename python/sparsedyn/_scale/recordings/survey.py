"""What an MCAP file holds, looked through once before it is read: joints, runs of its clock, what is missing, and pieces.

A run is a stretch of the recording in which time goes on. It ends where a publisher's times go back by more than BACK (a clock
that was reset, a simulation that began anew) or all times leap ahead by more than AHEAD (a computer without a battery gets the
date). Runs are read each by itself: samples of two would otherwise lie between each other. Costs a fifth of reading.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..._errors import InputError
from ..._words import counted
from .. import clock as clocks
from ..arrow import damaged
from ..mapping import Mapping_
from .cdr import Names, Reader
from .chunks import EXPECTED, MESSAGE, MESSAGE_HEAD, Channel, Damage, File, records_of

BACK = 10**8  #: ns, by which a publisher's times may go back: messages that overtook each other
AHEAD = 3600 * 10**9  #: ns, by which times may go on: a recording that paused
LATEST = 2**62  #: ns; no clock is there before 2116
MOST_JOINTS = 10_000  #: of a topic
KINDS = {
    "sensor_msgs/msg/JointState": ("position", "velocity", "effort"),
    "geometry_msgs/msg/WrenchStamped": ("force", "torque"),
    "geometry_msgs/msg/Wrench": ("force", "torque"),
    "sensor_msgs/msg/Imu": ("orientation", "angular_velocity", "linear_acceleration"),
    "nav_msgs/msg/Odometry": ("position", "orientation", "linear_velocity", "angular_velocity"),
}
JOINTS = "sensor_msgs/msg/JointState"
WITHOUT_TIME = {"geometry_msgs/msg/Wrench"}  #: whose messages have the time at which they were recorded


@dataclass(frozen=True)
class TimeFault:
    """Where one run ends and the next begins."""

    file: str
    topic: str
    run: int  #: that begins
    before: float  #: s; the time that the message is compared with: its publisher's last, or the latest of all
    after: float  #: s; its own

    def __str__(self) -> str:
        step = self.after - self.before
        return f"{self.topic} goes {'back' if step < 0 else 'ahead'} by {abs(step):.3f} s, from {self.before:.3f} to {self.after:.3f}"


@dataclass(frozen=True)
class Cut:
    """A piece of a file: the messages of one run, and the times of its rows."""

    run: int
    first: int  #: ns; of rows
    last: int  #: not in it
    low: int  #: ns; the run's first time
    high: int  #: after its last one
    begin: tuple[int, int]  #: of the run: chunk, and message in it
    end: tuple[int, int]  #: not in it
    blocks: tuple[tuple[int, int, int], ...]  #: chunks to read: index, offset, length
    channels: tuple[Channel, ...]
    names: tuple[tuple[str, Names], ...]  #: joints of each topic that has some, as its messages have them


@dataclass
class Block:
    """A run's part of a chunk."""

    index: int
    offset: int
    length: int
    size: int  #: bytes of its records
    low: int  #: ns
    high: int


class Run:
    """Messages in which time goes on."""

    def __init__(self, number: int, begin: tuple[int, int]) -> None:
        self.number, self.begin = number, begin
        self.end = begin
        self.blocks: list[Block] = []
        self.low, self.high = LATEST, -LATEST
        self.latest: dict[tuple[int, Names], int] = {}  #: by publisher
        self.messages = 0
        self.of_clock = 0

    def add(self, index: int, offset: int, length: int, size: int, stamp: int) -> None:
        if not self.blocks or self.blocks[-1].index != index:
            self.blocks.append(Block(index, offset, length, size, stamp, stamp))
        block = self.blocks[-1]
        block.low, block.high = min(block.low, stamp), max(block.high, stamp)
        self.low, self.high = min(self.low, stamp), max(self.high, stamp)
        self.messages += 1


@dataclass
class Survey:
    """Of a file."""

    cuts: list[Cut]
    faults: list[TimeFault]
    warnings: list[str]


def fits(path: str, channels: dict[int, Channel], mapping: Mapping_ | None) -> Mapping_:
    """The mapping, where it fits the file. Raises InputError."""
    there = {channel.topic: channel.schema for channel in channels.values()}
    if mapping is None or not mapping.topics:
        known = [f"{topic} ({kind})" for topic, kind in sorted(there.items()) if kind in KINDS]
        raise InputError(f"{path}: topics: {', '.join(known) or 'none that are known'}; expected mapping=, from topics to "
                         "columns", path)
    for name, topic in mapping.topics.items():
        if name not in there:
            raise InputError(f"{path}: topics: no {name}; expected one of {', '.join(sorted(there))}", path)
        for channel in channels.values():
            for field in topic.fields:
                if channel.topic != name:
                    continue
                if field not in KINDS.get(channel.schema, ()):
                    raise InputError(f"{path}: {name}: {field} of {channel.schema}; expected a message that has it", path)
                if channel.schema == JOINTS and not isinstance(topic.fields[field], str):
                    raise InputError(f"{path}: {name}: {field}: a list of columns for joints; expected a prefix", path)
                strange = [] if channel.schema == JOINTS else [each for each in topic.scaled_names(field) if each not in topic.parts(field)]
                if strange:
                    raise InputError(f"{path}: {name}: {field}: no component {strange[0]} to be scaled; expected one of "
                                     f"{', '.join(topic.parts(field))}", path)
    return mapping


class Readers:
    """Of the channels that a mapping names, as they turn up."""

    def __init__(self, file: str, mapping: Mapping_) -> None:
        self.file, self.mapping = file, mapping
        self._readers: dict[int, Reader | None] = {}

    def of(self, channel: Channel | None, number: int) -> Reader | None:
        """None: of a topic that the mapping does not name. Raises InputError."""
        if number not in self._readers:
            if channel is None:
                raise InputError(f"{self.file}: messages: a message of channel {number}, which is not described; expected {EXPECTED}",
                                 self.file)
            wanted = channel.topic in self.mapping.topics
            try:
                self._readers[number] = Reader(channel, channel.schema == JOINTS) if wanted else None
            except (ImportError, InputError):
                raise
            except Exception as error:
                raise damaged(self.file, error, channel.topic, "a schema as ROS 2 writes it") from None
        return self._readers[number]

    def stamp(self, reader: Reader, log_time: int, data: bytes, at: int, end: int) -> int:
        """The message's time: its own, which may not run away from the recorder's, or the recorder's. Raises InputError."""
        mapping, topic = self.mapping, reader.channel.topic
        if mapping.stamp == "log" or reader.channel.schema in WITHOUT_TIME:
            stamp = log_time
        else:
            stamp = self.read(reader.stamp, topic, data, at, end)
            if abs(stamp - log_time) > mapping.latency * 1e9:
                raise InputError(f"{self.file}: {topic}: header.stamp {(stamp - log_time) / 1e9:+g} s from the log's clock; expected at "
                                 f'most "latency": {mapping.latency:g} s, or "stamp": "log"', self.file)
        if stamp >= LATEST:
            raise InputError(f"{self.file}: {topic}: time {stamp / 1e9:g} s after 1970; expected one before 2116", self.file)
        return stamp

    def read(self, function: Any, topic: str, *arguments: Any) -> Any:
        """What a reader says of a message. Raises InputError where it is none."""
        try:
            return function(*arguments)
        except (InputError, ImportError):
            raise
        except Exception as error:
            raise damaged(self.file, error, f"messages: {topic}", EXPECTED) from None


class _Surveyor:
    def __init__(self, file: File, mapping: Mapping_ | None, size: int) -> None:
        self.file = file
        self.given, self.size = mapping, size
        self.counts: dict[int, int] = {}
        self.runs = [Run(0, (0, 0))]
        self.faults: list[TimeFault] = []
        self.names: dict[str, dict[str, None]] = {}  #: of joints, by topic
        self.back: tuple[int, int] = (0, 0)  #: messages that go back by less than BACK, and by how much at most, ns
        self._seen: set[tuple[str, Names]] = set()

    def look(self) -> Survey:
        file = self.file
        if file.statistics is not None:
            fits(file.path, file.channels, self.given)
        readers = Readers(file.path, self.given or Mapping_(""))
        index = 0
        for index, (offset, length, records) in enumerate(file.blocks()):
            try:
                self._block(index, offset, length, records, readers)
            except Damage as damage:  # outside chunks
                file.lose(f"messages at byte {offset}", str(damage))
        self.mapping = fits(file.path, file.channels, self.given)
        file.judge(self.counts)
        self.runs[-1].end = (index + 1, 0)
        self._judge()
        warnings = [*file.losses, *self._said()]
        return Survey([cut for run in self.runs for cut in self._cuts(run)], self.faults, warnings)

    def _block(self, index: int, offset: int, length: int, records: bytes, readers: Readers) -> None:
        number = -1
        counts, channels = self.counts, self.file.channels
        for opcode, begin, end in records_of(records):
            if opcode != MESSAGE:
                continue
            number += 1
            channel, _, log_time, _ = MESSAGE_HEAD.unpack_from(records, begin)
            counts[channel] = counts.get(channel, 0) + 1
            reader = readers.of(channels.get(channel), channel)
            if reader is None:
                continue
            begin += MESSAGE_HEAD.size
            stamp = readers.stamp(reader, log_time, records, begin, end)
            names = readers.read(reader.names, reader.channel.topic, records, begin, end)
            if reader.joints and (reader.channel.topic, names) not in self._seen:
                self._see(reader.channel.topic, names)
            self._order(index, number, reader.channel, names, stamp)
            run = self.runs[-1]
            run.of_clock += reader.channel.topic == readers.mapping.clock
            run.add(index, offset, length, len(records), stamp)

    def _see(self, topic: str, names: Names) -> None:
        self._seen.add((topic, names))
        known = self.names.setdefault(topic, {})
        known.update(dict.fromkeys(names))
        if len(known) > MOST_JOINTS or len(self._seen) > MOST_JOINTS:
            raise InputError(f"{self.file.path}: {topic}: more than {MOST_JOINTS} names of joints, or orders of them; expected a robot's",
                             self.file.path)

    def _order(self, index: int, number: int, channel: Channel, names: Names, stamp: int) -> None:
        """Begins a run where time does not go on."""
        run, publisher = self.runs[-1], (channel.id, names)
        last = run.latest.get(publisher, -LATEST)
        if last - stamp > BACK:
            self._begin(index, number, channel.topic, last, stamp)
        elif run.messages and stamp - run.high > self._ahead:
            self._begin(index, number, channel.topic, run.high, stamp)
        elif stamp < last:
            self.back = (self.back[0] + 1, max(self.back[1], last - stamp))
        latest = self.runs[-1].latest
        latest[publisher] = max(stamp, latest.get(publisher, -LATEST))

    @property
    def _ahead(self) -> int:
        return max(AHEAD, self._reach)

    @property
    def _reach(self) -> int:
        return reach(self.given or Mapping_(""))

    def _begin(self, index: int, number: int, topic: str, before: int, after: int) -> None:
        self.runs[-1].end = (index, number)
        self.runs[-1].latest = {}
        self.faults.append(TimeFault(self.file.path, topic, len(self.runs), before * 1e-9, after * 1e-9))
        self.runs.append(Run(len(self.runs), (index, number)))

    def _judge(self) -> None:
        """Raises InputError where the mapping's topics are empty, or time does not go on and nothing is said of runs."""
        path = self.file.path
        messages: dict[str, int] = {}
        for channel, count in self.counts.items():
            topic = self.file.channels[channel].topic
            messages[topic] = messages.get(topic, 0) + count
        for name in self.mapping.topics:
            if not messages.get(name):
                raise InputError(f"{path}: {name}: no messages; expected some", path)
        if self.faults and self.mapping.runs != "split":
            more = f", and {counted(len(self.faults) - 1, 'more time fault')}" if len(self.faults) > 1 else ""
            raise InputError(f"{path}: time: {self.faults[0]}{more}; expected times that go on, or runs='split'", path)

    def _said(self) -> Iterator[str]:
        path = self.file.path
        if self.back[0]:
            back = counted(self.back[0], "message that is", "messages that are")
            yield f"{path}: time: {back} up to {self.back[1] / 1e9:g} s earlier than one before; taken in the order of their times"
        for run in self.runs:
            if self.faults and not self._has_rows(run):
                yield (f"{path}: time: run {run.number} of {counted(run.messages, 'message')}, {run.low / 1e9:.3f} to {run.high / 1e9:.3f} s, holds no time of the "
                       "clock: no row is made of it")

    def _has_rows(self, run: Run) -> bool:
        return clocks.holds(self.mapping.rate, run.low, run.high + 1) if self.mapping.rate else run.of_clock > 0

    def _cuts(self, run: Run) -> list[Cut]:
        """Cut between chunks, where enough bytes have come together."""
        edges, gathered = [run.low], 0
        for block in sorted(run.blocks, key=lambda each: each.low):
            if gathered >= self.size and block.low > edges[-1]:
                edges.append(block.low)
                gathered = 0
            gathered += block.size
        margin = reach(self.mapping) + round(self.mapping.window * 1e9)
        names = tuple((topic, tuple(known)) for topic, known in self.names.items())
        channels = tuple(channel for channel in self.file.channels.values() if channel.topic in self.mapping.topics)
        found = []
        for first, last in zip(edges, [*edges[1:], run.high + 1]):
            blocks = tuple((block.index, block.offset, block.length) for block in run.blocks
                           if block.high >= first - margin and block.low < last + margin)
            found.append(Cut(run.number, first, last, run.low, run.high + 1, run.begin, run.end, blocks, channels, names))
        return found


def reach(mapping: Mapping_) -> int:
    """ns, over which a sample may stand for another time."""
    return max((round(topic.max_gap * 1e9) for topic in mapping.topics.values()), default=0)


def survey(path: str, mapping: Mapping_ | None, size: int) -> Survey:
    """size: bytes of messages in a piece, after which it may end. Raises InputError."""
    try:
        with File(path, mapping is not None and mapping.salvage) as file:
            return _Surveyor(file, mapping, size).look()
    except OSError as error:
        raise damaged(path, error, "file", EXPECTED) from None
