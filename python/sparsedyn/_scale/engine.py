"""Who works: this process, a few of them, or a cluster (dask.py). All are given the same jobs and make the same bytes."""

from __future__ import annotations

import functools
import multiprocessing
import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

Job = tuple[Hashable, Callable[..., Any], tuple[Any, ...]]
TRIES = 3  #: of a job whose worker died


class Lost(RuntimeError):
    """The worker that had a job died; the job may be to blame, or its neighbours."""


class Engine(Protocol):
    """Jobs in, results out in any order. What a job gives is a handle, which other jobs may take as an argument."""

    @property
    def window(self) -> int:
        """Jobs that are with the workers at once."""

    @property
    def memory(self) -> int | None:
        """Bytes beyond which a worker is ended; None where nobody ends it."""

    def share(self, value: Any) -> Any:
        """A handle of something that many jobs need."""

    def submit(self, job: Job) -> None: ...

    def completed(self) -> tuple[Hashable, Any, BaseException | None]:
        """The tag of a job that is done, its handle, and what went wrong. Waits."""

    def value(self, handle: Any) -> Any: ...

    def close(self) -> None: ...


class Alone:
    """This process, one job after the other."""

    window = 1
    memory = None

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def share(self, value: Any) -> Any:
        return value

    def submit(self, job: Job) -> None:
        self._jobs.append(job)

    def completed(self) -> tuple[Hashable, Any, BaseException | None]:
        tag, function, arguments = self._jobs.pop(0)
        try:
            return tag, function(*arguments), None
        except Exception as error:
            return tag, None, error

    def value(self, handle: Any) -> Any:
        return handle

    def close(self) -> None:
        pass


class _Shared:
    """Something that many jobs need, read once by each process."""

    def __init__(self, text: bytes) -> None:
        self.text = text


@functools.lru_cache(maxsize=2)
def _read(text: bytes) -> Any:
    return pickle.loads(text)


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(*(_read(each.text) if isinstance(each, _Shared) else each for each in arguments))


class Processes:
    """Processes of the standard library, started afresh (no fork: other libraries' threads would not survive it)."""

    memory = None

    def __init__(self, count: int) -> None:
        self.window = 2 * count
        self._count = count
        self._pool: ProcessPoolExecutor | None = None
        self._jobs: dict[Future[Any], Hashable] = {}

    def share(self, value: Any) -> Any:
        return _Shared(pickle.dumps(value))

    def submit(self, job: Job) -> None:
        tag, function, arguments = job
        for last in (False, True):
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self._count, mp_context=multiprocessing.get_context("spawn"))
            try:
                self._jobs[self._pool.submit(_called, function, arguments)] = tag
                return
            except BrokenProcessPool:
                self._renew()
                if last:
                    raise

    def _renew(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False)
        self._pool = None

    def completed(self) -> tuple[Hashable, Any, BaseException | None]:
        done, _ = wait(self._jobs, return_when=FIRST_COMPLETED)
        future = next(iter(done))
        tag = self._jobs.pop(future)
        try:
            return tag, future.result(), None
        except BrokenProcessPool:
            self._renew()
            return tag, None, Lost("its process died")
        except Exception as error:
            return tag, None, error

    def value(self, handle: Any) -> Any:
        return handle

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def run(engine: Engine, jobs: Iterable[Job]) -> Iterator[tuple[Hashable, Any, BaseException | None]]:
    """All jobs, as they are done. `jobs` may grow while results come: it is asked again after each.

    Jobs that were lost are tried once more, each alone, so that the one that kills its worker does not take others with it.
    """
    source, alone = iter(jobs), list[Job]()
    out: dict[Hashable, Job] = {}
    tries: dict[Hashable, int] = {}
    more = True
    while True:
        while more and len(out) < engine.window:
            job = next(source, None)
            if job is None:
                more = False
                break
            out[job[0]] = job
            engine.submit(job)
        if not out and alone:
            job = alone.pop(0)
            out[job[0]] = job
            engine.submit(job)
        if not out:
            return
        tag, handle, error = engine.completed()
        job = out.pop(tag)
        if isinstance(error, Lost):
            tries[tag] = tries.get(tag, 0) + 1
            if tries[tag] < TRIES:
                alone.append(job)
                continue
        yield tag, handle, error
        more = True
