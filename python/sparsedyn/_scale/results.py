"""The folder that results go to: what in it is of this package and may go, and what is somebody else's and stays."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from .._errors import InputError
from . import manifest, parts

#: what file systems and desktops leave in folders: neither results nor anybody's
DROPPINGS = (".nfs", ".fuse_hidden", ".DS_Store")
EXPECTED = "expected an empty folder, or one with results of this data set alone"


def judge_page(report: str | os.PathLike[str] | None, read: Iterable[str], out: str | None) -> None:
    """Raises ValueError for a page that would be written over a file that the call reads, or over one of its results."""
    if report is None:
        return
    page = os.fspath(report)
    for path in read:
        if os.path.exists(page) and os.path.exists(path) and os.path.samefile(page, path):
            raise ValueError(f"report: {page} is {path}, which this call reads; expected a file of its own")
    folder, name = os.path.split(os.path.realpath(page))
    ours = name == manifest.MANIFEST or manifest.PART.fullmatch(name)
    if out is not None and ours and folder == os.path.realpath(out):
        raise ValueError(f"report: {page} is a result of this call; expected a file of its own")


class Folder:
    """A folder as a call finds it. Ours are files that a manifest of ours lists or whose footer says so, and those of this call.

    Raises ValueError where anything else is in it, or results of another data set, unless they may be overwritten. Files that
    are not ours stay, whatever the call says.
    """

    def __init__(self, out: str, source: str, keys: Iterable[str], inputs: set[str], beside: str | None, overwrite: bool) -> None:
        self.out = out
        self.wanted = {parts.file_of(key) for key in keys}  #: names of this call's parts
        self.manifest = self._manifest()
        self.there = sorted(os.listdir(out)) if os.path.isdir(out) else []
        self._listed = {part["file"] for part in (self.manifest or {}).get("parts", [])}
        self._notes = {name: parts.note_of(os.path.join(out, name)) for name in self.there
                       if manifest.PART.fullmatch(name) and name not in self._listed | self.wanted}
        if overwrite:
            return
        if self.manifest is not None and self.manifest["dataset"] != source:
            raise ValueError(f"out: {out} holds results of {self.manifest['dataset']}; expected a folder of its own")
        foreign = [name for name in self.there if not self._is_ours(name) and not self._is_nobodys(name, beside)]
        if foreign:
            more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
            raise ValueError(f"out: {out} holds {', '.join(foreign[:3])}{more}, not made by solve_dataset or convert; "
                             f"{EXPECTED} (overwrite=True writes beside it, and leaves it)")
        if self.manifest is None:
            self._judge_unfinished(inputs)

    def _manifest(self) -> dict[str, Any] | None:
        """Of an earlier call, with a data set. Raises ValueError for a file of that name that is no manifest: it would be replaced."""
        try:
            found = manifest.read(self.out)
        except InputError as error:
            raise ValueError(f"out: {error}, or a folder of its own") from None
        if found is not None and not isinstance(found.get("dataset"), str):
            raise ValueError(f"out: {os.path.join(self.out, manifest.MANIFEST)}: dataset: {found.get('dataset')!r}; expected "
                             f"{manifest.EXPECTED}, or a folder of its own")
        return found

    def _judge_unfinished(self, inputs: set[str]) -> None:
        """Parts that a call without its manifest left are taken up or replaced, unless they are of a file that this data set lacks."""
        for name, note in self._notes.items():
            of = str((note or {}).get("input", ""))
            if of not in inputs and of.rsplit("[", 1)[0] not in inputs:
                raise ValueError(f"out: {self.out} holds {name}, an unfinished result of {of}, which this data set lacks; {EXPECTED} "
                                 "(overwrite=True removes it)")

    def _is_ours(self, name: str) -> bool:
        path = os.path.join(self.out, name)
        if name == manifest.MANIFEST:
            return self.manifest is not None
        if not os.path.isfile(path) and not os.path.islink(path):
            return False
        if manifest.BEGUN.fullmatch(name) or name in self._listed | self.wanted:
            return True
        note = self._notes.get(name)
        return note is not None and note.get("file") == name

    def _is_nobodys(self, name: str, beside: str | None) -> bool:
        """Or the page that this call writes anyway."""
        if name.startswith(DROPPINGS):
            return True
        return beside is not None and os.path.realpath(os.path.join(self.out, name)) == os.path.realpath(beside)

    def known(self) -> dict[str, dict[str, Any]]:
        """What the manifest says of parts that are there, as long as they were."""
        whole = {}
        for part in (self.manifest or {}).get("parts", []):
            path = os.path.join(self.out, part["file"])
            if part["file"] in self.there and os.path.isfile(path) and os.path.getsize(path) == part["bytes"]:
                whole[part["file"]] = part
        return whole

    def remove_old(self) -> None:
        """Parts of inputs that have changed since."""
        for name in self.there:
            if manifest.PART.fullmatch(name) and name not in self.wanted and self._is_ours(name):
                manifest.remove(os.path.join(self.out, name))

    def remove_begun(self) -> None:
        """What calls and workers that died have left."""
        for name in os.listdir(self.out):
            if manifest.BEGUN.fullmatch(name):
                manifest.remove(os.path.join(self.out, name))
