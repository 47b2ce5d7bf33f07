"""Where samples and findings of a live run are written: a file, or a stream whose reader may be slow, stall or leave."""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable
from types import TracebackType

from .._errors import InputError
from .._files import new_file_beside

STANDARD_OUTPUT = 1
MOST_WAITING = 1 << 20  #: bytes for a reader
MOST_HELD = 65536  #: bytes before a run begins; then it has begun
AT_ONCE = 4096  #: bytes that a pipe takes as a whole, and then never waits
PATIENCE = 1.0  #: s without a byte read, before lines are dropped
LAST_PATIENCE, LONGEST_ENDING = 0.3, 3.0  #: s, once the run is asked to end: without a byte read; in all


class Output:
    """Lines to a path; `-`: the standard output. A regular file appears when it is complete (appears: else it is written in place,
    and what is in it stays until the run begins).

    No write waits for a reader longer than a second; what it does not take by then is dropped by whole lines. is_asked(): whether
    the run is asked to end. Raises InputError where the file cannot be written.
    """

    def __init__(self, path: str, *, appears: bool = False) -> None:
        self.path, self.dropped, self.gone = path, 0, False  #: gone: nobody reads any more
        self.is_asked: Callable[[], bool] = lambda: False
        self._waiting, self._patience = bytearray(), PATIENCE
        self._target = self._aside = ""
        self._holds = False  # until the run begins
        try:
            if path == "-":
                self._file = STANDARD_OUTPUT
                os.fstat(self._file)
            elif appears and not _is_special(path):
                self._target = os.path.realpath(path)
                self._file, self._aside = new_file_beside(self._target)
            else:
                self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
                found = os.fstat(self._file)
                self._holds = stat.S_ISREG(found.st_mode) and found.st_size > 0
        except OSError as error:
            raise self._wrong(error) from None
        self._ready = select.poll()
        self._ready.register(self._file, select.POLLOUT)

    def begin(self) -> None:
        """The run is not refused: from here on lines replace what the file had before."""
        if self._holds:
            self._holds = False
            try:
                os.ftruncate(self._file, 0)
            except OSError as error:
                raise self._wrong(error) from None

    def write(self, text: str) -> None:
        """Whole lines."""
        lines = text.encode()
        if self._holds and len(self._waiting) + len(lines) > MOST_HELD:
            self.begin()
        if self.gone:
            return
        if len(self._waiting) + len(lines) > MOST_WAITING and not self._make_room(len(lines)):
            self.dropped += lines.count(b"\n")
            return
        self._waiting += lines

    def flush(self) -> None:
        """What is taken at once."""
        if not self._holds:
            self._pump(0)

    def finish(self) -> None:
        """All that waits; then the file appears."""
        self.begin()
        asked, read = 0.0, time.monotonic()
        while self._waiting and not self.gone:
            progressed, now = self._pump(0.1), time.monotonic()
            read = now if progressed else read
            if self.is_asked():
                asked = asked or now
                if now - max(read, asked) >= LAST_PATIENCE or now - asked >= LONGEST_ENDING:
                    self.dropped += self._waiting.count(b"\n")
                    break
        if self._aside:
            try:
                os.replace(self._aside, self._target)
            except OSError as error:
                raise self._wrong(error) from None
            self._aside = ""

    def _make_room(self, needed: int) -> bool:
        ends = time.monotonic() + self._patience
        while len(self._waiting) + needed > MOST_WAITING and not self.gone:
            if self._pump(0.0 if self._patience == 0 else 0.1):
                self._patience = PATIENCE
                ends = time.monotonic() + self._patience
            elif time.monotonic() >= ends or self.is_asked():
                self._patience = 0.0  # until it reads again
                return False
        return not self.gone

    def _pump(self, seconds: float) -> bool:
        """Whether something was taken."""
        progressed = False
        try:
            while self._waiting and self._ready.poll(0 if progressed else 1e3 * seconds):
                del self._waiting[:os.write(self._file, bytes(self._waiting[:AT_ONCE]))]
                progressed = True
        except BrokenPipeError:
            self.gone = True
            self._waiting.clear()
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._wrong(error) from None
        return progressed

    def _wrong(self, error: OSError) -> InputError:
        return InputError(f"{self.path}: {error.strerror}; expected a file that can be written", self.path)

    def __enter__(self) -> Output:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file != STANDARD_OUTPUT:
            os.close(self._file)
        if self._aside:
            os.unlink(self._aside)


def _is_special(path: str) -> bool:
    """A device, a FIFO or a folder."""
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)
