"""What takes longer (.ci/full): data of twenty times a worker's memory, on two workers, one of which is killed now and then."""

import os
import pathlib
import signal
import threading
import time

import numpy as np
import pyarrow.parquet
import pytest

import sparsedyn as sd
import sparsedyn.dask

distributed = pytest.importorskip("distributed")

LIMIT = 400_000_000
FILES = int(os.environ.get("SPARSEDYN_FULL_FILES", "20"))


@pytest.fixture(scope="module")
def data(tmp_path_factory, arm):
    """FILES names of one file, whose columns take a worker's memory; each a single row group."""
    folder = tmp_path_factory.mktemp("data")
    log = sd.simulate(arm, seconds=1000, rate=500)
    rows = LIMIT // (8 * log.num_columns)
    log = pyarrow.concat_tables([log] * (rows // log.num_rows + 1)).slice(0, rows)
    first = folder / "log00.parquet"
    pyarrow.parquet.write_table(log, first, row_group_size=rows)
    for k in range(1, FILES):
        os.link(first, folder / f"log{k:02d}.parquet")
    return folder


def memory(dask_worker):
    """Bytes, at most so far. (ru_maxrss would be what the process that started this one had.)"""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def pid(dask_worker):
    return os.getpid()


def test_data_of_twenty_times_the_memory(data, arm, tmp_path):
    expected = sd.solve_dataset(data / "log00.parquet", arm, "inverse-dynamics", tmp_path / "one")
    wanted = pyarrow.parquet.read_table(pathlib.Path(expected.folder) / expected.parts[0]["file"])
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            over, killed, seen = threading.Event(), [], []

            def look():
                while not over.wait(5):
                    try:
                        seen.extend(client.run(memory).values())
                        if len(killed) < FILES // 5 and np.random.default_rng(len(seen)).random() < 0.2:
                            killed.append(next(iter(client.run(pid).values())))
                            os.kill(killed[-1], signal.SIGKILL)
                    except Exception:
                        time.sleep(1)  # a worker that is just gone

            thread = threading.Thread(target=look)
            thread.start()
            try:
                found = sparsedyn.dask.solve(data, arm, "inverse-dynamics", tmp_path / "all", client)
            finally:
                over.set(), thread.join()
    assert found.made == FILES and found.rows == FILES * expected.rows
    assert not seen or max(seen) < LIMIT
    for part in found.parts:
        assert pyarrow.parquet.read_table(tmp_path / "all" / part["file"]).equals(wanted)
    print(f"{len(killed)} workers killed; at most {max(seen, default=0) / 1e6:.0f} MB")
