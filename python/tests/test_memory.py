"""What a process takes of memory, however long a file's row groups are; and workers that have too little."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import sparsedyn as sd
from conftest import ROBOTS
from sparsedyn._scale import dataset, engine, memory, pieces, work

ROWS = 500_000


def long_file(robot, path):
    """One row group of 56 columns, whose numbers are all different, as recorders that flush rarely write it."""
    log = sd.simulate(robot, seconds=10, rate=1000)
    names = ["time", *(f"q.{name}" for name in robot.coordinate_names)]
    names += [f"{part}.{name}" for part in ("dq", "ddq") for name in robot.velocity_names]
    times = -(-ROWS // log.num_rows)
    spread = 1e-9 * np.arange(times * log.num_rows)
    columns = {name: (np.tile(log[name].to_numpy(), times) + spread)[:ROWS] for name in names}
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=ROWS)
    return path


@pytest.fixture(scope="module")
def long(quadruped, tmp_path_factory):
    return long_file(quadruped, tmp_path_factory.mktemp("long") / "a.parquet")


SCRIPT = textwrap.dedent("""
    import sys
    import sparsedyn as sd
    robot = sd.load_urdf(sys.argv[1], floating=True)
    rows = sd.solve_dataset(sys.argv[2], robot, "inverse-dynamics", sys.argv[3]).rows
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    print(rows, peak, "pandas" in sys.modules)
""")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads /proc")
def test_a_process_with_long_row_groups(long, tmp_path):
    """272 MiB, of which Arrow's pages and dictionaries are 122. All rows at once would take 214 more; pandas, which pyarrow imports
    for the asking, 38."""
    run = [sys.executable, "-c", SCRIPT, ROBOTS / "quadruped.urdf", long, tmp_path / "out"]
    rows, peak, pandas = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert int(rows) == ROWS and pandas == "False"
    assert int(peak) < 310_000  # kB


def test_reading_is_foretold(long, quadruped):
    """What is said to be needed of a worker is more than reading takes, and not twice as much."""
    asked = work.Work(quadruped, sd.SensorSet("inverse-dynamics"), outputs=("tau",))
    found = pieces.pieces_of(long)
    total, why = memory.needed(found, asked)
    before = pyarrow.total_allocated_bytes()
    batches = pieces.batches_of(found[0], work.ROWS, None, work.wanted_columns(asked))
    next(batches)
    held = pyarrow.total_allocated_bytes() - before
    batches.close()
    assert held < total - memory.BASE < 1.5 * held, (held, total)
    assert "a.parquet has 56 columns" in why


class Small(engine.Alone):
    """An engine whose workers have little."""

    memory = 250_000_000


def test_workers_with_too_little_are_refused_before_they_die(long, quadruped, arm, tmp_path):
    asked = (quadruped, "inverse-dynamics", tmp_path / "out", None, ("tau",), False, False, "raise", (), None, ROWS, False, None, None)
    with pytest.raises(ValueError, match=r"memory of a worker: 250 MB; expected 3\d\d MB or more: .*a.parquet has 56 columns"):
        dataset.solve(Small(), long.parent, *asked)
    assert not (tmp_path / "out").exists()
    with pytest.raises(ValueError, match="memory of a worker: 250 MB"):
        dataset.information(Small(), long.parent, quadruped, None, ROWS, False, None)
    short = tmp_path / "short/a.parquet"
    short.parent.mkdir()
    pyarrow.parquet.write_table(sd.simulate(arm, seconds=1, rate=100), short)
    assert dataset.solve(Small(), short, arm, *asked[1:]).rows == 100
