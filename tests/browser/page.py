# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py: a flame graph in chromium, for the tests here: how it is drawn, opened, read and used. With WICK_BROWSER=firefox, in that."""

import base64
import os
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
WICK = os.environ.get("WICK") or os.path.join(os.environ.get("WICK_BUILD") or ROOT + "/build", "wick")
CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"

FLAGS = """--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run
    --disable-background-networking --disable-component-update --disable-sync
    --window-size=1300,900""".split()
ESCAPE, F3, ENTER, DELETE = "\ue00c", "\ue033", "\ue007", "\ue017"
UP, DOWN, LEFT, RIGHT = "\ue013", "\ue015", "\ue012", "\ue014"

# Self times of the field's worked example, in tenths.
EXAMPLE = """main 20
main;foo1 15
main;foo2 5
main;foo1;bar 25
main;foo2;bar 25
"""


IN_FIREFOX = os.environ.get("WICK_BROWSER") == "firefox"


class OnlyInChromium(Exception):
    """What a case needs, other browsers do not have."""


class Page:
    """A browser. Pictures are 1200 wide and nothing moves, unless a case asks for it."""

    def __init__(self, scratch):
        self.scratch = scratch
        if IN_FIREFOX:
            from firefox import Firefox
            self.browser = Firefox(scratch)
        else:
            self.browser = self.chromium(scratch)
        self.media()

    def chromium(self, scratch):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in FLAGS + ["--user-data-dir=" + tempfile.mkdtemp(dir=scratch)]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        return webdriver.Chrome(service=Service(DRIVER), options=options)

    def cdp(self, command, parameters):
        """Of the protocol of chromium's own tools."""
        if IN_FIREFOX:
            raise OnlyInChromium(command)
        return self.browser.execute_cdp_cmd(command, parameters)

    def media(self, dark=False, motion=False, print_=False):
        if IN_FIREFOX and not print_:
            return self.browser.media(dark, motion)
        self.cdp("Emulation.setEmulatedMedia", {"media": "print" if print_ else "", "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"}]})

    def window(self, width, height=900):
        if IN_FIREFOX:
            return self.browser.window(width, height)
        self.cdp("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scripts(self, on):
        """Whether scripts of pages run."""
        if IN_FIREFOX:
            return self.browser.scripts(on)
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def source(self):
        """The page as it is now, without a script's help."""
        if IN_FIREFOX:
            return self.browser.page_source
        self.browser.execute_cdp_cmd("DOM.enable", {})
        root = self.browser.execute_cdp_cmd("DOM.getDocument", {"depth": -1})["root"]
        return self.browser.execute_cdp_cmd("DOM.getOuterHTML", {"nodeId": root["nodeId"]})["outerHTML"]

    def pdf(self):
        if IN_FIREFOX:
            from selenium.webdriver.common.print_page_options import PrintOptions
            options = PrintOptions()
            options.orientation, options.background = "landscape", True
            return base64.b64decode(self.browser.print_page(options))
        return base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {"landscape": True, "printBackground": True})["data"])

    def touch(self, x, y, seconds):
        """With a finger that stays so long."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput
        finger = PointerInput("touch", "finger")
        action = ActionBuilder(self.browser, mouse=finger)
        action.pointer_action.move_to_location(round(x), round(y)).pointer_down()
        if seconds:
            action.pointer_action.pause(seconds)
        action.pointer_action.pointer_up()
        action.perform()
        action.clear_actions()

    def draw(self, name, folded, *options, width=1200):
        path = os.path.join(self.scratch, name + ".svg")
        text = folded if isinstance(folded, bytes) else folded.encode()
        sized = ["--width", str(width)] if width else []
        subprocess.run([WICK, "flame", "-q", "-o", path, *sized, *options], input=text, check=True)
        return path

    def draw_difference(self, name, before, now, *options, width=1200):
        paths = []
        for side, text in ("before", before), ("now", now):
            paths.append(os.path.join(self.scratch, side))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.write(text)
        path = os.path.join(self.scratch, name + ".svg")
        sized = ["--width", str(width)] if width else []
        subprocess.run([WICK, "diff", "-q", *paths, "-o", path, *sized, *options], check=True)
        return path

    def load(self, path, query=""):
        self.browser.get("file://" + path + query)
        if IN_FIREFOX:
            self.browser.wait_for_media()

    def open(self, name, folded, *options, **keywords):
        self.load(self.draw(name, folded, *options, **keywords))

    def run(self, script, *arguments):
        return self.browser.execute_script("const viewer = document.querySelector('#wick').viewer;" + script, *arguments)

    def boxes(self):
        """What can be seen: {name: [(x, width, faded, matching)]}."""
        rows = self.run("""
            return [...document.querySelectorAll("#boxes rect")].map(r => [viewer.name(r.node), +r.getAttribute("x"),
                +r.getAttribute("width"), r.classList.contains("faded"), r.classList.contains("match")])""")
        seen = {}
        for name, *rest in rows:
            seen.setdefault(name, []).append(tuple(rest))
        return seen

    def widths(self, name):
        return sorted(round(box[1], 1) for box in self.boxes().get(name, []))

    def box(self, name, nth=0):
        return self.run("return [...document.querySelectorAll('#boxes rect')].filter(r => viewer.name(r.node) === arguments[0])[arguments[1]]",
                        name, nth)

    def click(self, name, nth=0):
        """At its left end, where nothing else of the page is."""
        self.at(name, lambda chain: chain.click(), nth)

    def at(self, name, act, nth=0):
        """Does something with a box. What a loaded machine draws late may take its element away: then it is looked for again."""
        from selenium.common.exceptions import StaleElementReferenceException
        for more in reversed(range(5)):
            try:
                return act(self.pointed(name, nth)).perform()
            except StaleElementReferenceException:
                if not more:
                    raise

    def pointed(self, name, nth=0):
        from selenium.webdriver.common.action_chains import ActionChains
        box = self.box(name, nth)
        return ActionChains(self.browser).move_to_element(box)

    def hover(self, name, nth=0):
        """From elsewhere: where the pointer is already, it does not move."""
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser).move_to_element(self.run("return document.querySelector('h1')")).perform()
        self.at(name, lambda chain: chain, nth)

    def text(self, part):
        return self.run("return document.getElementById(arguments[0]).textContent", part)

    def press(self, part):
        self.run("document.getElementById(arguments[0]).click()", part)

    def choose(self, part, value):
        self.run("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", part, value)

    def keys(self, *which):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser).send_keys(*which).perform()

    def held(self, modifier, key):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.browser).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def search(self, expression):
        """Types it, and waits for what it does."""
        self.run("const field = document.querySelector('#search'); field.focus(); field.select()")
        self.keys(DELETE + expression)
        self.until(lambda: equal(self.run("return viewer.state.search"), expression))
        return self.text("matched")

    def until(self, check):
        """Until it holds, which on a busy host takes a while; a box may be drawn anew meanwhile."""
        from selenium.common.exceptions import StaleElementReferenceException
        end = time.monotonic() + 30
        while True:
            try:
                return check()
            except (AssertionError, StaleElementReferenceException):
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)

    def no_errors(self):
        errors = self.browser.errors() if IN_FIREFOX else [e["message"] for e in self.browser.get_log("browser") if e["level"] == "SEVERE"]
        equal(errors, [])


def equal(got, want):
    if got != want:
        raise AssertionError(f"{got!r}, want {want!r}")


def near(got, want, by=0.2):
    if len(got) != len(want) or any(abs(g - w) > by for g, w in zip(got, want)):
        raise AssertionError(f"{got!r}, want {want!r}")


def what_is_missing():
    try:
        import selenium  # noqa: F401
    except ImportError as e:
        return str(e)
    if IN_FIREFOX:
        import firefox
        return None if firefox.program() else "there is no Firefox"
    return next((f"there is no {program}" for program in (CHROMIUM, DRIVER) if not os.access(program, os.X_OK)), None)


def run_cases(cases):
    """Each is a function of a page, and begins with a file that it loads."""
    missing = what_is_missing()
    if missing:
        return print(f"skip browser: {missing}")
    pattern, status = sys.argv[1] if len(sys.argv) > 1 else "", 0
    with tempfile.TemporaryDirectory(prefix="wick-svg-", ignore_cleanup_errors=True) as scratch:
        page = Page(scratch)
        try:
            for case in cases:
                if pattern in case.__name__:
                    status |= run_case(page, case)
        finally:
            page.browser.quit()
    return status


def run_case(page, case):
    try:
        page.media()
        page.window(1300)
        case(page)
        print("ok", case.__name__, flush=True)
        return 0
    except OnlyInChromium as e:
        print(f"# {case.__name__}: only in chromium, by {e}", flush=True)
        return 0
    except Exception as e:  # whatever fails is the case's failure
        print(f"not ok {case.__name__}: {str(e).splitlines()[0] if str(e) else type(e).__name__}")
        traceback.print_exc(limit=-3, file=sys.stdout)
        return 1
