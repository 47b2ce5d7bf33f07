"""Which topic or feature becomes which columns: a JSON file, read here and judged at once.

    {"clock": {"rate": 500},                     or {"topic": "/joint_states"}: rows at that topic's own times
     "stamp": "header",                          or "log": the time at which a message was recorded
     "latency": 1.0,                             s, by which a stamp and the log's clock may differ
     "differentiate": {"window": 0.1},           dq.* that are missing, and ddq.*, from q.* (only with a rate)
     "topics": {
       "/joint_states": {"position": "q", "velocity": "dq", "effort": "y.motors",
                         "joints": {"left_knee": "l_knee"}, "resample": "linear", "max_gap": 0.1,
                         "unit": {"position": {"*": "deg", "gripper": 0.01}, "effort": "N·mm"}},
       "/left_foot": {"force": ["y.left.fx", "y.left.fy", "y.left.fz"], "torque": "y.left", "scale": -1},
       "/imu": {"orientation": "q.base", "angular_velocity": "dq.base", "linear_acceleration": "y.imu"}},
     "features": {"observation.state": {"to": "q", "joints": {"elbow.pos": "elbow"}, "unit": "deg"}}}

A target is a prefix, to which the joint's or the component's name is added, or a list of whole names.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import InputError, shown

SECONDS = (1e-9, 1e9)  #: from a nanosecond to thirty years: with times since 1970 within 64 bits of nanoseconds
RATES = (1e-6, 1e9)  #: Hz
RULES = ("linear", "hold", "nearest")
DEGREE = math.pi / 180
#: by what numbers in a unit are multiplied, to SI
UNITS = {"rad": 1.0, "m": 1.0, "deg": DEGREE, "mm": 1e-3}
_ANGLES = {**UNITS, "cm": 1e-2, "rev": 2 * math.pi}
_RATES = {**_ANGLES, **{f"{unit}/s": factor for unit, factor in _ANGLES.items()}, "rpm": 2 * math.pi / 60}
_TORQUES = {"N·m": 1.0, "N*m": 1.0, "Nm": 1.0, "N·mm": 1e-3, "N*mm": 1e-3, "Nmm": 1e-3}
_FORCES = {"N": 1.0, "kN": 1e3, "mN": 1e-3, "kgf": 9.80665}
#: units of a field: a velocity in "deg" is one in deg/s
UNITS_OF = {
    "position": _ANGLES, "velocity": _RATES, "effort": {**_TORQUES, **_FORCES}, "force": _FORCES, "torque": _TORQUES, "orientation": {},
    "angular_velocity": _RATES, "linear_acceleration": {"m/s²": 1.0, "m/s^2": 1.0, "g": 9.80665}, "linear_velocity": _RATES,
}
ALL = "*"  #: every other joint, component or field
#: of ROS messages, each with the names that a prefix is given
FIELDS = {
    "position": (), "velocity": (), "effort": (),
    "force": ("fx", "fy", "fz"), "torque": ("nx", "ny", "nz"),
    "orientation": ("qx", "qy", "qz", "qw"), "angular_velocity": ("wx", "wy", "wz"), "linear_acceleration": ("x", "y", "z"),
    "linear_velocity": ("vx", "vy", "vz"),
}
#: of a field that is one number a joint in some messages, and a vector in others
OF_VECTORS = {"position": ("x", "y", "z")}
#: of a sensor's columns, which name components otherwise than a base's
OF_SENSORS = {"angular_velocity": ("x", "y", "z")}


def is_unknown(message: Any, field: str) -> bool:
    """Whether an Imu says that it has no such estimate: −1 first in its covariance. Its numbers then mean nothing."""
    covariance = getattr(message, f"{field}_covariance", None)
    return covariance is not None and len(covariance) > 0 and covariance[0] == -1


@dataclass(frozen=True)
class Topic:
    """What of a topic's messages is read, and how it gets onto the clock."""

    fields: dict[str, Any]  #: a field's name to a prefix or a list of columns
    joints: dict[str, str] | None  #: a message's names to the robot's; none: as they are
    rule: str
    max_gap: float  #: s, over which nothing is made up
    scale: float
    #: by field, or for every other one: factors by the message's joint or the component, or for every other one
    scales: dict[str, dict[str, float]] = field(default_factory=dict)

    def parts(self, of: str) -> tuple[str, ...]:
        """Components of a field that is a vector."""
        return FIELDS[of] or OF_VECTORS.get(of, ())

    def columns(self, of: str) -> list[str]:
        """Of a field with components."""
        target = self.fields[of]
        if isinstance(target, str):
            parts = OF_SENSORS.get(of, self.parts(of)) if target.startswith("y.") else self.parts(of)
            return [f"{target}.{part}" for part in parts]
        return list(target)

    def factor(self, of: str, name: str) -> float:
        """By which the numbers of a joint, as messages name it, or of a component are multiplied; an orientation's are not."""
        by_name = self.scales.get(of, {})
        return 1.0 if of == "orientation" else self.scale * by_name.get(name, by_name.get(ALL, 1.0))

    def scaled_names(self, of: str) -> list[str]:
        """Joints or components that are scaled by themselves."""
        return [name for name in self.scales.get(of, {}) if name != ALL]

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
    scales: dict[str, float] = field(default_factory=dict)  #: by the feature's names, or for every other one

    def factor(self, name: str) -> float:
        return self.scale * self.scales.get(name, self.scales.get(ALL, 1.0))


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
        if not isinstance(source, (Mapping, str, os.PathLike)):
            raise InputError(f"<mapping>: {shown(source)}; expected a file's name or a dict", "<mapping>")
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
        return _Reader(name, "" if isinstance(source, Mapping) else text).mapping(root, text)


def _places(text: str) -> dict[tuple[str, ...], int]:
    """Where each key of an object stands in a text that is JSON, by the keys that lead to it."""
    found: dict[tuple[str, ...], int] = {}
    blank = re.compile(r"[\s]*")

    def skip(at: int) -> int:
        return blank.match(text, at).end()  # type: ignore[union-attr]

    def value(at: int, path: tuple[str, ...]) -> int:
        at = skip(at)
        if text[at] == '"':
            return json.JSONDecoder().raw_decode(text, at)[1]
        if text[at] not in "{[":
            return re.compile(r"[^\s,\]}]+").match(text, at).end()  # type: ignore[union-attr]
        keyed, at = text[at] == "{", skip(at + 1)
        while text[at] not in "}]":
            key = ""
            if keyed:
                begin = at
                key, at = json.JSONDecoder().raw_decode(text, at)
                found[(*path, key)] = begin
                at = skip(at) + 1
            at = skip(value(at, (*path, key)))
            if text[at] == ",":
                at = skip(at + 1)
        return at + 1

    try:
        if text:
            value(0, ())
    except RecursionError:
        return {}
    return found


class _Reader:
    def __init__(self, file: str, text: str = "") -> None:
        self.file, self.source = file, text

    def wrong(self, element: str, found: Any, expected: str) -> InputError:
        line = self.line(element, found)
        return InputError(f"{self.file}{f':{line}' if line else ''}: {element}: {shown(found)}; expected {expected}", self.file, line)

    def line(self, element: str, found: Any) -> int:
        """Of the file, where the element's key stands, or the key in it that was found; 0: of a dict."""
        places = _places(self.source)
        known = {".".join(path[1:] if len(path) > 1 and path[0] in ("topics", "features") else path): (path, at)
                 for path, at in places.items()}
        path, at = known.get(element.removeprefix("mapping."), ((), -1))
        if isinstance(found, str) and (path or element == "mapping"):
            at = places.get((*path, found), at)
        return self.source.count("\n", 0, at) + 1 if at >= 0 else 0

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
        node = self.only(name, node, {*FIELDS, "joints", "resample", "max_gap", "scale", "unit"})
        fields = {key: node[key] for key in FIELDS if key in node}
        if not fields:
            raise self.wrong(name, sorted(node), f"one of {', '.join(FIELDS)}")
        for key, target in fields.items():
            size = len(FIELDS[key] or OF_VECTORS.get(key, ()))
            listed = isinstance(target, list) and len(target) == size > 0 and all(isinstance(each, str) for each in target)
            if not isinstance(target, str) and not listed:
                raise self.wrong(f"{name}.{key}", target, "a prefix" + (f", or {size} columns" if size else ""))
            for each in [target] if isinstance(target, str) else target:
                self.text(f"{name}.{key}", each)
        rule = self.choice(f"{name}.resample", node.get("resample", "linear"), RULES)
        joints = self.names(name, node)
        scale, scales = 1.0, dict[str, dict[str, float]]()
        for key in ("scale", "unit"):
            if key in node and not isinstance(node[key], (dict, str)):
                scale *= self.factor(f"{name}.{key}", node[key], {})
            elif key in node:
                for of, factors in self.by_field(f"{name}.{key}", node[key], fields, joints).items():
                    known = scales.setdefault(of, {})
                    scales[of] = {each: known.get(each, known.get(ALL, 1.0)) * factors.get(each, factors.get(ALL, 1.0))
                                  for each in {**known, **factors}}
        return Topic(fields, joints, rule, self.number(name, node, "max_gap", 0.1, *SECONDS), scale, scales)

    def factor(self, element: str, found: Any, units: dict[str, float]) -> float:
        """A number, or a unit's."""
        if isinstance(found, str):
            return units[self.choice(element, found, units)] if units else self._no_unit(element, found)
        above, _, key = element.rpartition(".")
        return self.number(above, {key: found}, key, 1.0)

    def _no_unit(self, element: str, found: Any) -> float:
        raise self.wrong(element, found, "no unit: an orientation has none")

    def by_name(self, element: str, node: Any, units: dict[str, float], names: Collection[str] | None) -> dict[str, float]:
        """A factor for all, or {NAME: factor}; names: those that may be there, where they are known."""
        if not isinstance(node, dict):
            return {ALL: self.factor(element, node, units)}
        for key in node:
            if names is not None and key != ALL and key not in names:
                raise self.wrong(element, key, f"one of {', '.join(names)}, or {ALL}")
        return {key: self.factor(f"{element}.{key}", value, units) for key, value in node.items()}

    def by_field(self, element: str, node: Any, fields: dict[str, Any], joints: dict[str, str] | None) -> dict[str, dict[str, float]]:
        """{FIELD: factors by name}."""
        given = node if isinstance(node, dict) else {ALL: node}
        for key in given:
            if key != ALL and key not in fields:
                raise self.wrong(element, key, f"one of {', '.join(fields)}, which this topic has, or {ALL}")
        found = {}
        for of in fields:
            if of in given or (ALL in given and of != "orientation"):
                place = element if not isinstance(node, dict) else f"{element}.{of if of in given else ALL}"
                names = None if FIELDS[of] == () and joints is None else joints if FIELDS[of] == () else FIELDS[of]
                found[of] = self.by_name(place, given.get(of, given.get(ALL)), UNITS_OF[of], names)
        return found

    def feature(self, name: str, node: Any) -> Feature:
        node = self.only(name, node, {"to", "joints", "unit", "scale", "offset"})
        if not isinstance(node.get("to"), str):
            raise self.wrong(f"{name}.to", node.get("to"), "a prefix")
        self.text(f"{name}.to", node["to"])
        joints = self.names(name, node)
        scales = {ALL: 1.0}
        for key in ("unit", "scale"):
            if key not in node:
                continue
            if key == "unit" and not isinstance(node[key], (str, dict)):
                raise self.wrong(f"{name}.unit", node[key], f"one of {', '.join(UNITS)}, or such by name")
            factors = self.by_name(f"{name}.{key}", node[key], UNITS, joints)
            scales = {each: scales.get(each, scales[ALL]) * factors.get(each, factors.get(ALL, 1.0)) for each in {**scales, **factors}}
        return Feature(node["to"], joints, 1.0, self.number(name, node, "offset", 0.0), scales)

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
