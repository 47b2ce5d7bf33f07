"""Mappings, manifests and names that nobody means: InputError or DatasetError with their place, in one line."""

import json
import os
import re

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from test_formats import lerobot, mapping, record

import sparsedyn as sd

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def mcap_file(tmp_path_factory):
    return record(tmp_path_factory.mktemp("recorded") / "log.mcap", 0.2)


def deep(levels=5000):
    made = {}
    for _ in range(levels):
        made = {"a": made}
    return made


@pytest.mark.parametrize("given, words", [
    ({"topics": 5}, "topics: 5; expected an object"), ({"features": 5}, "features: 5"), ({"features": {"a": 5}}, "a: 5"),
    (mapping(clock={"rate": 1e-9}), "clock.rate: 1e-09; expected a number from 1e-06 to 1e"),
    (mapping(clock={"rate": 1e300}), "clock.rate"),
    (mapping(clock={"rate": float("nan")}), "clock.rate: nan"), (mapping(clock={"rate": 10**400}), "clock.rate"),
    (mapping(clock={"topic": ["a"]}), r"clock.topic: \['a'\]"), (mapping(clock=[]), r"clock: \[\]"),
    (mapping(latency=1e300), "latency: 1e"),
    (mapping(latency=True), "latency: True"), (mapping(stamp=["log"]), "stamp"), (mapping(differentiate={"window": 1e9}), "window"),
    ({"topics": {"/joints": {"position": "q", "resample": ["hold"]}}}, "resample"), ({"topics": {"/joints": []}}, "/joints"),
    ({"topics": {"/joints": {"position": "q\udcff"}}}, "printable"), ({"topics": {"/joints": {"position": "q\u202e"}}}, "printable"),
    ({"topics": {"/joints": {"position": "q", "joints": {"a": "\x1b"}}}}, "printable"),
    ({"topics": {"/joints": {"position": "q", "joints": 5}}}, "joints: 5"),
    ({"features": {"a": {"to": "q", "unit": ["deg"]}}}, "unit"), ({"features": {"a": {"to": "q", "scale": 10**400}}}, "scale"),
    ({"topics": {"x" * 5000: 5}}, "x{200}…"), ({"clock": "y" * 5000}, "y{199}…"), ({"a": object()}, "JSON"), (deep(), "recursion"),
])
def test_mappings_that_are_none(mcap_file, given, words):
    with pytest.raises(sd.InputError, match=f"<mapping>: .*{words}") as error:
        sd.open_log(mcap_file, given)
    assert len(str(error.value)) < 800 and str(error.value).isprintable()


@pytest.mark.parametrize("text", [DEEP, b"\xff\xfe", "{", '{"topics": 1' + "0" * 5000 + "}", "null", '"a"'])
def test_files_that_are_no_mappings(mcap_file, tmp_path, text):
    (tmp_path / "map.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(sd.InputError, match="map.json.*expected") as error:
        sd.open_log(mcap_file, tmp_path / "map.json")
    assert len(str(error.value)) < 800


@pytest.mark.parametrize("key, value", [
    ("fps", "a"), ("fps", [1]), ("fps", 10**400), ("features", 5), ("features", {"a": 5}), ("features", {"a": {"dtype": 5}}),
    ("features", {"a": {"dtype": "float32", "shape": ["x"]}}), ("features", {"a": {"dtype": "float32", "shape": [1e300]}}),
    ("features", {"a": {"dtype": "float32", "shape": [10**12]}}), ("codebase_version", [[]]),
])
def test_lerobots_info(tmp_path, key, value):
    folder = lerobot(tmp_path / "set", 1, 5)
    path = folder / "meta/info.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(sd.InputError, match="info.json"):
        sd.open_log(folder)


def table():
    return pyarrow.table({"time": np.arange(5.0), "q.a": np.arange(5.0)})


def test_columns_whose_names_are_no_text(tmp_path):
    pyarrow.parquet.write_table(table(), tmp_path / "a.parquet", store_schema=False, write_statistics=False)
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data.replace(b"q.a", b"q.\xff"))
    with pytest.raises(sd.InputError, match="a.parquet: file: .*utf-8.*expected a whole Parquet file"):
        sd.open_log(tmp_path / "a.parquet")
    with pytest.raises(sd.DatasetError, match="1 of 1 pieces failed: a.parquet"):
        sd.convert(tmp_path / "a.parquet", tmp_path / "out")


def test_paths_that_are_no_text(tmp_path):
    """Linux lets names be any bytes; Python holds them as surrogates."""
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff")
    os.mkdir(odd)
    pyarrow.parquet.write_table(table(), tmp_path / "a.parquet")
    with pytest.raises(sd.InputError, match=r"odd\\udcff: out: bytes that are no text"):
        sd.convert(tmp_path / "a.parquet", odd)
    os.rename(tmp_path / "a.parquet", f"{odd}/a.parquet")
    for call in (lambda: sd.open_log(odd), lambda: sd.open_log(f"{odd}/a.parquet")):
        with pytest.raises(sd.InputError, match=r"odd\\udcff/a.parquet") as error:
            call().read()
        str(error.value).encode()
    with pytest.raises(sd.DatasetError, match="1 of 1 pieces failed: a.parquet") as error:
        sd.convert(odd, tmp_path / "out")
    str(error.value).encode()
    os.rename(odd, os.fsdecode(os.fsencode(tmp_path) + b"/robot=\xff"))
    with pytest.raises(sd.InputError, match=r"folder: 'robot=\\udcff'; expected KEY=VALUE"):
        sd.open_log(tmp_path)


def test_a_line_that_does_not_end(tmp_path, monkeypatch):
    from sparsedyn._scale import csv

    monkeypatch.setattr(csv, "BYTES_A_PIECE", 1 << 16)
    (tmp_path / "a.csv").write_text("time,q.a\n" + "1" * (3 << 20))
    with pytest.raises(sd.InputError, match="a.csv: row: a line of more than 1048576 bytes"):
        sd.open_log(tmp_path / "a.csv").read()


def test_messages_are_one_line_that_turns_nothing():
    error = sd.InputError("a\x1b.csv: column \u202e" + "n" * 1000 + "\n: \udcff; expected b", "a\x1b.csv")
    assert str(error).startswith("a\\x1b.csv: column \\u202e" + "n" * 199 + "…")
    assert str(error).isprintable() and len(str(error)) < 300 and error.file == "a\x1b.csv"
    long = "/".join(["folder"] * 100) + "/a.csv"
    assert str(sd.InputError(f"{long}: row: 5", long)).startswith(long)
    assert len(str(sd.DatasetError(["a" * 1000], ["b" * 1000], 1))) < 500


@pytest.mark.parametrize("options", [{"use_dictionary": False, "compression": "zstd"}, {"use_dictionary": True, "compression": "snappy"}])
def test_bits_of_parquet_that_flipped(tmp_path, options):
    """Where pages have checksums: the same numbers, an error, or a column of another name; never other rows without a word. In a
    footer, which has none, types and counts are held to each other."""
    rng = np.random.default_rng(1)
    whole = pyarrow.table({"time": np.arange(20.0), **{name: rng.standard_normal(20) for name in ("q.a", "tau.a")}})
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(whole, path, write_page_checksum=True, **options)
    data, refused = path.read_bytes(), 0
    for bit in sorted(rng.choice(8 * len(data), 1200, replace=False)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(flipped)
        try:
            found = sd.open_log(path).read()
            assert found.equals(whole) or found.column_names != whole.column_names, int(bit)
        except sd.InputError as error:
            refused += "a.parquet" in str(error)
    assert refused > 400


def test_a_parts_columns_are_named_twice(tmp_path):
    """A name that flipped in the footer of what convert wrote."""
    pyarrow.parquet.write_table(table(), tmp_path / "a.parquet")
    made = sd.convert(tmp_path / "a.parquet", tmp_path / "out")
    part = tmp_path / "out" / made.parts[0]["file"]
    data = part.read_bytes()
    at = data.rindex(b"q.a", 0, data.rindex(b"sparsedyn"))
    for place in (data.index(b"q.a"), at):
        flipped = bytearray(data)
        flipped[place + 2] ^= 2
        part.write_bytes(flipped)
        try:
            assert sd.open_log(tmp_path / "out").read().column_names == ["time", "q.a"]
        except sd.InputError as error:
            assert "q.c, and in the schema beside it q.a" in str(error) or "whole Parquet" in str(error)


def test_generated_text_turns_nothing():
    """A robot's name in comments of C and in the manifest; the manifest means the same."""
    arm = open(os.path.join(os.path.dirname(__file__), "../../robots/arm.urdf"), encoding="utf-8").read()
    name = "r\u202e\u2066 x\u200f"
    robot = sd.load_urdf(re.sub(r'(<robot[^>]*name=")[^"]*', lambda found: found[1] + name, arm, count=1))
    program = sd.generate(robot, "rnea", name="f")
    for written in (program.source, program.header):
        assert all(letter not in written for letter in "\u202e\u2066\u200f")
