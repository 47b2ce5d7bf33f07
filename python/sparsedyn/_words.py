"""Numbers in sentences."""

from __future__ import annotations

from collections.abc import Callable


def counted(number: int, one: str, more: str | None = None, write: Callable[[int], str] = str) -> str:
    """"1 row" and "2 rows"; more: what follows another number than 1 where that is not one and an s."""
    return f"{write(number)} {one if number == 1 else one + 's' if more is None else more}"
