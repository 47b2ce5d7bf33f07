"""Zenoh: pip install eclipse-zenoh.

Messages are JSON (`_text`) on the key expressions that the mapping calls topics, without a leading slash; samples and findings are
JSON on `sparsedyn/live/sample` and `sparsedyn/live/finding`; `sparsedyn/live/change` takes changes as text.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import InputError
from . import _text
from ._loop import Finding, Sample
from ._outputs import Health
from ._rows import Topics
from ._transports import Inlet


class Zenoh:
    """A session. config: a file of Zenoh's, or '': a peer on this network."""

    def __init__(self, columns: Sequence[str], config: str = "", prefix: str = "sparsedyn/live") -> None:
        try:
            zenoh: Any = importlib.import_module("zenoh")
        except ImportError:
            raise ImportError("Zenoh is not installed: pip install eclipse-zenoh") from None
        self._columns, self._prefix = list(columns), prefix
        try:
            self._session = zenoh.open(zenoh.Config.from_file(config) if config else zenoh.Config())
        except Exception as error:  # noqa: BLE001: ZError is that of all that goes wrong
            place = config or "zenoh"
            raise InputError(f"{place}: {error}; expected settings of Zenoh that open a session", place) from None
        drop = zenoh.CongestionControl.DROP  # who does not read holds nobody up
        self._samples, self._findings, self._state = (
            self._session.declare_publisher(f"{prefix}/{part}", congestion_control=drop) for part in ("sample", "finding", "state"))
        self._subscribers: list[Any] = []

    def notes(self) -> list[str]:
        return []

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        assert topics is not None
        keys = topics.without_slashes("key")

        def deliver(name: str) -> Callable[[Any], None]:
            return lambda sample: inlet.deliver_text(sample.payload.to_bytes(), name)

        def change(sample: Any) -> None:
            inlet.change(sample.payload.to_bytes().decode("utf-8", "replace"))

        self._subscribers.append(self._session.declare_subscriber(f"{self._prefix}/change", change))
        for key, name in keys.items():
            self._subscribers.append(self._session.declare_subscriber(key, deliver(name)))

    def publish(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            self._samples.put(_text.sample_json(sample, self._columns))

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        for found in findings:
            self._findings.put(_text.finding_json(found))
        self._state.put(_text.state_json(health, counts))

    def close(self) -> None:
        for subscriber in self._subscribers:
            subscriber.undeclare()
        self._session.close()
