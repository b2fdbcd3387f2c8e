# SPDX-License-Identifier: GPL-2.0-or-later
"""recording_row.py: the row `recording` of tools/bench/run: how large recordings are, what they cost, how fast they are read.

A busy host is two programs that spin and 198 processes that sleep and burn a little, beside what else the host does.
Sizes are of the same 30 s; perf's are of samples of CPUs and of switches, with frame pointers' stacks. What recording
adds is the median over pairs of runs that differ in nothing else. A long run is simulated: the seconds of the first
recording come again and again (day.c).
"""
import contextlib
import os
import shutil
import statistics
import subprocess
import time

import sched_row  # first: it knows where the live tests are
import waits

MB = 1e6
PPROF, FIREFOX = "pb.gz", "json.gz"


@contextlib.contextmanager
def busy(seconds):
    loads = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in
             ([waits.spin("spin"), str(seconds)], [waits.spin("beside"), str(seconds)],
              [waits.workload("tempest.c"), "processes", str(seconds), "198"])]
    try:
        time.sleep(1)
        yield
    finally:
        for load in loads:
            load.kill()
            load.wait()


def usage(*command):
    """CPU seconds and the largest resident memory of a command and its children."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise sched_row.Failed(f"{' '.join(command)}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def size_of(directory, suffix):
    return sum(os.path.getsize(os.path.join(directory, name)) for name in os.listdir(directory) if name.endswith(suffix))


def draw_all(path, directory, suffix):
    """All views of a recording in a format, each a file."""
    for view in waits.views():
        waits.wick(view, "-q", "-i", path, "-o", os.path.join(directory, f"{view}.{suffix}"))


def sizes(workdir, seconds, row):
    path, perf_data = os.path.join(workdir, "busy.wick"), os.path.join(workdir, "perf.data")
    perf = ["perf", "record", "-q", "-a", "-g", "-F", "99", "-e", "cpu-clock", "-e", "sched:sched_switch", "-o", perf_data]
    with busy(seconds + 10):
        peer = subprocess.Popen([*perf, "sleep", str(seconds)], stderr=subprocess.DEVNULL) if shutil.which("perf") else None
        usage(waits.WICK, "record", "-d", str(seconds), "-q", "-o", path)
        if peer:
            peer.wait()
    for suffix in PPROF, FIREFOX:
        draw_all(path, workdir, suffix)
    ours, pprof, firefox = os.path.getsize(path), size_of(workdir, PPROF), size_of(workdir, FIREFOX)
    perfs = f"perf.data {os.path.getsize(perf_data) / MB:.1f} MB, " if peer else ""
    row("recording", f"{seconds} s of 200 processes on busy CPUs: {ours / 1e3:.0f} kB (bound {10 * seconds} kB); {perfs}"
        f"Firefox JSON of all views {firefox / 1e3:.0f} kB", ours <= 10_000 * seconds)
    row("recording", f"gzipped pprof of all views {pprof / 1e3:.0f} kB: ours is {ours / pprof:.2f} of it (bound 1/3)", ours <= pprof / 3)
    return path


def cost(workdir, seconds, rounds, row):
    """CPU time and memory that recording adds to a run that watches switches, with chains of wakers."""
    times, memory = [], []
    picture, recording = os.path.join(workdir, "chain.svg"), os.path.join(workdir, "chain.wick")
    with busy((2 * seconds + 5) * rounds):
        for _ in range(rounds):
            bare = usage(waits.WICK, "chain", "-d", str(seconds), "-q", "-o", picture)
            with_it = usage(waits.WICK, "chain", "-d", str(seconds), "-q", "-o", picture, "-o", recording)
            times.append(with_it[0] / bare[0])
            memory.append((with_it[1] - bare[1]) / MB)
    more, mb = statistics.median(times) - 1, statistics.median(memory)
    row("recording", f"adds {100 * more:.1f} % to the CPU time of wick chain (bound 10 %) and {mb:.1f} MB of memory (bound 30)", more <= 0.1 and mb <= 30)


def seconds_of(*args, rounds=5):
    """The median of some runs."""
    took = []
    for _ in range(rounds):
        begin = time.monotonic()
        waits.wick(*args, timeout=600).succeeded()
        took.append(time.monotonic() - begin)
    return statistics.median(took)


def day(workdir, path, hours, row):
    program, long = os.path.join(workdir, "day"), os.path.join(workdir, "day.wick")
    root = sched_row.ROOT
    subprocess.run(["gcc", "-O2", "-std=gnu11", "-D_GNU_SOURCE", f"-I{root}/include", f"-I{root}/src", "-o", program,
                    os.path.join(root, "tools", "bench", "day.c"), f"{root}/build/libwick.a", "-lelf", "-lz", "-llzma", "-lcap", "-ljson-c", "-liberty"],
                   check=True)
    lines = subprocess.run([program, path, long, str(hours)], check=True, capture_output=True, text=True).stdout.split("\n")
    resident, size = zip(*([int(n) for n in line.split()] for line in lines if line))
    row("recording", f"{hours} hours, simulated: {resident[1] / MB:.0f} MB resident after two, {resident[-1] / MB:.0f} MB at the end (bound 5 % more), "
        f"{size[-1] / MB:.0f} MB in the file", resident[-1] <= 1.05 * resident[1])
    at = hours * 1800
    took = seconds_of("cpu", "-q", "-f", "-i", long, "--from", str(at), "--to", str(at + 60), rounds=1)
    row("recording", f"a minute of it: read and drawn in {took:.2f} s (bound 0.3)", took <= 0.3)


def recording(workdir, row, quick):
    if len(os.sched_getaffinity(0)) < 2:
        raise sched_row.Failed("it takes two CPUs")
    path = sizes(workdir, 10 if quick else 30, row)
    took = seconds_of("cpu", "-q", "-i", path, "-o", os.path.join(workdir, "view.svg"))
    row("recording", f"from the recording to an SVG: {1000 * took:.0f} ms (bound 50)", took <= 0.05)
    cost(workdir, 5 if quick else 10, 1 if quick else 5, row)
    day(workdir, path, 3 if quick else 24, row)
