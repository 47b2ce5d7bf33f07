"""MCAP files of ROS 2: pieces are nanoseconds of the recorder's clock.

JointState, WrenchStamped and Imu, brought onto one clock as a mapping says. Each piece reads a margin before and after its own
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
from .arrow import Batch, batch_of, damaged, needs
from .derived import with_derivatives
from .mapping import Mapping_, Topic

Array = NDArray[np.float64]
BYTES_A_PIECE = 16 << 20  #: of messages, as they are after decompression
EXPECTED = "a whole MCAP file with a summary (`mcap recover` makes one)"
KINDS = {
    "sensor_msgs/msg/JointState": ("position", "velocity", "effort"),
    "geometry_msgs/msg/WrenchStamped": ("force", "torque"),
    "sensor_msgs/msg/Imu": ("orientation", "angular_velocity", "linear_acceleration"),
}


def files(folder: str) -> list[str]:
    """Of a bag: its MCAP files, in the order of its recording. Raises InputError for other storages."""
    names = sorted((name for name in os.listdir(folder) if name.endswith(".mcap")), key=_number)
    if not names:
        raise InputError(f"{folder}: no .mcap in this bag; expected storage mcap (`ros2 bag convert` makes it)", folder)
    return names


def _number(name: str) -> tuple[int, str]:
    """rosbag2 numbers its files: NAME_10.mcap comes after NAME_9.mcap."""
    digits = os.path.splitext(name)[0].rsplit("_", 1)[-1]
    return (int(digits) if digits.isdigit() else 0, name)


class Opened:
    """A file with its summary. Raises InputError."""

    def __init__(self, path: str) -> None:
        reader, decoder = needs("mcap", "mcap.reader"), needs("mcap", "mcap_ros2.decoder")
        self.path = path
        self.file = open(path, "rb")
        try:
            self.reader = reader.make_reader(self.file, validate_crcs=True, decoder_factories=[decoder.DecoderFactory()])
            self.summary = self.reader.get_summary()
        except Exception as error:
            self.file.close()
            raise damaged(path, error, "file", EXPECTED) from None
        if self.summary is None or self.summary.statistics is None:
            self.file.close()
            raise InputError(f"{path}: file: no summary; expected {EXPECTED}", path)
        self.first = int(self.summary.statistics.message_start_time)
        self.last = int(self.summary.statistics.message_end_time) + 1

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def topics(self) -> dict[str, str]:
        """Each with its type."""
        schemas = self.summary.schemas
        return {channel.topic: schemas[channel.schema_id].name for channel in self.summary.channels.values()
                if channel.schema_id in schemas}

    def messages(self, topics: list[str], first: int, last: int) -> Iterator[tuple[str, int, Any]]:
        """(topic, time of recording, message) in first … last, which is not in it."""
        try:
            for found in self.reader.iter_decoded_messages(topics, starting_at=max(0, first), ending_before=max(0, last)):
                yield found.channel.topic, int(found.message.log_time), found.decoded_message
        except InputError:
            raise
        except Exception as error:
            raise damaged(self.path, error, "messages", EXPECTED) from None


def ranges(path: str, rows: int) -> list[tuple[int, int]]:
    """Cut between chunks, where enough bytes have come together."""
    with Opened(path) as file:
        edges, gathered = [file.first], 0
        for index in sorted(file.summary.chunk_indexes, key=lambda each: each.message_start_time):
            if gathered >= BYTES_A_PIECE and index.message_start_time > edges[-1]:
                edges.append(int(index.message_start_time))
                gathered = 0
            gathered += index.uncompressed_size
        return list(zip(edges, [*edges[1:], file.last]))


def _wanted(file: Opened, mapping: Mapping_ | None) -> Mapping_:
    """The mapping, where it fits the file."""
    there = file.topics()
    if mapping is None or not mapping.topics:
        known = [f"{topic} ({kind})" for topic, kind in sorted(there.items()) if kind in KINDS]
        raise InputError(f"{file.path}: topics: {', '.join(known) or 'none that are known'}; expected mapping=, from topics to "
                         "columns", file.path)
    for name, topic in mapping.topics.items():
        if name not in there:
            raise InputError(f"{file.path}: topics: no {name}; expected one of {', '.join(sorted(there))}", file.path)
        for field in topic.fields:
            if field not in KINDS.get(there[name], ()):
                raise InputError(f"{file.path}: {name}: {field} of {there[name]}; expected a message that has it", file.path)
    return mapping


class Samples:
    """What a topic's messages say, column by column."""

    def __init__(self, file: Opened, name: str, topic: Topic) -> None:
        self.file, self.name, self.topic = file, name, topic
        self.joints = "position" in KINDS[file.topics()[name]]
        self.stamps: list[int] = []
        self.values: dict[str, list[Any]] = {field: [] for field in topic.fields}
        self._places: dict[tuple[str, ...], dict[str, Any]] = {}
        first = next(file.messages([name], file.first, file.last), None)
        if first is None:
            raise InputError(f"{file.path}: {name}: no messages; expected some", file.path)
        names = list(topic.joints) if topic.joints is not None else list(getattr(first[2], "name", ()))
        self.columns = {field: [column for column in topic.joint_columns(field, names) if column] if self.joints
                        else topic.columns(field) for field in topic.fields}
        made = [column for columns in self.columns.values() for column in columns]
        for k, column in enumerate(made):
            if column in made[:k]:
                raise InputError(f"{file.path}: {name}: {column} twice; expected each column once", file.path)

    def add(self, stamp: int, message: Any) -> None:
        self.stamps.append(stamp)
        for field, rows in self.values.items():
            rows.append(self._of_joints(field, message) if self.joints else self._of_parts(field, message))

    def _of_parts(self, field: str, message: Any) -> list[float]:
        part = getattr(message.wrench if field in ("force", "torque") else message, field)
        return [part.x, part.y, part.z, part.w] if field == "orientation" else [part.x, part.y, part.z]

    def _of_joints(self, field: str, message: Any) -> Any:
        """By name, whatever the message's order; joints that it lacks are gaps."""
        names, values = tuple(message.name), getattr(message, field)
        place = self._places.get(names)
        if place is None:
            place = self._places[names] = self._placed(names)
        row = np.full(len(self.columns[field]), np.nan)
        if len(values) == 0:
            return row
        if len(values) != len(names):
            raise InputError(f"{self.file.path}: {self.name}: {field}: {len(values)} numbers for {len(names)} names; expected one "
                             "each, or none", self.file.path)
        target, source = place[field]
        row[target] = np.asarray(values, dtype=np.float64)[source]
        return row

    def _placed(self, names: tuple[str, ...]) -> dict[str, Any]:
        if len(set(names)) != len(names):
            raise InputError(f"{self.file.path}: {self.name}: name: a joint twice; expected each once", self.file.path)
        placed = {}
        for field in self.topic.fields:
            made = self.topic.joint_columns(field, list(names))
            for joint, column in zip(names, made):
                if column and column not in self.columns[field]:
                    raise InputError(f"{self.file.path}: {self.name}: {joint}, which the first message lacks; expected every joint "
                                     "in it, or in the mapping's joints", self.file.path)
            pairs = [(self.columns[field].index(column), k) for k, column in enumerate(made) if column]
            placed[field] = ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        return placed

    def onto(self, clock: NDArray[np.int64]) -> dict[str, Array]:
        """Its columns at the clock's times."""
        found: dict[str, Array] = {}
        stamps = np.asarray(self.stamps, dtype=np.int64)
        for field, names in self.columns.items():
            values = np.asarray(self.values[field], dtype=np.float64).reshape(len(stamps), len(names))
            ordered, sorted_values = clocks.in_order(stamps, values)
            quaternion = field == "orientation"
            at = clocks.onto(clock, ordered, sorted_values, self.topic.rule, round(self.topic.max_gap * 1e9), quaternion)
            found.update(zip(names, np.ascontiguousarray((at if quaternion else at * self.topic.scale).T)))
        return found


def names_of(path: str, mapping: Mapping_ | None = None) -> list[str]:
    """Columns, but for those that differentiate makes."""
    with Opened(path) as file:
        mapping = _wanted(file, mapping)
        parts = [Samples(file, name, topic) for name, topic in mapping.topics.items()]
        return ["time", *(column for part in parts for columns in part.columns.values() for column in columns)]


def _stamp(message: Any, log_time: int, mapping: Mapping_, where: str, path: str) -> int:
    """The message's own time, which may not run away from the recorder's."""
    if mapping.stamp == "log":
        return log_time
    stamp = int(message.header.stamp.sec) * 10**9 + int(message.header.stamp.nanosec)
    if abs(stamp - log_time) > mapping.latency * 1e9:
        raise InputError(f"{path}: {where}: header.stamp {(stamp - log_time) / 1e9:+g} s from the log's clock; expected at most "
                         f'"latency": {mapping.latency:g} s, or "stamp": "log"', path)
    return stamp


def batches(path: str, first: int, last: int, rows: int, mapping: Mapping_ | None = None, columns: set[str] | None = None
            ) -> Iterator[Batch]:
    with Opened(path) as file:
        mapping = _wanted(file, mapping)
        latency, window = round(mapping.latency * 1e9), round(mapping.window * 1e9)
        # stamps may lie before the first record's time, and after the last one's
        begin = first - latency if first == file.first else first
        end = last + latency if last == file.last else last
        margin = latency + window + round(max(topic.max_gap for topic in mapping.topics.values()) * 1e9)
        topics = {name: Samples(file, name, topic) for name, topic in mapping.topics.items()}
        for name, log_time, message in file.messages(list(topics), begin - margin, end + margin):
            topics[name].add(_stamp(message, log_time, mapping, name, path), message)
        made = _table(topics, mapping, begin, end, window)
        if len(made["time"]):
            yield batch_of(made)


def _table(topics: dict[str, Samples], mapping: Mapping_, begin: int, end: int, window: int) -> dict[str, Any]:
    """The rows in begin … end."""
    if mapping.rate:
        stamps = [stamp for part in topics.values() for stamp in part.stamps]
        low, high = (min(stamps), max(stamps) + 1) if stamps else (begin, begin)
        clock = clocks.even(mapping.rate, max(begin - window, low), min(end + window, high))
    else:
        own = np.unique(np.asarray(topics[mapping.clock].stamps, dtype=np.int64))
        clock = own[(own >= begin) & (own < end)]
    columns: dict[str, Any] = {"time": clock * 1e-9}
    for name, part in topics.items():
        for column, values in part.onto(clock).items():
            if column in columns:
                raise InputError(f"{part.file.path}: {name}: {column}, which another topic gives; expected each column once",
                                 part.file.path)
            columns[column] = values
    if mapping.window:
        relative = {**columns, "time": (clock - (clock[0] if len(clock) else 0)) * 1e-9}
        columns = {**with_derivatives(relative, mapping.window), "time": columns["time"]}
    inside = (clock >= begin) & (clock < end)
    return {name: np.ascontiguousarray(values[inside]) for name, values in columns.items()}
