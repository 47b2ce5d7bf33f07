"""What of a MuJoCo model entered, what did not, and why, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Refused(ValueError):
    """An element that pulls, and that no robot or constraint here can hold; `element` names it."""

    def __init__(self, element: str, why: str) -> None:
        super().__init__(f"{element}: {why}")
        self.element = element


class Entry(NamedTuple):
    """A line of the report."""

    element: str  #: as in MuJoCo: `joint "elbow"`
    fate: str  #: "enters", "left out" (it matters, and is missing) or "without meaning" (it has none here)
    as_what: str  #: what it enters as, or why not


class Report:
    """The entries, in the order of the elements. `print` shows a table."""

    def __init__(self, partial: bool = False) -> None:
        self.entries: list[Entry] = []
        self._partial = partial

    def enters(self, element: str, as_what: str) -> None:
        self.entries.append(Entry(element, "enters", as_what))

    def leaves_out(self, element: str, why: str) -> None:
        """Something that the numbers of MuJoCo hold and ours do not, and that the caller may do without."""
        self.entries.append(Entry(element, "left out", why))

    def has_no_meaning(self, element: str, why: str) -> None:
        self.entries.append(Entry(element, "without meaning", why))

    def refuses(self, element: str, why: str) -> None:
        """Something that pulls: an error, with partial=True left out. Raises Refused."""
        if not self._partial:
            raise Refused(element, f"{why}; expected a model without it, or partial=True, which leaves it out")
        self.leaves_out(element, why)

    @property
    def left_out(self) -> list[Entry]:
        """Those that matter and are missing."""
        return [entry for entry in self.entries if entry.fate == "left out"]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        if not self.entries:
            return "no elements"
        widths = [max(len(entry[k]) for entry in self.entries) for k in range(2)]
        return "\n".join(f"{e.element:{widths[0]}}  {e.fate:{widths[1]}}  {e.as_what}" for e in self.entries)
