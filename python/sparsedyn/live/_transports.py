"""What carries messages: each is subscribed to the topics of a mapping, and publishes samples and findings."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, Protocol

from .._errors import InputError
from . import _text
from ._loop import Finding, Live, Sample
from ._outputs import Health
from ._rows import Message, Topics, WrongMessage

MOST_REFUSED = 64  #: changes that wait to be told
PATIENCE = 1.0  #: s that a stream waits for a loop, or its reader, that is behind


class Transport(Protocol):
    """One way in, and out. Callbacks come from threads of its own."""

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        """Messages come from now on. topics: of the mapping, where the transport needs one."""

    def notes(self) -> list[str]:
        """What is worth telling since the last call."""

    def publish(self, samples: Sequence[Sample]) -> None:
        """By the thread that takes samples."""

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        """Findings since the last call; at least once a second."""

    def close(self) -> None:
        """No message comes any more."""


class Inlet:
    """Hands messages of any thread to the loop; counts what is wrong with them."""

    def __init__(self, live: Live, topics: Topics | None) -> None:
        self._live, self._topics = live, topics
        self._lock = threading.Lock()
        self._patience = PATIENCE
        self.counts = {name: {"messages": 0, "malformed": 0, "lost": 0} for name in (topics.names if topics else ())}
        self.unknown = 0  #: messages of no topic of the mapping
        self.why = ""  #: what was wrong with the last one
        self.ended = threading.Event()  #: no message will come any more
        self.refused_changes: tuple[str, ...] = ()
        self.error = ""  #: why it ended before its end
        self.closed = False  #: messages are passed over: the run is about to end

    def now(self) -> float:
        """s since 1970, as arrivals."""
        return self._live.now()

    def deliver(self, name: str, message: Message) -> None:
        with self._lock:
            counts = self.counts.get(name)
            if self.closed:
                return
            if counts is None or self._topics is None:
                self.unknown += 1
                self.why = f"no topic {name[:80]!r}; expected one of the mapping's"
                return
            try:
                counts["messages"] += 1
                if not self._topics.put(name, message, self.now):
                    counts["lost"] += 1
            except WrongMessage as wrong:
                self._refuse(counts, name, str(wrong))

    def deliver_text(self, data: bytes | str, name: str = "") -> None:
        """JSON (`_text`). name: of the topic, where the transport knows it."""
        try:
            root = _text.parsed(data)
            if isinstance(change := root.get("change"), str) and not name:
                return self.change(change)
            topic, message = _text.message_of(root)
        except WrongMessage as wrong:
            with self._lock:
                counts = self.counts.get(name)
                if counts is None:
                    self.unknown += 1
                    self.why = str(wrong)
                else:
                    self._refuse(counts, name, str(wrong))
            return
        self.deliver(name or topic, message)

    def change(self, line: str) -> None:
        """`sigma NAME VALUE`, `tare NAME`, …; a wrong one is refused and told."""
        with self._lock:
            if self.closed:
                return
            try:
                self._live.change(line)
            except ValueError as wrong:
                self.refused_changes = (*self.refused_changes, f"change: {wrong}")[-MOST_REFUSED:]

    def take_refused(self) -> tuple[str, ...]:
        """Changes since the last call that were wrong."""
        with self._lock:
            refused, self.refused_changes = self.refused_changes, ()
            return refused

    def wait_for_room(self) -> None:
        """Of a stream that is faster than the loop and its reader, as a file: rows wait there; not longer for one that has stalled."""
        ends = time.monotonic() + self._patience
        while not self.closed and not self._live.has_room():
            if time.monotonic() >= ends:
                self._patience = 0.0
                return
            time.sleep(0.001)
        self._patience = PATIENCE

    def wrong(self, name: str, why: str) -> None:
        """A message that could not be read."""
        with self._lock:
            self._refuse(self.counts[name], name, why)

    def _refuse(self, counts: dict[str, int], name: str, why: str) -> None:
        counts["malformed"] += 1
        self.why = f"{name}: {why}"

    def malformed(self) -> int:
        return self.unknown + sum(each["malformed"] for each in self.counts.values())


class Lines:
    """Lines of JSON on a file, as a pipe; samples go where `-o` says. Ends with the file."""

    def __init__(self, file: Any = None) -> None:
        if file is None and sys.stdin is None:
            raise InputError("lines: the standard input is closed; expected messages", "lines")
        self._file = sys.stdin.buffer if file is None else file
        self._stop = False

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        threading.Thread(target=self._read, args=(inlet,), daemon=True).start()

    def _read(self, inlet: Inlet) -> None:
        try:
            self._read_all(inlet)
        except OSError as error:
            inlet.error = error.strerror or "it cannot be read"
        except Exception as error:  # noqa: BLE001: whatever it is, the run ends and says so
            inlet.error = f"{type(error).__name__}: {error}"
        finally:
            inlet.ended.set()

    def _read_all(self, inlet: Inlet) -> None:
        rest, skipping = b"", False
        while not self._stop:
            block = os.read(self._file.fileno(), 65536)
            if not block:
                break
            *lines, rest = (rest + block).split(b"\n")
            for each in lines:
                if not skipping and each.strip():
                    inlet.wait_for_room()
                    inlet.deliver_text(each)
                skipping = False
            if len(rest) > _text.LONGEST:  # a line without an end
                if not skipping:
                    inlet.deliver_text(rest)
                rest, skipping = b"", True
        if rest.strip() and not skipping:
            inlet.deliver_text(rest)

    def notes(self) -> list[str]:
        return []

    def publish(self, samples: Sequence[Sample]) -> None:
        pass

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        pass

    def close(self) -> None:
        self._stop = True
