# SPDX-License-Identifier: GPL-2.0-or-later
"""python_row.py: the row `python` of tools/bench/run: what Python's own frames cost, in the kernel and against py-spy."""
import contextlib
import os
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WICK = os.path.join(ROOT, "build", "wick")
PY_SPY = shutil.which("py-spy") or os.path.join(ROOT, "build", "readers", "py-spy", "bin", "py-spy")
FRAMES = 20
MOST_NS = 25_000
# Each frame is of a function of its own: <module>, f0 ... f17, and the one that is busy.
DEEP = "".join(f"def f{i}():\n    return f{i + 1}()\n" for i in range(FRAMES - 2)) + f"""
def f{FRAMES - 2}():
    x = 0
    while True:
        x += x & 1
f0()
"""


@contextlib.contextmanager
def busy_python():
    with subprocess.Popen([sys.executable, "-c", DEEP]) as process:
        try:
            time.sleep(0.5)
            yield process.pid
        finally:
            process.kill()


def kernel_ns(pid, seconds, workdir, *options):
    """Of the sampling program: ns a sample with its stacks, all else being left out."""
    done = subprocess.run([WICK, "cpu", "--stats", "-p", str(pid), "-d", str(seconds), "-o", "p.folded", *options], cwd=workdir,
                          text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=True)
    return float(re.search(r"wick_cpu .* with a walk, (\d+) ns", done.stderr)[1])


def cpu_seconds(command, workdir):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=workdir, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def python(workdir, row, quick):
    seconds = 5 if quick else 10
    with busy_python() as pid:
        rounds = sorted((kernel_ns(pid, seconds, workdir), kernel_ns(pid, seconds, workdir, "--no-python"))
                        for _ in range(1 if quick else 3))
        ns, bare = rounds[len(rounds) // 2]
        row("python", f"a sample at 99 Hz, {FRAMES} Python frames deep: {ns:.0f} ns (bound {MOST_NS}); --no-python {bare:.0f} ns", ns <= MOST_NS)
        if not os.path.exists(PY_SPY):
            row("python", "no py-spy here to compare with")
            return
        ours = cpu_seconds([WICK, "cpu", "-p", str(pid), "-d", str(seconds), "-o", "p.folded"], workdir)
        theirs = cpu_seconds([PY_SPY, "record", "-p", str(pid), "-d", str(seconds), "-r", "99", "-f", "raw", "-o", "q.folded"], workdir)
        row("python", f"{seconds} s at 99 Hz, from start to file: wick {ours:.3f} s of CPU time, py-spy record {theirs:.3f} s: "
            f"1/{theirs / ours:.1f}")
