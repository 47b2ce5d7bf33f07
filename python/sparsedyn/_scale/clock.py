"""Samples of several topics on one clock. Times are whole nanoseconds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]


def even(rate: float, first: int, last: int) -> Times:
    """The times k / rate, rounded down, in first … last, which is not in it: the same wherever a log is cut."""
    period = Fraction(10**9) / Fraction(rate).limit_denominator(10**6)
    k = -(-first * period.denominator // period.numerator)
    base, rest = divmod(k * period.numerator, period.denominator)
    while base < first:  # rounded down to before the interval
        k += 1
        base, rest = divmod(k * period.numerator, period.denominator)
    count = max(0, (last - base) * period.denominator // period.numerator + 2)
    times = base + (rest + np.arange(count, dtype=np.int64) * period.numerator) // period.denominator
    return times[times < last]


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
