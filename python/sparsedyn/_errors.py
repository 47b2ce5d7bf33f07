"""What goes wrong, as exceptions."""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST_NAME = 200  #: letters of a name in a message
#: what a terminal does, turns the direction of what follows, or cannot be encoded
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """One line that a terminal only prints: other characters are escaped, as Python's literals are."""
    return UNPRINTABLE.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}", text)


def short(text: str) -> str:
    """The text with each word of more than 200 letters cut to so many and marked: names of any length are there in files."""
    return re.sub(rf"(\S{{{LONGEST_NAME}}})\S+", r"\1…", text)


def encodable(text: str) -> bool:
    """Whether UTF-8 can hold it: names of files may be other bytes."""
    try:
        return bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def shown(value: Any) -> str:
    """A value of a file, for messages; short, whatever it is."""
    try:
        said = repr(value)
    except (ValueError, RecursionError):  # a whole number of too many digits; lists in lists
        said = type(value).__name__
    return said if len(said) <= LONGEST_NAME else said[:LONGEST_NAME] + "…"



class InputError(ValueError):
    """A file that cannot be accepted: `FILE:LINE: ELEMENT: FOUND; expected EXPECTED`."""

    file: str  #: as given
    line: int | None  #: from 1; None where no line exists

    def __init__(self, message: str, file: str = "", line: int = 0) -> None:
        place = file if file and message.startswith(file) else ""
        super().__init__(printable(place + short(message[len(place):])))
        self.file = file
        self.line = line or None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.file, self.line or 0)


class AnswerIsNo(ValueError):
    """What was asked for cannot be: sensors that determine too little, a plan that was made for another robot."""

    report: dict[str, Any]  #: the same for programs, as the command line's --json

    def __init__(self, message: str, report: str = "{}") -> None:
        super().__init__(message)
        self.report = json.loads(report)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], json.dumps(self.report))


class SolveError(ArithmeticError):
    """Samples that have no answer. The others were computed; on_error='nan' returns them."""

    rows: list[int]  #: indices into the flattened batch
    messages: list[str]  #: beside rows

    def __init__(self, rows: list[int], messages: list[str], count: int) -> None:
        of = f"{len(rows)} of {count} rows failed: " if count > 1 else ""
        shown = [f"row {row}: {message}" if count > 1 else message for row, message in zip(rows[:3], messages)]
        more = f"; and {len(rows) - 3} more" if len(rows) > 3 else ""
        super().__init__(of + "; ".join(shown) + more)
        self.rows = rows
        self.messages = messages
        self._count = count

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rows, self.messages, self._count)


class DatasetError(RuntimeError):
    """Pieces of a data set that could not be worked on. All others were: calling again does what is missing."""

    pieces: list[str]  #: file, and in brackets which part of it
    messages: list[str]  #: beside pieces

    def __init__(self, pieces: list[str], messages: list[str], count: int) -> None:
        said = [f"{piece}: {message}" for piece, message in zip(pieces[:3], messages)]
        more = f"; and {len(pieces) - 3} more" if len(pieces) > 3 else ""
        super().__init__(printable(short(f"{len(pieces)} of {count} pieces failed: " + "; ".join(said) + more)))
        self.pieces = pieces
        self.messages = messages
        self._count = count

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pieces, self.messages, self._count)


class CompilerFailure(RuntimeError):
    """There is no C compiler, or it failed; the message says which and why."""


class SparsedynWarning(UserWarning):
    """What is accepted, and worth knowing: `FILE:LINE: ELEMENT: …`."""
