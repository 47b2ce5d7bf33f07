"""Messages as JSON, and samples as lines, of transports without message types of their own.

    {"topic": "/joint_states", "stamp": 12.5, "name": ["hip", "knee"], "position": [0.1, 0.2], "velocity": [0, 0]}
    {"change": "tare imu"}
    {"topic": "/imu", "stamp": 12.5, "angular_velocity": [0, 0, 0.1], "linear_acceleration": {"x": 0, "y": 0, "z": 9.81}}

Fields are called as mappings call them; null is a gap.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from .._errors import printable, shown
from .._scale.mapping import FIELDS
from ._loop import Finding, Sample
from ._outputs import Health
from ._rows import Message, WrongMessage

LONGEST = 65536  #: bytes of a message
MOST_NUMBERS = 4096
NAN = float("nan")


def parsed(data: bytes | str) -> dict[str, Any]:
    """An object of JSON. Raises WrongMessage."""
    if len(data) > LONGEST:
        raise WrongMessage(f"{len(data)} bytes; expected at most {LONGEST}")
    try:
        root = json.loads(data)
    except (ValueError, RecursionError):
        raise WrongMessage("no JSON") from None
    if not isinstance(root, dict):
        raise WrongMessage(f"{type(root).__name__}; expected an object")
    return root


def message_of(root: dict[str, Any]) -> tuple[str, Message]:
    """The topic that it names, or '', and the message. Raises WrongMessage."""
    topic, names = root.get("topic", ""), root.get("name", [])
    if not isinstance(topic, str):
        raise WrongMessage(f"topic: {shown(topic)}; expected a name")
    if not isinstance(names, list) or len(names) > MOST_NUMBERS or not all(isinstance(name, str) for name in names):
        raise WrongMessage("name: expected a list of joints")
    stamp = _number("stamp", root.get("stamp"))
    return topic, Message(stamp, tuple(names), {field: _numbers(field, root[field]) for field in FIELDS if field in root})


def _number(field: str, value: Any) -> float:
    if value is None:
        return NAN
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise WrongMessage(f"{field}: {shown(value)}; expected a number")
    try:
        return float(value)
    except OverflowError:
        raise WrongMessage(f"{field}: {shown(value)}; expected a number") from None


def _numbers(field: str, value: Any) -> list[float]:
    if isinstance(value, dict):
        value = [value.get(part) for part in ("x", "y", "z", "w")[:4 if field == "orientation" else 3]]
    if not isinstance(value, list) or len(value) > MOST_NUMBERS:
        raise WrongMessage(f"{field}: {shown(value)}; expected a list of numbers")
    return [_number(field, each) for each in value]


def header(columns: Sequence[str]) -> str:
    """Of a CSV of samples, with its end."""
    def cell(name: str) -> str:
        return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',"\r\n') else name
    return ",".join(["time", *(cell(name) for name in columns)]) + "\n"


def line(sample: Sample) -> str:
    """With its end; what is not known is empty."""
    cells = [repr(float(x)) if sample.ok and math.isfinite(x) else "" for x in sample.values]
    return ",".join([repr(sample.time), *cells]) + "\n"


def sample_json(sample: Sample, columns: Sequence[str]) -> str:
    """With null for what is not known."""
    values = {name: float(x) if sample.ok and math.isfinite(x) else None for name, x in zip(columns, sample.values)}
    return json.dumps({"time": sample.time, "ok": sample.ok, **({} if sample.ok else {"why": sample.why}), "values": values})


def finding_json(found: Finding) -> str:
    """As `sparsedyn live --diagnostics` has them."""
    said: dict[str, Any] = {"kind": found.kind, "time": found.at, "since": found.since, "over": found.over, "name": printable(found.name)}
    if found.sensor:
        said["sensor"] = found.sensor
    if found.amount and math.isfinite(found.amount):
        said["amount"] = found.amount
    return json.dumps(said)


def state_json(health: Health, counts: dict[str, Any]) -> str:
    """What fails now, and what was counted."""
    return json.dumps({"faults": [json.loads(finding_json(each)) for each in health.faults.values()], "counts": counts})
