# SPDX-License-Identifier: GPL-2.0-or-later
"""memory_row.py: the row `faults` of tools/bench/run: what a page fault and calls for memory cost while they are watched.

A program on one CPU touches pages, maps and unmaps, grows and shrinks its heap, makes a call that has nothing to do with
memory, and has buffers that live for a moment: mapped, touched, unmapped. The tracer has another CPU. What counts is the
program's CPU time: what a tracer adds is the median over all rounds less that of the bare ones, which go in turn.
"""
import os
import shutil
import statistics
import subprocess
import time

import sched_row  # first: it knows where the live tests are
import waits

ROUNDS = {True: "20", False: "60"}  # of the workload, quick or not


class Bpftrace(sched_row.Tracer):
    """Debian's bpftrace: it has no links, so what tells is that it has a program."""

    when = "prog_id:"

    def __init__(self, script, cpu):
        super().__init__(["bpftrace", "-e", script], cpu=cpu)


class Record(sched_row.Wick):
    """All views, which go into a directory."""

    def __init__(self, workdir, cpu):
        sched_row.Tracer.__init__(self, [waits.WICK, "record", "-d", "600", "-o", os.path.join(workdir, "record")], cpu=cpu)


BPFTRACE = "software:page-faults:1 { @[ustack] = count(); }"


def costs(workdir, quick, rounds=5):
    """{tracer: {what: median ns}}"""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise sched_row.Failed("it takes two CPUs")
    path = waits.workload("pages.c")
    tracers = {
        "bare": lambda: sched_row.Tracer(),
        "faults": lambda: sched_row.Wick(workdir, "faults", cpu=cpus[0]),
        "mmap": lambda: sched_row.Wick(workdir, "mmap", cpu=cpus[0]),
        "brk": lambda: sched_row.Wick(workdir, "brk", cpu=cpus[0]),
        "record": lambda: Record(workdir, cpus[0]),
    }
    if shutil.which("bpftrace"):
        tracers["bpftrace"] = lambda: Bpftrace(BPFTRACE, cpus[0])
    seen = {name: [] for name in tracers}
    for _ in range(2 if quick else rounds):
        for name, make in tracers.items():
            with make():
                time.sleep(2.5)  # what a run begins with is not what is measured
                output = subprocess.run(["taskset", "-c", str(cpus[1]), path, ROUNDS[quick]],
                                        check=True, capture_output=True, text=True).stdout
            seen[name].append(waits.figures(output))
    return {name: {what: statistics.median(one[what] for one in all_of) for what in all_of[0]}
            for name, all_of in seen.items()}


def faults(workdir, quick, row):
    ns = costs(workdir, quick)
    added = lambda tracer, what: ns[tracer][what + ".ns"] - ns["bare"][what + ".ns"]
    bare = ns["bare"]["fault.ns"]
    mine = added("faults", "fault")
    text = f"a page fault of {bare:.0f} ns: wick faults +{mine:.0f} ns, {100 * mine / bare:.0f} % of it"
    if "bpftrace" in ns:
        theirs = added("bpftrace", "fault")
        row("faults", f"{text}; bpftrace {BPFTRACE.split()[0]} +{theirs:.0f} ns: {mine / theirs:.2f} of it (bound 1/2)",
            mine <= theirs / 2)
    else:
        row("faults", f"{text}; no bpftrace here", None)
    bare = ns["bare"]["chunk.ns"]
    ratios = ", ".join(f"{tracer} {ns[tracer]['chunk.ns'] / bare:.2f}" for tracer in ("faults", "record", "bpftrace") if tracer in ns)
    row("faults", f"64 KB mapped, touched and unmapped, {bare:.0f} ns a page; with a tracer so many times as long: {ratios}", None)
    row("faults", f"mmap + munmap, {ns['bare']['mmap.ns']:.0f} ns: wick mmap +{added('mmap', 'mmap'):.0f} ns; "
        f"brk, {ns['bare']['brk.ns']:.0f} ns: wick brk +{added('brk', 'brk'):.0f} ns", None)
    other = max(added("mmap", "getppid"), added("brk", "getppid"))
    row("faults", f"getppid, {ns['bare']['getppid.ns']:.0f} ns, while they are watched: +{other:.0f} ns (bound 25)", other <= 25)
