"""Samples of several topics on one clock. Times are whole nanoseconds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]


def _period(rate: float) -> Fraction:
    """ns."""
    return Fraction(10**9) / Fraction(rate).limit_denominator(10**6)


def _first(period: Fraction, first: int) -> int:
    """The k of the first time at or after `first`: the smallest for which ⌊k · period⌋ ≥ first, which are whole numbers."""
    return -(-first * period.denominator // period.numerator)


def holds(rate: float, first: int, last: int) -> bool:
    """Whether a time k / rate is in first … last."""
    period = _period(rate)
    return _first(period, first) * period.numerator // period.denominator < last


def even(rate: float, first: int, last: int) -> Times:
    """The times k / rate, rounded down, in first … last, which is not in it: the same wherever a log is cut."""
    period = _period(rate)
    k, end = _first(period, first), _first(period, last)
    longest = max(1, 2**62 // period.numerator)  # of a part, in which no product is beyond 64 bits
    parts = []
    while k < end:
        count = min(longest, end - k)
        base, rest = divmod(k * period.numerator, period.denominator)
        parts.append(base + (rest + np.arange(count, dtype=np.int64) * period.numerator) // period.denominator)
        k += count
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def slices(rate: float, first: int, last: int, rows: int) -> Iterator[tuple[int, int]]:
    """first … last in stretches of at most so many times k / rate."""
    period = _period(rate)
    k, end = _first(period, first), _first(period, last)
    while k < end:
        following = min(k + rows, end)
        yield first, last if following == end else following * period.numerator // period.denominator
        first, k = following * period.numerator // period.denominator, following


def stretches(stamps: Times, first: int, last: int, pause: int, reach: int) -> Iterator[tuple[int, int]]:
    """first … last without what lies further than `reach` from every sample within pauses that are longer than `pause`."""
    known = np.unique(stamps)
    at = first
    for k in np.flatnonzero(np.diff(known) > pause):
        end, begin = min(int(known[k]) + reach + 1, last), max(int(known[k + 1]) - reach, first)
        if at < end:
            yield at, end
        at = max(at, begin)
    if at < last:
        yield at, last


def in_order(stamps: Times, values: Array) -> tuple[Times, Array]:
    """By time; of samples at one time the last that was recorded."""
    order = np.argsort(stamps, kind="stable")
    stamps, values = stamps[order], values[order]
    last = np.append(np.diff(stamps) > 0, True) if len(stamps) else np.zeros(0, dtype=bool)
    return stamps[last], values[last]


def onto(clock: Times, stamps: Times, values: Array, rule: str, max_gap: int, quaternion: bool = False) -> Array:
    """Values (samples, columns) at the clock's times; NaN where no sample is near enough.

    linear   between the samples before and after, which are at most max_gap apart; quaternions by the shorter way, of unit length
    hold     the last sample, at most max_gap old
    nearest  the nearest one, at most max_gap away, the earlier of two
    A sample at the very time is taken as it is. NaN in a sample makes NaN.
    """
    found = np.full((len(clock), values.shape[1]), np.nan)
    if len(stamps) == 0:
        return found
    after = np.searchsorted(stamps, clock, side="right")
    before = np.maximum(after - 1, 0)
    after = np.minimum(after, len(stamps) - 1)
    age, wait = clock - stamps[before], stamps[after] - clock
    if rule == "linear":
        good = (age >= 0) & (wait > 0) & (stamps[after] - stamps[before] <= max_gap)
        b, a = values[before[good]], values[after[good]]
        if quaternion:
            a = np.where((a * b).sum(-1, keepdims=True) < 0, -a, a)
        share = (age[good] / (age[good] + wait[good]))[:, None]
        between = b + share * (a - b)
        found[good] = between / np.linalg.norm(between, axis=-1, keepdims=True) if quaternion else between
    else:
        earlier = (age >= 0) & ((rule == "hold") | (age <= np.abs(wait)) | (wait <= 0))
        found[earlier & (age <= max_gap)] = values[before[earlier & (age <= max_gap)]]
        if rule == "nearest":
            later = ~earlier & (wait >= 0) & (wait <= max_gap)
            found[later] = values[after[later]]
    found[age == 0] = values[before[age == 0]]
    return found
