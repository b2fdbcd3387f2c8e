# SPDX-License-Identifier: GPL-2.0-or-later
"""viewer_row.py: the row `viewer` of tools/bench/run: pictures in chromium, beside inferno-flamegraph's of the same input.

Size of the SVG; seconds until it is open, until it is zoomed to the root's largest callee and painted, until a search is done, and until all is
drawn from the leaf, which is made in pieces. Each is the median of three; nothing moves.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import flame_row

sys.path.insert(0, os.path.join(flame_row.ROOT, "tests", "browser"))

# Runs `what`, and says how long it took until it was painted.
PAINTED = """
    const done = arguments[arguments.length - 1], begin = performance.now(), { viewer } = document.querySelector('#wick') || {};
    const painted = () => requestAnimationFrame(() => {
        if (viewer && viewer.isBuilding())
            return painted();
        const c = new MessageChannel(); c.port1.onmessage = () => done((performance.now() - begin) / 1000); c.port2.postMessage(0);
    });
    %s;
    painted();"""

OURS = {
    "zoom": """const { tree } = viewer.shown; let widest = 1;
        for (let i = 1; i < tree.nr; i++) if (tree.depth[i] === 2 && tree.total[i] > tree.total[widest]) widest = i; viewer.choose({ zoom: widest })""",
    "search": "viewer.search('^std::.*int')",
    "leaf": "viewer.choose({ search: '', zoom: 0, view: 'leaf' })",
}
# Its scripts have these functions; its boxes are the <g> below #frames.
THEIRS = {
    "zoom": """const boxes = [...document.querySelectorAll('#frames > g')], width = g => +g.querySelector('rect').getAttribute('fg:w');
        zoom(boxes.filter(g => width(g) < width(boxes[0])).reduce((a, b) => width(b) > width(a) ? b : a, boxes[boxes.length - 1]))""",
    "search": "search('^std::.*int')",
}


def figures(browser, path, steps):
    runs = []
    for _ in range(3):
        begin = time.monotonic()
        browser.get("file://" + path)
        run = {"load": time.monotonic() - begin}
        for name, what in steps.items():
            run[name] = browser.execute_async_script(PAINTED % what)
        runs.append(run)
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def said(path, got):
    return f"{os.path.getsize(path) / 1e6:.1f} MB, " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in got.items())


def picture(program, text, path):
    with open(path, "wb") as out:
        subprocess.run([*program, text], stdout=out, stderr=subprocess.DEVNULL, check=True)
    return path


def within(nr, path, got):
    if nr == 10**5:
        return os.path.getsize(path) <= 8e6 and got["load"] < 1 and got["zoom"] < 0.2 and got["search"] < 0.2
    return got["load"] < 8


def viewer(workdir, quick, row):
    try:
        import page
        import selenium  # noqa: F401
    except ImportError as e:
        return row("viewer", f"not measured: {e}")
    program = flame_row.inferno()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = page.Page(scratch).browser
        browser.set_script_timeout(120)
        try:
            for nr, frames in ((10**4, 20), (10**5, 20)) if quick else ((10**4, 20), (10**5, 20), (10**6, 8)):
                text = os.path.join(workdir, "viewer.folded")
                flame_row.write_input(text, nr, frames, True)
                ours = picture([flame_row.WICK, "flame", "-q"], text, os.path.join(workdir, "ours.svg"))
                got = figures(browser, ours, OURS)
                words = f"{nr:,} stacks: {said(ours, got)}"
                if program and nr <= 10**5:
                    theirs = picture([program, "-q"], text, os.path.join(workdir, "theirs.svg"))
                    words += f"; inferno's: {said(theirs, figures(browser, theirs, THEIRS))}"
                row("viewer", words + " (bounds: 8 MB, 1 s, 0.2 s of 100,000; 8 s of more)", within(nr, ours, got))
        finally:
            browser.quit()
