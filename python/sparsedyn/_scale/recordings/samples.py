"""A topic's samples, column by column. Each joint is resampled by its own: publishers that share a topic have rates of their own."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._errors import InputError
from .. import clock as clocks
from ..mapping import Topic, is_unknown
from .cdr import Names

Array = NDArray[np.float64]


class Layout:
    """Messages that name the same joints in the same order."""

    def __init__(self, columns: dict[str, list[tuple[int, int]]]) -> None:
        self.columns = columns  #: by field: (place among the topic's columns, place in the message)
        self.stamps, self.order = array("q"), array("q")
        self.values = {field: array("d") for field in columns}

    def rows(self, field: str) -> Array:
        return np.asarray(self.values[field], dtype=np.float64).reshape(len(self.stamps), len(self.columns[field]))


class Samples:
    """What a topic's messages say. names: all joints that its messages name, where they name some. Raises InputError."""

    def __init__(self, path: str, name: str, topic: Topic, names: Names | None) -> None:
        self.path, self.name, self.topic = path, name, topic
        self.joints = names is not None
        wanted = list(topic.joints) if topic.joints is not None else list(names or ())
        self.columns = {field: [column for column in topic.joint_columns(field, wanted) if column] if self.joints
                        else topic.columns(field) for field in topic.fields}
        #: by field, beside its columns
        self.factors = {field: np.array([topic.factor(field, name) for name, column in
                                         zip(wanted, topic.joint_columns(field, wanted)) if column] if self.joints
                                        else [topic.factor(field, part) for part in topic.parts(field)]) for field in topic.fields}
        for field in topic.fields if self.joints else ():
            for scaled in topic.scaled_names(field):
                if scaled not in wanted:
                    raise InputError(f"{path}: {name}: {field}: no joint {scaled} to be scaled; expected one of {', '.join(wanted)}", path)
        made = [column for columns in self.columns.values() for column in columns]
        if len(set(made)) < len(made):
            twice = next(column for column in made if made.count(column) > 1)
            raise InputError(f"{path}: {name}: {twice} twice; expected each column once", path)
        self._places = {field: {column: k for k, column in enumerate(columns)} for field, columns in self.columns.items()}
        self._layouts: dict[Names, Layout] = {}
        self._count = 0
        #: by field, once all are in: columns, and their samples by time
        self._ordered: dict[str, list[tuple[list[int], NDArray[np.int64], Array]]] = {}

    def stamps(self) -> NDArray[np.int64]:
        """Of all messages, in no order."""
        parts = [np.asarray(layout.stamps, dtype=np.int64) for layout in self._layouts.values()]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def add(self, stamp: int, names: Names, message: Any) -> None:
        layout = self._layouts.get(names)
        if layout is None:
            layout = self._layouts[names] = Layout(self._placed(names))
        layout.stamps.append(stamp)
        layout.order.append(self._count)
        self._count += 1
        for field, values in layout.values.items():
            values.extend(self._of_joints(layout, field, len(names), message) if self.joints else self._of_parts(field, message))

    def _of_parts(self, field: str, message: Any) -> list[float]:
        if is_unknown(message, field):
            return [np.nan] * (4 if field == "orientation" else 3)
        part: Any
        if field in ("force", "torque"):
            part = getattr(getattr(message, "wrench", message), field)  # Wrench, or one with a header
        elif hasattr(message, "twist"):  # Odometry
            part = getattr(message.pose.pose, field, None) or getattr(message.twist.twist, field.removesuffix("_velocity"))
        else:
            part = getattr(message, field)
        return [part.x, part.y, part.z, part.w] if field == "orientation" else [part.x, part.y, part.z]

    def _of_joints(self, layout: Layout, field: str, count: int, message: Any) -> Any:
        """By name, whatever the message's order; a field that is empty is a gap of all its joints."""
        values = getattr(message, field)
        if len(values) == 0:
            return [np.nan] * len(layout.columns[field])
        if len(values) != count:
            raise InputError(f"{self.path}: {self.name}: {field}: {len(values)} numbers for {count} names; expected one each, or none",
                             self.path)
        return [values[source] for _, source in layout.columns[field]]

    def _placed(self, names: Names) -> dict[str, list[tuple[int, int]]]:
        if len(set(names)) != len(names):
            raise InputError(f"{self.path}: {self.name}: name: a joint twice; expected each once", self.path)
        if not self.joints:
            return {field: [(k, k) for k in range(len(columns))] for field, columns in self.columns.items()}
        placed = {}
        for field in self.topic.fields:
            made = self.topic.joint_columns(field, list(names))
            placed[field] = [(self._places[field][column], k) for k, column in enumerate(made) if column in self._places[field]]
        return placed

    def onto(self, clock: NDArray[np.int64]) -> dict[str, Array]:
        """Its columns at the clock's times. No samples are added afterwards."""
        found: dict[str, Array] = {}
        for field, names in self.columns.items():
            quaternion = field == "orientation"
            values = np.full((len(clock), len(names)), np.nan)
            if field not in self._ordered:
                self._ordered[field] = [(columns, *self._merged(field, layouts, columns))
                                        for layouts, columns in self._groups(field).items()]
            for columns, stamps, rows in self._ordered[field]:
                values[:, columns] = clocks.onto(clock, stamps, rows, self.topic.rule, round(self.topic.max_gap * 1e9), quaternion)
            found.update(zip(names, np.ascontiguousarray((values * self.factors[field]).T)))
        return found

    def _groups(self, field: str) -> dict[tuple[Names, ...], list[int]]:
        """Columns that the same messages hold."""
        holders: dict[int, list[Names]] = {}
        for names, layout in self._layouts.items():
            for column, _ in layout.columns[field]:
                holders.setdefault(column, []).append(names)
        groups: dict[tuple[Names, ...], list[int]] = {}
        for column, of in holders.items():
            groups.setdefault(tuple(of), []).append(column)
        return groups

    def _merged(self, field: str, layouts: tuple[Names, ...], columns: list[int]) -> tuple[NDArray[np.int64], Array]:
        """Samples of these columns by time; of some at one time the last that was recorded."""
        parts = [self._layouts[names] for names in layouts]
        stamps = np.concatenate([np.asarray(part.stamps, dtype=np.int64) for part in parts])
        order = np.concatenate([np.asarray(part.order, dtype=np.int64) for part in parts])
        rows = []
        for part in parts:
            places = {target: k for k, (target, _) in enumerate(part.columns[field])}
            rows.append(part.rows(field)[:, [places[column] for column in columns]])
        recorded = np.argsort(order, kind="stable")
        return clocks.in_order(stamps[recorded], np.concatenate(rows)[recorded])
