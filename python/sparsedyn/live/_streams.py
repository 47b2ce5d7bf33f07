"""Pipes, files, UDP and Unix sockets, as `sparsedyn live` reads them (docs/live.md): no byte of them passes through Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._errors import InputError
from ._loop import Finding, Live, Sample
from ._outputs import Health
from ._rows import Topics
from ._transports import Inlet


class Received(NamedTuple):
    """Of one input, since the start."""

    rows: int
    malformed: int
    oversized: int
    turned_away: int  #: connections beyond sixteen
    why: str  #: what was wrong with the last one
    line: int  #: where; 0: no line of a stream
    error: int  #: errno of the read that ended it; 0: none did
    lacks: str  #: what its newest header lacks
    lacks_line: int
    refused: bool  #: and all inputs ended by it


class Streams:
    """The run's sources are addresses: `-`, `udp:PORT`, `udp:HOST:PORT`, `unix:PATH`, or files."""

    def __init__(self, live: Live, *, control: str = "", format: str = "csv", columns: str = "") -> None:
        self._live, self._control, self._format, self._columns = live, [control] if control else [], format, columns
        self._told = [0] * len(live.sources)

    def start(self, topics: Topics | None, inlet: Inlet) -> None:
        """Raises InputError for what cannot be opened, ValueError for what is no address."""
        self._live._core.receive(self._control, self._format, self._columns)

    def received(self) -> list[Received]:
        return [Received(*self._live._core.received(k)) for k in range(len(self._live.sources))]

    def notes(self) -> list[str]:
        notes: list[str] = []
        for k, each in enumerate(self.received()):
            if (count := each.malformed + each.oversized) != self._told[k]:
                self._told[k] = count
                notes.append(f"{self._live.sources[k]}: {count} malformed, the last one: {each.why}")
        return notes

    def publish(self, samples: Sequence[Sample]) -> None:
        pass

    def tell(self, findings: Sequence[Finding], health: Health, counts: dict[str, Any]) -> None:
        pass

    def close(self) -> None:
        self._live._core.stop_receiving()

    def check_columns(self, answered: int = 1) -> None:
        """Raises InputError where a header ended the run, or nothing was answered and one names too few columns."""
        for name, each in zip(self._live.sources, self.received()):
            if each.refused or (each.lacks and not answered):
                raise self._wrong(name, each.lacks_line, f"{each.lacks}; expected a column for each input")

    def check(self, answered: int) -> None:
        """After the run. Raises InputError as check_columns(), and where an input could not be read or had no good row among malformed
        ones."""
        self.check_columns(answered)
        for name, each in zip(self._live.sources, self.received()):
            if each.error or (not each.rows and each.malformed + each.oversized):
                raise self._wrong(name, each.line, f"{each.why}; expected rows of readings")

    @staticmethod
    def _wrong(name: str, line: int, words: str) -> InputError:
        return InputError(f"{name}{f':{line}' if line else ''}: {words}", name, line)
