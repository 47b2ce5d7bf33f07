"""MCAP files that are damaged, or made to take memory: refused or read, in memory that a clean log takes too."""

import io
import json
import pathlib
import random
import struct
import subprocess
import sys
import warnings
import zlib

import numpy as np
import pytest
from test_recordings import ARM, START, mapping, publisher, same, states, stray

import sparsedyn as sd

mcap_writer = pytest.importorskip("mcap.writer")
SLACK = 64 << 20  #: bytes that a hostile log may take beyond a clean one: the largest chunk that is opened without a doubt

MEASURED = """
import sys, json, warnings
sys.path[:0] = json.loads(sys.argv[1])
import sparsedyn as sd
warnings.simplefilter("ignore")
path, out, mapping, options = sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), json.loads(sys.argv[5])
said = []
for call in (lambda: sum(batch.num_rows for batch in sd.open_log(path, mapping, **options)),
             lambda: sd.convert(path, out, mapping, **options).rows):
    try:
        said.append(call())
    except (sd.InputError, sd.DatasetError) as error:
        said.append(str(error))
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([int(peak) * 1024, said]))
"""  # of this program alone: getrusage also counts what the process that started it had


def measured(path, folder, given, **options):
    """Peak memory of open_log and convert in a process of their own, in bytes, and what they said."""
    arguments = [json.dumps(sys.path), str(path), str(folder / f"out-{pathlib.Path(path).stem}"), json.dumps(given), json.dumps(options)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clean")
    path = states(folder / "clean.mcap", stray("none"))
    return {name: measured(path, folder, mapping(clock=clock))[0] for name, clock in
            (("topic", {"topic": "/joints"}), ("rate", {"rate": 500}))}


@pytest.mark.parametrize("kind, clock", [("a day late", "rate"), ("a day late", "topic"), ("the last a day late", "rate"), ("1970", "rate"),
                                         ("one of 1970", "rate"), ("a minute late", "rate")])
def test_memory_of_times_that_are_wrong(tmp_path, clean, kind, clock):
    path = states(tmp_path / "stray.mcap", stray(kind))
    given = mapping(clock={"topic": "/joints"} if clock == "topic" else {"rate": 500})
    for options in ({"salvage": True}, {"runs": "split"}):
        peak, said = measured(path, tmp_path, given, **options)
        assert peak < clean[clock] + SLACK, (options, peak, said)
        if options.get("runs"):
            assert said[0] == said[1] and 395 <= said[0] <= 1500
        else:
            assert all("goes " in text for text in said)


def chunk(records, size=None, kind="", crc=0, data=None):
    """A chunk record, which says what it is told to say."""
    data = records if data is None else data
    head = struct.pack("<QQQI", START, START + 10**9, len(records) if size is None else size, crc)
    return record(6, head + text(kind) + struct.pack("<Q", len(data)) + data)


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def text(said):
    return struct.pack("<I", len(said)) + said.encode()


def with_chunk(path, made):
    """A clean log with one more chunk before its others."""
    states(path, publisher(ARM, 200, 2), chunk_size=4096)
    data = path.read_bytes()
    at = data.index(struct.pack("<B", 6), 8)
    while struct.unpack_from("<Q", data, at + 1)[0] > len(data):
        at = data.index(struct.pack("<B", 6), at + 1)
    header = 8 + 9 + struct.unpack_from("<Q", data, 9)[0]
    path.write_bytes(data[:header] + made + data[header:])
    foot = bytearray(path.read_bytes())  # the summary begins later
    start = struct.unpack_from("<Q", foot, len(foot) - 28)[0] + len(made)
    struct.pack_into("<Q", foot, len(foot) - 28, start)
    struct.pack_into("<I", foot, len(foot) - 12, zlib.crc32(bytes(foot[start:len(foot) - 12])))
    path.write_bytes(foot)
    return path


def zeros(kind, size):
    """So many bytes of 0, compressed as well as can be, a few megabytes at a time."""
    block = bytes(1 << 20)
    if kind == "lz4":
        import lz4.frame

        out = io.BytesIO()
        with lz4.frame.open(out, "wb") as file:
            for _ in range(size >> 20):
                file.write(block)
        return out.getvalue()
    import zstandard

    made = zstandard.ZstdCompressor(level=19).compressobj()
    return b"".join(made.compress(block) for _ in range(size >> 20)) + made.flush()


@pytest.mark.parametrize("kind, said", [("zstd", "its size"), ("zstd", "little"), ("zstd", "much"), ("lz4", "little"), ("lz4", "its size")])
def test_memory_of_chunks_that_grow(tmp_path, clean, kind, said):
    """Half a gigabyte of nothing, whatever the header says of it."""
    data = zeros(kind, 1 << 29)
    size = {"its size": 1 << 29, "little": 1000, "much": 1 << 60}[said]
    path = with_chunk(tmp_path / "bomb.mcap", chunk(b"", size, kind, data=data))
    for options in ({}, {"salvage": True}) if said == "little" else ({},):
        peak, found = measured(path, tmp_path, mapping(), **options)
        assert peak < clean["topic"] + SLACK, (peak, found)
        if options:
            assert found == [400, 400]
        else:
            assert all("chunk at byte" in each and "after decompression" in each and "salvage=True" in each for each in found)


def test_a_chunk_that_grows_by_a_factor(tmp_path, clean):
    """As large as chunks may be, and too good to be true."""
    data = zeros("zstd", 200 << 20)
    path = with_chunk(tmp_path / "bomb.mcap", chunk(b"", 200 << 20, "zstd", data=data))
    peak, found = measured(path, tmp_path, mapping())
    assert peak < clean["topic"] + SLACK and all("expected at most 1000 times as many" in each for each in found)


def test_memory_of_records_that_are_not_there(tmp_path, clean):
    """Lengths of terabytes: of chunks, of messages outside them, of arrays in messages."""
    for made in (record(6, b"")[:1] + struct.pack("<Q", 1 << 40), struct.pack("<BQ", 5, 1 << 33),
                 chunk(record(5, struct.pack("<HIQQ", 1, 0, START, START) + b"\0\1\0\0"
                              + struct.pack("<iIIIII", 0, 0, 0, 2**32 - 1, 1, 1))),
                 chunk(struct.pack("<BQ", 5, 1 << 62)), chunk(b"", 1 << 20, "zstd", data=b"\x28\xb5\x2f\xfd" + bytes(20))):
        path = with_chunk(tmp_path / "long.mcap", made)
        peak, found = measured(path, tmp_path, mapping())
        assert peak < clean["topic"] + SLACK and all(isinstance(each, str) and "long.mcap" in each for each in found), found


def test_a_mapping_that_asks_for_many_rows_at_once(tmp_path, clean):
    """At a megahertz two seconds are two million rows, made some at a time."""
    path = states(tmp_path / "log.mcap", stray("none"))
    peak, said = measured(path, tmp_path, mapping(clock={"rate": 1e6}))
    assert said[0] == said[1] and abs(said[0] - 1_995_001) < 3
    assert peak < clean["rate"] + 2 * SLACK


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("compression", ["ZSTD", "LZ4", "NONE"])
def test_bits_that_flipped(tmp_path, compression):
    """Wherever one flips: the same rows, or an error; never others without a word. With salvage the loss is said."""
    kind = getattr(mcap_writer.CompressionType, compression)
    path = states(tmp_path / "log.mcap", publisher(ARM, 100, 0.6), chunk_size=1500, compression=kind)
    whole, data, rng = sd.open_log(path, mapping()).read(), path.read_bytes(), random.Random(1)
    refused = 0
    for at in sorted(rng.sample(range(len(data)), 150)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        try:
            same(sd.open_log(path, mapping()).read(), whole)
        except sd.InputError as error:
            refused += 1
            assert "log.mcap" in str(error) and "expected" in str(error)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                found = sd.open_log(path, mapping(), salvage=True).read()
            except sd.InputError:
                continue  # not even a chunk or the description of the topic is left
        if found.num_rows < whole.num_rows:
            assert said and "log.mcap" in str(said[0].message)
        known = np.isin(whole["time"].to_numpy(), found["time"].to_numpy())
        same(found, whole.filter(known))
    assert refused > 50


def damaged_chunk(path, number):
    """A log of 600 rows with a bit that flipped in one of its chunks; the chunks."""
    states(path, publisher(ARM, 100, 6), chunk_size=8192)
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        chunks = make_reader(file).get_summary().chunk_indexes
    data = bytearray(path.read_bytes())
    data[chunks[number].chunk_start_offset + chunks[number].chunk_length - 20] ^= 1
    path.write_bytes(data)
    return chunks


def test_a_lost_chunk_is_named(tmp_path):
    """How many rows, of which topic, at what time; the rest is read where that is asked for."""
    path = tmp_path / "log.mcap"
    chunks = damaged_chunk(path, 2)
    first, last = chunks[2].message_start_time, chunks[2].message_end_time
    rows = (last - first) // 10_000_000 + 1
    words = rf"log.mcap: chunk at byte \d+: .*: {rows} messages lost \(/joints {rows}\), time {first / 1e9:.3f} to {last / 1e9:.3f} s"
    with pytest.raises(sd.InputError, match=f"{words}; expected a whole MCAP file.*salvage=True"):
        sd.open_log(path, mapping())
    with pytest.raises(sd.DatasetError, match=words):
        sd.convert(path, tmp_path / "out", mapping())
    with pytest.warns(sd.SparsedynWarning, match=words):
        found = sd.open_log(path, mapping(), salvage=True).read()
    assert found.num_rows == 600 - rows
    with pytest.warns(sd.SparsedynWarning, match=words):
        assert sd.convert(path, tmp_path / "salvaged", mapping(), salvage=True).rows == 600 - rows


def test_a_log_that_was_cut(tmp_path):
    """A recorder that died: no summary, half a chunk."""
    path = states(tmp_path / "log.mcap", publisher(ARM, 100, 6), chunk_size=8192)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(sd.InputError, match="it ends before its footer.*mcap recover.*salvage=True"):
        sd.open_log(path, mapping())
    with pytest.warns(sd.SparsedynWarning, match="and all that follows"):
        found = sd.open_log(path, mapping(), salvage=True).read()
    assert 100 < found.num_rows < 600 and np.abs(found["q.b"].to_numpy() - 10 - found["time"].to_numpy() + START / 1e9).max() < 1e-5


def test_messages_that_the_statistics_count_and_the_file_lacks(tmp_path):
    """Without checksums: a chunk whose opcode flipped is passed over, and the counts do not agree."""
    path = states(tmp_path / "log.mcap", publisher(ARM, 100, 6), chunk_size=8192, enable_crcs=False)
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        index = make_reader(file).get_summary().chunk_indexes[1]
    data = bytearray(path.read_bytes())
    data[index.chunk_start_offset] = 0x86
    path.write_bytes(data)
    with pytest.raises(sd.InputError, match=r"messages: /joints \d+ of 600, as the statistics count them.*salvage=True"):
        sd.open_log(path, mapping())


def test_logs_outside_chunks(tmp_path):
    """Recorded without chunks, and with checksums of all data."""
    from mcap.reader import make_reader

    chunks, path = states(tmp_path / "chunks.mcap", publisher(ARM, 100, 6)), tmp_path / "log.mcap"
    with open(chunks, "rb") as source, open(path, "wb") as file:
        out = mcap_writer.Writer(file, use_chunking=False, enable_data_crcs=True)
        out.start(profile="ros2")
        ids = {}
        for schema, channel, message in make_reader(source).iter_messages():
            if channel.id not in ids:
                of = out.register_schema(schema.name, schema.encoding, schema.data)
                ids[channel.id] = out.register_channel(channel.topic, channel.message_encoding, of)
            out.add_message(ids[channel.id], message.log_time, message.data, message.publish_time)
        out.finish()
    whole = sd.open_log(path, mapping()).read()
    same(whole, sd.open_log(chunks, mapping()).read())
    data = bytearray(path.read_bytes())
    data[data.index(b"frame_id") + 4000] ^= 1  # in a message
    path.write_bytes(data)
    with pytest.raises(sd.InputError, match=r"log.mcap: data: checksum .*salvage=True|log.mcap: messages|log.mcap: byte"):
        sd.open_log(path, mapping())
