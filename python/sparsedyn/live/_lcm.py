"""LCM: pip install lcm.

Messages are JSON (`_text`) as bytes, without a type of lcm-gen's, on the channels that the mapping calls topics, without a leading
slash; samples and findings are JSON on `sparsedyn/live/sample` and `sparsedyn/live/finding`; `sparsedyn/live/change` takes changes as
text.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import InputError
from . import _text
from ._loop import Finding, Sample
from ._outputs import Health
from ._rows import Topics
from ._transports import Inlet

LONGEST_CHANNEL = 63  #: bytes of a name
DEPTH = 200  #: messages that wait for Python, of each channel
LOOK_EVERY = 100  #: ms, whether the run ends


class Lcm:
    """Two connections, one for each direction: a thread waits in the first. url: of LCM, or '': LCM_DEFAULT_URL, else multicast on this
    machine alone."""

    def __init__(self, columns: Sequence[str], url: str = "", prefix: str = "sparsedyn/live") -> None:
        try:
            lcm: Any = importlib.import_module("lcm")
        except ImportError:
            raise ImportError("LCM is not installed: pip install lcm") from None
        self._columns, self._prefix, self._stop = list(columns), prefix, False
        try:
            self._in, self._out = lcm.LCM(url), lcm.LCM(url)
        except RuntimeError as error:
            place = url or "LCM_DEFAULT_URL"
            raise InputError(f"{place}: {error}; expected a URL of LCM that can be opened, as udpm://239.255.76.67:7667?ttl=0", place) from None
        self._thread: threading.Thread | None = None

    def notes(self) -> list[str]:
        return []

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        assert topics is not None
        channels = topics.without_slashes("channel")
        for channel, name in channels.items():
            if len(channel.encode()) > LONGEST_CHANNEL:
                raise InputError(f"{topics.file}: topics: {name} of {len(channel.encode())} bytes; expected at most {LONGEST_CHANNEL}, as "
                                 "LCM's channels have", topics.file)

        def deliver(name: str) -> Callable[[str, bytes], None]:
            return lambda channel, data: inlet.deliver_text(data, name)

        self._subscribe(f"{self._prefix}/change", lambda channel, data: inlet.change(data.decode("utf-8", "replace")))
        for channel, name in channels.items():
            self._subscribe(channel, deliver(name))
        self._thread = threading.Thread(target=self._wait, args=(inlet,), daemon=True)
        self._thread.start()

    def _subscribe(self, channel: str, handler: Callable[[str, bytes], None]) -> None:
        self._in.subscribe(re.escape(channel), handler).set_queue_capacity(DEPTH)  # LCM takes an expression, of the whole name

    def _wait(self, inlet: Inlet) -> None:
        try:
            while not self._stop:
                self._in.handle_timeout(LOOK_EVERY)
        except Exception as error:  # noqa: BLE001: whatever it is, the run ends and says so
            inlet.error = f"{type(error).__name__}: {error}"
        finally:
            inlet.ended.set()

    def publish(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            self._put("sample", _text.sample_json(sample, self._columns))

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        for found in findings:
            self._put("finding", _text.finding_json(found))
        self._put("state", _text.state_json(health, counts))

    def _put(self, part: str, text: str) -> None:
        self._out.publish(f"{self._prefix}/{part}", text.encode())

    def close(self) -> None:
        self._stop = True
        if self._thread:
            self._thread.join(2)
