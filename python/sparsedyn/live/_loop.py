"""The loop of a live run, as Python sees it: rows in, samples and findings out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._core import Model

Array = NDArray[np.float64]


class Reading(NamedTuple):
    """One number of a row of readings."""

    columns: list[str]  #: that may hold it, best first
    sensor: str  #: of the set; '': a coordinate or velocity of the state
    required: bool  #: some source has to name one of the columns
    is_flag: bool  #: of a contact, 0 to 1


class Sample(NamedTuple):
    """An answer."""

    time: float  #: s, on the first source's clock
    ready: float  #: s since 1970, when its last reading had come, or it had waited long enough
    done: float  #: likewise, when it was answered
    ok: bool
    why: str  #: not ok
    values: Array  #: beside `Live.columns`; NaN for what is not known


class Finding(NamedTuple):
    """What was found about a sensor or a source (docs/live.md lists the kinds)."""

    kind: str
    over: bool  #: it has ended: the sensor is back
    name: str  #: the reading's column, the source, or `payload LINK`
    sensor: str  #: of the set, or ''
    since: float  #: s, when it began
    at: float  #: s, when it was found
    amount: float


class Taken(NamedTuple):
    """What came out since the last call."""

    more: bool  #: there may be more
    samples: list[Sample]
    findings: list[Finding]


class Summary(NamedTuple):
    """Of a run that has ended."""

    samples: int
    answered: int  #: of them
    restarts: int  #: stamps that began anew
    #: of each source: rows that were taken, late, reordered, repeated, refused
    sources: dict[str, dict[str, int]]
    delays: dict[str, float]  #: s, from a sample's last reading to its answer: median, p99, p9999, worst
    deadline_misses: int
    lost: dict[str, int]  #: rows that came, samples, findings, rows of the record, where queues were full


class Live:
    """The estimator on a running robot: rows of readings of several sources with stamps of their own, on one clock, answered by a
    thread of its own that takes no lock, and never Python's.

        from sparsedyn.live import Live

        live = Live(robot, sensors, over_time=True, rate=500, sources=["joints", "imu"])
        live.start()
        live.put(0, stamp, row)              # a number for each of live.readings, NaN where the source has none
        taken = live.take(0.1)               # .samples, .findings
        live.end()                           # then take() until not .more

    over_time  track the state from sample to sample, as `sd.Tracker`; default: each sample by itself, as `sd.Solver`
    outputs    as theirs; sd: add a column sd.OUTPUT for each; covariances: with sd, over_time and a floating base also cov.A|B, of
               each two errors of the base's pose (q.base.x … .z, .rx … .rz) and each two components of dq.base
    rate       Hz, of samples; default: at the stamps of the first source
    sources    names; the first one's stamps are the clock
    wait       s that a sample waits for late readings
    max_gap    s between readings that are interpolated, at most
    missing_after  s without a reading before it is named
    priority   1 to 99: of SCHED_FIFO; lock_memory: mlockall. `start` returns what the process has no right to
    record     an MCAP file for what comes in, which `sparsedyn live --replay` replays to the last bit

    put() and change() may be called by any thread, one at a time, but not beside `Streams`, which hand in themselves (RuntimeError);
    end() by any thread, take() by one at a time. Raises ValueError for what is out of range,
    AnswerIsNo where the sensors leave open what is tracked.
    """

    def __init__(
        self,
        robot: Model,
        sensors: Any,
        *,
        over_time: bool = False,
        outputs: Sequence[str] | None = None,
        sd: bool = False,
        covariances: bool = False,
        rate: float | None = None,
        sources: Sequence[str] = ("input",),
        wait: float = 0.01,
        max_gap: float = 0.1,
        missing_after: float = 0.012,
        priority: int = 0,
        lock_memory: bool = False,
        record: str | os.PathLike[str] | None = None,
    ) -> None:
        if not 0 <= priority <= 99:
            raise ValueError(f"priority: {priority}; expected 0 to 99")
        if rate is not None and not 0 < rate < float("inf"):
            raise ValueError(f"rate: {rate!r}; expected a number > 0")
        self.sources = list(sources)
        self._core = _core._Live(robot, sensors, over_time, list(outputs or ()), sd, covariances, self.sources,
                                 (rate or 0.0, wait, max_gap, missing_after), priority, lock_memory, os.fspath(record or ""))
        self.readings = [Reading(*each) for each in self._core.readings]
        self.columns: list[str] = self._core.columns
        self._links = self._core.links
        self.latest: Array = np.full(len(self.readings), np.nan)  #: the last number that came of each reading

    def start(self) -> list[str]:
        """Starts the thread; once. Returns what the process has no right to, in words."""
        return self._core.start()

    def put(self, source: int, stamp: float, values: ArrayLike) -> bool:
        """Readings of a source that arrived now. False: the loop is too far behind, and they are lost."""
        row = np.asarray(values, dtype=np.float64)
        taken = self._core.put(source, stamp, row)
        np.copyto(self.latest, row, where=np.isfinite(row))
        return taken

    def now(self) -> float:
        """s since 1970, by the clock of arrivals, which never jumps."""
        return self._core.now()

    def has_room(self) -> bool:
        """Whether the loop keeps up with who puts, and who takes with the loop: queues are at most half full."""
        return self._core.has_room()

    def change(self, line: str) -> None:
        """`sigma NAME VALUE`, `tare NAME`, `offset NAME VALUE`, `flag NAME 0|1|read` or `payload LINK MASS [X Y Z [IXX IXY IXZ IYY IYZ
        IZZ]]`. A finding says from when on it holds; a payload is prepared first. Raises ValueError for a wrong one, and where the
        loop is too far behind to take one."""
        if why := self._core.change(line):
            raise ValueError(why)

    def take_notes(self) -> list[str]:
        """Since the last call: payloads that could not be, and why; of `Streams` also what was wrong with changes and headers."""
        return self._core.take_notes()

    def take(self, seconds: float = 0.1) -> Taken:
        """What there is; waits at most so many seconds for the first."""
        more, samples, findings = self._core.take(seconds)
        return Taken(more, [self._sample(*each) for each in samples], [self._finding(*each) for each in findings])

    def _sample(self, time: float, ready: float, done: float, ok: bool, why: str, reading: int, values: Array) -> Sample:
        return Sample(time, ready, done, ok, f"{self.readings[reading].columns[0]}: {why}" if reading >= 0 else why, values)

    def _finding(self, kind: str, over: bool, reading: int, source: int, link: int, since: float, at: float, amount: float) -> Finding:
        if reading >= 0:
            return Finding(kind, over, self.readings[reading].columns[0], self.readings[reading].sensor, since, at, amount)
        name = self.sources[source] if source >= 0 else f"payload {self._links[link]}" if link >= 0 else ""
        return Finding(kind, over, name, "", since, at, amount)

    def end(self) -> None:
        """No more will come."""
        self._core.end()

    def losses(self) -> dict[str, int]:
        """So far."""
        return dict(zip(("readings", "samples", "findings", "recorded"), self._core.losses()))

    def summary(self) -> Summary:
        """After the end, which take() has said."""
        samples, answered, restarts, sources, delays, misses = self._core.summary()
        counted = {name: dict(zip(("readings", "late", "reordered", "repeated", "refused"), counts))
                   for name, counts in zip(self.sources, sources)}
        return Summary(samples, answered, restarts, counted, dict(zip(("median", "p99", "p9999", "worst"), delays)), misses,
                       self.losses())
