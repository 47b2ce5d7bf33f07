"""What of a ROS 2 message is needed before it is decoded: its stamp, and the names of its joints.

Decoding takes tens of microseconds a message; these few bytes one. Read where the message begins as JointState, WrenchStamped, Odometry and
Imu do, which the decoder is asked of each kind of message (`Reader.trusted`); else everything is decoded.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .chunks import Channel

Names = tuple[str, ...]
TIMES = (struct.Struct(">iI"), struct.Struct("<iI"))
COUNTS = (struct.Struct(">I"), struct.Struct("<I"))
BEGIN = 4  #: bytes that say how the rest is encoded; alignment counts from here


def stamp_of(data: bytes, at: int) -> int:
    """Of header.stamp; ns. Raises struct.error where the message is shorter."""
    seconds, nanoseconds = TIMES[data[at + 1] & 1].unpack_from(data, at + BEGIN)
    return int(seconds) * 10**9 + int(nanoseconds)


def names_of(data: bytes, at: int, end: int) -> tuple[Names, int, int]:
    """The names after the header, and where their bytes begin and end. Raises struct.error, ValueError."""
    count_of = COUNTS[data[at + 1] & 1]
    base = at + BEGIN
    place = base + 8
    place += 4 + int(count_of.unpack_from(data, place)[0])  # frame_id
    place += -(place - base) % 4
    begin = place
    count = int(count_of.unpack_from(data, place)[0])
    place += 4
    names = []
    if 4 * count > end - place:
        raise ValueError(f"{count} names in {end - place} bytes")
    for _ in range(count):
        place += -(place - base) % 4
        length = int(count_of.unpack_from(data, place)[0])
        place += 4
        if length > end - place:
            raise ValueError(f"a name of {length} bytes, of which {end - place} are there")
        names.append(data[place:place + max(0, length - 1)].decode("utf-8"))
        place += length
    return tuple(names), begin, place


class Reader:
    """A channel's messages."""

    def __init__(self, channel: Channel, joints: bool) -> None:
        self.channel, self.joints = channel, joints
        self.decode: Callable[[bytes], Any] = channel.decoder()
        self.trusted: bool | None = None  #: whether stamps and names lie where they are looked for
        self._last: tuple[bytes, Names] = (b"", ())  #: the names' bytes, and the names

    def stamp(self, data: bytes, at: int, end: int) -> int:
        """header.stamp, ns."""
        if self.trusted is None:
            self._judge(data, at, end)
        if self.trusted:
            return stamp_of(data, at)
        stamp = self.decode(data[at:end]).header.stamp
        return int(stamp.sec) * 10**9 + int(stamp.nanosec)

    def names(self, data: bytes, at: int, end: int) -> Names:
        """Of the joints; () where the message has none."""
        if not self.joints:
            return ()
        if self.trusted is None:
            self._judge(data, at, end)
        if not self.trusted:
            return tuple(self.decode(data[at:end]).name)
        begin = at + BEGIN + 12 + COUNTS[data[at + 1] & 1].unpack_from(data, at + BEGIN + 8)[0]
        begin += -(begin - at - BEGIN) % 4
        known, names = self._last
        if known and data.startswith(known, begin):
            return names
        names, begin, last = names_of(data, at, end)
        self._last = (data[begin:last], names)
        return names

    def _judge(self, data: bytes, at: int, end: int) -> None:
        """Whether the decoder finds the same in this message."""
        message = self.decode(data[at:end])
        stamp = int(message.header.stamp.sec) * 10**9 + int(message.header.stamp.nanosec)
        try:
            self.trusted = stamp_of(data, at) == stamp and (not self.joints or names_of(data, at, end)[0] == tuple(message.name))
        except (struct.error, ValueError):
            self.trusted = False
