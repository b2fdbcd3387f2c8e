# SPDX-License-Identifier: GPL-2.0-or-later
"""why_row.py: the row `why` of tools/bench/run: waits explained, from logs made up (explain.c), and what a record of a busy host spends on that.

A million waits of 10,000 threads: seconds of CPU time and memory beside what half of them takes, which says whether it grows in proportion.
"""
import os
import resource
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("WICK_BUILD", os.path.join(ROOT, "build"))
WICK, EXPLAIN = os.path.join(BUILD, "wick"), os.path.join(BUILD, "bench", "explain")


def explained(blocks, threads, timers):
    """Median of three: seconds for the index, for the explanations; MB."""
    runs = [[float(x) for x in subprocess.run([EXPLAIN, str(blocks), str(threads), str(timers)], check=True, stdout=subprocess.PIPE).stdout.split()]
            for _ in range(3)]
    return [statistics.median(column) for column in zip(*runs)]


def explain(row):
    for timers, what in (4, "4 in 10 of them by a timer"), (0, "all by threads"):
        index, seconds, mb = explained(10**6, 10**4, timers)
        half = sum(explained(10**6 // 2, 10**4 // 2, timers)[:2])
        whole = index + seconds
        row("why", f"a million waits of 10,000 threads, ended {what}: index {index:.2f} s, explained in {seconds:.2f} s, {mb:.0f} MB (bounds 2 s, 300 MB); "
            f"{whole / half:.1f} times what half as many of both take", whole < 2 and mb < 300)


def page(workdir, build, quick, row):
    """From a recording of a busy host: `why` besides what reading it takes."""
    path = os.path.join(workdir, "why.wick")
    with build():
        subprocess.run([WICK, "record", "-q", "-d", "5" if quick else "30", "-o", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def seconds(*command):
        runs = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([WICK, *command, "-i", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(runs)
    read = seconds("brk", "-q", "-f")
    took = {name: seconds(*command) - read for name, command in
            {"the page": ("why", "-q"), "its graph": ("why", "-q", "-o", os.path.join(workdir, "why.svg"))}.items()}
    row("why", f"{'5' if quick else '30'} s of a busy host, besides reading the recording ({read:.2f} s): " +
        ", ".join(f"{name} {s:.2f} s" for name, s in took.items()) + " (bound 0.2 s each)", max(took.values()) < 0.2)


def why(workdir, build, quick, row):
    explain(row)
    page(workdir, build, quick, row)
