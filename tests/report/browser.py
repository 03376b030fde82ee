"""How do the tests ask a real browser? Chromium without a window, over its own pipe: nothing has to be installed for Python."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def found() -> str | None:
    """The browser's program, where there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A page in Chromium, by its DevTools protocol: messages of JSON, each with a zero byte behind it.

    Args:
      program: the browser's.
      folder: for its profile.
    """

    def __init__(self, program: str, folder: Path) -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # It reads from file descriptor 3 and writes to 4; as root, as in containers, it has no sandbox.
        command = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-first-run",
            "--no-sandbox",
            "--disable-gpu",
        ]
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, *options, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self._buffer, self._numbers, self._session = b"", itertools.count(1), ""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        """Ends the browser."""
        self._session = ""
        self.send("Browser.close")
        self._in.close()
        self._out.close()
        self._process.wait(timeout=20)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._read()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            got = self._in.read1(1 << 16)
            assert got, "the browser has ended"
            self._buffer += got
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def show(self, path: Path, *, width: int = 1400, height: int = 1000, scheme: str = "light") -> None:
        """Opens a file in a window of this size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Presses a key, such as "ArrowDown"."""
        codes = {
            "Tab": 9,
            "Enter": 13,
            "Escape": 27,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }
        for kind in ("rawKeyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key]
            )

    def point(self, selector: str, *, click: bool = False) -> None:
        """Moves the mouse to the first element that a CSS selector finds, and clicks there if wanted."""
        box = f"(e => (e.scrollIntoView({{block: 'center'}}), e.getBoundingClientRect()))(document.querySelector({selector!r}))"
        x, y = self.ask(f"(b => [b.x + Math.min(b.width / 2, 90), b.y + 8])({box})")
        kinds = ("mouseMoved", "mousePressed", "mouseReleased") if click else ("mouseMoved",)
        for kind in kinds:
            button = "none" if kind == "mouseMoved" else "left"
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=int(click))

    def picture(self, *, whole: bool = False) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"])
