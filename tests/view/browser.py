"""A real Chromium, driven over its debugging port: pages, scripts in them, errors on the console, requests, pictures."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-gpu-sandbox", "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--hide-scrollbars", "--window-size=1200,800", "--disable-dev-shm-usage",
)  # fmt: skip
PATIENCE = 60.0  # s; a machine that does other things too is slow


def chromium() -> str:
    """The program; skips the test where there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium here: install Debian's package `chromium` to test pages in a real browser")
    return found


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [chromium(), *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TMPDIR": "/tmp"},  # for its sockets, whose names may have 107 characters
        )
        self._count, self.errors, self.requests = 0, list[str](), list[str]()
        port = folder / "DevToolsActivePort"
        wait_for(port.is_file, "Chromium does not start")
        wait_for(lambda: len(port.read_text().splitlines()) == 2, "Chromium says no port")
        number = port.read_text().splitlines()[0]
        self._socket = self._page(number)
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _page(self, port: str) -> ClientConnection:
        from urllib.request import urlopen

        with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            pages = json.load(answer)
        address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        return connect(address, max_size=None, ping_interval=None)  # a machine that does other things answers late

    def call(self, method: str, **arguments: Any) -> Any:
        """One command of the protocol; events that come meanwhile are noted."""
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": arguments}))
        while True:
            answer = json.loads(self._socket.recv(PATIENCE))
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        kind, given = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            self.errors.append(str(given["exceptionDetails"].get("exception", {}).get("description", given["exceptionDetails"]["text"])))
        elif kind == "Runtime.consoleAPICalled" and given["type"] == "error":
            self.errors.append(" ".join(str(one.get("value", one.get("description", ""))) for one in given["args"]))
        elif kind == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"] + " " + given["entry"].get("url", ""))
        elif kind == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"][:200])
        elif kind == "Network.webSocketCreated":
            self.requests.append(given["url"])

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        wait_for(lambda: self.run("document.readyState") == "complete", f"{url} does not load")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def text(self) -> str:
        """All words of the page."""
        return str(self.run("document.body.innerText"))

    def click(self, words: str) -> None:
        """Click the button with these words, with the mouse."""
        found = f"[...document.querySelectorAll('button, label')].find(b => b.innerText.trim() === {json.dumps(words)})"
        place = f"(() => {{ const b = {found}; if (!b) return null; b.scrollIntoView({{block: 'center'}}); "
        place += "const r = b.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        wait_for(lambda: self.run(f"!!{found}"), f"no button {words}")
        x, y = self.run(place)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)


def wait_for(condition: Any, words: str, patience: float = PATIENCE) -> None:
    """Until it holds; fails with these words."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, words
        time.sleep(0.05)


def started(*arguments: object) -> tuple[subprocess.Popen, str]:
    """`mbsim view` in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mbsim", "view", *map(str, arguments), "--no-open"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def ended(process: subprocess.Popen) -> None:
    """Ctrl-C: exit code 0, and not a word."""
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    out, err = process.communicate()
    assert out == "" and err == ""


def local(requests: list[str], url: str) -> bool:
    own = url.rstrip("/")
    return all(request.startswith((own, own.replace("http", "ws", 1), "data:", "blob:")) for request in requests)
