"""How far long work is: a bar, a line on a terminal, or the caller's function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class Reporter:
    """`callback(fraction, what)`, or None where nobody listens."""

    callback: Callable[[float, str], None] | None

    def __init__(self, progress: bool | Callable[[float, str], None] | None, title: str) -> None:
        self._bar: Any = None
        self._title = title
        self._drawn = False
        if not progress:
            self.callback = None
        elif callable(progress):
            self.callback = progress
        else:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-not-found, import-untyped, unused-ignore]

                self._bar = tqdm(total=100, desc=title, unit="%")
                self.callback = self._move
            except ImportError:
                self.callback = self._print if sys.stderr.isatty() else None

    def _move(self, fraction: float, what: str) -> None:
        self._bar.set_postfix_str(what, refresh=False)
        self._bar.update(100 * fraction - self._bar.n)

    def _print(self, fraction: float, what: str) -> None:
        sys.stderr.write(f"\r\x1b[K{self._title}: {what} {fraction:.0%}")
        sys.stderr.flush()
        self._drawn = True

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
