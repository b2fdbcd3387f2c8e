# SPDX-License-Identifier: GPL-2.0-or-later
"""firefox.py: Firefox for page.py, without geckodriver, which Debian does not have.

Firefox has the commands of WebDriver itself, by other names and over a socket ("Marionette"): LENGTH:[0, ID, COMMAND, PARAMETERS], answered
by LENGTH:[1, ID, ERROR, RESULT]. This is what geckodriver translates to, too.
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from selenium.webdriver.firefox.options import Options
from selenium.webdriver.remote.webdriver import WebDriver

PROGRAMS = "/usr/bin/firefox-esr", "/usr/bin/firefox"
NAMES = {"newSession": "WebDriver:NewSession", "get": "WebDriver:Navigate", "goBack": "WebDriver:Back", "goForward": "WebDriver:Forward",
         "getTitle": "WebDriver:GetTitle", "getCurrentUrl": "WebDriver:GetCurrentURL",
         "w3cExecuteScript": "WebDriver:ExecuteScript", "w3cExecuteScriptAsync": "WebDriver:ExecuteAsyncScript",
         "actions": "WebDriver:PerformActions", "clearActionState": "WebDriver:ReleaseActions", "setWindowRect": "WebDriver:SetWindowRect",
         "screenshot": "WebDriver:TakeScreenshot", "getPageSource": "WebDriver:GetPageSource", "printPage": "WebDriver:Print", "setTimeouts": "WebDriver:SetTimeouts", "context": "Marionette:SetContext"}
START_SECONDS = 120

# Nothing is fetched, nothing moves, nothing asks.
SETTINGS = {"ui.prefersReducedMotion": 1, "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False,
            "app.update.enabled": False, "extensions.update.enabled": False, "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "browser.region.network.url": "", "services.settings.server": "data:,",
            "browser.aboutwelcome.enabled": False, "toolkit.telemetry.server": "data:,"}


def program():
    return next((path for path in PROGRAMS if os.access(path, os.X_OK)), None)


class Connection:
    """Where selenium expects a driver."""

    keep_alive = False

    def __init__(self, port, process):
        self.last = 0
        for _ in range(START_SECONDS * 10):
            if process.poll() is not None:
                raise RuntimeError(f"Firefox ended with {process.returncode}")
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                self.file = self.socket.makefile("rb")
                self.answer()  # who it is
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("Firefox does not answer")

    def answer(self):
        length = b""
        while (c := self.file.read(1)) != b":":
            if not c:
                raise ConnectionError("Firefox is gone")
            length += c
        return json.loads(self.file.read(int(length)))

    def execute(self, command, parameters):
        if command == "quit":
            return {"value": None}
        if command == "newSession":
            parameters = {}
        self.last += 1
        text = json.dumps([0, self.last, NAMES[command], {k: v for k, v in parameters.items() if k != "sessionId"}]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.answer()
        if error:
            raise RuntimeError(f"{error['error']}: {error['message']}")
        if command == "newSession":
            return {"value": result}
        return result if isinstance(result, dict) and "value" in result else {"value": result}

    def close(self):
        self.socket.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def end_with_me():
    """Of a test that is killed, too, nothing stays."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def literal(value):
    return json.dumps(value)


class Firefox(WebDriver):
    wanted = None  # what pages are to prefer: the dark, reduced motion

    def __init__(self, scratch):
        profile, port = tempfile.mkdtemp(dir=scratch), free_port()
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as file:
            file.writelines(f"user_pref({literal(k)}, {literal(v)});\n" for k, v in {**SETTINGS, "marionette.port": port}.items())
        self.process = subprocess.Popen([program(), "--headless", "--no-remote", "--marionette", "-remote-allow-system-access", "--profile", profile, "about:blank"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": profile}, preexec_fn=end_with_me)
        try:
            super().__init__(command_executor=Connection(port, self.process), options=Options())
        except BaseException:
            self.process.kill()
            raise

    def privileged(self, script, *arguments):
        """Runs a script in the browser's own context."""
        self.execute("context", {"value": "chrome"})
        try:
            return self.execute_script(script, *arguments)
        finally:
            self.execute("context", {"value": "content"})

    def media(self, dark, motion):
        self.privileged("""
            Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", arguments[0] ? 0 : 1);
            Services.prefs.setIntPref("ui.prefersReducedMotion", arguments[1] ? 0 : 1);""", dark, motion)
        self.wanted = [dark, not motion]
        self.wait_for_media()

    def wait_for_media(self):
        """The process of the page is told of it a while after the browser's own."""
        end = time.monotonic() + 30
        while self.wanted and self.wanted != self.execute_script("return ['color-scheme: dark', 'reduced-motion: reduce'].map(m => matchMedia(`(prefers-${m})`).matches)"):
            if time.monotonic() > end:
                raise AssertionError(f"no dark, no reduced motion: {self.wanted}")
            time.sleep(0.02)

    def window(self, width, height):
        """The size of what is inside of it."""
        for _ in range(2):
            frame = self.execute_script("return [outerWidth - innerWidth, outerHeight - innerHeight]")
            self.set_window_rect(width=width + frame[0], height=height + frame[1])

    def scripts(self, on):
        self.privileged('Services.prefs.setBoolPref("javascript.enabled", arguments[0])', on)

    def errors(self):
        """What scripts of pages have not caught, since the last time."""
        return self.privileged("""
            const all = Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError && !(m.flags & Ci.nsIScriptError.warningFlag) &&
                m.category === "content javascript" && m.sourceName.startsWith("file:")).map(m => m.errorMessage);
            Services.console.reset(); return all""")

    def quit(self):
        self.command_executor.close()
        self.process.kill()
        self.process.wait()
