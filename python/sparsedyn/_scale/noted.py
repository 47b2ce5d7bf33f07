"""What a worker is warned of, for the caller to say."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

from .._errors import SparsedynWarning


@contextlib.contextmanager
def noted(texts: list[str]) -> Iterator[None]:
    """Warnings within are added to texts, each once."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", SparsedynWarning)
        yield
    for each in said:
        if issubclass(each.category, SparsedynWarning) and str(each.message) not in texts:
            texts.append(str(each.message))
