"""The folder that results go to: nothing of anybody else's is removed, and nothing of ours is left behind."""

import os
import shutil

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import sparsedyn as sd

SPARK = "part-00000-6f1c0f5e-3a4d-4a53-9a3e-0c1f5c2d7b11-c000.snappy.parquet"
LIKE_OURS = f"part-{'0' * 32}.parquet"  #: by its name, not by what it says


@pytest.fixture
def data(tmp_path):
    """Three files."""
    (tmp_path / "data").mkdir()
    for k in range(3):
        write(tmp_path / f"data/{k}.parquet", k)
    return tmp_path / "data"


def write(path, value):
    pyarrow.parquet.write_table(pyarrow.table({"time": np.arange(5.0), "q.a": np.full(5, float(value))}), path)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def solve(data, out, **options):
    arm = sd.load_urdf(os.path.join(os.path.dirname(__file__), "../../robots/arm.urdf"))
    return sd.solve_dataset(data, arm, "inverse-dynamics", out, **options)


@pytest.mark.parametrize("name", [SPARK, LIKE_OURS, "part-1.parquet", "_SUCCESS", "notes.txt", ".part-00000.crc", "sub/a.parquet",
                                  f"part-{'1' * 32}.parquet/a.parquet", f".part-{'1' * 32}.mine.tmp"])
@pytest.mark.parametrize("manifest", [False, True])
def test_what_is_not_ours_is_refused_and_stays(data, tmp_path, name, manifest):
    """With and without a manifest of ours beside it, and whether it may be overwritten or not."""
    out = tmp_path / "out"
    out.mkdir()
    if manifest:
        sd.convert(data, out)
    (out / name).parent.mkdir(exist_ok=True)
    if name.endswith(".parquet"):
        write(out / name, 7)
    else:
        (out / name).write_text("theirs")
    theirs, before = (out / name).read_bytes(), contents(out)
    for call in (sd.convert, solve):
        with pytest.raises(ValueError, match="overwrite=True") as error:
            call(data, out)
        assert name.split("/")[0] in str(error.value) and contents(out) == before
    made = sd.convert(data, out, overwrite=True)
    assert made.rows == 15 and (out / name).read_bytes() == theirs
    assert sd.open_log(out).read().num_rows == 15


def test_a_run_without_its_manifest_is_resumed(data, tmp_path):
    out = tmp_path / "out"
    whole = sd.convert(data, out)
    expected = contents(out)
    (out / "_manifest.json").unlink()
    (out / whole.parts[1]["file"]).unlink()
    assert sd.convert(data, out).made == 1 and contents(out) == expected
    (out / "_manifest.json").unlink()
    write(data / "1.parquet", 5)  # changed: its old part is ours by its footer, and goes
    assert sd.convert(data, out).made == 1 and len(list(out.glob("part-*"))) == 3
    assert sd.open_log(out).read()["q.a"].to_pylist()[5] == 5


def test_parts_that_the_manifest_lists_are_ours_whatever_they_hold(data, tmp_path):
    out = tmp_path / "out"
    part = out / sd.convert(data, out).parts[0]["file"]
    part.write_bytes(part.read_bytes()[:100])  # the disk failed
    write(data / "0.parquet", 9)
    assert sd.convert(data, out).made == 1 and not part.exists()


def test_unfinished_results_of_another_data_set_stay(data, tmp_path):
    (tmp_path / "other").mkdir()
    write(tmp_path / "other/mine.parquet", 1)
    out = tmp_path / "out"
    part = sd.convert(tmp_path / "other", out).parts[0]["file"]
    with pytest.raises(ValueError, match="holds results of"):
        sd.convert(data, out)
    (out / "_manifest.json").unlink()
    with pytest.raises(ValueError, match=r"unfinished result of mine.parquet\[0:1\], which this data set lacks"):
        sd.convert(data, out)
    assert os.listdir(out) == [part]
    assert sd.convert(data, out, overwrite=True).made == 3 and not (out / part).exists()


def test_temporary_files_of_ours_are_removed(data, tmp_path):
    """Of any run that ended before its time, also one of other inputs."""
    out = tmp_path / "out"
    out.mkdir()
    for name in (f".part-{'a' * 32}.{'b' * 32}.tmp", f".manifest.{'c' * 32}.tmp"):
        (out / name).write_text("begun")
    made = sd.convert(data, out)
    assert sorted(os.listdir(out)) == sorted(["_manifest.json", *(part["file"] for part in made.parts)])


def test_links_are_links(data, tmp_path):
    """A part that became a link to somebody's file: the link goes, the file stays."""
    out = tmp_path / "out"
    part = sd.convert(data, out).parts[0]["file"]
    write(tmp_path / "precious.parquet", 3)
    precious = (tmp_path / "precious.parquet").read_bytes()
    (out / part).unlink(), (out / part).symlink_to(tmp_path / "precious.parquet")
    sd.convert(data, out)
    write(data / "0.parquet", 9)
    sd.convert(data, out)
    assert (tmp_path / "precious.parquet").read_bytes() == precious and sd.open_log(out).read().num_rows == 15


@pytest.mark.parametrize("text, words", [
    ("[]", "manifest"), ("{", "JSON"), ('{"parts": 5}', "parts"), ('{"parts": [5]}', r"parts\[0\]"),
    ('{"parts": [{"file": "../x", "input": "a", "rows": 1, "failed": 0, "bytes": 1, "messages": [], "warnings": []}]}', "'../x'"),
    ('{"parts": [{"file": "F", "input": "a", "rows": -5, "failed": 0, "bytes": 1, "messages": [], "warnings": []}]}', "rows: -5"),
    ('{"parts": [{"file": "F", "input": "a", "rows": 1, "failed": true, "bytes": 1, "messages": [], "warnings": []}]}', "failed: True"),
    ('{"parts": [{"file": "F", "input": "a", "rows": 1, "failed": 0, "bytes": 1e3, "messages": [], "warnings": []}]}', "bytes: 1000.0"),
    ('{"parts": [{"file": "F", "input": 1, "rows": 1, "failed": 0, "bytes": 1, "messages": [], "warnings": []}]}', "input: 1"),
    ('{"parts": [{"file": "F", "input": "a", "rows": 1, "failed": 0, "bytes": 1, "messages": 5, "warnings": []}]}', "messages: 5"),
    ('{"parts": []}', "parts"), ("[" * 100_000, "RecursionError"), (b"\xff\xfe", "UnicodeDecodeError"),
])
def test_manifests_that_are_none(data, tmp_path, text, words):
    """Read as InputError, written over by nobody."""
    out = tmp_path / "out"
    out.mkdir()
    text = text.replace('"F"', f'"part-{"0" * 32}.parquet"') if isinstance(text, str) else text
    (out / "_manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(sd.InputError, match=words) as error:
        sd.open_log(out)
    assert "_manifest.json" in str(error.value) and "expected" in str(error.value)
    before = contents(out)
    for overwrite in (False, True):
        with pytest.raises(ValueError, match="_manifest.json"):
            sd.convert(data, out, overwrite=overwrite)
        assert contents(out) == before


def test_a_report_in_the_folder_of_results(data, tmp_path, arm):
    """The page that the call itself writes may lie there."""
    log, out = sd.simulate(arm, seconds=0.3, rate=100), tmp_path / "out"
    shutil.rmtree(data), data.mkdir()
    pyarrow.parquet.write_table(log, data / "a.parquet")
    for _ in range(2):
        assert solve(data, out, report=out / "fleet.html").rows == 30
    with pytest.raises(ValueError, match="fleet.html"):
        solve(data, out)


def test_a_report_over_what_is_read_or_made(data, tmp_path, arm):
    shutil.rmtree(data), data.mkdir()
    log, out = data / "a.parquet", tmp_path / "out"
    pyarrow.parquet.write_table(sd.simulate(arm, seconds=0.3, rate=100), log)
    urdf = tmp_path / "arm.urdf"
    shutil.copy(os.path.join(os.path.dirname(__file__), "../../robots/arm.urdf"), urdf)
    (tmp_path / "set.json").write_text(sd.SensorSet("inverse-dynamics").json)
    (tmp_path / "link").symlink_to(log), os.link(log, tmp_path / "same")
    robot, before = sd.load_urdf(urdf), log.read_bytes()
    for page in (log, tmp_path / "link", tmp_path / "same", urdf, tmp_path / "set.json"):
        with pytest.raises(ValueError, match="which this call reads"):
            sd.solve_dataset(data, robot, tmp_path / "set.json", out, report=page)
    for page in (out / "_manifest.json", out / f"part-{'0' * 32}.parquet"):
        with pytest.raises(ValueError, match="a result of this call"):
            sd.solve_dataset(data, robot, tmp_path / "set.json", out, report=page)
    assert log.read_bytes() == before and not out.exists() and "<robot" in urdf.read_text()
