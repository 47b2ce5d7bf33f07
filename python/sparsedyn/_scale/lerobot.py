"""LeRobot data sets, version 3: many episodes a Parquet file, vectors as one column each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._errors import InputError, shown
from . import parquet
from .arrow import Batch, batch_of, numbers, pyarrow
from .derived import with_derivatives
from .mapping import ALL, Feature, Mapping_

#: kept beside the features; `time` is frame_index / fps
MOST = 100_000  #: numbers of a feature
COUNTERS = ("episode_index", "frame_index", "index", "task_index")


class Info:
    """What meta/info.json says."""

    def __init__(self, folder: str) -> None:
        path = os.path.join(folder, "meta", "info.json")
        try:
            with open(path, encoding="utf-8") as file:
                root = json.load(file)
            version, self.fps, features = str(root["codebase_version"]), float(root["fps"]), dict(root["features"])
        except (OSError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
            raise InputError(f"{path}: {type(error).__name__}: {error}; expected a LeRobot data set's info", path) from None
        if not version.startswith("v3"):
            raise InputError(f"{path}: codebase_version: {version}; expected v3.x (LeRobot converts older ones)", path)
        if not 0 < self.fps < float("inf"):
            raise InputError(f"{path}: fps: {self.fps:g}; expected a positive number", path)
        self.names: dict[str, list[str]] = {}  #: by feature, of its numbers
        for name, feature in features.items():
            if name in COUNTERS or name == "timestamp":
                continue
            if not isinstance(feature, dict) or not isinstance(feature.get("dtype"), str):
                raise InputError(f"{path}: features.{name}: {shown(feature)}; expected an object with a dtype", path)
            shape = feature.get("shape")
            if not isinstance(shape, list) or len(shape) != 1 or not feature["dtype"].startswith(("float", "int")):
                continue
            if type(shape[0]) is not int or not 0 <= shape[0] <= MOST:
                raise InputError(f"{path}: features.{name}.shape: {shown(shape)}; expected a whole number, at most {MOST}", path)
            self.names[name] = _names(feature.get("names"), shape[0], path, name)


def _names(given: Any, size: int, path: str, feature: str) -> list[str]:
    """A list, a list in an object ({"motors": [...]}), or nothing: indices."""
    while isinstance(given, dict) and len(given) == 1:
        given = next(iter(given.values()))
    names = [str(name) for name in given] if isinstance(given, list) else [str(k) for k in range(size)]
    if len(names) != size or len(set(names)) != size:
        raise InputError(f"{path}: features.{feature}.names: {len(set(names))} names; expected {size}, one a number", path)
    return names


def _root(path: str) -> str:
    """Of a data file: the folder with meta and data."""
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.exists(os.path.join(folder, "meta", "info.json")):
        if folder == os.path.dirname(folder):
            raise InputError(f"{path}: no meta/info.json above it; expected a LeRobot data set", path)
        folder = os.path.dirname(folder)
    return folder


def files(folder: str) -> list[str]:
    """Names of the data files. Raises InputError for another version."""
    Info(folder)
    found = []
    for inside, _, names in os.walk(os.path.join(folder, "data")):
        found += [os.path.relpath(os.path.join(inside, name), folder).replace(os.sep, "/")
                  for name in names if name.endswith(".parquet")]
    if not found:
        raise InputError(f"{folder}: no data/chunk-000/file-000.parquet; expected a LeRobot data set's data", folder)
    return sorted(found)


def ranges(path: str, rows: int) -> list[tuple[int, int]]:
    """The whole file: an episode is not cut."""
    with parquet.opened(path) as file:
        return [(0, file.metadata.num_row_groups)]


def _targets(info: Info, mapping: Mapping_ | None, path: str) -> dict[str, tuple[list[str | None], Feature]]:
    """By feature, the columns of its numbers."""
    plain = {name: Feature(name, None, 1.0, 0.0) for name in info.names}
    wanted = mapping.features if mapping and mapping.features else plain
    found = {}
    for name, feature in wanted.items():
        if name not in info.names:
            raise InputError(f"{path}: features: no {name}; expected one of {', '.join(info.names)}", path)
        joints = feature.joints
        for joint in [*(joints or ()), *(scaled for scaled in feature.scales if scaled != ALL)]:
            if joint not in info.names[name]:
                raise InputError(f"{path}: features.{name}: no {joint}; expected one of {', '.join(info.names[name])}", path)
        found[name] = ([None if joints is not None and joint not in joints else
                        f"{feature.to}.{joint if joints is None else joints[joint]}" for joint in info.names[name]], feature)
    return found


def names_of(path: str, mapping: Mapping_ | None = None) -> list[str]:
    """Columns, but for those that differentiate makes."""
    columns = [name for names, _ in _targets(Info(_root(path)), mapping, path).values() for name in names if name]
    return ["time", "episode_index", "frame_index", *columns]


def _matrix(column: Any, size: int, path: str, name: str) -> NDArray[np.float64]:
    """A column of vectors as rows × numbers."""
    kind = column.type
    if not pyarrow.types.is_list(kind) and not pyarrow.types.is_fixed_size_list(kind) and not pyarrow.types.is_large_list(kind):
        return numbers(column).reshape(-1, 1)
    flat = numbers(column.flatten())
    if column.null_count or len(flat) != size * len(column):
        raise InputError(f"{path}: {name}: vectors of other lengths; expected {size} numbers in each row", path)
    return flat.reshape(-1, size)


def _flat(batch: Batch, info: Info, targets: dict[str, tuple[list[str | None], Feature]], path: str) -> dict[str, Any]:
    frames = batch.column(batch.schema.names.index("frame_index")).to_numpy()
    columns: dict[str, Any] = {"time": frames / info.fps}
    for name in ("episode_index", "frame_index"):
        columns[name] = batch.column(batch.schema.names.index(name)).to_numpy()
    for name, (made, feature) in targets.items():
        matrix = _matrix(batch.column(batch.schema.names.index(name)), len(made), path, name)
        for k, column in enumerate(made):
            if column:
                columns[column] = np.ascontiguousarray(matrix[:, k]) * feature.factor(info.names[name][k]) + feature.offset
    return columns


def batches(path: str, first: int, last: int, rows: int, mapping: Mapping_ | None = None, columns: set[str] | None = None
            ) -> Iterator[Batch]:
    """Flat columns; with "differentiate" episode by episode, else as the file's rows come."""
    info = Info(_root(path))
    targets = _targets(info, mapping, path)
    needed = {"episode_index", "frame_index", *targets}
    held: list[dict[str, Any]] = []
    for batch in parquet.batches(path, first, last, rows, columns=needed):
        missing = needed - set(batch.schema.names)
        if missing:
            raise InputError(f"{path}: columns: {', '.join(sorted(missing))} missing; expected what meta/info.json names", path)
        flat = _flat(batch, info, targets, path)
        if not mapping or not mapping.window:
            yield batch_of(flat)
            continue
        episodes = flat["episode_index"]
        for part in np.split(np.arange(len(episodes)), np.flatnonzero(np.diff(episodes)) + 1):
            if held and len(part) and held[-1]["episode_index"][-1] != episodes[part[0]]:
                yield _episode(held, mapping.window)
                held = []
            held.append({name: values[part] for name, values in flat.items()})
    if held:
        yield _episode(held, mapping.window if mapping else 0.0)


def _episode(parts: list[dict[str, Any]], window: float) -> Batch:
    return batch_of(with_derivatives({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, window))
