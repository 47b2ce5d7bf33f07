"""Files that functions write: all of a call or none, and none that its arguments were read from."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

Path = Any  # str or os.PathLike[str]


def files_of(*sources: Any) -> list[str]:
    """Where robots, sensor sets and paths were read from, the files that a set names too; built-in sets and texts have none."""
    files: list[str] = []
    for source in sources:
        if isinstance(source, (str, os.PathLike)):
            files.append(os.fspath(source))
        else:
            files += getattr(source, "_files", ())
    return files


def _identity(path: str) -> tuple[Any, ...]:
    """Which file a path names, through links; also where there is none yet."""
    try:
        found = os.stat(path)
        return found.st_dev, found.st_ino
    except OSError:
        return (os.path.realpath(path),)


def refuse_clash(written: Iterable[Path], read: Iterable[str]) -> None:
    """ValueError where a file would be written that is read, or written twice."""
    inputs = {_identity(path): path for path in read if os.path.exists(path) and not stat.S_ISCHR(os.stat(path).st_mode)}
    outputs: dict[tuple[Any, ...], str] = {}
    for path in map(os.fspath, written):
        identity = _identity(path)
        if identity in inputs:
            raise ValueError(f"{path}: that file is an input ({inputs[identity]})")
        if identity in outputs:
            raise ValueError(f"{path} and {outputs[identity]}: the same file; expected one of its own for each")
        outputs[identity] = path


def write_files(texts: Mapping[Path, str], read: Iterable[str] = ()) -> None:
    """Writes each text to its path, through links; what was there stays where one cannot be written. `read`: files that must not be."""
    refuse_clash(texts, read)
    finished: list[tuple[str, str]] = []
    try:
        for path, text in texts.items():
            target = os.path.realpath(path)
            if os.path.exists(target) and not os.path.isfile(target):
                with open(target, "w", encoding="utf-8") as device:  # a folder raises here
                    device.write(text)
                continue
            finished.append((_written_aside(target, text), target))
        for aside, target in finished:
            os.replace(aside, target)
    finally:
        for aside, _ in finished:
            if os.path.exists(aside):
                os.unlink(aside)


def _written_aside(target: str, text: str) -> str:
    """The text in a new file beside its target, with the mode that it has, or that a new file gets."""
    number, aside = new_file_beside(target)
    try:
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)
    except BaseException:
        os.unlink(aside)
        raise
    return aside


def new_file_beside(target: str) -> tuple[int, str]:
    """Open, and its path; with the mode that the target has, or that a new file gets."""
    number, aside = tempfile.mkstemp(prefix=".sparsedyn-", suffix=".part", dir=os.path.dirname(target))
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(aside, stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o666 & ~mask)
    return number, aside
