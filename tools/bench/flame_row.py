# SPDX-License-Identifier: GPL-2.0-or-later
"""flame_row.py: the row `flame` of tools/bench/run: folded text to SVG, beside inferno-flamegraph and a program that only reads.

Of each input every program is run in turn, five times; the figures are medians of CPU time (user and system) and the largest
resident memory. WICK_INFERNO names inferno-flamegraph, where it is not in the path or in build/inferno (cargo install).
"""
import multiprocessing
import os
import random
import shutil
import statistics
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WICK = os.path.join(ROOT, "build", "wick")
YARDSTICK = ["awk", "{n++} END {print n}"]


def inferno():
    path = os.environ.get("WICK_INFERNO") or shutil.which("inferno-flamegraph") or ROOT + "/build/inferno/bin/inferno-flamegraph"
    return path if os.access(path, os.X_OK) else None


def write_input(path, nr, frames, in_order):
    """`nr` stacks, two thirds to four thirds of `frames` deep, of 4,000 functions; each calls twelve others, some much more often."""
    rng = random.Random(1)
    names = [f"{rng.choice(['std', 'app', 'net', 'io'])}::{rng.randbytes(rng.randint(3, 8)).hex()}::{rng.randbytes(rng.randint(3, 9)).hex()}"
             f"({rng.choice(['int', 'char', 'void*'])})" for _ in range(4000)]
    calls = [int(12 * rng.random() ** 2) for _ in range(1 << 16)]
    lines = set()
    while len(lines) < nr:
        state, stack = 17, []
        at = rng.getrandbits(16)
        for _ in range(rng.randint(frames * 2 // 3, frames * 4 // 3)):
            i = calls[at]
            stack.append(names[(state * 31 + i * 7919) % 4000])
            state = (state * 1000003 + i + 1) & 0xffffffff
            at = (at * 25173 + 13849) & 0xffff
        lines.add(";".join(stack) + f";leaf{rng.getrandbits(24)} {rng.randint(1, 1000)}\n")
    with open(path, "w") as f:
        f.writelines(sorted(lines) if in_order else lines)


def measure(command):
    """CPU seconds, MB."""
    pid = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(pid.pid, 0)
    pid.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise subprocess.CalledProcessError(pid.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024 * 1.048576


def figures(commands):
    runs = {name: [] for name in commands}
    for _ in range(5):
        for name, command in commands.items():
            runs[name].append(measure(command))
    return {name: (statistics.median(cpu for cpu, _ in all_runs), max(memory for _, memory in all_runs)) for name, all_runs in runs.items()}


def report(row, text, path):
    size, program = os.path.getsize(path) / 1e6, inferno()
    commands = {"wick": [WICK, "flame", "-q", path], "awk": [*YARDSTICK, path]}
    if program:
        commands["inferno"] = [program, "-q", path]
    got = figures(commands)
    cpu, memory = got["wick"]
    said = f"{text}, {size:.0f} MB: {cpu:.3f} s of CPU, {size / cpu:.0f} MB/s, {memory:.0f} MB; awk {got['awk'][0]:.3f} s"
    ok = size < 20 or size / cpu >= 300
    if program:
        their_cpu, their_memory = got["inferno"]
        said += f"; inferno {their_cpu:.3f} s, {their_memory:.0f} MB: {cpu / their_cpu:.2f} of its CPU time"
        ok = ok and cpu <= 0.5 * their_cpu and memory <= their_memory
    row("flame", said + " (bounds: 0.5, 300 MB/s from 20 MB on, its memory)", ok)


def flame(workdir, quick, row):
    if not inferno():
        print("flame      no inferno-flamegraph: `cargo install --root build/inferno inferno`, or WICK_INFERNO")
    for nr, frames in ((10**4, 20), (10**5, 20)) if quick else ((10**4, 20), (10**5, 20), (10**6, 8)):
        for in_order in True, False:
            path = os.path.join(workdir, f"{nr}.folded")
            # In a process of its own: what this one takes would count as a child's, from before its exec().
            maker = multiprocessing.Process(target=write_input, args=(path, nr, frames, in_order))
            maker.start()
            maker.join()
            report(row, f"{nr:,} stacks, {'sorted' if in_order else 'in any order'}", path)
            os.unlink(path)
