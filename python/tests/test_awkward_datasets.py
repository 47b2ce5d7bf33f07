"""Data sets as people have them: empty and mixed files, links, folders that cannot be read. No row is lost, and none waits."""

import os
import threading

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import sparsedyn as sd
from sparsedyn._scale import dataset, engine, parquet, work

ROWS = 60


@pytest.fixture(scope="module")
def log(arm):
    return sd.simulate(arm, seconds=ROWS / 100, rate=100)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pyarrow.array(values))


def solved(data, arm, out, **options):
    return sd.solve_dataset(data, arm, "inverse-dynamics", out, **options)


def expected_rows(found, log, times):
    """The log's answers, as often as it is in the data set."""
    table = sd.open_log(found.folder).read()
    assert found.rows == table.num_rows == ROWS * times
    for name in (name for name in log.column_names if name.startswith("tau.")):
        assert np.abs(table[name].to_numpy() - np.tile(log[name].to_numpy(), times)).max() < 1e-9
    return table


@pytest.mark.parametrize("processes", [1, 2])
def test_an_empty_file_is_no_rows_and_has_the_others_columns(arm, log, tmp_path, processes):
    """The first file: readers of a folder take its columns for all."""
    data = tmp_path / "data/robot=r1"
    data.mkdir(parents=True)
    pyarrow.parquet.write_table(log.slice(0, 0), data / "a.parquet")
    pyarrow.parquet.write_table(log, data / "b.parquet")
    (data / "c.csv").write_text(",".join(log.column_names) + "\n")
    found = solved(tmp_path / "data", arm, tmp_path / "out", processes=processes)
    table = expected_rows(found, log, 1)
    assert table.column_names[:2] == ["time", "robot"] and len(found.parts) == 3
    for part in found.parts:
        assert pyarrow.parquet.read_schema(os.path.join(found.folder, part["file"])).equals(table.schema)
    first, *_ = sorted(os.listdir(found.folder))
    assert pyarrow.parquet.read_table(found.folder).column_names == table.column_names, first
    converted = sd.convert(tmp_path / "data", tmp_path / "converted")
    assert converted.rows == ROWS and sd.open_log(converted.folder).read().column_names == [*log.column_names, "robot"]


def test_times_of_other_kinds(arm, log, tmp_path):
    """Whole numbers, single precision and timestamps in a column of seconds; the answers do not depend on it."""
    data = tmp_path / "data"
    data.mkdir()
    time = log["time"].to_numpy()
    for k, values in enumerate((time, time.astype(np.float32), np.arange(ROWS))):
        pyarrow.parquet.write_table(with_column(log, "time", values), data / f"{k}.parquet")
    table = expected_rows(solved(data, arm, tmp_path / "out"), log, 3)
    assert table["time"].type == pyarrow.float64() and table["time"][3 * ROWS - 1].as_py() == ROWS - 1
    with pytest.raises(sd.InputError, match="time: double, later float; expected the same columns"):
        sd.open_log(data).read()
    assert sum(batch.num_rows for batch in sd.open_log(data)) == 3 * ROWS
    stamps = pyarrow.array(np.datetime64("2026-11-22T10:00:00", "ms") + np.arange(ROWS)).cast(pyarrow.timestamp("ns"))
    (tmp_path / "stamped").mkdir()
    pyarrow.parquet.write_table(with_column(log, "time", stamps), tmp_path / "stamped/a.parquet")
    gauged = {"sensors": [{"name": "m", "type": "joint_torque", "joint": "*", "sigma": 1},
                          {"name": "a", "type": "joint_acceleration", "joint": "*", "sigma": 1},
                          {"name": "air", "type": "external_wrench", "link": "*", "value": 0}]}
    fit = dataset.chi_square(engine.Alone(), tmp_path / "stamped", arm, gauged, None, None, 500_000, False, "raise", None, None)
    assert list(fit.groups) == [("all", "2026-11-22")] and fit.rows == ROWS
    words = with_column(log, "time", [f"{t:.3f} s" for t in time])
    pyarrow.parquet.write_table(words, tmp_path / "stamped/a.parquet")
    with pytest.raises(sd.DatasetError, match="time: string; expected numbers or timestamps"):
        solved(tmp_path / "stamped", arm, tmp_path / "none")


def test_rows_without_a_time(arm, log, tmp_path):
    time = log["time"].to_numpy().copy()
    time[[0, 7]] = np.nan
    for k, values in enumerate((time, log["time"].to_numpy(), time)):
        (tmp_path / "data").mkdir(exist_ok=True)
        pyarrow.parquet.write_table(with_column(log, "time", values), tmp_path / f"data/{k}.parquet")
    with pytest.warns(sd.SparsedynWarning, match="time: rows without a finite number") as said:
        found = solved(tmp_path / "data", arm, tmp_path / "out")
    assert len(said) == 1 and [len(part["warnings"]) for part in found.parts] == [1, 0, 1]
    assert np.isnan(expected_rows(found, log, 3)["time"].to_numpy()).sum() == 4


def test_columns_of_other_files(arm, log, tmp_path):
    """In another order, with more of them, in single precision: taken by name. One too few: named."""
    data = tmp_path / "data"
    data.mkdir()
    pyarrow.parquet.write_table(log, data / "a.parquet")
    pyarrow.parquet.write_table(log.select(log.column_names[::-1]).append_column("more", log["time"]), data / "b.parquet")
    expected_rows(solved(data, arm, tmp_path / "out"), log, 2)
    for words, other in (("more added", log.append_column("more", log["time"])), ("time missing", log.drop_columns("time"))):
        pyarrow.parquet.write_table(other, data / "b.parquet")
        with pytest.raises(sd.InputError, match=words):
            sd.open_log(data).read()
    pyarrow.parquet.write_table(log.drop_columns("q.joint2"), data / "b.parquet")
    with pytest.raises(sd.DatasetError, match=r"1 of 2 pieces failed: b.parquet.*q.joint2 missing"):
        solved(data, arm, tmp_path / "other")


def test_numbers_of_other_kinds(arm, log, tmp_path):
    """Dictionaries, decimals and text hold the same numbers; gaps, times and vectors are named with their file, not taken for some."""
    data = tmp_path / "data"
    data.mkdir()
    values = log["q.joint2"]
    same = {"dictionary": values.combine_chunks().dictionary_encode(), "text": pyarrow.array([repr(x) for x in values.to_pylist()]),
            "decimal": values.cast(pyarrow.decimal128(38, 17), safe=False)}
    for name, column in same.items():
        pyarrow.parquet.write_table(with_column(log, "q.joint2", column), data / f"{name}.parquet")
    expected_rows(solved(data, arm, tmp_path / "out"), log, len(same))
    gap = pyarrow.array([None if k == 5 else x for k, x in enumerate(values.to_pylist())])
    for column, words in ((gap, r"1 of 60 rows failed: row 5: q\[1\] is not finite"), (pyarrow.nulls(ROWS), "60 of 60 rows failed"),
                          (pyarrow.array(np.arange(ROWS)).cast(pyarrow.timestamp("ns")), "q.joint2.*timestamp.*expected numbers"),
                          (pyarrow.array([[x] for x in values.to_pylist()]), "q.joint2.*list.*expected numbers"),
                          (pyarrow.array(np.full(ROWS, 2**60 + 1)), "q.joint2.*1152921504606846977.*expected numbers")):
        pyarrow.parquet.write_table(with_column(log, "q.joint2", column), data / "text.parquet")
        with pytest.raises(sd.DatasetError, match=f"1 of 3 pieces failed: text.parquet.*{words}"):
            solved(data, arm, tmp_path / "other")
    twice = pyarrow.Table.from_arrays([*log.columns, values], names=[*log.column_names, "q.joint1"])
    pyarrow.parquet.write_table(twice, data / "text.parquet")
    with pytest.raises(sd.DatasetError, match="q.joint1 more than once"):
        solved(data, arm, tmp_path / "other")


def test_folders_that_are_columns(arm, log, tmp_path):
    """A file's own column counts before its folder's; one beside a result of that name is refused; names differ by case."""
    for folder in ("robot=r1", "robot=R1", "robot=r1/log", "robot=r1/more/log"):
        (tmp_path / "data" / folder).mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(log, tmp_path / "data" / folder / "a.parquet")
    table = expected_rows(solved(tmp_path / "data", arm, tmp_path / "out"), log, 4)
    assert sorted(set(table["robot"].to_pylist())) == ["R1", "r1"] and table["robot"].to_pylist().count("R1") == ROWS
    pyarrow.parquet.write_table(log, tmp_path / "data/b.parquet")  # of no robot: the column is there, for others read parts by the first's
    found = solved(tmp_path / "data", arm, tmp_path / "mixed", on_error="nan")
    assert expected_rows(found, log, 5)["robot"].null_count == ROWS == sd.open_log(tmp_path / "data").read()["robot"].null_count
    for part in found.parts:
        assert "robot" in pyarrow.parquet.read_schema(os.path.join(found.folder, part["file"])).names
    (tmp_path / "own/time=5").mkdir(parents=True)
    pyarrow.parquet.write_table(log, tmp_path / "own/time=5/a.parquet")
    assert expected_rows(solved(tmp_path / "own", arm, tmp_path / "of-own"), log, 1)["time"].equals(log["time"])
    (tmp_path / "result/tau.joint1=5").mkdir(parents=True)
    pyarrow.parquet.write_table(log, tmp_path / "result/tau.joint1=5/a.parquet")
    for data, options in ((tmp_path / "result", {}), (tmp_path / "own", {"keep": ["tau.joint1"]})):
        with pytest.raises(sd.DatasetError, match="tau.joint1 of the input beside results of that name"):
            solved(data, arm, tmp_path / "refused", **options)


def test_a_set_whose_included_files_change(arm, log, tmp_path, monkeypatch):
    """However deep: other sensors make other results, under another name. So does another version of this package."""
    (tmp_path / "data").mkdir()
    pyarrow.parquet.write_table(log, tmp_path / "data/a.parquet")
    (tmp_path / "set.json").write_text('{"include": "robots/all.json", "sensors": []}')
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots/all.json").write_text('{"include": ["../joints.json"], "sensors": []}')
    made = []
    for value in (0, 5):
        (tmp_path / "joints.json").write_text(
            '{"sensors": [{"name": "a", "type": "joint_acceleration", "joint": "*"}, {"name": "air", "type": "external_wrench", '
            f'"link": "*", "value": {value}}}]}}')
        found = sd.solve_dataset(tmp_path / "data", arm, tmp_path / "set.json", tmp_path / "out")
        made.append((found.made, sd.open_log(found.folder).read()["tau.joint2"].to_numpy()))
    assert [count for count, _ in made] == [1, 1] and np.abs(made[0][1] - made[1][1]).max() > 1
    for version, count in ((sd.__version__, 0), ("another", 1)):
        monkeypatch.setattr(work._core, "version", version)
        assert sd.solve_dataset(tmp_path / "data", arm, tmp_path / "set.json", tmp_path / "out").made == count


def test_folders_that_are_links(arm, log, tmp_path):
    (tmp_path / "disk").mkdir(), (tmp_path / "data").mkdir()
    pyarrow.parquet.write_table(log, tmp_path / "disk/a.parquet")
    (tmp_path / "data/robot=r1").symlink_to(tmp_path / "disk")
    pyarrow.parquet.write_table(log, tmp_path / "data/b.parquet")
    assert solved(tmp_path / "data", arm, tmp_path / "out").rows == 2 * ROWS
    (tmp_path / "disk/back").symlink_to(tmp_path / "data")
    with pytest.raises(sd.InputError, match="a link to a folder that it lies in"):
        sd.open_log(tmp_path / "data")
    (tmp_path / "disk/back").unlink()
    (tmp_path / "data/robot=r2").symlink_to(tmp_path / "nowhere")
    with pytest.raises(sd.InputError, match="robot=r2: a link to nothing"):
        sd.open_log(tmp_path / "data")
    (tmp_path / "data/robot=r2").unlink()
    (tmp_path / "data/c.parquet").symlink_to(tmp_path / "nowhere.parquet")
    with pytest.raises(sd.DatasetError, match="1 of 3 pieces failed: c.parquet"):
        solved(tmp_path / "data", arm, tmp_path / "other")


def test_a_folder_that_cannot_be_read(arm, log, tmp_path, monkeypatch):
    (tmp_path / "data/closed").mkdir(parents=True)
    pyarrow.parquet.write_table(log, tmp_path / "data/a.parquet")
    plain = os.listdir

    def listed(folder="."):
        if os.path.basename(folder) == "closed":
            raise PermissionError(13, "Permission denied")
        return plain(folder)

    monkeypatch.setattr(os, "listdir", listed)  # root reads everything
    with pytest.raises(sd.InputError, match="closed: Permission denied; expected a folder that can be read"):
        solved(tmp_path / "data", arm, tmp_path / "out")


def test_files_that_are_not_read_are_named(log, tmp_path):
    pyarrow.parquet.write_table(log, tmp_path / "a.parquet")
    for name in ("b.csv.gz", "c.db3", "notes.txt", ".hidden.gz"):
        (tmp_path / name).write_text("")
    (tmp_path / "d.parquet.part").write_bytes((tmp_path / "a.parquet").read_bytes()[:1000])
    with pytest.warns(sd.SparsedynWarning, match="not read: b.csv.gz, c.db3, d.parquet.part; expected files that end") as said:
        assert sd.open_log(tmp_path).read().num_rows == ROWS
    assert len(said) == 1


def test_results_as_data_sets(arm, log, tmp_path):
    """Within a folder by their manifest; without one, some may be missing. And no result lies where it would be read next time."""
    (tmp_path / "raw").mkdir()
    for k in range(2):
        pyarrow.parquet.write_table(log, tmp_path / f"raw/{k}.parquet")
    made = sd.convert(tmp_path / "raw", tmp_path / "decoded/robot=r1")
    assert solved(tmp_path / "decoded", arm, tmp_path / "out").rows == 2 * ROWS
    (tmp_path / "decoded/robot=r1/_manifest.json").write_text("{}")
    with pytest.raises(sd.InputError, match="_manifest.json: KeyError.*expected what solve_dataset or convert wrote"):
        sd.open_log(tmp_path / "decoded")
    (tmp_path / "decoded/robot=r1/_manifest.json").unlink()
    for folder in (tmp_path / "decoded", made.folder):
        with pytest.raises(sd.InputError, match="parts without _manifest.json"):
            sd.open_log(folder)
    with pytest.raises(ValueError, match="lies within the data set"):
        solved(tmp_path / "raw", arm, tmp_path / "raw/solved")
    assert not (tmp_path / "raw/solved").exists()
    assert solved(tmp_path / "raw", arm, tmp_path / "raw/_solved").rows == 2 * ROWS == solved(tmp_path / "raw", arm,
                                                                                           tmp_path / "raw/_solved").rows


def test_a_mapping_that_is_of_no_use(log, tmp_path):
    pyarrow.parquet.write_table(log, tmp_path / "a.parquet")
    (tmp_path / "map.json").write_text('{"features": {"a": {"to": "q"}}')
    for given, words in (({"features": {"a": {"to": "q"}}}, "mapping: a data set of parquet"), (tmp_path / "map.json", "map.json:1: "),
                         (tmp_path / "none.json", "No such file")):
        with pytest.raises(sd.InputError, match=words):
            sd.open_log(tmp_path / "a.parquet", given)


def test_pages_that_were_spoilt_are_found(arm, log, tmp_path):
    """A byte that flipped on a disk is no number: parts have checksums, and files that have them are held to them."""
    (tmp_path / "raw").mkdir()
    pyarrow.parquet.write_table(log, tmp_path / "raw/a.parquet")
    made = sd.convert(tmp_path / "raw", tmp_path / "decoded")
    part = tmp_path / "decoded" / made.parts[0]["file"]
    place = pyarrow.parquet.read_metadata(part).row_group(0).column(log.column_names.index("q.joint1"))
    data = bytearray(part.read_bytes())
    data[place.data_page_offset + place.total_compressed_size - 5] ^= 4
    part.write_bytes(data)
    with pytest.raises(sd.DatasetError, match="1 of 1 pieces failed.*whole Parquet"):
        solved(tmp_path / "decoded", arm, tmp_path / "out")


def test_the_next_batch_is_read_while_one_is_solved(arm, log, tmp_path, monkeypatch):
    """Batch k + 1 is read before batch k is given back."""
    pyarrow.parquet.write_table(pyarrow.concat_tables([log] * 4), tmp_path / "a.parquet", row_group_size=ROWS)
    read = [threading.Event() for _ in range(4)]
    plain = parquet.batches

    def watched(*arguments, **options):
        for k, batch in enumerate(plain(*arguments, **options)):
            read[k].set()
            yield batch

    monkeypatch.setattr(parquet, "batches", watched)
    monkeypatch.setattr(work, "ROWS", ROWS)
    from sparsedyn._scale.pieces import pieces_of

    asked = work.Work(arm, sd.SensorSet("inverse-dynamics"), outputs=("tau",))
    solved_piece = work.Solved(asked, pieces_of(tmp_path / "a.parquet")[0])
    solved_piece.reader = work.RowReader(asked, solved_piece.piece, ROWS)
    for k, (batch, _) in enumerate(solved_piece):
        assert batch.num_rows == ROWS and (k == 3 or read[k + 1].wait(20)), k
    assert k == 3
