# SPDX-License-Identifier: GPL-2.0-or-later
"""sched_row.py: the row `sched` of tools/bench/run: what a context switch costs while the scheduler is watched.

Two tasks on one CPU switch to each other as fast as they can, over a pipe; the tracer has another CPU. What a
tracer adds to a switch is its median over all rounds less that of the bare runs: rounds go through all tracers
in turn, so that what else the host does falls on all of them alike.
"""
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "live"))
sys.dont_write_bytecode = True

import waits  # noqa: E402  the live tests' reading of the summary, and their workloads

HOOKS = waits.HOOKS
TASK_STORAGE = 29  # enum bpf_map_type
THREADS = 10000
BENCH = ["perf", "bench", "-f", "simple", "sched"]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Failed(Exception):
    pass


# ---- tracers

def holds(pid, what):
    """Has it a file of which /proc/PID/fdinfo says this?"""
    try:
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                if what in f.read():
                    return True
    except FileNotFoundError:
        pass
    return False


class Tracer:
    """Commands that trace while its `with` lasts, on the first CPU."""

    def __init__(self, *commands, cpu=None):
        self.commands = [(["taskset", "-c", str(cpu)] if cpu is not None else []) + c for c in commands]

    def __enter__(self):
        self.running = []
        try:
            for command in self.commands:
                self.running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                     stderr=subprocess.PIPE if self.keeps_stderr else subprocess.DEVNULL, text=True))
                end = time.monotonic() + 20
                while not holds(self.running[-1].pid, self.when):
                    if self.running[-1].poll() is not None or time.monotonic() > end:
                        raise Failed(f"{' '.join(command)}: does not trace")
                    time.sleep(0.02)
            time.sleep(0.3 if self.running else 0)
        except BaseException:
            self.kill()
            raise
        return self

    keeps_stderr = False
    when = "link_id:"  # it traces when it has a file of this kind: see proc_pid_fdinfo(5)

    def kill(self):
        for process in self.running:
            process.kill()
            process.wait()

    def __exit__(self, *_):
        gone = [p for p in self.running if p.poll() is not None]
        self.kill()
        if gone:
            raise Failed(f"{' '.join(gone[0].args)}: ended with {gone[0].returncode}")


class Wick(Tracer):
    """A view, ended as a user does, and its folded text."""

    keeps_stderr = True

    def __init__(self, workdir, view, *options, cpu=None):
        self.path = os.path.join(workdir, "bench.folded")
        super().__init__([waits.WICK, view, "--stats", "-d", "600", "-o", self.path, *options], cpu=cpu)

    def __exit__(self, kind, *_):
        process, = self.running
        if kind or process.poll() is not None:
            self.kill()
            if kind:
                return
            raise Failed(f"{' '.join(process.args)}: ended with {process.returncode}")
        process.send_signal(signal.SIGINT)
        try:
            _, self.stderr = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"{' '.join(process.args)}: does not end") from None
        if process.returncode:
            raise Failed(f"{' '.join(process.args)}: {self.stderr.strip()}")

    def profile(self):
        return waits.read_folded(self.path)


def peer(name, *arguments):
    """A tool of libbpf-tools, None where it is not installed."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    return [path, *arguments] if path else None


# ---- a switch

def switch_ns(loops, cpu):
    """A loop is there and back. The best of three runs: what a tracer adds is in each of them, what the rest of
    the host adds is not."""
    def seconds():
        done = subprocess.run(["taskset", "-c", str(cpu), *BENCH, "pipe", "-l", str(loops)],
                              check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return float(done.stdout)
    return min(seconds() for _ in range(3)) * 1e9 / (2 * loops)


def hooks_that_load(workdir):
    for hook in HOOKS:
        done = subprocess.run([waits.WICK, "offcpu", "-d", "0.1", "--switch-hook", hook, "-o",
                               os.path.join(workdir, "hook.folded")], **QUIET, check=False)
        if done.returncode == 0:
            yield hook


def tracers(workdir, cpu):
    """What is measured: name -> a new tracer."""
    # By default they leave out blocks below a microsecond: about what these are on a fast CPU, so that they count
    # all of them or none, as it happens. Here they count all, as wick does.
    offcputime, wakeuptime = peer("offcputime", "-m", "0", "600"), peer("wakeuptime", "-m", "0", "600")
    empty = os.path.join(waits.BUILD, "live", "empty")
    made = {"bare": lambda: Tracer()}
    if os.path.exists(empty):
        made["empty programs"] = lambda: Tracer([empty], cpu=cpu)
    if offcputime and wakeuptime:
        made["offcputime"] = lambda: Tracer(offcputime, cpu=cpu)
        made["offcputime + wakeuptime"] = lambda: Tracer(offcputime, wakeuptime, cpu=cpu)
    for name in "offcpu", "offcpu --walk-above 0", "chain", "chain --walk-above 0", "wall":
        made[f"wick {name}"] = lambda name=name: Wick(workdir, *name.split(), cpu=cpu)
    for hook in hooks_that_load(workdir):
        name = f"offcpu --switch-hook {hook}"
        made[f"wick {name}"] = lambda name=name: Wick(workdir, *name.split(), cpu=cpu)
    return made


def measure(make, loops, cpu, failed):
    """Nanoseconds a switch under each tracer, once; a tracer that fails is measured no more."""
    figures = {}
    for name in list(make):
        tracer = make[name]()
        try:
            with tracer:
                figures[name] = switch_ns(loops, cpu)
            if isinstance(tracer, Wick) and not tracer.profile().value(lambda f: f[0].startswith("sched-pipe")):
                raise Failed(f"{name}: has not seen the benchmark")
        except Failed as why:
            failed[name] = str(why).splitlines()[0]
            figures.pop(name, None)
            del make[name]
    return figures


# name, against what, at most how many times as much
BOUNDS = [
    ("wick offcpu", "offcputime", 1 / 5),
    ("wick offcpu --walk-above 0", "offcputime", 1.5),
    ("wick chain", "offcputime + wakeuptime", 1 / 4),
    ("wick chain --walk-above 0", "offcputime + wakeuptime", 1.5),
]


def fraction(bound):
    return f"1/{1 / bound:.0f}" if bound < 1 else f"{bound:g}"


def switches(workdir, row, quick):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        row("sched", "needs two CPUs: one for the benchmark, one for the tracer")
        return
    failed, make = {}, tracers(workdir, cpus[0])
    loops, nr = (30000, 5) if quick else (100000, 7)
    switch_ns(loops, cpus[1])  # the first one warms up
    rounds = [measure(make, loops, cpus[1], failed) for _ in range(nr)]
    medians = {name: statistics.median(r[name] for r in rounds if name in r) for name in make}
    bare = medians.pop("bare")
    added = {name: ns - bare for name, ns in medians.items()}
    row("sched", f"pipe on one CPU: {bare:,.0f} ns a switch, bare; medians of {nr} rounds of {2 * loops:,} switches")
    bounds = {name: (against, bound) for name, against, bound in BOUNDS}
    for name, ns in added.items():
        against, bound = bounds.get(name, ("offcputime", None))
        text = f"  {name + ':':36} +{ns:,.0f} ns"
        ok = None
        if name.startswith("wick") and added.get(against, 0) > 0:
            text += f", {ns / added[against]:.2f} of {against}"
            if bound:
                text += f" (bound {fraction(bound)})"
                ok = ns <= bound * added[against]
        row("sched", text, ok)
    if "offcputime" not in added:
        row("sched", f"  nothing to compare with: {failed.get('offcputime', 'install libbpf-tools')}")
    for name, why in failed.items():
        row("sched", f"  {name}: {why}", False if name.startswith("wick") else None)


# ---- hundreds of threads that wait for each other

def messaging(workdir, row, quick):
    command = [*BENCH, "messaging", "-g", "10", "-t", "-l", "100" if quick else "400"]
    nr = 3

    def seconds():
        return statistics.median(float(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                                                      stderr=subprocess.DEVNULL).stdout) for _ in range(nr))
    bare = seconds()
    with Wick(workdir, "offcpu") as wick:
        traced = seconds()
    try:
        total, expected, line = waits.account_of(wick.stderr)
    except AssertionError as why:
        raise Failed(str(why).splitlines()[0]) from None
    lost = re.search(r"lost:? .*", wick.stderr)
    row("sched", f"messaging, 400 threads: {bare:.2f} s bare, {traced:.2f} s under wick offcpu; the account is off by "
        f"{abs(total - expected) / expected:.3%} (bound 1 %); {lost[0] if lost else 'nothing lost'}",
        abs(total - expected) <= 0.01 * expected)


# ---- memory a thread

def values_of_storages(pid):
    """The sizes of what its task storages keep, whether any task has it or not."""
    found = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}") as f:
            text = f.read()
        if re.search(rf"^map_type:\s*{TASK_STORAGE}$", text, re.M):
            found[re.search(r"^map_id:\s*(\d+)", text, re.M)[1]] = int(re.search(r"^value_size:\s*(\d+)", text, re.M)[1])
    return sorted(found.values())


def slab():
    """Bytes, when what was freed behind a grace period has come back."""
    time.sleep(1)
    with open("/proc/meminfo") as f:
        return int(re.search(r"^Slab:\s*(\d+)", f.read(), re.M)[1]) * 1024


def memory(workdir, row, _):
    """Of threads that wake once in the window: they are there before, so that all that grows is wick's."""
    with waits.Workload(waits.workload("stuck.c"), THREADS, stdin=subprocess.PIPE) as threads:

        def growth():
            before = slab()
            threads.process.stdin.write("x")
            threads.process.stdin.flush()
            return (slab() - before) / THREADS

        def growth_under(view):
            with Wick(workdir, view) as wick:
                return growth(), values_of_storages(wick.running[0].pid)
        growth()
        bare = min(growth() for _ in range(2))
        for view, bound in ("offcpu", 300), ("chain", None):
            # Whatever else grows on the host meanwhile is in it.
            traced, values = min(growth_under(view) for _ in range(2))
            row("sched", f"{THREADS:,} threads: {traced:.0f} bytes each in the kernel's slabs under wick {view}"
                f"{f' (bound {bound})' if bound else ''}, bare {bare:.0f}; task storages for values of {values} bytes",
                traced <= bound if bound else None)


def sched(workdir, row, quick):
    for part in switches, messaging, memory:
        try:
            part(workdir, row, quick)
        except (Failed, AssertionError) as why:
            row("sched", f"{part.__name__}: {str(why).splitlines()[0]}", False)
