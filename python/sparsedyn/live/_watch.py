"""A page that shows a live run: the robot, scrolling estimates with ± 2σ, and the sensors that fail.

It is served at 127.0.0.1 unless another address is asked for, below a random token that the address holds: who does not know it is
told nothing. It reads; nothing that it is sent changes the run. Beyond loopback it is plain HTTP: who listens on the way reads the
token and the page.
"""

from __future__ import annotations

import hmac
import http.server
import ipaddress
import json
import math
import secrets
import socket
import socketserver
import threading
import time
from collections import deque
from importlib import resources
from typing import Any

import numpy as np

from .. import _core
from .._core import Model
from ..plot import unit_of
from ._loop import Finding, Live, Sample
from ._outputs import Health, in_words

FRAMES = 25  #: a second
KEPT = 30 * FRAMES  #: frames that who comes later is shown
MOST_READERS = 16  #: at once, of those who know the token
MOST_STRANGERS = 16  #: connections that have not shown it yet; one more ends the oldest
AT_ONCE = 65536  #: bytes, each within PATIENCE
PATIENCE = 5.0  #: s, with who asks slowly, or does not read
MOST_HEADERS = 16384  #: bytes of a request
MOST_COLUMNS = 400  #: of a frame
HEALTH = "event: health\n"


def address_of(text: str) -> tuple[str, int]:
    """`PORT` or `HOST:PORT`. Raises ValueError."""
    host, colon, port = text.rpartition(":")
    host = host.strip("[]") if colon else "127.0.0.1"
    try:
        ipaddress.ip_address(host)
        number = int(port) if port.isdecimal() and port.isascii() else -1
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise ValueError(f"--watch {text}; expected PORT, or HOST:PORT with a numeric host")
    return host, number


def is_loopback(host: str) -> bool:
    """Of a request's `Host`, whatever its port: this machine, by a name that no name server gives."""
    name = host[1:host.find("]")] if host.startswith("[") else host.partition(":")[0]
    try:
        return name.lower() == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Frames:
    """What is shown, for all who look, as events: the newest frames, each told once, and what fails where no sample comes."""

    def __init__(self, robot: Model, live: Live) -> None:
        self._robot, self._live = robot, live
        at = {name: k for k, name in enumerate(live.columns)}
        self.columns = [name for name in live.columns if not name.startswith("sd.")][:MOST_COLUMNS]
        self._values = [at[name] for name in self.columns]
        self._deviations = [at.get("sd." + name, -1) for name in self.columns]
        # the robot's coordinates: estimated, else as they are read
        names = [f"q.{name}" for name in robot.coordinate_names]
        readings = {column: k for k, reading in reversed(list(enumerate(live.readings))) for column in reading.columns}
        self._q = [(at[name], True) if name in at else (readings.get(name, -1), False) for name in names]
        links = robot.links
        places = {name: k for k, name in enumerate(robot.link_names)}
        self.edges = [[places[link.parent], places[name]] for name, link in links.items() if link.parent in places]
        self.sensors = list(dict.fromkeys(
            reading.sensor or reading.columns[0] for reading in live.readings if reading.required or reading.is_flag))
        self._sensor_of = {reading.columns[0]: reading.sensor or reading.columns[0] for reading in live.readings}
        self.last = math.nan  #: s, by time.monotonic(): when the newest sample was taken
        self.kept: deque[tuple[int, str]] = deque(maxlen=KEPT)
        self.changed = threading.Condition()
        self._count = 0
        self._next = 0.0

    def about(self) -> dict[str, Any]:
        units = [unit_of(name, self._robot).replace("·", " ") for name in self.columns]
        return {"robot": self._robot.name, "columns": self.columns, "units": units, "edges": self.edges, "sensors": self.sensors,
                "seconds": KEPT / FRAMES, "most": KEPT}

    def add(self, samples: list[Sample], health: Health, findings: list[Finding]) -> None:
        now = time.monotonic()
        if samples:
            self.last = now
        if not findings and (not samples or now < self._next):
            return
        self._next = now + 1 / FRAMES
        event = self._frame(samples[-1], health) if samples else {"faults": self._faults(health)}
        with self.changed:
            self._count += 1
            text = json.dumps(event, separators=(",", ":"))
            self.kept.append((self._count, f"{'' if samples else HEALTH}data: {text}\n\n"))
            self.changed.notify_all()

    def age(self) -> str:
        """An event: how long ago the newest sample came, s; null: none has come."""
        age = time.monotonic() - self.last
        return f"event: age\ndata: {'null' if math.isnan(age) else f'{age:.1f}'}\n\n"

    def _faults(self, health: Health) -> dict[str, str]:
        """By sensor, or source; several in one line."""
        faults: dict[str, str] = {}
        for found in list(health.faults.values()):
            name = self._sensor_of.get(found.name, found.name)
            faults[name] = f"{faults[name]}; {in_words(found)}" if name in faults else in_words(found)
        return faults

    def _frame(self, sample: Sample, health: Health) -> dict[str, Any]:
        x = sample.values
        frame = {"t": sample.time, "x": [_short(x[k]) if sample.ok else None for k in self._values],
                 "s": [_short(x[k]) if sample.ok and k >= 0 else None for k in self._deviations],
                 "faults": self._faults(health)}
        if sample.ok and (q := self._posture(x)) is not None:
            try:
                frame["links"] = [[_short(each) for each in pose[:3]] for pose in _core.poses(self._robot, q)]
            except (ValueError, ArithmeticError):  # a quaternion of no length
                pass
        return frame

    def _posture(self, x: Any) -> Any:
        """None where a coordinate is neither estimated nor read."""
        q = np.array([(x[at] if estimated else self._live.latest[at]) if at >= 0 else math.nan for at, estimated in self._q])
        return q if np.isfinite(q).all() else None


def _short(x: float) -> float | None:
    return float(f"{x:.6g}") if math.isfinite(x) else None


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_READERS

    def __init__(self, host: str, port: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._lock = threading.Lock()
        self._strangers: dict[socket.socket, None] = {}  # the oldest first
        self._readers: set[socket.socket] = set()
        self.closing = False
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer would ask a name server for this host's name
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            if len(self._strangers) >= MOST_STRANGERS:
                oldest = next(iter(self._strangers))
                del self._strangers[oldest]
                _end(oldest)
            self._strangers[request] = None
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._forget(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._forget(request)

    def admit(self, request: Any) -> bool:
        """Who has shown the token; False: too many have."""
        with self._lock:
            self._strangers.pop(request, None)
            if len(self._readers) >= MOST_READERS:
                return False
            self._readers.add(request)
            return True

    def _forget(self, request: Any) -> None:
        with self._lock:
            self._strangers.pop(request, None)
            self._readers.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who leaves, or sends what is no HTTP, is no fault of the run."""


def _end(connection: socket.socket) -> None:
    """Its thread finds the end of what it reads."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it has ended
        pass


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server
    timeout = PATIENCE
    page: Page

    def handle_one_request(self) -> None:
        # a request takes no more bytes and no more time than its share
        self._ends = time.monotonic() + PATIENCE
        self.rfile = _Bounded(self.connection, MOST_HEADERS, self._ends)  # type: ignore[assignment]
        super().handle_one_request()
        self.close_connection = True

    def do_GET(self) -> None:
        parts = self.path.split("/")
        known = len(parts) == 3 and parts[0] == "" and hmac.compare_digest(parts[1].encode("utf-8", "replace"), self.page.token.encode())
        if not known or not self._is_for_this_host():
            return self.send_error(404)
        if not self.server.admit(self.connection):
            return self.send_error(503)
        if parts[2] == "":
            self._send("text/html; charset=utf-8", self.page.html)
        elif parts[2] == "frames":
            self._stream()
        else:
            self.send_error(404)

    def _is_for_this_host(self) -> bool:
        """On loopback no other name leads here but by a name server that lies (DNS rebinding)."""
        return not self.page.loopback or is_loopback(self.headers.get("Host") or "")

    def _headers(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy",
                         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                         "frame-ancestors 'none'")

    def _send(self, kind: str, data: bytes) -> None:
        self._headers(kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self._write(data)

    def _write(self, data: bytes) -> None:
        """In pieces, each in its own time: a slow way takes all the same."""
        for begin in range(0, len(data), AT_ONCE):
            self.wfile.write(data[begin:begin + AT_ONCE])

    def _stream(self) -> None:
        """Server-sent events: what is kept, then each frame; frames that who reads slowly misses are left out."""
        frames = self.page.frames
        self._headers("text/event-stream")
        self.end_headers()
        self._write(b"event: about\ndata: " + json.dumps(frames.about()).encode() + b"\n\n")
        last = 0
        while not self.server.closing:
            with frames.changed:
                frames.changed.wait_for(lambda: self.server.closing or (frames.kept and frames.kept[-1][0] > last), 1)
                new = [text for count, text in frames.kept if count > last]
                last = frames.kept[-1][0] if frames.kept else last
            self._write(("".join(new) + frames.age()).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests of strangers fill no terminal."""

    def version_string(self) -> str:
        return "sparsedyn"


class _Bounded:
    """Lines of a request, as BaseHTTPRequestHandler reads them; ends where there are too many bytes, or too late."""

    def __init__(self, connection: socket.socket, most: int, ends: float) -> None:
        self._connection, self._left, self._ends, self._bytes = connection, most, ends, b""

    def readline(self, limit: int = -1) -> bytes:
        while b"\n" not in self._bytes:
            wait = self._ends - time.monotonic()
            if wait <= 0 or self._left <= 0:
                raise TimeoutError("a request that is too long, or too slow")
            self._connection.settimeout(wait)
            block = self._connection.recv(min(4096, self._left))
            if not block:
                break
            self._left -= len(block)
            self._bytes += block
        self._connection.settimeout(PATIENCE)
        end = self._bytes.find(b"\n") + 1 or len(self._bytes)
        line, self._bytes = self._bytes[:end], self._bytes[end:]
        return line

    def close(self) -> None:
        pass


class Page:
    """Serves while it is open (`with`)."""

    def __init__(self, robot: Model, live: Live, where: str) -> None:
        host, port = address_of(where)
        self.token, self.frames = secrets.token_urlsafe(18), Frames(robot, live)
        self.loopback = ipaddress.ip_address(host).is_loopback
        text = resources.files(__package__).joinpath("watch.html").read_text(encoding="utf-8")
        self.html = text.encode()
        try:
            self._server = _Server(host, port)
        except OSError as error:
            raise ValueError(f"--watch {where}: {error.strerror}; expected a port that is free") from None
        self._server.RequestHandlerClass = type("_PageHandler", (_Handler,), {"page": self})
        self.port = self._server.server_address[1]
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{self.token}/"

    def __enter__(self) -> Page:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.closing = True
        with self.frames.changed:
            self.frames.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def add(self, samples: list[Sample], findings: list[Finding], health: Health) -> None:
        """By the thread that takes samples."""
        self.frames.add(samples, health, findings)
