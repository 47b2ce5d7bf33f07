"""Messages of topics as rows of readings, by the mapping that logs have too (docs/scale.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError, shown
from .._scale.mapping import FIELDS, Mapping_, Topic
from ._loop import Live, Reading

Array = NDArray[np.float64]
MOST_REPEATED = 10  #: messages of one stamp: several publishers may share a topic
MOST_LAYOUTS = 64  #: of a topic: publishers that name joints anew in each message take no more memory


@dataclass(frozen=True)
class Message:
    """What a topic said, whatever carried it."""

    stamp: float  #: s, of its header
    names: tuple[str, ...]  #: of joints; (): it has none
    fields: Mapping[str, Sequence[float]]  #: as a mapping calls them


class WrongMessage(ValueError):
    """A message that is not what its topic's mapping reads."""


class TopicRows:
    """Rows of one topic's messages."""

    def __init__(self, name: str, topic: Topic, readings: Sequence[Reading]) -> None:
        self.name, self.topic, self.width = name, topic, len(readings)
        self._places: dict[str, list[int]] = {}
        for k, reading in enumerate(readings):
            for column in reading.columns:
                self._places.setdefault(column, []).append(k)
        self._readings = readings
        self._layouts: dict[tuple[str, ...], list[tuple[str, Array, list[tuple[int, int]]]]] = {}
        self.covered: set[int] = set()  #: readings that messages so far have named

    def row(self, message: Message) -> Array:
        """NaN where the message says nothing. Raises WrongMessage."""
        layout = self._layouts.get(message.names)
        if layout is None:
            if len(self._layouts) >= MOST_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[message.names] = self._layout(message.names)
        row = np.full(self.width, np.nan)
        for field, factors, places in layout:
            values = message.fields.get(field)
            if values is None or len(values) == 0:
                continue  # a gap
            if len(values) != len(factors):
                raise WrongMessage(f"{field}: {len(values)} numbers; expected {len(factors)}")
            numbers = np.asarray(values, dtype=np.float64)
            if np.isinf(numbers).any():
                raise WrongMessage(f"{field}: an infinite number")
            for source, target in places:
                row[target] = numbers[source] * factors[source]
        return row

    @property
    def heard(self) -> bool:
        """Whether a message has come."""
        return bool(self._layouts)

    def _layout(self, names: tuple[str, ...]) -> list[tuple[str, Array, list[tuple[int, int]]]]:
        """Of messages that name these joints: of each field the factors, and which number goes where."""
        if len(set(names)) != len(names):
            raise WrongMessage("name: a joint twice")
        layout = []
        for field in self.topic.fields:
            of_joints = bool(names) and FIELDS[field] == ()
            parts = list(names) if of_joints else list(self.topic.parts(field))
            columns = self.topic.joint_columns(field, parts) if of_joints else self.topic.columns(field)
            named = [column for column in columns if column]
            if twice := next((column for column in named if named.count(column) > 1), None):
                raise WrongMessage(f"name: two joints are {twice}; expected one")
            factors = np.array([self.topic.factor(field, part) for part in parts])
            places = [(k, place) for k, column in enumerate(columns) for place in self._places.get(column or "", ())
                      if self._is_best(place, column or "", columns)]
            self.covered.update(place for _, place in places)
            layout.append((field, factors, places))
        return layout

    def _is_best(self, place: int, column: str, columns: Sequence[str | None]) -> bool:
        """Of several columns of a message that may hold a reading the first that it names counts."""
        return next(each for each in self._readings[place].columns if each in columns) == column

    def promises(self, reading: Reading) -> bool:
        """Whether messages that have not come yet may name the reading."""
        for field, target in self.topic.fields.items():
            if FIELDS[field] == () and isinstance(target, str):
                joints = self.topic.joints
                if any(column.startswith(target + ".") and (joints is None or column[len(target) + 1:] in joints.values())
                       for column in reading.columns):
                    return True
            if any(column in reading.columns for column in (self.topic.columns(field) if self.topic.parts(field) else ())):
                return True
        return False


class Topics:
    """All topics of a mapping, each a source of a live run; the clock's topic is the first."""

    def __init__(self, mapping: Mapping_, file: str) -> None:
        if not mapping.topics:
            raise InputError(f"{file}: topics: none; expected one or more", file)
        if mapping.window:
            raise InputError(f"{file}: differentiate: over a window that lies ahead; expected dq.* as they are read, or --over-time",
                             file)
        self.file, self.mapping = file, mapping
        first = mapping.clock or next(iter(mapping.topics))
        self.names = [first, *(name for name in mapping.topics if name != first)]
        #: s over which a loop interpolates: of all topics the least
        self.max_gap = min(topic.max_gap for topic in mapping.topics.values())
        self.notes = [f"{name}: resample {topic.rule} is that of logs; live readings are interpolated, over time each is used once"
                      for name, topic in mapping.topics.items() if topic.rule != "linear"]
        self._repeated: dict[str, tuple[float, int]] = {}  #: of each topic the last stamp, and how often it came again
        self.rows: dict[str, TopicRows] = {}

    def bind(self, live: Live) -> None:
        """Raises InputError where no topic can ever name what the estimate requires."""
        self.live = live
        self.rows = {name: TopicRows(name, self.mapping.topics[name], live.readings) for name in self.names}
        lacking = [reading.columns[0] for reading in live.readings
                   if reading.required and not any(rows.promises(reading) for rows in self.rows.values())]
        if lacking:
            raise InputError(f"{self.file}: topics: no column {', '.join(lacking)}; expected a column for each input", self.file)

    def without_slashes(self, called: str) -> dict[str, str]:
        """The topics by their names without slashes around, for a transport that calls them `called`. Raises InputError where two are one."""
        found: dict[str, str] = {}
        for name in self.names:
            if (other := found.setdefault(name.strip("/"), name)) != name:
                raise InputError(f"{self.file}: topics: {other} and {name} are one {called}; expected one of its own for each", self.file)
        return found

    def put(self, name: str, message: Message, arrived: Callable[[], float]) -> bool:
        """Hands a message on. Raises WrongMessage."""
        row = self.rows[name].row(message)
        stamp = message.stamp if self.mapping.stamp == "header" else arrived()
        if not math.isfinite(stamp):
            raise WrongMessage(f"stamp: {shown(stamp)}; expected a number")
        last, times = self._repeated.get(name, (math.nan, 0))
        self._repeated[name] = stamp, times + 1 if stamp == last else 0
        if stamp == last and times >= MOST_REPEATED:  # a driver that fills in none
            raise WrongMessage(f'stamp: {stamp:g} again and again; expected stamps that go on, or "stamp": "log" in the mapping')
        return self.live.put(self.names.index(name), stamp, row)

    @property
    def heard(self) -> bool:
        """Whether each topic has sent a message."""
        return all(rows.heard for rows in self.rows.values())

    def lacking(self) -> list[str]:
        """Required readings that no message has named so far."""
        return [reading.columns[0] for k, reading in self._unnamed() if reading.required]

    def standing(self) -> list[str]:
        """Likewise flags: these contacts always stand."""
        return [reading.columns[0] for k, reading in self._unnamed() if reading.is_flag]

    def _unnamed(self) -> list[tuple[int, Reading]]:
        covered = set[int]().union(*(rows.covered for rows in self.rows.values()))
        return [(k, reading) for k, reading in enumerate(self.live.readings) if k not in covered]
