"""Data sets of many logs: solved into parts, gone on with, summed in a fixed tree."""

import json
import os
import shutil

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import sparsedyn as sd
import sparsedyn.dask
from sparsedyn._scale import dataset, engine, sums

SENSORS = {
    "name": "gauged",
    "sensors": [
        {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
        {"name": "gauges", "type": "joint_torque", "joint": "*", "sigma": 0.1},
        {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 0.5},
        {"name": "air", "type": "external_wrench", "link": "*", "value": 0},
    ],
}
BIASED = {**SENSORS, "sensors": [{**SENSORS["sensors"][0], "bias": True}, *SENSORS["sensors"][1:]]}
LOGS, ROWS = 12, 225
DAY = 1_795_000_000.0


def make_fleet(folder, robot, logs=LOGS, rows=ROWS):
    """Two robots' logs over two days; on the second, motor joint2 of r2 is 2 N m off."""
    for k in range(logs):
        name, day = f"r{k % 2 + 1}", k * 2 // logs
        log = sd.simulate(robot, SENSORS, seconds=rows / 100, rate=100, seed=k + 1)
        columns = {each: log[each].to_numpy() for each in log.column_names}
        columns["time"] = columns["time"] + DAY + 86400 * day + 100 * k
        if name == "r2" and day == 1:
            columns["y.motors.joint2"] = columns["y.motors.joint2"] + 2
        (folder / f"robot={name}").mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"robot={name}/log{k:02d}.parquet", row_group_size=56)
    return folder


@pytest.fixture(scope="session")
def fleet(tmp_path_factory, arm):
    return make_fleet(tmp_path_factory.mktemp("fleet"), arm)


def contents(folder):
    """Bytes by name, of all but the manifest's; and nothing half made."""
    names = sorted(os.listdir(folder))
    assert not [name for name in names if name.endswith(".tmp")]
    return {name: (folder / name).read_bytes() for name in names}


@pytest.fixture(scope="session")
def solved(fleet, arm, tmp_path_factory):
    """The data set solved in this process."""
    out = tmp_path_factory.mktemp("solved")
    return sd.solve_dataset(fleet, arm, SENSORS, out, sd=True, innovations=True, report=out.parent / "fleet.html")


def test_rows_are_those_of_solve_log(fleet, arm, solved):
    assert solved.rows == LOGS * ROWS and solved.failed == 0 and solved.made == LOGS == len(solved.parts)
    solver = sd.Solver(arm, SENSORS, outputs=["tau"], sd=True)
    expected = [solver.solve_log(sd.open_log(fleet / f"robot=r{k % 2 + 1}/log{k:02d}.parquet").read(), innovations=True)
                for k in [*range(0, LOGS, 2), *range(1, LOGS, 2)]]
    found = sd.open_log(solved.folder).read()
    assert found.column_names[:2] == ["time", "robot"] and set(found["robot"].to_pylist()) == {"r1", "r2"}
    assert found.drop_columns("robot").equals(pyarrow.concat_tables(expected))
    assert pyarrow.parquet.read_table(solved.folder).num_rows == solved.rows  # as other programs read the folder


def test_results_print_in_a_line(fleet, arm, solved):
    """However many parts there are."""
    said = f"{solved}"
    assert said == f"Solution({solved.folder!r}: 2700 rows in 12 parts, 12 made by this call; 0 without an answer)" and said == repr(solved)
    fit = dataset.chi_square(engine.Alone(), fleet, arm, BIASED, None, None, 500_000, False, "raise", None, None)
    assert repr(fit).startswith("Fit(chi_square ") and repr(fit).endswith(" and 24 more; 4 groups by robot and day)"), repr(fit)
    assert len(repr(fit)) < 250 and len(fit) == 6


def test_processes_make_the_same_bytes(fleet, arm, solved, tmp_path):
    from pathlib import Path

    again = sd.solve_dataset(fleet, arm, SENSORS, tmp_path / "out", sd=True, innovations=True, processes=2)
    assert contents(tmp_path / "out") == contents(Path(solved.folder)) and again.parts == solved.parts


def test_only_what_is_missing_or_changed_is_done(fleet, arm, tmp_path):
    data, out = tmp_path / "data", tmp_path / "out"
    shutil.copytree(fleet, data)

    def solve(**options):
        return sd.solve_dataset(data, arm, SENSORS, out, **options)

    first = solve()
    assert first.made == LOGS and solve().made == 0
    before = contents(out)
    (out / first.parts[3]["file"]).unlink(), (out / "_manifest.json").unlink()
    cut = out / first.parts[5]["file"]
    cut.write_bytes(cut.read_bytes()[:1000])
    (out / f".{first.parts[5]['file'][:-8]}.123.tmp").write_text("left by a worker that was killed")
    assert solve().made >= 1 and contents(out) == before
    log = data / "robot=r1/log00.parquet"
    status = log.stat()
    table = pyarrow.parquet.read_table(log)
    pyarrow.parquet.write_table(table.set_column(0, "time", pyarrow.array(table["time"].to_numpy() + 1)), log)
    changed = solve()
    assert changed.made == 1 and len(list(out.glob("part-*"))) == LOGS
    assert first.parts[0]["file"] != changed.parts[0]["file"] and not (out / first.parts[0]["file"]).exists()
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns + 10))
    assert solve(content=True).made == LOGS and solve(content=True).made == 0  # the bytes are the key now
    os.utime(log)
    assert solve(content=True).made == 0
    assert solve(sd=True).made == LOGS  # other work
    assert sd.solve_dataset(data, sd.load_urdf(robot_file(), gravity=(0, 0, -1.6)), SENSORS, out).made == LOGS
    with pytest.raises(ValueError, match="holds results of"):
        sd.solve_dataset(fleet, arm, SENSORS, out)
    with pytest.raises(ValueError, match="itself"):
        sd.solve_dataset(out, arm, SENSORS, out)


def robot_file():
    from conftest import ROBOTS

    return ROBOTS / "arm.urdf"


def poisoned(fleet, folder):
    """The fleet with a truncated file, a file of other columns, and one with a number that is none."""
    shutil.copytree(fleet, folder)
    cut = folder / "robot=r1/log02.parquet"
    cut.write_bytes(cut.read_bytes()[:3000])
    other = folder / "robot=r2/log03.parquet"
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(other).drop_columns(["q.joint1"]), other)
    none = folder / "robot=r2/log05.parquet"
    table = pyarrow.parquet.read_table(none)
    numbers = table["dq.joint1"].to_numpy().copy()
    numbers[77] = np.inf
    pyarrow.parquet.write_table(table.set_column(table.column_names.index("dq.joint1"), "dq.joint1", pyarrow.array(numbers)), none)
    return folder


def check_poison(error, out):
    assert [piece.split("[")[0] for piece in error.pieces] == ["robot=r1/log02.parquet", "robot=r2/log03.parquet",
                                                              "robot=r2/log05.parquet"]
    assert "whole Parquet" in error.messages[0] and "q.joint1 missing" in error.messages[1] and "row 77" in error.messages[2]
    assert len(list(out.glob("part-*.parquet"))) == LOGS - 3 and not (out / "_manifest.json").exists()


@pytest.mark.parametrize("processes", [1, 2])
def test_poison_is_named_and_the_rest_done(fleet, arm, tmp_path, processes):
    data, out = poisoned(fleet, tmp_path / "data"), tmp_path / "out"
    with pytest.raises(sd.DatasetError, match="3 of 12 pieces failed") as error:
        sd.solve_dataset(data, arm, SENSORS, out, processes=processes)
    check_poison(error.value, out)
    (data / "robot=r1/log02.parquet").unlink(), (data / "robot=r2/log03.parquet").unlink()
    done = sd.solve_dataset(data, arm, SENSORS, tmp_path / "nan", on_error="nan")
    assert done.failed == 1 and done.rows == (LOGS - 2) * ROWS
    assert [part["messages"] for part in done.parts if part["failed"]][0][0].startswith("row 77: ")
    assert sd.open_log(done.folder).read()["tau.joint1"].null_count == 1


def test_csv_and_parquet_have_the_same_answers(fleet, arm, tmp_path):
    table = pyarrow.parquet.read_table(fleet / "robot=r1/log00.parquet", partitioning=None)
    pyarrow.csv.write_csv(table, tmp_path / "a.csv")
    out = sd.solve_dataset(tmp_path / "a.csv", arm, SENSORS, tmp_path / "out")
    assert sd.open_log(out.folder).read().drop_columns("time").equals(sd.Solver(arm, SENSORS).solve_log(table).drop_columns("time"))


def one_table(fleet):
    return sd.open_log(fleet, rows=1 << 20).read()


def test_offsets_of_forty_pieces(fleet, arm, tmp_path):
    """Those of one pass over one log, their information to 1e-12."""
    work = dataset.make_work(arm, BIASED, None, ("tau",), False, False, "raise", (), None)
    data = dataset.Data(fleet, 50, False)
    assert len(data.pieces) >= 40
    gathered = np.array(dataset.with_offsets(engine.Alone(), work, data, None).offsets)
    table = one_table(fleet)
    solver = sd._core._make_solver(arm, sd.SensorSet(BIASED), "", ["tau"], False, False, 0.0, [])
    q, dq, y, _ = sd._logs.read(arm, solver.columns, table)
    solver.gather(q, dq, y)
    whole = np.array(solver.gathered())
    assert gathered[0] == whole[0] == LOGS * ROWS
    n = round((-1 + np.sqrt(1 + 4 * (len(whole) - 1))) / 2)
    for part in (slice(1, 1 + n * n), slice(1 + n * n, None)):
        assert np.abs(gathered[part] - whole[part]).max() <= 1e-12 * np.abs(whole[part]).max()
    log = sd.Solver(arm, BIASED, outputs=["tau"])
    found = log.solve_log(table)
    offsets = dataset.offsets(engine.Alone(), fleet, arm, BIASED, None, None, 50, False, None)
    assert list(offsets["offsets"]) == list(log.offsets["offsets"]) and len(offsets["offsets"]) == arm.nv
    for name, each in log.offsets["offsets"].items():
        assert abs(offsets["offsets"][name]["value"] - each["value"]) <= 1e-6 * each["sd"]
        assert offsets["offsets"][name]["sd"] == pytest.approx(each["sd"], rel=1e-9)
    done = sd.solve_dataset(fleet, arm, BIASED, tmp_path / "out", processes=2)
    assert done.offsets["columns"] == log.offsets["columns"]
    again = sd.open_log(done.folder).read()
    for name in arm.joint_names:
        assert np.abs(again[f"tau.{name}"].to_numpy() - found[f"tau.{name}"].to_numpy()).max() < 1e-9
    fit = dataset.chi_square(engine.Alone(), fleet, arm, BIASED, None, None, 50, False, "raise", None, None)
    assert fit.chi_square == pytest.approx(log.report["chi_square"]["sum"], rel=1e-12)
    assert fit.expected == log.report["chi_square"]["expected"]


def test_chi_square_by_robot_and_day(fleet, arm, solved, tmp_path):
    fit = dataset.chi_square(engine.Alone(), fleet, arm, SENSORS, None, None, 50, False, "raise", tmp_path / "page.html", None)
    solver = sd.Solver(arm, SENSORS, outputs=["tau"])
    table = solver.solve_log(one_table(fleet), innovations=True)
    report = solver.report
    assert abs(fit.chi_square - report["chi_square"]["sum"]) <= 1e-12 * fit.chi_square
    assert fit.expected == report["chi_square"]["expected"] and fit.rows == LOGS * ROWS
    for name, row in fit.columns.items():
        innovations = table[f"innovation.{name}"].to_numpy()
        assert row["count"] == np.count_nonzero(innovations)
        assert row["mean"] == pytest.approx(innovations.mean(), abs=1e-12)
        assert row["rms"] == pytest.approx(np.sqrt((innovations**2).mean()), rel=1e-12)
        assert row["worst"] == np.abs(innovations).max()
    days = sorted({day for _, day in fit.groups})
    assert len(days) == 2 and {robot for robot, _ in fit.groups} == {"r1", "r2"}
    off = fit.groups["r2", days[1]]["y.motors.joint2"]
    assert off["mean"] > 1.5 and all(abs(rows["y.motors.joint2"]["mean"]) < 0.5 for key, rows in fit.groups.items()
                                     if key != ("r2", days[1]))
    for page in (tmp_path / "page.html", solved.folder and (tmp_path / "page.html")):
        text = page.read_text()
        assert "y.motors.joint2" in text and days[1] in text and "<h3>Shifted" in text
        assert days[1].replace("-", "−") not in text  # a day is no number


def test_a_fleets_page_is_grouped_by_cause():
    """A shift makes the root mean square large, but no noise."""
    from sparsedyn._scale.page import _causes, _days, _grouped, _lead, _natural, offness

    numbers = {"count": 1000.0, "worst": 9.0, "rms": 1.0, "mean": 0.0}
    far, near, loud = {**numbers, "mean": 3.0, "rms": 10**0.5}, {**numbers, "mean": 1.0, "rms": 2**0.5}, {**numbers, "rms": 1.6}
    off = sorted(((offness(row), "r1", day, "y.a", row) for day, row in (("d1", near), ("d3", far), ("d2", loud))),
                 key=lambda each: -each[0])
    assert _causes(off) == [("shifted", "r1", "y.a", ["d1", "d3"], "d3", far),
                            ("noisier than stated", "r1", "y.a", ["d2"], "d2", loud)]
    fit = dataset.Fit(9.0, 8, 12000, 0, {}, {})
    assert _lead(fit, ["r1"], _causes(off)) == (
        "<b>y.a</b> of <b>r1</b> is shifted, on 2 days from d1 to d3, the worst d3: by 3.00 σ on average; 1 reading is off in all. "
        "1 robot over 12\u202f000 rows; chi-square is 9 where the stated noise makes 8 expected.")
    assert _lead(fit, ["r1"], _causes(off[:1])).startswith("<b>y.a</b> of <b>r1</b> is shifted, by 3.00 σ on average, on d3; 1 reading")
    both = off + [(1.2, "r2", "d1", "y.a", near), (1.1, "r1", "d1", "y.b", loud)]
    assert "3 readings are off in all" in _lead(fit, ["r1", "r2"], _causes(both))
    assert _lead(fit, ["r1"], []).startswith("No reading is off. 1 robot")
    assert sorted(["r10", "r9", "a", "10"], key=_natural) == ["10", "a", "r9", "r10"]
    assert sorted(["r²", "r1"], key=_natural) == ["r1", "r²"]  # a digit, but no number
    assert "2: d1 … d3" in _days(["d1", "d2", "d3"][::2]) and _grouped(1234567.2) == "1\u202f234\u202f567"


def informations(gathered):
    """[Y τ]ᵀ [Y τ] of each torque."""
    state, found = np.array(gathered._core.state()), []
    sizes = [order + 1 for order in gathered._core.orders()]
    head = (len(state) - sum(n * n for n in sizes)) // len(sizes)  # what else is said of each
    for n in sizes:
        triangle = state[head : head + n * n].reshape(n, n).T
        found.append(triangle.T @ triangle)
        state = state[head + n * n :]
    assert len(state) == 0
    return found


def test_identification_of_forty_pieces(fleet, arm):
    work = dataset.Work(arm)
    gathered = dataset.information(engine.Alone(), fleet, arm, None, 50, False, None)
    whole = sd.TorqueInformation(arm)
    whole.add_log(one_table(fleet))
    assert gathered.rows == whole.rows and work.sensors is None
    for one, other in zip(informations(gathered), informations(whole)):
        size = np.sqrt(np.outer(np.diag(other), np.diag(other)))  # |entry| is at most this
        assert np.all(np.abs(one - other) <= 1e-12 * size)
    first, second = (sd.identify(arm, each, fit="damping") for each in (gathered, whole))
    assert np.all(np.abs(first.value - second.value) <= 1e-6 * np.maximum(second.sd, 1e-12))
    assert first.chi_square == pytest.approx(second.chi_square, rel=1e-12)


def test_trees_are_fixed():
    assert sums.levels(1) == [1] and sums.levels(8) == [8, 1] and sums.levels(9) == [9, 2, 1] and sums.levels(65) == [65, 9, 2, 1]
    rng = np.random.default_rng(1)
    numbers = rng.standard_normal(100) * 10.0 ** rng.integers(-8, 8, 100)
    pieces = list(range(100))

    class Shuffled(engine.Alone):
        """Jobs end in another order than they began."""

        window = 7

        def completed(self):
            self._jobs.append(self._jobs.pop(rng.integers(len(self._jobs))))
            self._jobs.insert(0, self._jobs.pop())
            return super().completed()

    from sparsedyn._scale.fold import total

    found = {total(each, None, lambda _, k: numbers[k], lambda _, *x: sum(x[1:], x[0]), pieces, None).hex()
             for each in (engine.Alone(), *(Shuffled() for _ in range(20)))}
    assert len(found) == 1


def test_jobs_of_a_worker_that_dies(tmp_path):
    """The job that kills its process is told from its neighbours, which are done."""
    crew = engine.Processes(2)
    jobs = [(k, os._exit if k == 3 else abs, (1 if k == 3 else -k,)) for k in range(8)]
    done = {tag: (handle, error) for tag, handle, error in engine.run(crew, jobs)}
    crew.close()
    assert {tag: handle for tag, (handle, error) in done.items() if error is None} == {k: k for k in range(8) if k != 3}
    assert isinstance(done[3][1], engine.Lost)


def test_warnings_reach_the_caller(fleet, arm, tmp_path):
    """A wrench of which a log has some columns: the others are taken as 0, and that is said, once."""
    (tmp_path / "data").mkdir()
    for k in range(2):
        table = pyarrow.parquet.read_table(fleet / f"robot=r1/log0{2 * k}.parquet", partitioning=None).slice(0, 50)
        table = table.append_column(f"fx.{arm.link_names[-1]}.fz", pyarrow.array(np.zeros(50)))
        pyarrow.parquet.write_table(table, tmp_path / f"data/{k}.parquet")
    with pytest.warns(sd.SparsedynWarning, match="taken as 0") as said:
        sd.solve_dataset(tmp_path / "data", arm, "inverse-dynamics", tmp_path / "out", processes=2)
    assert len(said) == 1
    with pytest.raises(sd.DatasetError, match="nowhere missing"):
        sd.solve_dataset(tmp_path / "data", arm, SENSORS, tmp_path / "kept", keep=["nowhere"])


def test_what_it_refuses(fleet, arm, tmp_path):
    for options, word in (({"processes": 0}, "processes"), ({"on_error": "skip"}, "on_error"), ({"outputs": ["nothing"]}, "nothing")):
        with pytest.raises(ValueError, match=word):
            sd.solve_dataset(fleet, arm, SENSORS, tmp_path / "out", **options)
    with pytest.raises(sd.InputError, match="no such file"):
        sd.solve_dataset(tmp_path / "none", arm, SENSORS, tmp_path / "out")
    assert json.dumps(SENSORS)


def test_gaps_are_solved_alike_whatever_came_before(fleet, arm, tmp_path):
    """A pattern of gaps is planned anew in each piece: an answer's bits depend on its piece alone, not on what is in a cache."""
    data = tmp_path / "data"
    shutil.copytree(fleet, data)
    log = data / "robot=r1/log04.parquet"
    table = pyarrow.parquet.read_table(log, partitioning=None)
    for name in ("y.motors.joint1", "y.gauges.joint1", "y.encoders.joint3"):
        values = table[name].to_numpy().copy()
        values[::3] = np.nan
        table = table.set_column(table.column_names.index(name), name, pyarrow.array(values))
    pyarrow.parquet.write_table(table, log)
    one = sd.solve_dataset(data, arm, SENSORS, tmp_path / "one", outputs=["tau.joint2"])
    other = sd.solve_dataset(data, arm, SENSORS, tmp_path / "other", outputs=["tau.joint2"], processes=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "other") and one.rows == other.rows


def test_scaled_deviations_are_refused_not_left_unscaled(tmp_path, arm, fleet):
    with pytest.raises(ValueError, match="sd: 'scaled'; expected True or False"):
        sd.solve_dataset(fleet, arm, SENSORS, tmp_path / "out", sd="scaled")
    assert not (tmp_path / "out").exists()
