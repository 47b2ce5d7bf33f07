"""Which topic or feature becomes which columns: a JSON file, read here and judged at once.

    {"clock": {"rate": 500},                     or {"topic": "/joint_states"}: rows at that topic's own times
     "stamp": "header",                          or "log": the time at which a message was recorded
     "latency": 1.0,                             s, by which a stamp and the log's clock may differ
     "differentiate": {"window": 0.1},           dq.* that are missing, and ddq.*, from q.* (only with a rate)
     "topics": {
       "/joint_states": {"position": "q", "velocity": "dq", "effort": "y.motors",
                         "joints": {"left_knee": "l_knee"}, "resample": "linear", "max_gap": 0.1},
       "/left_foot": {"force": ["y.left.fx", "y.left.fy", "y.left.fz"], "torque": "y.left", "scale": -1},
       "/imu": {"orientation": "q.base", "angular_velocity": "dq.base", "linear_acceleration": "y.imu"}},
     "features": {"observation.state": {"to": "q", "joints": {"elbow.pos": "elbow"}, "unit": "deg"}}}

A target is a prefix, to which the joint's or the component's name is added, or a list of whole names.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import InputError, shown

SECONDS = (1e-9, 1e9)  #: from a nanosecond to thirty years: with times since 1970 within 64 bits of nanoseconds
RATES = (1e-6, 1e9)  #: Hz
RULES = ("linear", "hold", "nearest")
UNITS = {"rad": 1.0, "m": 1.0, "deg": math.pi / 180, "mm": 1e-3}
#: of ROS messages, each with the names that a prefix is given
FIELDS = {
    "position": (), "velocity": (), "effort": (),
    "force": ("fx", "fy", "fz"), "torque": ("nx", "ny", "nz"),
    "orientation": ("qx", "qy", "qz", "qw"), "angular_velocity": ("wx", "wy", "wz"), "linear_acceleration": ("x", "y", "z"),
}
#: of a sensor's columns, which name components otherwise than a base's
OF_SENSORS = {"angular_velocity": ("x", "y", "z")}


@dataclass(frozen=True)
class Topic:
    """What of a topic's messages is read, and how it gets onto the clock."""

    fields: dict[str, Any]  #: a field's name to a prefix or a list of columns
    joints: dict[str, str] | None  #: a message's names to the robot's; none: as they are
    rule: str
    max_gap: float  #: s, over which nothing is made up
    scale: float

    def columns(self, of: str) -> list[str]:
        """Of a field with components."""
        target = self.fields[of]
        if isinstance(target, str):
            parts = OF_SENSORS.get(of, FIELDS[of]) if target.startswith("y.") else FIELDS[of]
            return [f"{target}.{part}" for part in parts]
        return list(target)

    def joint_columns(self, of: str, names: list[str]) -> list[str | None]:
        """Of a field with one number a joint, by the names in the message; none: that joint is passed over."""
        target = self.fields[of]
        return [None if self.joints is not None and name not in self.joints else
                f"{target}.{name if self.joints is None else self.joints[name]}" for name in names]


@dataclass(frozen=True)
class Feature:
    """What a LeRobot feature becomes."""

    to: str
    joints: dict[str, str] | None
    scale: float
    offset: float


@dataclass(frozen=True)
class Mapping_:
    """A mapping that was read."""

    text: str
    rate: float = 0.0  #: Hz; 0: rows at the clock topic's times
    clock: str = ""
    stamp: str = "header"
    latency: float = 1.0
    window: float = 0.0  #: s; 0: nothing is differentiated
    topics: dict[str, Topic] = field(default_factory=dict)
    features: dict[str, Feature] = field(default_factory=dict)
    runs: str = ""  #: "split": times that do not go on begin another run
    salvage: bool = False  #: what is whole of a damaged file is read

    @property
    def decides(self) -> tuple[Any, ...]:
        """All that decides what is read."""
        return (self.text, self.runs, self.salvage) if self.runs or self.salvage else (self.text,)

    @staticmethod
    def read(source: str | os.PathLike[str] | Mapping[str, Any]) -> Mapping_:
        """A file or a dict. Raises InputError."""
        if isinstance(source, Mapping):
            name = "<mapping>"
            try:
                text = json.dumps(source, sort_keys=True)
            except (TypeError, ValueError, RecursionError) as error:
                raise InputError(f"{name}: {error}; expected what JSON can hold", name) from None
        else:
            name = os.fspath(source)
            try:
                with open(source, encoding="utf-8") as file:
                    text = file.read()
            except OSError as error:
                raise InputError(f"{name}: {error.strerror}; expected a mapping as JSON", name) from None
            except ValueError:
                raise InputError(f"{name}: bytes that are no text, or a name that is no path; expected a mapping as JSON in UTF-8",
                                 name) from None
        try:
            root = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"{name}:{error.lineno}: {error.msg}; expected JSON", name, error.lineno) from None
        except (ValueError, RecursionError) as error:  # a number of too many digits, lists in lists
            raise InputError(f"{name}: {error}; expected a mapping as JSON", name) from None
        return _Reader(name).mapping(root, text)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file

    def wrong(self, element: str, found: Any, expected: str) -> InputError:
        return InputError(f"{self.file}: {element}: {shown(found)}; expected {expected}", self.file)

    def text(self, element: str, found: Any) -> str:
        """Of a column or a joint: UTF-8 can hold it, and it is one line."""
        try:
            if isinstance(found, str) and found.encode() and found.isprintable():
                return found
        except UnicodeEncodeError:
            pass
        raise self.wrong(element, found, "a name of printable characters")

    def only(self, element: str, node: Any, keys: set[str]) -> dict[str, Any]:
        if not isinstance(node, dict):
            raise self.wrong(element, node, "an object")
        for key in node:
            if key not in keys:
                raise self.wrong(element, key, f"one of {', '.join(sorted(keys))}")
        return node

    def named(self, element: str, node: Any) -> dict[str, Any]:
        """An object whose keys are names."""
        return self.only(element, node, set(node) if isinstance(node, dict) else set())

    def choice(self, element: str, found: Any, of: Collection[str]) -> str:
        if not isinstance(found, str) or found not in of:
            raise self.wrong(element, found, f"one of {', '.join(of)}")
        return found

    def number(self, element: str, node: dict[str, Any], key: str, otherwise: float, low: float = -math.inf, high: float = math.inf
               ) -> float:
        """Finite, from low to high."""
        value = node.get(key, otherwise)
        try:
            if not isinstance(value, bool) and isinstance(value, (int, float)) and low <= float(value) <= high and math.isfinite(value):
                return float(value)
        except OverflowError:  # a whole number beyond all doubles
            pass
        raise self.wrong(f"{element}.{key}", value, f"a number from {low:g} to {high:g}" if high < math.inf else "a number")

    def names(self, element: str, node: dict[str, Any]) -> dict[str, str] | None:
        joints = node.get("joints")
        if isinstance(joints, list):
            joints = {name: name for name in joints if isinstance(name, str)} if all(isinstance(n, str) for n in joints) else 0
        if joints is None:
            return None
        if isinstance(joints, dict):
            return {name: self.text(f"{element}.joints", to) for name, to in joints.items()}
        raise self.wrong(f"{element}.joints", node["joints"], "an object from names in the log to the robot's")

    def topic(self, name: str, node: Any) -> Topic:
        node = self.only(name, node, {*FIELDS, "joints", "resample", "max_gap", "scale"})
        fields = {key: node[key] for key in FIELDS if key in node}
        if not fields:
            raise self.wrong(name, sorted(node), f"one of {', '.join(FIELDS)}")
        for key, target in fields.items():
            size = len(FIELDS[key])
            listed = isinstance(target, list) and len(target) == size > 0 and all(isinstance(each, str) for each in target)
            if not isinstance(target, str) and not listed:
                raise self.wrong(f"{name}.{key}", target, "a prefix" + (f", or {size} columns" if size else ""))
            for each in [target] if isinstance(target, str) else target:
                self.text(f"{name}.{key}", each)
        rule = self.choice(f"{name}.resample", node.get("resample", "linear"), RULES)
        return Topic(fields, self.names(name, node), rule, self.number(name, node, "max_gap", 0.1, *SECONDS),
                     self.number(name, node, "scale", 1.0))

    def feature(self, name: str, node: Any) -> Feature:
        node = self.only(name, node, {"to", "joints", "unit", "scale", "offset"})
        if not isinstance(node.get("to"), str):
            raise self.wrong(f"{name}.to", node.get("to"), "a prefix")
        self.text(f"{name}.to", node["to"])
        unit = self.choice(f"{name}.unit", node.get("unit", "rad"), UNITS)
        return Feature(node["to"], self.names(name, node), UNITS[unit] * self.number(name, node, "scale", 1.0),
                       self.number(name, node, "offset", 0.0))

    def mapping(self, root: Any, text: str) -> Mapping_:
        root = self.only("mapping", root, {"clock", "stamp", "latency", "differentiate", "topics", "features"})
        topics = {name: self.topic(name, node) for name, node in self.named("topics", root.get("topics", {})).items()}
        features = {name: self.feature(name, node) for name, node in self.named("features", root.get("features", {})).items()}
        clock = self.only("clock", root.get("clock", {}), {"rate", "topic"})
        if topics and len(clock) != 1:
            raise self.wrong("clock", clock, 'either {"rate": Hz} or {"topic": NAME}')
        if "topic" in clock:
            self.choice("clock.topic", clock["topic"], topics)
        stamp = root.get("stamp", "header")
        if stamp not in ("header", "log"):
            raise self.wrong("stamp", stamp, "header or log")
        window = 0.0
        if "differentiate" in root:
            part = self.only("differentiate", root["differentiate"], {"window"})
            window = self.number("differentiate", part, "window", 0.0, 1e-9, 3600.0)
            if topics and "rate" not in clock:
                raise self.wrong("differentiate", part, 'a clock of even steps beside it: {"rate": Hz}')
        rate = self.number("clock", clock, "rate", 0.0, *RATES) if "rate" in clock else 0.0
        return Mapping_(text, rate, clock.get("topic", ""), stamp, self.number("mapping", root, "latency", 1.0, *SECONDS), window,
                        topics, features)
