"""Chromium without a window, driven over its debugging socket with Python's standard library alone."""
import base64
import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse


def browser():
    """The program, or None."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Socket:
    """A WebSocket (RFC 6455), from the client's side: text frames, masked as clients must."""

    def __init__(self, url):
        at = urllib.parse.urlparse(url)
        self.stream = socket.create_connection((at.hostname, at.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall(f"GET {at.path} HTTP/1.1\r\nHost: {at.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.bytes = self.stream.makefile("rb")
        while self.bytes.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else
                                bytes([0x80 | 126]) + size.to_bytes(2, "big") if size < 65536 else
                                bytes([0x80 | 127]) + size.to_bytes(8, "big"))
        self.stream.sendall(head + mask + bytes(b ^ m for b, m in zip(data, itertools.cycle(mask))))

    def receive(self):
        text = b""
        while True:
            first, second = self.bytes.read(2)
            size = second & 127
            if size >= 126:
                size = int.from_bytes(self.bytes.read(2 if size == 126 else 8), "big")
            data = self.bytes.read(size)
            if first & 15 in (0, 1, 2):
                text += data
                if first & 128:
                    return text.decode()


class Browser:
    """One program, which shows one page after the other. Ends at the end of a `with`."""

    def __init__(self, width=1000, height=900):
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", f"--window-size={width},{height}",
             "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.numbers, self.events = itertools.count(1), []
        port = pathlib.Path(self.folder) / "DevToolsActivePort"
        ends = time.monotonic() + 60
        while not (port.exists() and port.read_text().count("\n") >= 1):
            if time.monotonic() > ends:
                raise TimeoutError("the browser opens no port for debugging")
            time.sleep(0.05)
        number, path_of_browser = port.read_text().split("\n")[:2]
        self.socket = Socket(f"ws://127.0.0.1:{number}{path_of_browser}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, ValueError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        """What the browser answers; `session` is a page's. What it says meanwhile goes to `events`."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, event, session):
        while not any(e.get("method") == event and e.get("sessionId") == session for e in self.events):
            self.events.append(json.loads(self.socket.receive()))


class Page:
    """One page, in a tab of `within` or in a browser of its own. Closes what it opened at the end of a `with`."""

    def __init__(self, path, width=1000, height=900, dark=False, query="", within=None):
        self.own = Browser(width, height) if within is None else None
        self.browser = within or self.own
        self.target = self.browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])
        begin = time.monotonic()
        is_served = str(path).startswith("http://")
        self.call("Page.navigate", url=(str(path) if is_served else pathlib.Path(path).resolve().as_uri()) + query)
        self.wait("Page.loadEventFired")
        self.loaded = time.monotonic() - begin

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        if self.own:
            return self.own.__exit__(*rest)
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.events.clear()

    @property
    def events(self):
        return [event for event in self.browser.events if event.get("sessionId") == self.session]

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def wait(self, event):
        self.browser.wait(event, self.session)

    def faults(self):
        """What scripts threw."""
        return [e["params"]["exceptionDetails"] for e in self.events if e.get("method") == "Runtime.exceptionThrown"]

    def value(self, expression):
        """Of JavaScript; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression, seconds=60):
        """Waits until the JavaScript is true: what a page draws comes with its next frame, seconds later where the machine is busy."""
        ends = time.monotonic() + seconds
        while not self.value(expression):
            assert time.monotonic() < ends, expression
            time.sleep(0.05)

    def box(self, selector, index=0):
        """Left, top, width, height in the window, after scrolling there."""
        return self.value(f"(()=>{{const e=document.querySelectorAll({json.dumps(selector)})[{index}];e.scrollIntoView({{block:'center',behavior:'instant'}});"
                          "const r=e.getBoundingClientRect();return [r.x,r.y,r.width,r.height]})()")

    def mouse(self, kind, x, y, button="none", clicks=0, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=clicks,
                  buttons=0 if button == "none" or kind == "mouseReleased" else 1, **more)

    def click(self, x, y, times=1):
        for n in range(1, times + 1):
            self.mouse("mousePressed", x, y, "left", n)
            self.mouse("mouseReleased", x, y, "left", n)

    def drag(self, x0, y0, x1, y1, steps=4):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, "left", 1)
        for k in range(1, steps + 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, "left")
        self.mouse("mouseReleased", x1, y1, "left", 1)

    def key(self, key, code=None, number=0, text=None, **more):
        common = dict(key=key, code=code or key, windowsVirtualKeyCode=number, **more)
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
