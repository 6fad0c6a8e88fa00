"""A headless Chromium, driven by its own protocol over a local socket."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--hide-scrollbars",
         "--disable-dev-shm-usage", "--remote-debugging-port=0",
         "--remote-allow-origins=*")
WAIT = 30


def found():
    """The program; None: there is none."""
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    """One tab. What it asked the network for and what it said on its console
    are kept since the last `open`."""

    def __init__(self):
        import websocket
        self.folder = tempfile.mkdtemp(prefix="sked-browser")
        self.process = subprocess.Popen(
            [found(), *QUIET, f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self._port()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list",
                                    timeout=WAIT) as answer:
            pages = [p for p in json.load(answer) if p["type"] == "page"]
        self.socket = websocket.create_connection(
            pages[0]["webSocketDebuggerUrl"], timeout=WAIT)
        self.number = 0
        self.events = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _port(self):
        file = Path(self.folder) / "DevToolsActivePort"
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            if file.exists() and (words := file.read_text().split()):
                return words[0]
            time.sleep(0.05)
        raise TimeoutError("the browser opened no port")

    def close(self):
        """Ends it."""
        self.socket.close()
        self.process.terminate()
        self.process.wait(WAIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self):
        message = json.loads(self.socket.recv())
        if "method" in message:
            self.events.append(message)
        return message

    def call(self, method, **params):
        """One command, and its answer."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method,
                                     "params": params}))
        while True:
            message = self._receive()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def open(self, path):
        """Goes to a file and waits until it is there."""
        self.events = []
        self.call("Page.navigate", url=Path(path).as_uri())
        while not any(e["method"] == "Page.loadEventFired"
                      for e in self.events):
            self._receive()

    def run(self, script):
        """What an expression comes to in the page."""
        said = self.call("Runtime.evaluate", expression=script,
                         returnByValue=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def size(self, width, height=900):
        """The window's inner size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, scheme="light", kind=""):
        """A theme; `kind`: "print"."""
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, code, text=""):
        """A key, down and up."""
        for what in ("keyDown", "keyUp"):
            extra = {"text": text} if text and what == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=what, key=key, code=key,
                      windowsVirtualKeyCode=code, nativeVirtualKeyCode=code,
                      **extra)

    def requests(self):
        """What was asked for."""
        return [e["params"]["request"]["url"] for e in self.events
                if e["method"] == "Network.requestWillBeSent"]

    def said(self):
        """What stands on the console."""
        return [e["params"] for e in self.events if e["method"] in
                ("Log.entryAdded", "Runtime.consoleAPICalled",
                 "Runtime.exceptionThrown")]

    def shot(self, path):
        """A picture of the whole page."""
        said = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        Path(path).write_bytes(base64.b64decode(said["data"]))

    def pdf(self):
        """The page printed."""
        said = self.call("Page.printToPDF", printBackground=True)
        return base64.b64decode(said["data"])
