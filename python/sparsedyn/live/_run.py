"""A live run: a transport's messages in, samples and findings out, until the messages end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from .._errors import printable
from .._words import counted
from . import _text
from ._loop import Finding, Live, Sample, Summary
from ._output import Output
from ._outputs import Health, in_words
from ._rows import Topics
from ._transports import Inlet, Transport

MOST_TOLD = 100  #: findings in words
EACH_SECOND = 1.0


def tell(text: str) -> None:
    """On stderr, as long as somebody reads it: a run does not end because nobody does."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:  # nobody reads: what is left, and what comes, goes nowhere, so that the program's end does not fail by it either
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
    except (ValueError, AttributeError):  # closed; none
        pass


class Sink(Protocol):
    """Of lines: a file, or an Output."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class Run:
    """Between a transport and a loop.

    topics       of the mapping; none: the transport hands rows to the loop itself
    output       a file for samples as lines of a CSV
    diagnostics  a file for findings as lines of JSON; default: in words on stderr
    also         is handed each sample and each finding, as a page that is watched
    """

    def __init__(self, live: Live, topics: Topics | None, transport: Transport, *, output: Sink | None = None,
                 diagnostics: Sink | None = None, quiet: bool = False,
                 also: Callable[[list[Sample], list[Finding], Health], None] | None = None) -> None:
        self.live, self.topics, self.transport = live, topics, transport
        self._output, self._diagnostics, self._quiet, self._also = output, diagnostics, quiet, also
        self.inlet, self.health = Inlet(live, topics), Health()
        self.samples = self.answered = self._told = self._malformed = 0
        self._why, self._failed_at = "", -1e300
        self._asked = self._unnamed_told = False

    def ask_to_end(self, *_: Any) -> None:
        """By a signal, or another thread."""
        self._asked = True

    def is_asked(self) -> bool:
        """Whether somebody has asked, or the reader of what is written has left."""
        return self._asked or any(getattr(each, "gone", False) for each in (self._output, self._diagnostics))

    def run(self) -> Summary:
        """Until the transport has ended, or the end is asked for. Raises InputError where the mapping lacks a column."""
        try:
            if self.topics:
                self.topics.bind(self.live)
            for text in [*(self.topics.notes if self.topics else ()), *self.live.start()]:
                self.say({"kind": "note", "text": text}, text)
            if self._output:
                self._output.write(_text.header(self.live.columns))
            self.transport.start(self.topics, self.inlet)
            if self.topics:  # rows may still lack a column, and the run be refused; messages may not
                self._begin()
            self._until_the_end()
            self._tell([])
        finally:
            self._end()
            self.transport.close()
        return self.live.summary()

    def _until_the_end(self) -> None:
        next_second, more = time.monotonic() + EACH_SECOND, True
        while more:
            taken = self.live.take(0.1)
            more = taken.more
            self._hand_on(taken.samples, taken.findings)
            if time.monotonic() >= next_second or taken.findings:
                next_second = time.monotonic() + EACH_SECOND
                self._tell(taken.findings)
            if self.is_asked() or self.inlet.ended.is_set():
                self._end()

    def _end(self) -> None:
        """No message is taken any more; what was found is still told."""
        if not self.inlet.closed:
            self.inlet.closed = True
            self.live._core.stop_receiving()
            self.live.end()

    def _begin(self) -> None:
        if isinstance(self._diagnostics, Output):
            self._diagnostics.begin()

    def _hand_on(self, samples: list[Sample], findings: list[Finding]) -> None:
        if samples:
            self._begin()
        for found in findings:
            self.health.add(found)
            self.say(None, in_words(found), found)
        for sample in samples:
            self.samples += 1
            self.answered += sample.ok
            if self._output:
                self._output.write(_text.line(sample))
            if not sample.ok and not (sample.why == self._why and 0 <= sample.time - self._failed_at < 1):
                self._failed_at = sample.time
                self.say({"kind": "failed", "time": sample.time, "why": sample.why}, f"at {sample.time:g} s no answer: {sample.why}")
            self._why = sample.why
        if self._output:
            self._output.flush()
        self.transport.publish(samples)
        if self._also and (samples or findings):
            self._also(samples, findings, self.health)

    def _tell(self, findings: list[Finding]) -> None:
        """Counters, and what is wrong with messages."""
        if (malformed := self.inlet.malformed()) != self._malformed:
            self._malformed = malformed
            self.say({"kind": "malformed", "count": malformed, "why": printable(self.inlet.why)},
                     f"{counted(malformed, 'message')} malformed, the last one: {printable(self.inlet.why)}")
        for text in (*self.inlet.take_refused(), *self.live.take_notes(), *self.transport.notes()):
            self.say({"kind": "note", "text": printable(text)}, printable(text))
        if self.topics and self.topics.heard and not self._unnamed_told:
            self._unnamed_told = True
            for names, what in ((self.topics.lacking(), "; expected a column for each input"),
                                (self.topics.standing(), ": these feet always stand")):
                if names:
                    text = f"no topic names {', '.join(names)}{what}"
                    self.say({"kind": "note", "text": text}, text)
        self.transport.tell(findings, self.health, self.counts())

    def counts(self) -> dict[str, Any]:
        """So far."""
        return {"samples": self.samples, "answered": self.answered, "malformed": self.inlet.malformed(),
                **{f"lost {name}": count for name, count in self.live.losses().items()},
                **{name: each["messages"] for name, each in self.inlet.counts.items()}}

    def say(self, json_like: dict[str, Any] | None, words: str, found: Finding | None = None) -> None:
        """As a line of JSON where they are written, else in words."""
        if self._diagnostics:
            self._diagnostics.write((_text.finding_json(found) if found else json.dumps(json_like)) + "\n")
            self._diagnostics.flush()
        elif not self._quiet:
            self._told += 1
            if self._told <= MOST_TOLD:
                tell(f"note: {words}\n")
            elif self._told == MOST_TOLD + 1:
                tell("note: further findings are counted; --diagnostics writes all\n")


@contextlib.contextmanager
def ended_by_signal(run: Run) -> Iterator[None]:
    """Meanwhile SIGINT and SIGTERM end the run, with its summary; a second one ends it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def asked(*_: Any) -> None:
        run.ask_to_end()
        for each in before:
            signal.signal(each, signal.SIG_DFL)

    before = {each: signal.signal(each, asked) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
