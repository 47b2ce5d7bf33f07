"""The same as sd.solve_dataset on a Dask cluster: a laptop's processes, Slurm, Kubernetes.

    from dask.distributed import Client
    import sparsedyn.dask
    with Client("tcp://scheduler:8786") as client:
        sparsedyn.dask.solve("/data/fleet", robot, sensors, "/data/solved", client=client, report="fleet.html")

Workers read the data set and write the results themselves, on storage that all of them see. Results have the same bytes for any
number of workers, any order in which they finish, and after workers died. Needs distributed: pip install 'sparsedyn[scale]'.
"""

from __future__ import annotations

import os
import pickle
import queue
import statistics
import time
import uuid
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ._core import Model
from ._datasets import ROWS_A_PIECE, MappingLike
from ._identification import Identification
from ._plan import Plan
from ._scale import dataset as _dataset
from ._scale.arrow import needs
from ._scale.engine import Job, Lost

if TYPE_CHECKING:
    from ._scale.dataset import Fit, Progress, Sensors, Solution

__all__ = ["chi_square", "convert", "identify", "offsets", "solve"]

SCHEDULER_AWAY = 30.0  #: s, for which a scheduler may be out of reach
GONE = "the scheduler is gone; what is done is kept: call again with another client"
LATE = 3.0  #: a job is a straggler that takes so many times the median
LATE_AT_LEAST = 2.0  #: s


def _timed(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _unpickled(text: bytes) -> Any:
    return pickle.loads(text)


class _Cluster:
    """Futures, no more of them at once than keeps the workers busy. Jobs that take far longer than others, once there is nothing
    else to do, are run a second time on another worker; the first result counts, and both are the same."""

    def __init__(self, client: Any) -> None:
        self._distributed = needs("scale", "distributed")
        self._own = client is None
        self._client = client or self._distributed.Client(n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None)
        self._done: queue.Queue[tuple[Hashable, Any]] = queue.Queue()
        self._out: dict[Hashable, list[Any]] = {}  # futures of a job
        self._jobs: dict[Hashable, Job] = {}
        self._began: dict[Hashable, float] = {}
        self._took: list[float] = []
        self._shared: list[Any] = []
        self._counted: float = -60.0
        self._window: int = 1  # as workers were counted then

    @property
    def _threads(self) -> int:
        return max(1, sum(int(threads) for threads in self._client.nthreads().values()))

    @property
    def window(self) -> int:
        if time.monotonic() - self._counted > 5:
            self._counted, self._window = time.monotonic(), 2 * self._threads
        return int(self._window)

    @property
    def memory(self) -> int | None:
        """Of the worker that has least; None where no limit is known."""
        workers = self._client.scheduler_info()["workers"].values()
        limits = [int(each["memory_limit"]) for each in workers if each.get("memory_limit")]
        return min(limits, default=None)

    def share(self, value: Any) -> Any:
        """By a task, not scattered: a task is done again where its worker dies."""
        future = self._client.submit(_unpickled, pickle.dumps(value), key=f"sparsedyn-work-{uuid.uuid4().hex}", pure=False)
        self._shared.append(future)
        return future

    def submit(self, job: Job) -> None:
        self._jobs[job[0]] = job
        self._out[job[0]] = []
        self._start(job, None)

    def _start(self, job: Job, workers: list[str] | None) -> None:
        tag, function, arguments = job
        future = self._client.submit(_timed, function, *arguments, key=f"sparsedyn-{function.__name__}-{uuid.uuid4().hex}", pure=False,
                                     workers=workers, allow_other_workers=False)
        self._out[tag].append(future)
        self._began[tag] = time.monotonic()
        future.add_done_callback(lambda done: self._done.put((tag, done)))

    def completed(self) -> tuple[Hashable, Any, BaseException | None]:
        away = 0.0
        while True:
            try:
                tag, future = self._done.get(timeout=0.5)
            except queue.Empty:
                away = 0.0 if self._client.status == "running" else away + 0.5
                if away > SCHEDULER_AWAY or self._client.status in ("closed", "closing"):
                    raise ConnectionError(GONE) from None
                self._twin()
                continue
            if tag not in self._out or all(future is not each for each in self._out[tag]):
                continue  # of a job whose other run was faster
            if future.status == "finished":
                self._took.append(time.monotonic() - self._began[tag])
                self._forget(tag, future)
                return tag, future, None
            if future.status in ("cancelled", "lost"):  # the client or the scheduler began anew
                self._again(tag)
                continue
            error = future.exception()
            self._forget(tag, future)
            if isinstance(error, self._distributed.KilledWorker):
                error = Lost(f"its worker died {error.allowed_failures + 1 if hasattr(error, 'allowed_failures') else 'several'} times")
            return tag, None, error

    def _forget(self, tag: Hashable, kept: Any) -> None:
        for each in self._out.pop(tag):
            if each is not kept:
                each.cancel()
        self._jobs.pop(tag)
        self._began.pop(tag)

    def _again(self, tag: Hashable) -> None:
        deadline = time.monotonic() + SCHEDULER_AWAY
        while self._client.status != "running":
            if time.monotonic() > deadline or self._client.status in ("closed", "closing"):
                raise ConnectionError(GONE)
            time.sleep(0.1)
        if any(getattr(each, "status", "") in ("cancelled", "lost") for each in self._shared):
            raise ConnectionError("the cluster was restarted; what is done is kept: call again")
        self._out[tag] = []
        self._start(self._jobs[tag], None)

    def _twin(self) -> None:
        """Runs stragglers once more, where workers have nothing else to do."""
        if len(self._out) >= self._threads or not self._took:
            return
        limit = max(LATE_AT_LEAST, LATE * statistics.median(self._took))
        late = [tag for tag, began in self._began.items() if len(self._out[tag]) == 1 and time.monotonic() - began > limit]
        if not late:
            return
        at = {key: worker for worker, keys in self._client.processing().items() for key in keys}
        for tag in late:
            busy = at.get(self._out[tag][0].key)
            others = [worker for worker in self._client.nthreads() if worker != busy]
            if busy and others:
                began = self._began[tag]
                self._start(self._jobs[tag], others)
                self._began[tag] = began

    def value(self, handle: Any) -> Any:
        return handle.result()

    def close(self) -> None:
        for futures in self._out.values():
            for future in futures:
                future.cancel()
        self._out.clear()
        self._shared.clear()
        if self._own:
            self._client.close()


def _with(client: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    cluster = _Cluster(client)
    gone = needs("scale", "distributed.comm").CommClosedError, needs("scale", "distributed.client").FuturesCancelledError
    try:
        return function(cluster, *arguments)
    except gone:
        raise ConnectionError(GONE) from None
    finally:
        cluster.close()


def solve(
    dataset: str | os.PathLike[str],
    robot: Model,
    sensors: Sensors,
    out: str | os.PathLike[str],
    client: Any = None,
    plan: Plan | None = None,
    outputs: Sequence[str] | str | None = ("tau",),
    sd: bool = False,
    innovations: bool = False,
    *,
    on_error: str = "raise",
    keep: Sequence[str] = (),
    mapping: MappingLike = None,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    overwrite: bool = False,
    runs: str | None = None,
    salvage: bool = False,
    stand_in: bool = True,
) -> Solution:
    """sd.solve_dataset on the cluster of `client`, a dask.distributed.Client; without one, on this machine's processors.

    A worker that dies is no loss: its pieces are done by others. A piece that kills its workers is named by DatasetError, with the
    others done. Raises ConnectionError where the scheduler is gone; calling again does what is missing.
    """
    found: Solution = _with(client, _dataset.solve, dataset, robot, sensors, out, plan, outputs, sd, innovations, on_error, keep,
                            mapping, rows, content, report, progress, overwrite, runs, salvage, stand_in)
    return found


def convert(
    log: str | os.PathLike[str],
    out: str | os.PathLike[str],
    client: Any = None,
    mapping: MappingLike = None,
    *,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    progress: Progress = None,
    overwrite: bool = False,
    runs: str | None = None,
    salvage: bool = False,
) -> Solution:
    """sd.convert on the cluster."""
    found: Solution = _with(client, _dataset.convert, log, out, mapping, rows, content, progress, overwrite, runs, salvage)
    return found


def offsets(
    dataset: str | os.PathLike[str],
    robot: Model,
    sensors: Sensors,
    client: Any = None,
    plan: Plan | None = None,
    *,
    mapping: MappingLike = None,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    progress: Progress = None,
    runs: str | None = None,
    salvage: bool = False,
) -> dict[str, Any]:
    """Offsets of sensors with "bias": true, from all rows of a data set: as Solver.offsets after solve_log of one log.

    What the pieces say is added up eight by eight in the data set's order: the same bits for any number of workers. Raises
    DatasetError where a piece fails; no sum leaves one out.
    """
    found: dict[str, Any] = _with(client, _dataset.offsets, dataset, robot, sensors, plan, mapping, rows, content, progress, runs,
                                  salvage)
    return found


def chi_square(
    dataset: str | os.PathLike[str],
    robot: Model,
    sensors: Sensors,
    client: Any = None,
    plan: Plan | None = None,
    *,
    on_error: str = "raise",
    mapping: MappingLike = None,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    report: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    runs: str | None = None,
    salvage: bool = False,
) -> Fit:
    """How well a data set's readings agree with each other, by robot, day and reading. report: a page that says so.

    Offsets are learnt first, as in solve. Sums as in offsets.
    """
    found: Fit = _with(client, _dataset.chi_square, dataset, robot, sensors, plan, mapping, rows, content, on_error, report, progress,
                       runs, salvage)
    return found


def identify(
    dataset: str | os.PathLike[str],
    robot: Model,
    client: Any = None,
    fit: Sequence[str] | str = (),
    prior: float = 0.3,
    *,
    holdout: str | os.PathLike[str] | None = None,
    robust: str | None = None,
    sensors: Sensors | None = None,
    mapping: MappingLike = None,
    rows: int = ROWS_A_PIECE,
    content: bool = False,
    progress: Progress = None,
    runs: str | None = None,
    salvage: bool = False,
) -> Identification:
    """sd.identify from all rows of a data set with q, dq, ddq, and tau or what `sensors` read. Sums as in offsets; holdout: another
    data set.

    robust='huber', fit='smoothing' and fit='stribeck' read the data set several times: a map over its pieces and a sum for each pass.
    """
    found: Identification = _with(client, _dataset.identify_dataset, dataset, robot, fit, prior, holdout, mapping, rows, content,
                                  progress, robust, sensors, runs, salvage)
    return found
