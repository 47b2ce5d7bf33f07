"""Jobs over all pieces of a data set: one result each, or all added up in a fixed tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._errors import DatasetError
from . import memory
from .engine import Engine, Job, run
from .pieces import Piece
from .sums import FAN_IN, levels
from .work import Work

Report = Callable[[float, str], None] | None


def each(engine: Engine, shared: Any, function: Callable[..., Any], pieces: list[tuple[Piece, tuple[Any, ...]]], report: Report
         ) -> tuple[dict[int, Any], dict[int, BaseException]]:
    """Results and errors by index. function(work, piece, *arguments)."""
    done: dict[int, Any] = {}
    wrong: dict[int, BaseException] = {}
    jobs: Iterator[Job] = ((k, function, (shared, piece, *arguments)) for k, (piece, arguments) in enumerate(pieces))
    for tag, handle, error in run(engine, jobs):
        assert isinstance(tag, int)
        if error is None:
            try:
                done[tag] = engine.value(handle)
            except Exception as late:  # its worker died before the result was fetched
                wrong[tag] = late
        else:
            wrong[tag] = error
        if report:
            report((len(done) + len(wrong)) / len(pieces), f"{len(done)} of {len(pieces)} pieces")
    return done, wrong


class _Tree:
    """Leaves, then sums of eight, as their parts become ready."""

    def __init__(self, shared: Any, leaf: Callable[..., Any], merge: Callable[..., Any], pieces: list[Piece]) -> None:
        self.shared, self.leaf, self.merge, self.pieces = shared, leaf, merge, pieces
        self.counts = levels(len(pieces))
        self.held: dict[tuple[int, int], Any] = {}
        self.ready: list[tuple[int, int]] = []
        self.next = 0

    def __iter__(self) -> Iterator[Job]:
        return self

    def __next__(self) -> Job:
        if self.ready:
            level, k = self.ready.pop(0)
            return (level, k), self.merge, (self.shared, *(self.held.pop(child) for child in self._children(level, k)))
        if self.next == len(self.pieces):
            raise StopIteration
        self.next += 1
        return (0, self.next - 1), self.leaf, (self.shared, self.pieces[self.next - 1])

    def _children(self, level: int, k: int) -> list[tuple[int, int]]:
        return [(level - 1, child) for child in range(FAN_IN * k, min(FAN_IN * (k + 1), self.counts[level - 1]))]

    def done(self, tag: tuple[int, int], handle: Any) -> None:
        self.held[tag] = handle
        level, parent = tag[0] + 1, tag[1] // FAN_IN
        if level < len(self.counts) and all(child in self.held for child in self._children(level, parent)):
            self.ready.append((level, parent))


def total(engine: Engine, work: Work, leaf: Callable[..., Any], merge: Callable[..., Any], pieces: list[Piece], report: Report
          ) -> Any:
    """leaf(work, piece) of all pieces, merged eight by eight. Raises DatasetError where pieces fail: no sum leaves some out."""
    memory.check(engine.memory, pieces, work)
    tree = _Tree(engine.share(work), leaf, merge, pieces)
    wrong: dict[int, BaseException] = {}
    finished = 0
    for tag, handle, error in run(engine, tree):
        assert isinstance(tag, tuple)
        if error is None:
            tree.done(tag, handle)
        else:
            wrong[tag[1] * FAN_IN ** tag[0]] = error
        finished += tag[0] == 0
        if report:
            report(finished / len(pieces), f"{finished} of {len(pieces)} pieces")
    if wrong:
        raise DatasetError([str(pieces[k]) for k in sorted(wrong)], [_text(wrong[k]) for k in sorted(wrong)], len(pieces))
    return engine.value(tree.held[len(tree.counts) - 1, 0])


def _text(error: BaseException) -> str:
    name = type(error).__name__
    return str(error) if name in ("InputError", "SolveError", "Lost", "AnswerIsNo") else f"{name}: {error}"
