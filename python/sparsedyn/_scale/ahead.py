"""A source read by another thread while the caller works."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
ROWS = 4_096  #: of a batch: in memory at once, a few times over
AT_ONCE = 4  #: batches


def ahead(source: Iterable[T], depth: int = 1) -> Iterator[T]:
    """The same, read by another thread while the caller works. The first few are read at once: where that is all, a thread would
    cost more than it hides."""
    rest = iter(source)
    begun = list(itertools.islice(rest, AT_ONCE))
    if len(begun) < AT_ONCE:
        yield from begun
    else:
        yield from _threaded(itertools.chain(begun, rest), depth)


def _threaded(source: Iterable[T], depth: int) -> Iterator[T]:
    waiting: queue.Queue[tuple[str, Any]] = queue.Queue(depth)
    stop = threading.Event()

    def put(item: tuple[str, Any]) -> bool:
        while not stop.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def read() -> None:
        try:
            for item in source:
                if not put(("item", item)):
                    return
            put(("end", None))
        except BaseException as error:
            put(("error", error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        while True:
            what, value = waiting.get()
            if what == "item":
                yield value
            elif what == "error":
                raise value
            else:
                return
    finally:
        stop.set()
        thread.join()
