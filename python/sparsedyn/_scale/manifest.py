"""What solve and convert write beside the parts: which they are, in the data set's order. It is written last."""

from __future__ import annotations

import json
import os
import re
import uuid
from typing import Any

from .._errors import InputError, shown

MANIFEST = "_manifest.json"
PART = re.compile(r"part-[0-9a-f]{32}\.parquet")
BEGUN = re.compile(r"\.part-[0-9a-f]{32}\.[0-9a-f]+\.tmp|\.manifest\.[0-9a-f]+\.tmp")  #: files that are not whole yet
EXPECTED = "what solve_dataset or convert wrote"
COUNTS = ("rows", "failed", "bytes")
TEXTS = ("messages", "warnings")


def read(folder: str) -> dict[str, Any] | None:
    """What a folder's manifest says; None where it has none. Raises InputError for one that this package did not write."""
    path = os.path.join(folder, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}; expected {EXPECTED}", path) from None
    if not isinstance(root, dict):
        raise _wrong(path, "manifest", root)
    if "parts" not in root:
        raise InputError(f"{path}: KeyError: 'parts'; expected {EXPECTED}", path)
    if not isinstance(root["parts"], list) or not root["parts"]:
        raise _wrong(path, "parts", root["parts"])
    for k, part in enumerate(root["parts"]):
        _judge(path, f"parts[{k}]", part)
    return root


def _judge(path: str, element: str, part: Any) -> None:
    """A part lies in the folder itself, under a name that this package gives, and nothing of it is counted below 0."""
    if not isinstance(part, dict):
        raise _wrong(path, element, part)
    for key in ("file", "input"):
        if not isinstance(part.get(key), str):
            raise _wrong(path, f"{element}.{key}", part.get(key))
    if not PART.fullmatch(part["file"]):
        raise InputError(f"{path}: {element}.file: {shown(part['file'])}; expected part-HASH.parquet in the manifest's folder", path)
    for key in COUNTS:
        value = part.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
            raise InputError(f"{path}: {element}.{key}: {shown(value)}; expected a whole number, 0 or more", path)
    for key in TEXTS:
        value = part.get(key)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise _wrong(path, f"{element}.{key}", value)


def _wrong(path: str, element: str, found: Any) -> InputError:
    return InputError(f"{path}: {element}: {shown(found)}; expected {EXPECTED}", path)


def write(folder: str, manifest: dict[str, Any]) -> None:
    """The last thing that is written."""
    temporary = os.path.join(folder, f".manifest.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1, sort_keys=True)
            file.write("\n")
        publish(temporary, os.path.join(folder, MANIFEST))
    except BaseException:
        remove(temporary)
        raise


def publish(temporary: str, final: str) -> None:
    """All of a file under its name at once, also after a power cut."""
    try:
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, final)
    except FileNotFoundError:  # another worker made the same file, and this one was cleared away
        if not os.path.exists(final):
            raise


def remove(path: str) -> None:
    """A file that may have gone already."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
